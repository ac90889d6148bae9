package v1alpha1

// Labels and annotations of the objects that the operator creates. The operator finds objects by owner reference. Labels are for users
// and selectors.
const (
	// LabelPlatform is the platform of a pod's network, as in spec.platform.type.
	LabelPlatform = "benchnet.dev/platform"
	// LabelNetwork is the name of the network that an object belongs to.
	LabelNetwork = "benchnet.dev/network"
	// LabelMember is the name of the member that an object belongs to.
	LabelMember = "benchnet.dev/member"
	// LabelObservation on a pod is spec.observation of its network, if that is not Full. The PodMonitor leaves out such pods.
	LabelObservation = "benchnet.dev/observation"
	// LabelRun is the name of the run that an object belongs to.
	LabelRun = "benchnet.dev/run"
	// LabelExperiment is the name of the experiment that an object belongs to.
	LabelExperiment = "benchnet.dev/experiment"
	// LabelPoint is the point of the experiment that a run measures, such as p03.
	LabelPoint = "benchnet.dev/point"
	// LabelVariant is the variant of the experiment that a run measures.
	LabelVariant = "benchnet.dev/variant"
	// LabelDatabaseInstance is the name of the database instance that an object belongs to.
	LabelDatabaseInstance = "benchnet.dev/database-instance"
	// LabelDatabaseAdmin marks a Secret, with the value "true", that networks in its namespace may use as
	// spec.database.external.adminSecret.
	LabelDatabaseAdmin = "benchnet.dev/database-admin"
	// LabelDatabaseJDBC marks a Secret, with the value "true", that networks in its namespace may use as
	// spec.database.external.jdbcSecret.
	LabelDatabaseJDBC = "benchnet.dev/database-jdbc"
	// LabelDatabaseChart marks a Secret, ConfigMap or PersistentVolumeClaim, with the value "true", that the chart of
	// spec.database.chart may use in its namespace although it does not create it.
	LabelDatabaseChart = "benchnet.dev/database-chart"
	// LabelCorDapps marks a PersistentVolumeClaim, with the value "true", that networks in its namespace may use as
	// spec.platform.corda.cordapps.claimName.
	LabelCorDapps = "benchnet.dev/cordapps"
	// LabelUpload marks a Secret, with the value "true", that runs in its namespace may use as spec.delivery.upload.secretName.
	LabelUpload = "benchnet.dev/upload"
	// LabelWebhook marks a Secret, with the value "true", that runs and experiments in its namespace may use as the secretName of their
	// webhook.
	LabelWebhook = "benchnet.dev/webhook"
	// AnnotationGenesisComplete marks a complete genesis Secret. Its value is the hash of the inputs.
	AnnotationGenesisComplete = "benchnet.dev/genesis-complete"
	// AnnotationGenerated marks a Secret with generated keys or passwords. Its value is a GeneratedSecret.
	// The operator creates such a Secret once, and neither reads nor overwrites its data.
	AnnotationGenerated = "benchnet.dev/generated"
	// AnnotationAppliedHash is the hash of an object when it was last applied.
	AnnotationAppliedHash = "benchnet.dev/applied-hash"
	// AnnotationReset on a network requests a reset to its initial state. Every new value requests another reset.
	AnnotationReset = "benchnet.dev/reset"
	// AnnotationEpoch on a member's pod is the identifier of its network's epoch. It is absent in the first epoch.
	AnnotationEpoch = "benchnet.dev/epoch"
	// AnnotationPauses on a member's StatefulSet is how often its network was paused or resumed. It is absent before the first pause.
	AnnotationPauses = "benchnet.dev/pauses"
	// AnnotationQuota is on an object whose pods a ResourceQuota rejected. It is the hash of the quotas when the pods were last
	// retried.
	AnnotationQuota = "benchnet.dev/quota"
	// AnnotationPlannedWorkloads is on a network of an experiment. It summarizes the workloads that the experiment runs on it, for
	// whose data its volumes need space.
	AnnotationPlannedWorkloads = "benchnet.dev/planned-workloads"
	// FieldRunNetwork is the field selector of runs by their network, in the API server and in the operator's cache.
	FieldRunNetwork = "spec.networkName"
	// ManagedBy is the value of the label app.kubernetes.io/managed-by on every object of the operator, and its field manager.
	ManagedBy = "benchnet"
)

// GeneratedSecret says what generates the data of a Secret.
type GeneratedSecret string

const (
	// GeneratedCredentials are random passwords of the operator.
	GeneratedCredentials GeneratedSecret = "Credentials"
	// GeneratedGenesis are the keys and files that the genesis Job creates.
	GeneratedGenesis GeneratedSecret = "Genesis"
)
