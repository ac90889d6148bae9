package emerald_test

import (
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform/emerald"
	"github.com/benchnet/benchnet/internal/platform/platformtest"
)

// firstMemberPod returns the pod of the first member after a change of the spec.
func firstMemberPod(t *testing.T, change func(*v1alpha1.BenchmarkNetworkSpec)) corev1.PodSpec {
	t.Helper()
	network := platformtest.NewNetworkAdmission(t).AdmitNetwork(t, []byte(validManifest))
	change(&network.Spec)
	for _, o := range platformtest.Build(t, emerald.New(), network).Members {
		if set, ok := o.(*appsv1.StatefulSet); ok {
			return set.Spec.Template.Spec
		}
	}
	t.Fatal("no member")
	return corev1.PodSpec{}
}

func findContainer(t *testing.T, all []corev1.Container, name string) corev1.Container {
	t.Helper()
	i := slices.IndexFunc(all, func(c corev1.Container) bool { return c.Name == name })
	if i < 0 {
		t.Fatalf("no container %s", name)
	}
	return all[i]
}

func TestFlagsOverrideProfile(t *testing.T) {
	c := findContainer(t, firstMemberPod(t, withExecution(func(e *v1alpha1.EmeraldExecution) {
		e.Flags = map[string]v1alpha1.Text{"txpool.max-batch-size": "7", "tx-propagation-mode": "all", "full": "", "extra": "$(HOME)"}
	})).Containers, "execution")
	for _, wanted := range []string{"--txpool.max-batch-size=7", "--tx-propagation-mode=all", "--full", "--extra=$$(HOME)", "--txpool.pending-max-count=50000",
		"--trusted-peers=$(BENCHNET_PEERS)", "--builder.gaslimit=$(BENCHNET_GAS_LIMIT)"} {
		if !slices.Contains(c.Command, wanted) {
			t.Errorf("the command lacks %s: %v", wanted, c.Command)
		}
	}
	if slices.Contains(c.Command, "--txpool.max-batch-size=10000") {
		t.Error("a replaced flag is given twice")
	}
}

// TestSingleMemberHasNoPeers checks that a single member gets no list of peers: Reth rejects an empty one.
func TestSingleMemberHasNoPeers(t *testing.T) {
	c := findContainer(t, firstMemberPod(t, func(s *v1alpha1.BenchmarkNetworkSpec) { s.Members.Count = 1 }).Containers, "execution")
	if slices.Contains(c.Command, "--trusted-peers=$(BENCHNET_PEERS)") {
		t.Errorf("a network of one member has peers: %v", c.Command)
	}
}

func TestCustomClient(t *testing.T) {
	p := firstMemberPod(t, withExecution(func(e *v1alpha1.EmeraldExecution) {
		e.Client, e.Command = v1alpha1.ExecutionCustom, []string{"besu"}
		e.Arguments, e.InitArguments = []string{"--genesis-file=$(BENCHNET_GENESIS)"}, []string{"init"}
	}))
	want := []string{"besu", "--genesis-file=$(BENCHNET_GENESIS)"}
	if c := findContainer(t, p.Containers, "execution"); !slices.Equal(c.Command[len(c.Command)-2:], want) {
		t.Errorf("the command is %v, want it to end with %v", c.Command, want)
	}
	if c := findContainer(t, p.InitContainers, "genesis"); !slices.Equal(c.Command, []string{"besu", "init"}) {
		t.Errorf("the first command is %v", c.Command)
	}
}

// TestOnlyValidatorMountsItsKey checks that the execution client mounts neither the validator's key nor a
// whole Secret, because it accepts transactions from any client.
func TestOnlyValidatorMountsItsKey(t *testing.T) {
	p := firstMemberPod(t, unchangedSpec)
	holds := map[string]bool{}
	for _, v := range p.Volumes {
		if v.Secret != nil {
			isToken := strings.HasSuffix(v.Secret.SecretName, "-commands")
			holds[v.Name] = !isToken && len(v.Secret.Items) == 0 ||
				slices.ContainsFunc(v.Secret.Items, func(k corev1.KeyToPath) bool { return k.Key == "priv_validator_key.json" })
		}
		if v.Projected != nil {
			holds[v.Name] = true
		}
	}
	for _, m := range findContainer(t, p.Containers, "execution").VolumeMounts {
		if holds[m.Name] {
			t.Errorf("the execution client mounts %s, which holds the validator's key", m.Name)
		}
	}
}
