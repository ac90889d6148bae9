package loadgen

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/pods"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

// BaselineKey in the barrier's data holds the members' pods at the release, as JSON.
const BaselineKey = "baseline.json"

// SetUpTimeout is the maximum time until workers are ready: image pulls, connections, states issued
// beforehand.
const SetUpTimeout = 20 * time.Minute

// Release is the start of a run: the start time and the state of the members.
type Release struct {
	Start    time.Time
	Baseline []byte
	// Stop is the earlier end of the window, or nil.
	Stop *time.Time
	// ResourceVersion makes the write of a release or stop fail if the barrier has changed. Workers that
	// received one start time must never receive another.
	ResourceVersion string
}

// BuildObjects returns all objects of a run to be measured. If release is not nil, the barrier holds it.
func BuildObjects(run *v1alpha1.BenchmarkRun, d Driver, agentImage string, release *Release) ([]client.Object, error) {
	workload, err := json.MarshalIndent(d.Workload, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("encode workload of run %s: %w", run.Name, err)
	}
	objects := []client.Object{
		&corev1.ConfigMap{ObjectMeta: runObjectMeta(run, naming.WorkloadConfigMap(run.Name)), Data: map[string]string{"workload.json": string(workload)}},
		buildBarrier(run, release),
	}
	for i := range run.Spec.Workload.Workers.Count {
		objects = append(objects, &corev1.ConfigMap{ObjectMeta: runObjectMeta(run, naming.WorkerReport(run.Name, i))})
	}
	objects = append(objects, buildWorkerAccess(run, d.Workload.Faults)...)
	job := buildJob(run, d, agentImage)
	if err := pods.ApplyScheduling(&job.Spec.Template.Spec, run.Spec.Workload.Workers.Scheduling); err != nil {
		return nil, fmt.Errorf("workers.scheduling of run %s: %w", run.Name, err)
	}
	return append(objects, job), nil
}

func buildBarrier(run *v1alpha1.BenchmarkRun, release *Release) *corev1.ConfigMap {
	object := runObjectMeta(run, naming.BarrierConfigMap(run.Name))
	data := map[string]string{}
	if release != nil {
		object.ResourceVersion = release.ResourceVersion
		data[protocol.StartKey] = release.Start.UTC().Format(time.RFC3339Nano)
		data[BaselineKey] = string(release.Baseline)
		if release.Stop != nil {
			data[protocol.StopKey] = release.Stop.UTC().Format(time.RFC3339Nano)
		}
	}
	return &corev1.ConfigMap{ObjectMeta: object, Data: data}
}

// Digest returns a hash of the start and the baseline.
func (r *Release) Digest() string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s", r.Start.UTC().Format(time.RFC3339Nano), r.Baseline))
	return hex.EncodeToString(sum[:8])
}

// ParseRelease returns the release in a barrier, or nil if there is none.
func ParseRelease(barrier *corev1.ConfigMap) (*Release, error) {
	if barrier == nil || barrier.Data[protocol.StartKey] == "" {
		return nil, nil
	}
	start, err := parseInstant(barrier, protocol.StartKey)
	if err != nil {
		return nil, err
	}
	release := &Release{Start: start, Baseline: []byte(barrier.Data[BaselineKey])}
	if barrier.Data[protocol.StopKey] != "" {
		stop, err := parseInstant(barrier, protocol.StopKey)
		if err != nil {
			return nil, err
		}
		release.Stop = &stop
	}
	return release, nil
}

func parseInstant(barrier *corev1.ConfigMap, key string) (time.Time, error) {
	at, err := time.Parse(time.RFC3339Nano, barrier.Data[key])
	if err != nil {
		return at, fmt.Errorf("%s in ConfigMap %s: %w", key, barrier.Name, err)
	}
	return at, nil
}

// buildWorkerAccess lets the workers read and watch their barrier, patch their reports, and end the pods of faults that do, with no other
// permissions.
func buildWorkerAccess(run *v1alpha1.BenchmarkRun, faults []measurement.Fault) []client.Object {
	reports := make([]string, 0, run.Spec.Workload.Workers.Count)
	for i := range run.Spec.Workload.Workers.Count {
		reports = append(reports, naming.WorkerReport(run.Name, i))
	}
	account := naming.RunAccount(run.Name)
	rules := []rbacv1.PolicyRule{
		namedRule("configmaps", []string{naming.BarrierConfigMap(run.Name)}, "get", "list", "watch"),
		namedRule("configmaps", reports, "get", "patch"),
	}
	var ended []string
	for i := range faults {
		if faults[i].EndsPod() && !slices.Contains(ended, faults[i].Pod) {
			ended = append(ended, faults[i].Pod)
		}
	}
	if len(ended) > 0 {
		rules = append(rules, namedRule("pods", ended, "get", "delete"), namedRule("pods/eviction", ended, "create"))
	}
	return []client.Object{
		&corev1.ServiceAccount{ObjectMeta: runObjectMeta(run, account), AutomountServiceAccountToken: new(false)},
		&rbacv1.Role{ObjectMeta: runObjectMeta(run, account), Rules: rules},
		&rbacv1.RoleBinding{ObjectMeta: runObjectMeta(run, account),
			RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: account},
			Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Name: account, Namespace: run.Namespace}}},
	}
}

func namedRule(resource string, names []string, verbs ...string) rbacv1.PolicyRule {
	return rbacv1.PolicyRule{APIGroups: []string{""}, Resources: []string{resource}, ResourceNames: names, Verbs: verbs}
}

func runObjectMeta(run *v1alpha1.BenchmarkRun, name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Namespace: run.Namespace, Labels: naming.RunLabels(run.Name)}
}
