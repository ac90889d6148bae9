package corda_test

import (
	"fmt"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/corda"
	"github.com/benchnet/benchnet/internal/platform/platformtest"
)

func withNotary(notaryType v1alpha1.CordaNotaryType) func(*networkSpec) {
	return func(s *networkSpec) { s.Platform.Corda.Notary.Type = notaryType }
}

func TestRefusesNotaryTypes(t *testing.T) {
	const at = "platform.corda.notary.type"
	shared := withNotary(v1alpha1.CordaNotarySharedDatabase)
	checkRefusals(t, refusalCases{
		{"shared database before schemas exist", func(s *networkSpec) {
			shared(s)
			s.Platform.Corda.Version = "4.5"
		}, at, []string{"SharedDatabase", "4.6 or later, not 4.5"}},
		{"shared database of Enterprise", func(s *networkSpec) {
			shared(s)
			withEnterprise(func(*v1alpha1.CordaTuning) {})(s)
		}, at, []string{"SharedDatabase", "OpenSource", "notary.jpa"}},
		{"Raft before schemas exist", func(s *networkSpec) {
			withNotary(v1alpha1.CordaNotaryRaft)(s)
			s.Platform.Corda.Version = "4.5"
		}, at, []string{"Raft", "4.6 or later, not 4.5"}},
		{"BFT of Enterprise", func(s *networkSpec) {
			withNotary(v1alpha1.CordaNotaryBFT)(s)
			withEnterprise(func(*v1alpha1.CordaTuning) {})(s)
		}, at, []string{"BFT", "OpenSource"}},
		{"the name of a replica", func(s *networkSpec) {
			shared(s)
			withLegalNames("O=Notary 1,L=London,C=GB", "O=Beta,L=Paris,C=FR")(s)
		}, "platform.corda.legalNames[0]", []string{"already the name of notary-1"}},
	})
}

// TestAcceptsNotaries checks the rules for notaries.
func TestAcceptsNotaries(t *testing.T) {
	for _, test := range []struct {
		name, notary, storage string
		// want is part of the error, or empty if the network is admitted.
		want string
	}{
		{"Raft", "type: Raft", "size: 5Gi", ""},
		{"five replicas", "type: Raft, replicas: 5", "type: Persistent", ""},
		{"no majority of four replicas", "type: Raft, replicas: 4", "", "Raft with 3 or 5"},
		{"a log that is lost with its pod", "type: Raft", "type: Ephemeral", "notary.storage.type Persistent"},
		{"BFT", "type: BFT", "size: 5Gi", ""},
		{"seven replicas", "type: BFT, replicas: 7", "type: Persistent", ""},
		{"five replicas that agree by BFT-SMaRt", "type: BFT, replicas: 5", "", "BFT with 4 or 7"},
		{"spent states that are lost with their pod", "type: BFT", "type: Ephemeral", "notary.storage.type Persistent"},
		{"BFT that validates", "type: BFT, validation: Validating", "", "needs notary.type Single, SharedDatabase or Raft"},
		{"replicas of one node", "type: Single, replicas: 3", "", "replicas needs notary.type SharedDatabase"},
		{"validation without a notary", "type: None, validation: Validating", "", "needs notary.type Single, SharedDatabase or Raft"},
	} {
		t.Run(test.name, func(t *testing.T) {
			manifest := strings.NewReplacer("tuning: {}", "notary: {"+test.notary+"}", "count: 2", "count: 2, storage: {"+test.storage+"}").Replace(validManifest)
			_, err := acceptNetwork(t, manifest)
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("want the error %q: %v", test.want, err)
			}
		})
	}
}

// TestNotaryReplicas checks the members and the configuration of a notary service.
func TestNotaryReplicas(t *testing.T) {
	network := platformtest.NewNetworkAdmission(t).AdmitNetwork(t, []byte(validManifest))
	withNotary(v1alpha1.CordaNotarySharedDatabase)(&network.Spec)
	for _, test := range []struct {
		name     string
		replicas *int32
		want     string
	}{
		{"default", nil, "member-0 member-1 notary-0 notary-1"},
		{"one", new(int32(1)), "member-0 member-1 notary-0"},
		{"three", new(int32(3)), "member-0 member-1 notary-0 notary-1 notary-2"},
	} {
		t.Run(test.name, func(t *testing.T) {
			network.Spec.Platform.Corda.Notary.Replicas = test.replicas
			topology := corda.New().Topology(network)
			if got := strings.Join(topology.MemberNames(), " "); got != test.want {
				t.Errorf("members are %s, want %s", got, test.want)
			}
			shared := corda.New().DatabaseRequirements(platformtest.NewInput(corda.New(), network), topology).SharedTables
			if got := strings.Join(topology.MemberNames()[:2], " ") + " " + strings.Join(shared.Members, " "); got != test.want {
				t.Errorf("tables are shared among %v", shared.Members)
			}
			conf := nodeConfOf(t, network, "notary-0")
			if !strings.Contains(conf, `myLegalName = "O=Notary 0,L=London,C=GB"`) || !strings.Contains(conf, `serviceLegalName = "O=Notary,L=London,C=GB"`) {
				t.Errorf("the replica lacks its own name or that of the service:\n%s", conf)
			}
		})
	}
}

