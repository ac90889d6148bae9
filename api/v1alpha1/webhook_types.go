package v1alpha1

// WebhookTrigger says which outcomes a webhook receives.
// +kubebuilder:validation:Enum=Ended;GatesNotPassed
type WebhookTrigger string

// The triggers of a webhook.
const (
	// WebhookEnded notifies of every end.
	WebhookEnded WebhookTrigger = "Ended"
	// WebhookGatesNotPassed notifies if an objective or a gate failed, is undecided, or could not be judged.
	WebhookGatesNotPassed WebhookTrigger = "GatesNotPassed"
)

// Webhook is a URL that receives a JSON document by an HTTP POST when a run or an experiment has ended. docs/export.md describes the
// document and its signature. A Job in the namespace sends it; the operator itself never connects to the URL.
type Webhook struct {
	// url receives the document. It must not contain a token: all readers of the resource see it.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:Pattern=`^https?://[A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?(:([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]))?(/[-A-Za-z0-9._~%!$&()*+,;=:@/?]*)?$`
	// +required
	URL string `json:"url"`
	// when is Ended, or GatesNotPassed for ends in which an objective or a gate did not pass. Default: Ended.
	// +kubebuilder:default=Ended
	// +optional
	When WebhookTrigger `json:"when,omitempty"`
	// secretName is a Secret with the label benchnet.dev/webhook=true: signingKey signs the document, the optional ca.crt has the
	// server's authorities. Default: not signed.
	// +kubebuilder:validation:MaxLength=253
	// +optional
	SecretName string `json:"secretName,omitempty"`
}
