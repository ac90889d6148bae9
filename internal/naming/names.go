// Package naming derives the names and labels of all objects from the names that users give, and the references
// of the project's images. All image tags are fixed: the project's version, and the variant if an image has several.
//
// Users may use the 63 characters of a DNS label for every name. A derived name begins with the user's name. If the
// derived name must be a DNS label too, a long name is shortened to its beginning and a hash. Names of ConfigMaps,
// Secrets and claims of a run may be longer than a label.
//
// Objects of one kind that belong to different networks, runs or experiments have different names, except the runs of
// networks (WorkloadRun). Therefore no suffix of a kind may end with a hyphen and another suffix of that kind: with
// suffixes db-notary and notary, network a and network a-db would share a name. Names to which administrators bind rights
// begin with ReservedPrefix.
package naming

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// ReservedPrefix begins no name of a network, run or experiment. It begins the name of every ServiceAccount, Role and
// RoleBinding of the operator, so that no name that a user chooses reaches an account to which somebody has bound rights
// or a cloud identity.
const ReservedPrefix = "benchnet-"

// Lengths to which names of users are shortened in derived names.
const (
	// maxLabel is the length of a DNS label.
	maxLabel = 63
	// maxNetwork leaves space for the longest suffix, which is that of the pod of a database Job:
	// -notary-6-pg-setup-fingerprint-xxxxx.
	maxNetwork = 30
	// maxExperiment leaves space for the longest point, repetition and attempt: -s01-l1000000-r100-a10.
	maxExperiment = 40
	// maxWorkerJob leaves space for the index of a worker, because <job>-<index> is the host name of its pod.
	maxWorkerJob = 60
)

// hashLength is the number of hexadecimal digits that tell shortened names apart.
const hashLength = 8

// hashSuffix matches names that end as shortened ones do.
var hashSuffix = regexp.MustCompile(fmt.Sprintf("-[0-9a-f]{%d}$", hashLength))

// shortenName returns a name of at most length characters: the name itself, or its beginning and a hash of the whole
// name. A name that could be a shortened one is shortened too, so that different names stay different.
func shortenName(name string, length int) string {
	if len(name) < length || len(name) == length && !hashSuffix.MatchString(name) {
		return name
	}
	return name[:length-hashLength-1] + "-" + hashName(name)
}

// hashName returns hashLength digits of the hash of a name.
func hashName(name string) string {
	sum := sha256.Sum256([]byte(name))
	return hex.EncodeToString(sum[:])[:hashLength]
}

// networkPrefix returns the beginning of the names that are derived from a network's name.
func networkPrefix(network string) string { return shortenName(network, maxNetwork) }

// Member returns the name of a member's objects, such as its StatefulSet and its ConfigMap.
func Member(network, member string) string { return networkPrefix(network) + "-" + member }

// MemberPod returns the name of a member's only pod.
func MemberPod(network, member string) string { return Member(network, member) + "-0" }

// MemberHost returns the DNS name of a member's pod. It resolves before the pod is ready.
func MemberHost(network, namespace, member string) string {
	return fmt.Sprintf("%s.%s.%s.svc", MemberPod(network, member), MembersService(network), namespace)
}

// MembersService returns the name of the headless Service by which the members' pods have DNS names.
func MembersService(network string) string { return networkPrefix(network) + "-members" }

// IdentitySecret returns the name of the Secret with a member's keys.
func IdentitySecret(network, member string) string { return Member(network, member) + "-identity" }

// MemberDatabaseSecret returns the name of the Secret with a member's database password.
func MemberDatabaseSecret(network, member string) string {
	return Member(network, member) + "-database"
}

// CredentialsSecret returns the name of the Secret with a network's random passwords.
func CredentialsSecret(network string) string { return networkPrefix(network) + "-credentials" }

// CommandsSecret returns the name of the Secret with the token of the commands of a network's agents.
func CommandsSecret(network string) string { return networkPrefix(network) + "-commands" }

// NetworkMapSecret returns the name of the Secret with the data that all members of a network share about each
// other.
func NetworkMapSecret(network string) string { return networkPrefix(network) + "-network-map" }

// AccountsSecret returns the name of the Secret with the seed of the accounts that send the load.
func AccountsSecret(network string) string { return networkPrefix(network) + "-accounts" }

// SchemaSecret returns the name of the Secret with the template of the members' embedded databases, for node
// images without one.
func SchemaSecret(network string) string { return networkPrefix(network) + "-schema" }

// GenesisJob returns the name of the Job that creates a network's genesis, and of its ServiceAccount and Role.
func GenesisJob(network string) string { return ReservedPrefix + "genesis-" + networkPrefix(network) }

// EpochConfigMap returns the name of the ConfigMap that records a network's epoch and active run.
func EpochConfigMap(network string) string { return networkPrefix(network) + "-epoch" }

// SharedDatabase returns the name of the instance that all members of a network share.
func SharedDatabase(network string) string { return networkPrefix(network) + "-db" }

// DatabaseInstance returns the name of the n-th of several instances.
func DatabaseInstance(network string, n int) string {
	return fmt.Sprintf("%s-%d", SharedDatabase(network), n)
}

// DatabasePrefix returns the beginning of the names of a network's database instances.
func DatabasePrefix(network string) string { return networkPrefix(network) + "-" }

// DedicatedDatabase returns the name of an instance that only one node, or the replicas of one service, use.
func DedicatedDatabase(network, user string) string { return Member(network, user) + "-pg" }

// ChartAccount returns the name of a ServiceAccount of a user's chart. The name in the chart begins with that of the
// database instance.
func ChartAccount(name string) string { return ReservedPrefix + "database-" + name }