// TestRaftReplicas checks that every replica reaches the others under the addresses on which their nodes listen,
// and that only the first creates the cluster.
func TestRaftReplicas(t *testing.T) {
	network := platformtest.NewNetworkAdmission(t).AdmitNetwork(t, []byte(validManifest))
	withNotary(v1alpha1.CordaNotaryRaft)(&network.Spec)
	network.Spec.Platform.Corda.Notary.Replicas = new(int32(5))
	replicas := corda.New().Topology(network).Members[2:]
	addressOf := func(m platform.Member) string {
		conf := nodeConfOf(t, network, m.Name)
		joins := strings.Contains(conf, `clusterAddresses = ["127.0.1.1:10204"]`)
		if creates := strings.Contains(conf, "clusterAddresses = []"); creates == joins || creates != (m.Name == "notary-0") {
			t.Errorf("notary-0 should create the cluster and the others join it, but %s has:\n%s", m.Name, conf)
		}
		_, rest, _ := strings.Cut(conf, `nodeAddress = "`)
		address, _, _ := strings.Cut(rest, `"`)
		return address
	}
	for _, m := range replicas {
		t.Run(m.Name, func(t *testing.T) {
			command := strings.Join(podOf(t, network, m.Name).Containers[0].Command, " ")
			for _, peer := range replicas {
				want := "--forward " + addressOf(peer) + "=" + peer.Host + ":10203 "
				if peer.Name == m.Name {
					want = "--forward :10203=" + addressOf(m) + " "
				}
				if !strings.Contains(command, want) {
					t.Errorf("the command lacks %s: %s", want, command)
				}
			}
		})
	}
}

// TestBFTReplicas checks that every replica has the address of each Service at the index of its replica, except its own.
func TestBFTReplicas(t *testing.T) {
	network := platformtest.NewNetworkAdmission(t).AdmitNetwork(t, []byte(validManifest))
	withNotary(v1alpha1.CordaNotaryBFT)(&network.Spec)
	replicas := corda.New().Topology(network).Members[2:]
	if len(replicas) != 4 {
		t.Fatalf("a BFT notary has %d replicas by default, want 4", len(replicas))
	}
	for id, m := range replicas {
		t.Run(m.Name, func(t *testing.T) {
			var addresses []string
			for peer, p := range replicas {
				service := findMemberObject[*corev1.Service](t, network, p.Name)
				if service.Spec.ClusterIP == corev1.ClusterIPNone {
					t.Errorf("the address of %s does not persist while its pod is replaced", p.Name)
				}
				host := service.Name + "." + network.Namespace + ".svc"
				if peer == id {
					host = "0.0.0.0"
				}
				addresses = append(addresses, `      "`+host+`:10205"`)
			}
			want := fmt.Sprintf("    replicaId = %d\n    clusterAddresses = [\n%s\n    ]\n", id, strings.Join(addresses, "\n"))
			if conf := nodeConfOf(t, network, m.Name); !strings.Contains(conf, want) {
				t.Errorf("the configuration lacks:\n%s\n\nbut is:\n%s", want, conf)
			}
		})
	}
}

// podOf returns the pod of a member.
func podOf(t *testing.T, network *v1alpha1.BenchmarkNetwork, member string) corev1.PodSpec {
	t.Helper()
	return findStatefulSet(t, network, member).Spec.Template.Spec
}

// findStatefulSet returns the StatefulSet of a member.
func findStatefulSet(t *testing.T, network *v1alpha1.BenchmarkNetwork, member string) *appsv1.StatefulSet {
	t.Helper()
	return findMemberObject[*appsv1.StatefulSet](t, network, member)
}

// nodeConfOf returns the node.conf of a member.
func nodeConfOf(t *testing.T, network *v1alpha1.BenchmarkNetwork, member string) string {
	t.Helper()
	return findMemberObject[*corev1.ConfigMap](t, network, member).Data["node.conf"]
}

// findMemberObject returns the object of a type that a member has.
func findMemberObject[T client.Object](t *testing.T, network *v1alpha1.BenchmarkNetwork, member string) T {
	t.Helper()
	objects, err := corda.New().BuildMembers(platformtest.NewInput(corda.New(), network), corda.New().Topology(network))
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range objects {
		if found, ok := o.(T); ok && strings.HasSuffix(o.GetName(), member) {
			return found
		}
	}
	var none T
	t.Fatalf("%s has no %T", member, none)
	return none
}
