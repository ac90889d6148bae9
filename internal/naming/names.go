// Package naming derives the name of every object from the names that users gave, in one place.
//
// A network's name has at most 30 characters and a workload's at most 20 (CEL), a member's at most 10; the longest
// name derived here, <network>-<member>-database and a run's worker pods, stay within a DNS label's 63.
package naming

import "fmt"

// Member is the name of everything that belongs to one member: its StatefulSet, its ConfigMap.
func Member(network, member string) string { return network + "-" + member }

// MemberPod is the name of a member's only pod.
func MemberPod(network, member string) string { return Member(network, member) + "-0" }

// MemberHost is the DNS name of a member's pod. It resolves before the pod is ready.
func MemberHost(network, namespace, member string) string {
	return fmt.Sprintf("%s.%s.%s.svc", MemberPod(network, member), network, namespace)
}

// IdentitySecret is the Secret with a member's keys.
func IdentitySecret(network, member string) string { return Member(network, member) + "-identity" }

// MemberDatabaseSecret is the Secret with a member's database password.
func MemberDatabaseSecret(network, member string) string {
	return Member(network, member) + "-database"
}

// CredentialsSecret is the Secret with the random passwords of a network.
func CredentialsSecret(network string) string { return network + "-credentials" }

// NetworkMapSecret is the Secret with what all members of a network know of each other.
func NetworkMapSecret(network string) string { return network + "-network-map" }

// AccountsSecret is the Secret with the seed of the accounts from which a load is sent.
func AccountsSecret(network string) string { return network + "-accounts" }

// SchemaSecret is the Secret with the template of the members' own databases, where the node's image has none.
func SchemaSecret(network string) string { return network + "-schema" }

// GenesisJob is the Job, with its account and role, that makes a network's material.
func GenesisJob(network string) string { return network + "-genesis" }

// EpochConfigMap is the ConfigMap that keeps a network's epoch and whose turn it is.
func EpochConfigMap(network string) string { return network + "-epoch" }

// SharedDatabase returns the name of the instance that all members of a network share.
func SharedDatabase(network string) string { return network + "-db" }

// DatabaseInstance returns the name of the n-th of several instances.
func DatabaseInstance(network string, n int) string {
	return fmt.Sprintf("%s-%d", SharedDatabase(network), n)
}

// DatabaseJob returns the name of a Job on an instance, and of the ConfigMap with its scripts. The fingerprint is that of their content.
func DatabaseJob(instance, purpose, fingerprint string) string {
	return instance + "-" + purpose + "-" + fingerprint
}

// NetworkPolicy returns the name of a network's policy for a purpose.
func NetworkPolicy(network, purpose string) string { return network + "-" + purpose }

// DatabaseSuperuserSecret is the Secret with the password of the instances' superuser.
func DatabaseSuperuserSecret(network string) string { return network + "-db-superuser" }

// KueueWorkload is the object by which Kueue is asked for a network's place.
func KueueWorkload(network string) string { return network + "-kueue" }

// WorkloadRun is the run of a workload that its network lists.
func WorkloadRun(network, workload string) string { return network + "-" + workload }

// BarrierConfigMap is the ConfigMap that releases a run's workers.
func BarrierConfigMap(run string) string { return run + "-barrier" }

// WorkerReport is the ConfigMap to which one worker of a run reports.
func WorkerReport(run string, worker int32) string {
	return fmt.Sprintf("%s%d", WorkerReportPrefix(run), worker)
}

// WorkerReportPrefix is the name of a run's reports without the worker's index.
func WorkerReportPrefix(run string) string { return run + "-w" }

// WorkloadConfigMap is the ConfigMap with the orders of a run's drivers.
func WorkloadConfigMap(run string) string { return run + "-workload" }

// SampleLogClaim is the claim of the volume that keeps a run's sample logs.
func SampleLogClaim(run string) string { return run + "-jtl" }

// ResultConfigMap is the ConfigMap with a run's whole result.
func ResultConfigMap(run string) string { return run + "-result" }

// Latency is everything by which a network's members are put at a distance: configuration, account, role.
func Latency(network string) string { return network + "-emulation" }

// LatencyStatus is the ConfigMap in which every member tells that it is at its distance.
func LatencyStatus(network string) string { return network + "-emulation-report" }

// ExperimentPoint is the name of a point of an experiment: p01; of a search: s01.
func ExperimentPoint(prefix string, n int) string { return fmt.Sprintf("%s%02d", prefix, n) }

// SearchPoint is the point of a search at which a load is tried.
func SearchPoint(search string, load int64) string { return fmt.Sprintf("%s-l%d", search, load) }

// ExperimentNetwork is the n-th network of an experiment.
func ExperimentNetwork(experiment string, n int) string { return fmt.Sprintf("%s-n%d", experiment, n) }

// ExperimentRun is one repetition of a point, at its first attempt or a later one.
func ExperimentRun(experiment, point string, repetition, attempt int) string {
	name := fmt.Sprintf("%s-%s-r%d", experiment, point, repetition)
	if attempt > 1 {
		name += fmt.Sprintf("-a%d", attempt)
	}
	return name
}
