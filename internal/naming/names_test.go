package naming

import (
	"strings"
	"testing"
)

// TestLongestNames checks that names derived from the longest user-given names are valid DNS labels.
func TestLongestNames(t *testing.T) {
	network, member, run := strings.Repeat("n", 30), "member-999", strings.Repeat("r", 52)
	for _, name := range []string{Member(network, member), MemberPod(network, member), IdentitySecret(network, member), MemberDatabaseSecret(network, member),
		CredentialsSecret(network), NetworkMapSecret(network), GenesisJob(network) + "-xxxxx", DatabaseSuperuserSecret(network),
		DatabaseJob(DatabaseInstance(network, 100), "teardown", "01234567") + "-xxxxx", NetworkPolicy(network, "databases"),
		WorkloadRun(network, strings.Repeat("w", 20)), BarrierConfigMap(run), WorkerReport(run, 49), WorkloadConfigMap(run), SampleLogClaim(run), ResultConfigMap(run), run + "-49-xxxxx"} {
		if len(name) > 63 {
			t.Errorf("%s has %d characters, more than 63", name, len(name))
		}
	}
	if host := MemberHost(network, strings.Repeat("s", 63), member); len(host) > 253 {
		t.Errorf("%s has %d characters, more than 253", host, len(host))
	}
}
