package v1alpha1

// ResultUpload is a place on an S3-compatible server to which the result of a run is copied, so that it outlives the namespace. A Job
// in the namespace of the run uploads it; the operator itself never connects to the server.
type ResultUpload struct {
	// endpoint is the URL of the server without a path, such as http://minio.storage:9000. The port of a Service must equal its
	// target port; where NetworkPolicies are enforced, its ClusterIP does not work.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^https?://[A-Za-z0-9]([-A-Za-z0-9.]*[A-Za-z0-9])?(:([1-9][0-9]{0,3}|[1-5][0-9]{4}|6[0-4][0-9]{3}|65[0-4][0-9]{2}|655[0-2][0-9]|6553[0-5]))?$`
	// +required
	Endpoint string `json:"endpoint"`
	// region is the region of the bucket. Default: us-east-1, which most servers outside of AWS expect.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z0-9-]+$`
	// +kubebuilder:default=us-east-1
	// +optional
	Region string `json:"region,omitempty"`
	// bucket is the name of an existing bucket.
	// +kubebuilder:validation:MinLength=3
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern=`^[a-z0-9][a-z0-9.-]*[a-z0-9]$`
	// +required
	Bucket string `json:"bucket"`
	// prefix precedes the names of all objects, PREFIX/NAMESPACE/RUN/UID/... Default: none.
	// +kubebuilder:validation:MaxLength=253
	// +kubebuilder:validation:Pattern=`^[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)*$`
	// +kubebuilder:validation:XValidation:rule="!self.split('/').exists(s, s == '.' || s == '..')",message="prefix must not have the segments . and .."
	// +optional
	Prefix string `json:"prefix,omitempty"`
	// secretName is a Secret in the namespace of the run with the label benchnet.dev/upload=true, and the keys accessKeyID,
	// secretAccessKey and optionally ca.crt, the server's authorities in PEM.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=253
	// +required
	SecretName string `json:"secretName"`
}
