package v1alpha1

// Labels and annotations of the objects that the operator makes. Children are found by their owner; labels are for people and selectors.
const (
	// LabelNetwork is the name of the network an object belongs to.
	LabelNetwork = "benchnet.dev/network"
	// LabelMember is the name of the member an object belongs to.
	LabelMember = "benchnet.dev/member"
	// LabelRun is the name of the run an object belongs to.
	LabelRun = "benchnet.dev/run"
	// LabelDatabaseInstance is the name of the database instance an object belongs to.
	LabelDatabaseInstance = "benchnet.dev/database-instance"
	// AnnotationMaterialComplete marks a Secret of material as whole; the value is the hash of what it was made from.
	AnnotationMaterialComplete = "benchnet.dev/material-complete"
	// AnnotationAppliedHash is the hash of an object as it was applied last.
	AnnotationAppliedHash = "benchnet.dev/applied-hash"
	// ManagedBy is the value of app.kubernetes.io/managed-by on every object of the operator, and the field owner of its writes.
	ManagedBy = "benchnet"
)
