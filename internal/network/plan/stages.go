package plan

import (
	"fmt"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/platform"
)

func newSecret(name string, labels map[string]string) *corev1.Secret {
	return &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: labels}}
}

// buildGenesisStage returns the stage of the genesis Secrets, which the operator creates empty. Until they are
// filled, the stage also holds the Job that fills them. Once all have been filled, a lost one is not created again.
func buildGenesisStage(in Input, pin platform.Input, p *Plan) (Stage, error) {
	stage := Stage{Name: StageGenesis, Provisioning: true}
	user, ok := in.Platform.(platform.GenesisProvider)
	if !ok {
		p.checkGeneratedSecrets(in, nil)
		return stage, nil
	}
	p.Credentials = append(user.Credentials(p.Topology), p.Credentials...)
	genesis, err := user.BuildGenesis(pin, p.Topology)
	if err != nil {
		return stage, fmt.Errorf("genesis: %w", err)
	}
	completed := p.checkGeneratedSecrets(in, genesis.Secrets)
	if !completed {
		stage.RequiredSecrets = genesis.Secrets
	}
	complete := true
	for _, name := range genesis.Secrets {
		if p.IsLost(name) {
			continue
		}
		secret := newSecret(name, naming.NetworkLabels(in.Network.Name, naming.ComponentGenesis))
		secret.Annotations = map[string]string{v1alpha1.AnnotationGenerated: string(v1alpha1.GeneratedGenesis)}
		stage.Objects = append(stage.Objects, secret)
		complete = complete && in.GenesisSecretFilled(name)
	}
	if !complete && !completed {
		stage.Objects = append(stage.Objects, genesis.JobObjects...)
		stage.Owner = genesis.JobObjects[0]
	}
	return stage, nil
}

// buildDueRuns returns the runs of the network's workloads: all existing ones, and the next one in list order
// once these have ended. It leaves out a kept run that the network no longer owns. It fails if a run that the network
// does not own has the name of one of its runs.
func buildDueRuns(in Input) ([]client.Object, error) {
	var due []client.Object
	next := -1
	underWay := false
	for i := range in.Network.Spec.Workloads {
		switch live := in.WorkloadRuns[in.runName(i)]; {
		case live == nil && in.TakenRuns[in.runName(i)] != "":
			return nil, field.Invalid(field.NewPath("spec", "workloads").Index(i).Child("name"), in.Network.Spec.Workloads[i].Name,
				in.TakenRuns[in.runName(i)]+" rename the workload or the network")
		case live == nil && next < 0:
			next = i
		case live == nil:
		case !metav1.IsControlledBy(live, in.Network):
			underWay = underWay || !live.IsComplete()
		default:
			underWay = underWay || !live.IsComplete()
			due = append(due, in.plannedRun(i))
		}
	}
	if next < 0 || underWay || in.holdsRuns() {
		return due, nil
	}
	return append(due, in.plannedRun(next)), nil
}

func (in Input) runName(workload int) string {
	return naming.WorkloadRun(in.Network.Name, in.Network.Spec.Workloads[workload].Name)
}

func (in Input) plannedRun(workload int) *v1alpha1.BenchmarkRun {
	return &v1alpha1.BenchmarkRun{
		ObjectMeta: metav1.ObjectMeta{Name: in.runName(workload), Labels: naming.NetworkLabels(in.Network.Name, naming.ComponentRun)},
		Spec: v1alpha1.BenchmarkRunSpec{NetworkName: in.Network.Name, Workload: in.Network.Spec.Workloads[workload].Workload,
			Delivery: in.Network.Spec.Delivery},
	}
}

// IsNetworkRun reports whether the run belongs to one of the network's own workloads. The network controls such a run, unless the
// owner reference was removed to retain the run; the record of its release then names the network. Users can write no status and
// cannot change the workload of a run, so a run that a user created counts only if it measured the same.
func IsNetworkRun(network *v1alpha1.BenchmarkNetwork, run *v1alpha1.BenchmarkRun) bool {
	if metav1.IsControlledBy(run, network) {
		return true
	}
	measured := run.Status.Release != nil && run.Status.Release.NetworkUID == network.UID
	return measured && slices.ContainsFunc(network.Spec.Workloads, func(w v1alpha1.NetworkWorkload) bool {
		return naming.WorkloadRun(network.Name, w.Name) == run.Name && equality.Semantic.DeepEqual(w.Workload, run.Spec.Workload)
	})
}
