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
	// url receives the document, such as https://ci.example.org/hooks/benchmarks. Everyone who may read the resource sees it, so it must
	// not contain a token. The pod may connect only to its port, as with the endpoint of an upload. Redirects are not followed.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=512
	// +kubebuilder:validation:Pattern=`^https?://[A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?(:([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]))?(/[-A-Za-z0-9._~%!$&()*+,;=:@/?]*)?$`
	// +required
	URL string `json:"url"`
	// when is Ended or GatesNotPassed. With Ended, every end is reported, of failed and cancelled runs too. With GatesNotPassed, only those
	// in which an objective or a gate failed, is undecided or could not be judged. Default: Ended.
	// +kubebuilder:default=Ended
	// +optional
	When WebhookTrigger `json:"when,omitempty"`
	// secretName is the name of the Secret in the namespace with the key signingKey, with which the document is signed, and optionally
	// ca.crt, the certificate authorities of the server in PEM format. The Secret must have the label benchnet.dev/webhook=true.
	// Default: the document is not signed.
	// +kubebuilder:validation:MaxLength=253
	// +optional
	SecretName string `json:"secretName,omitempty"`
}
