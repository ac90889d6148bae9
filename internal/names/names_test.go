package names

import (
	"strings"
	"testing"
)

// TestLongestNames has the longest names that users can give; what is derived from them must stay a DNS label.
func TestLongestNames(t *testing.T) {
	network, member, run := strings.Repeat("n", 30), "member-999", strings.Repeat("r", 52)
	for _, name := range []string{Member(network, member), Pod(network, member), Identity(network, member), MemberDatabase(network, member),
		Credentials(network), NetworkMap(network), Genesis(network) + "-xxxxx", DatabaseSuperuser(network),
		DatabaseJob(DatabaseOf(network, 100), "teardown", "01234567") + "-xxxxx", NetworkPolicy(network, "databases"),
		Run(network, strings.Repeat("w", 20)), Barrier(run), Report(run, 49), Workload(run), Samples(run), Result(run), run + "-49-xxxxx"} {
		if len(name) > 63 {
			t.Errorf("%s has %d characters, more than 63", name, len(name))
		}
	}
	if host := Host(network, strings.Repeat("s", 63), member); len(host) > 253 {
		t.Errorf("%s has %d characters, more than 253", host, len(host))
	}
}