// DatabaseJob returns the name of a Job on an instance, such as net-db-setup-0f882c93, and of the ConfigMap with
// its scripts. The fingerprint is a hash of their content.
func DatabaseJob(instance string, component Component, fingerprint string) string {
	return instance + strings.TrimPrefix(string(component), string(ComponentDatabase)) + "-" + fingerprint
}

// NetworkPolicy returns the name of a network's policy for a purpose.
func NetworkPolicy(network, purpose string) string { return networkPrefix(network) + "-" + purpose }

// DatabaseSuperuserSecret returns the name of the Secret with the password of the instances' superuser.
func DatabaseSuperuserSecret(network string) string { return networkPrefix(network) + "-db-superuser" }

// KueueWorkload returns the name of the Kueue Workload that requests capacity for a network.
func KueueWorkload(network string) string { return networkPrefix(network) + "-kueue" }

// ExperimentKueueWorkload returns the name of the Kueue Workload that requests capacity for the networks of an experiment.
func ExperimentKueueWorkload(experiment string) string {
	return shortenName(experiment, maxExperiment) + "-kueue-experiment"
}

// WorkloadRun returns the name of the run of a workload that its network lists. Network a-b with workload c and network a
// with workload b-c have the same: a network refuses a workload whose run has the name of another's.
func WorkloadRun(network, workload string) string { return shortenName(network+"-"+workload, maxLabel) }

// WorkerJob returns the name of the Job with the workers of a run.
func WorkerJob(run string) string { return shortenName(run, maxWorkerJob) }

// RunAccount returns the name of the ServiceAccount of a run's workers, of their Role and of its RoleBinding.
func RunAccount(run string) string { return ReservedPrefix + "run-" + run }

// BarrierConfigMap returns the name of the ConfigMap that releases a run's workers.
func BarrierConfigMap(run string) string { return run + "-barrier" }

// WorkerReport returns the name of the ConfigMap to which one worker of a run reports.
func WorkerReport(run string, worker int32) string {
	return fmt.Sprintf("%s%d", WorkerReportPrefix(run), worker)
}

// WorkerReportPrefix returns the name of a run's worker reports without the worker's index.
func WorkerReportPrefix(run string) string { return run + "-w" }

// WorkloadConfigMap returns the name of the ConfigMap with the workload files of a run's drivers.
func WorkloadConfigMap(run string) string { return run + "-workload" }

// Upload returns the name of the objects that upload the result of a run.
func Upload(run string) string { return deliveryName(run, "upload") }

// RunWebhook returns the name of the objects that notify the webhook of a run.
func RunWebhook(run string) string { return deliveryName(run, "webhook") }

// ExperimentWebhook returns the name of the objects that notify the webhook of an experiment.
func ExperimentWebhook(experiment string) string {
	return deliveryName(experiment, "experiment-webhook")
}

// deliveryName returns a name such as pay-upload-71b23667. The hash distinguishes it from the name of the Job of a run that
// is called pay-upload.
func deliveryName(owner, purpose string) string {
	suffix := "-" + purpose + "-" + hashName(owner+"/"+purpose)
	return shortenName(owner, maxLabel-len(suffix)) + suffix
}

// StatefulSetClaim returns the name that Kubernetes gives the claim of a StatefulSet's pod.
func StatefulSetClaim(template, set string, ordinal int32) string {
	return fmt.Sprintf("%s-%s-%d", template, set, ordinal)
}

// ResultConfigMap returns the name of the ConfigMap with a run's full result.
func ResultConfigMap(run string) string { return run + "-result" }

// ExperimentResult returns the name of the ConfigMap with an experiment's full result.
func ExperimentResult(experiment string) string { return experiment + "-results" }

// LatencyConfigMap returns the name of the ConfigMap with the configuration of a network's latency emulation.
func LatencyConfigMap(network string) string { return networkPrefix(network) + "-emulation" }

// LatencyAccount returns the name of the ServiceAccount of the members' sidecars, of their Role and of its RoleBinding.
func LatencyAccount(network string) string {
	return ReservedPrefix + "emulation-" + networkPrefix(network)
}

// LatencyStatus returns the name of the ConfigMap in which every member's sidecar reports that its latency is
// in effect.
func LatencyStatus(network string) string { return networkPrefix(network) + "-emulation-report" }

// ExperimentPoint returns the name of the n-th point of an experiment, such as p01, or of a search, such as
// s01.
func ExperimentPoint(prefix string, n int) string { return fmt.Sprintf("%s%02d", prefix, n) }

// SearchPoint returns the name of the point at which a search tries a load, such as 6 or 500m.
func SearchPoint(search, load string) string { return search + "-l" + load }

// ExperimentNetwork returns the name of the n-th network of an experiment.
func ExperimentNetwork(experiment string, n int) string {
	return fmt.Sprintf("%s-n%d", shortenName(experiment, maxExperiment), n)
}

// IsExperimentNetwork reports whether a name is that of any network of an experiment.
func IsExperimentNetwork(experiment, network string) bool {
	number, found := strings.CutPrefix(network, shortenName(experiment, maxExperiment)+"-n")
	n, err := strconv.Atoi(number)
	return found && err == nil && ExperimentNetwork(experiment, n) == network
}

// ExperimentRun returns the name of one repetition of a point. Attempts after the first have a suffix.
func ExperimentRun(experiment, point string, repetition, attempt int) string {
	name := fmt.Sprintf("%s-%s-r%d", shortenName(experiment, maxExperiment), point, repetition)
	if attempt > 1 {
		name += fmt.Sprintf("-a%d", attempt)
	}
	return name
}
