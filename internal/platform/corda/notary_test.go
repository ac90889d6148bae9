package corda_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
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
		{"the name of a replica", func(s *networkSpec) {
			shared(s)
			withLegalNames("O=Notary 1,L=London,C=GB", "O=Beta,L=Paris,C=FR")(s)
		}, "platform.corda.legalNames[0]", []string{"already the name of notary-1"}},
	})
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

// nodeConfOf returns the node.conf of a member.
func nodeConfOf(t *testing.T, network *v1alpha1.BenchmarkNetwork, member string) string {
	t.Helper()
	objects, err := corda.New().BuildMembers(platformtest.NewInput(corda.New(), network), corda.New().Topology(network))
	if err != nil {
		t.Fatal(err)
	}
	for _, o := range objects {
		if c, ok := o.(*corev1.ConfigMap); ok && strings.HasSuffix(c.Name, member) {
			return c.Data["node.conf"]
		}
	}
	t.Fatalf("%s has no ConfigMap", member)
	return ""
}
