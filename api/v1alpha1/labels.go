package v1alpha1

// Labels and annotations of the objects that the operator makes. Children are found by their owner; labels are for people and selectors.
const (
	// LabelPlatform on a pod is the platform of its network, as spec.platform.type spells it.
	LabelPlatform = "benchnet.dev/platform"
	// LabelNetwork is the name of the network an object belongs to.
	LabelNetwork = "benchnet.dev/network"
	// LabelMember is the name of the member an object belongs to.
	LabelMember = "benchnet.dev/member"
	// LabelRun is the name of the run an object belongs to.
	LabelRun = "benchnet.dev/run"
	// LabelExperiment is the name of the experiment an object belongs to.
	LabelExperiment = "benchnet.dev/experiment"
	// LabelPoint is the point of the experiment that a run measures, such as p03.
	LabelPoint = "benchnet.dev/point"
	// LabelVariant is the variant of the experiment that a run measures.
	LabelVariant = "benchnet.dev/variant"
	// LabelDatabaseInstance is the name of the database instance an object belongs to.
	LabelDatabaseInstance = "benchnet.dev/database-instance"
	// LabelDatabaseAdmin with the value "true" on a Secret lets networks in its namespace name it as spec.database.external.adminSecret.
	LabelDatabaseAdmin = "benchnet.dev/database-admin"
	// AnnotationGenesisComplete marks a complete Secret of the genesis. Its value is the hash of the inputs.
	AnnotationGenesisComplete = "benchnet.dev/genesis-complete"
	// AnnotationGenerated marks a Secret with generated keys or passwords. Its value says what generates them, as a GeneratedSecret.
	// The operator creates such a Secret once, and neither reads nor overwrites its data.
	AnnotationGenerated = "benchnet.dev/generated"
	// AnnotationAppliedHash is the hash of an object as it was applied last.
	AnnotationAppliedHash = "benchnet.dev/applied-hash"
	// AnnotationAppliedGeneration is the generation that a StatefulSet or a NetworkPolicy had when it was applied last: somebody
	// changed its spec if it has another one.
	AnnotationAppliedGeneration = "benchnet.dev/applied-generation"
	// AnnotationReset on a network asks that it go back to its freshly made state; every new value asks again.
	AnnotationReset = "benchnet.dev/reset"
	// AnnotationEpoch on a member's pod is the epoch of its network: the life between two resets. There is none in the first.
	AnnotationEpoch = "benchnet.dev/epoch"
	// AnnotationNetwork on a run of a network's own workload is the UID of that network, also when the run was let go to be kept.
	AnnotationNetwork = "benchnet.dev/network-uid"
	// AnnotationQuota on an object whose pods a ResourceQuota refused is the hash of the quotas as they were when it was last tried.
	AnnotationQuota = "benchnet.dev/quota"
	// FieldRunNetwork selects runs by the network that they measure, in the API server and in the operator's cache.
	FieldRunNetwork = "spec.networkName"
	// ManagedBy is the value of app.kubernetes.io/managed-by on every object of the operator, and the field owner of its writes.
	ManagedBy = "benchnet"
)

// GeneratedSecret says what generates the data of a Secret.
type GeneratedSecret string

const (
	// GeneratedCredentials are random passwords of the operator.
	GeneratedCredentials GeneratedSecret = "Credentials"
	// GeneratedGenesis are the keys and files of the Job of the genesis.
	GeneratedGenesis GeneratedSecret = "Genesis"
)
