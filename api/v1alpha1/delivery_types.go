package v1alpha1

// Delivery says where the result of a run goes when the run has ended. It changes no verdict. A failed delivery is tried again when it
// changes.
type Delivery struct {
	// upload is where the result is copied. Default: nowhere.
	// +optional
	Upload *ResultUpload `json:"upload,omitempty"`
	// webhook is notified. Default: none.
	// +optional
	Webhook *Webhook `json:"webhook,omitempty"`
}

// ExperimentDelivery says where the results of an experiment go.
type ExperimentDelivery struct {
	// runs is the delivery of the runs that are created afterwards.
	// +optional
	Runs Delivery `json:"runs,omitzero"`
	// webhook is notified when the experiment has ended. Default: none.
	// +optional
	Webhook *Webhook `json:"webhook,omitempty"`
}
