package naming

import (
	"strings"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// The recommended labels of Kubernetes, which are on all objects of the operator.
const (
	LabelName      = "app.kubernetes.io/name"
	LabelInstance  = "app.kubernetes.io/instance"
	LabelComponent = "app.kubernetes.io/component"
	LabelPartOf    = "app.kubernetes.io/part-of"
	LabelManagedBy = "app.kubernetes.io/managed-by"
)

// Component is the value of LabelComponent: the purpose of an object within its network or run. NetworkPolicies
// and Services select pods by it.
type Component string

// The components.
const (
	ComponentMember           Component = "member"
	ComponentWorker           Component = "worker"
	ComponentGenesis          Component = "genesis"
	ComponentCredentials      Component = "credentials"
	ComponentDatabase         Component = "database"
	ComponentDatabaseSetup    Component = "database-setup"
	ComponentDatabaseReset    Component = "database-reset"
	ComponentDatabaseTeardown Component = "database-teardown"
	ComponentNetworkPolicy    Component = "isolation"
	ComponentLatency          Component = "emulation"
	ComponentEpoch            Component = "epoch"
	ComponentRun              Component = "run"
	ComponentUpload           Component = "upload"
	ComponentWebhook          Component = "webhook"
)

// ReservedComponents are the components that the objects of a user's chart must not have, since NetworkPolicies
// and Services would take their pods for the operator's.
var ReservedComponents = []Component{ComponentMember, ComponentWorker, ComponentGenesis, ComponentCredentials,
	ComponentDatabaseSetup, ComponentDatabaseReset, ComponentDatabaseTeardown, ComponentUpload,
	ComponentWebhook}

// NetworkLabels returns the labels of an object of the network.
func NetworkLabels(network string, component Component) map[string]string {
	return objectLabels("benchnet-network", network, component, v1alpha1.LabelNetwork, network)
}

// PlatformLabels returns the labels of an object of the network whose software is the platform's.
func PlatformLabels(network *v1alpha1.BenchmarkNetwork, component Component) map[string]string {
	name := strings.ToLower(string(network.Spec.Platform.Type))
	return objectLabels(name, network.Name, component, v1alpha1.LabelNetwork, network.Name)
}

// MemberLabels returns the labels of an object of one member.
func MemberLabels(network *v1alpha1.BenchmarkNetwork, member string) map[string]string {
	all := PlatformLabels(network, ComponentMember)
	all[v1alpha1.LabelMember] = member
	return all
}

// DatabaseLabels returns the labels of an object of a database instance.
func DatabaseLabels(network, instance string) map[string]string {
	all := objectLabels("postgresql", instance, ComponentDatabase, v1alpha1.LabelNetwork, network)
	all[v1alpha1.LabelDatabaseInstance] = instance
	return all
}

// DatabaseJobLabels returns the labels of a Job on a database instance. The instance's Service and the affinity
// of members to the instance must not select the pods of the Job, so these labels lack LabelDatabaseInstance.
func DatabaseJobLabels(network, instance string, component Component) map[string]string {
	name := strings.Replace(string(component), string(ComponentDatabase), "postgresql", 1)
	return objectLabels(name, instance, component, v1alpha1.LabelNetwork, network)
}

// RunLabels returns the labels of an object of a run.
func RunLabels(run string) map[string]string {
	return objectLabels("benchnet-worker", run, ComponentWorker, v1alpha1.LabelRun, run)
}

// UploadLabels returns the labels of the objects that upload the result of a run.
func UploadLabels(run string) map[string]string {
	return objectLabels("benchnet-upload", run, ComponentUpload, v1alpha1.LabelRun, run)
}

// RunWebhookLabels returns the labels of the objects that notify the webhook of a run.
func RunWebhookLabels(run string) map[string]string {
	return objectLabels("benchnet-webhook", run, ComponentWebhook, v1alpha1.LabelRun, run)
}

// ExperimentWebhookLabels returns the labels of the objects that notify the webhook of an experiment.
func ExperimentWebhookLabels(experiment string) map[string]string {
	return objectLabels("benchnet-webhook", experiment, ComponentWebhook, v1alpha1.LabelExperiment, experiment)
}

// ExperimentLabels returns the labels of a network or a run of an experiment.
func ExperimentLabels(experiment string) map[string]string {
	return ownerLabels("benchnet-experiment", experiment, v1alpha1.LabelExperiment, experiment)
}

// PodLabels returns the pod labels that become labels of Prometheus series: the platform of the network and its
// experiment, if any.
func PodLabels(network *v1alpha1.BenchmarkNetwork, experiment string) map[string]string {
	all := map[string]string{v1alpha1.LabelPlatform: string(network.Spec.Platform.Type)}
	if experiment != "" {
		all[v1alpha1.LabelExperiment] = experiment
	}
	return all
}

// ManagedSelector returns the labels that select all objects of the operator.
func ManagedSelector() map[string]string {
	return map[string]string{LabelManagedBy: v1alpha1.ManagedBy}
}

// NetworkSelector returns the labels that select all objects of a network.
func NetworkSelector(network string) map[string]string {
	return map[string]string{LabelManagedBy: v1alpha1.ManagedBy, v1alpha1.LabelNetwork: network}
}

// RunSelector returns the labels that select all objects of a run.
func RunSelector(run string) map[string]string {
	return map[string]string{LabelManagedBy: v1alpha1.ManagedBy, v1alpha1.LabelRun: run}
}

// ExperimentSelector returns the labels that select all objects of an experiment.
func ExperimentSelector(experiment string) map[string]string {
	return map[string]string{LabelManagedBy: v1alpha1.ManagedBy, v1alpha1.LabelExperiment: experiment}
}

// MembersSelector returns the labels that select the pods of all members of a network.
func MembersSelector(network string) map[string]string {
	return map[string]string{v1alpha1.LabelNetwork: network, LabelComponent: string(ComponentMember)}
}

// MemberSelector returns the labels that select the pod of one member.
func MemberSelector(network, member string) map[string]string {
	return map[string]string{v1alpha1.LabelNetwork: network, v1alpha1.LabelMember: member}
}

func objectLabels(name, instance string, component Component, ownerLabel, owner string) map[string]string {
	all := ownerLabels(name, instance, ownerLabel, owner)
	all[LabelComponent] = string(component)
	return all
}

// ownerLabels returns the labels of an object without a component.
func ownerLabels(name, instance, ownerLabel, owner string) map[string]string {
	return map[string]string{LabelName: name, LabelInstance: instance, LabelPartOf: "benchnet", LabelManagedBy: v1alpha1.ManagedBy, ownerLabel: owner}
}
