//go:build e2e

package e2e_test

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/test/e2e/cluster"
)

// TestBadInput checks that kubectl apply or the status refuses bad input with a message that names the field,
// and that no objects are created.
func TestBadInput(t *testing.T) {
	cases := []struct {
		name, from, to string
		want           []string
	}{
		{"a misspelt field", "reservation: Minimal", "reservatoin: Minimal", []string{"unknown field", "reservatoin"}},
		{"an unknown version", `version: "4.10"`, `version: "4.2"`, []string{"spec.platform.corda.version", "4.2", "4.3 or a later 4.x"}},
		{"no members", "count: 2\n    heap", "count: 0\n    heap", []string{"spec.members.count", "greater than or equal to 1"}},
		{"H2 that is shared", "engine: PostgreSQL", "engine: H2", []string{"H2 lives inside each member", "PerMember"}},
		{"a load that is neither closed nor open", "model: Open", "model: Closed", []string{"ratePerSecond", "Open"}},
		{"a heap that fills the memory", "memory: 1Gi", "memory: 512Mi", []string{"spec.members.heap", "memory"}},
		{"Enterprise tuning on open source", "notary: {type", "tuning: {flowThreads: 8}\n      notary: {type", []string{"flowThreads", "Enterprise"}},
	}
	ns := cluster.NewNamespace(t, "refusal")
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			ns := ns.ForSubtest(t)
			spoiled := strings.Replace(twoBanksManifest, c.from, c.to, 1)
			if spoiled == twoBanksManifest {
				t.Fatalf("the manifest has no %q to spoil", c.from)
			}
			said := awaitRefusal(ns, spoiled)
			t.Log(said)
			for _, want := range c.want {
				if !strings.Contains(said, want) {
					t.Errorf("the message should hold %q: %s", want, said)
				}
			}
		})
	}
	t.Run("nothing was made", func(t *testing.T) {
		ns := ns.ForSubtest(t)
		if made := ns.ListObjects(); len(made) > 0 {
			t.Errorf("there are %v", made)
		}
	})
}

// awaitRefusal returns the error for a manifest, from kubectl or from the condition Accepted, and deletes the network.
func awaitRefusal(ns *cluster.Namespace, manifest string) string {
	ns.Helper()
	if err := ns.Apply(manifest); err != nil {
		return err.Error()
	}
	var said string
	ns.Wait("the network is refused", func() (bool, string) {
		c := meta.FindStatusCondition(ns.GetNetwork("banks").Status.Conditions, v1alpha1.ConditionAccepted)
		if c == nil {
			return false, "no condition Accepted yet"
		}
		if c.Status == "True" {
			ns.Fatal("the network was accepted")
		}
		said = c.Message
		return true, ""
	})
	if made := ns.ListObjects(); len(made) != 1 {
		ns.Errorf("besides the network itself there should be nothing: %v", made)
	}
	ns.RunKubectl("delete", "benchmarknetwork", "banks")
	return said
}
