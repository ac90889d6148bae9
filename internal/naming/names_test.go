package naming

import (
	"strings"
	"testing"
)

// TestLongestNames checks that names derived from the longest names of users are valid, and that names with the
// same beginning stay different.
func TestLongestNames(t *testing.T) {
	longest := strings.Repeat("n", 63)
	other := longest[:62] + "o"
	for _, name := range []func(string) string{
		func(n string) string { return Member(n, "member-999") }, func(n string) string { return MemberPod(n, "member-999") },
		func(n string) string { return IdentitySecret(n, "member-999") }, func(n string) string { return MemberDatabaseSecret(n, "member-999") },
		CredentialsSecret, NetworkMapSecret, func(n string) string { return GenesisJob(n) + "-xxxxx" }, DatabaseSuperuserSecret,
		func(n string) string { return DatabaseJob(DatabaseInstance(n, 100), "teardown", "01234567") + "-xxxxx" },
		func(n string) string {
			return DatabaseJob(DedicatedDatabase(n, "notary-6"), "setup", "01234567") + "-xxxxx"
		},
		func(n string) string { return NetworkPolicy(n, "databases") }, func(n string) string { return WorkloadRun(n, n) },
		func(n string) string { return WorkerJob(n) + "-49" }, func(n string) string { return ExperimentNetwork(n, 256) },
		func(n string) string { return ExperimentRun(n, SearchPoint("s01", "1000000"), 100, 10) },
	} {
		if len(name(longest)) > 63 {
			t.Errorf("%s has %d characters, more than 63", name(longest), len(name(longest)))
		}
		if name(longest) == name(other) {
			t.Errorf("%s is the name for %s and for %s", name(longest), longest, other)
		}
	}
	if host := MemberHost(longest, strings.Repeat("s", 63), "member-999"); len(host) > 253 {
		t.Errorf("%s has %d characters, more than 253", host, len(host))
	}
}

// TestDeliveryNamesDiffer checks that deliveries share no objects with each other or with the workers of a run.
func TestDeliveryNamesDiffer(t *testing.T) {
	owners := map[string]string{}
	for _, owner := range []string{"foo", "foo-upload", "foo-webhook", "foo-experiment", "foo-experiment-webhook", strings.Repeat("n", 63)} {
		for kind, name := range map[string]string{"workers": WorkerJob(owner), "upload": Upload(owner), "webhook": RunWebhook(owner),
			"experiment": ExperimentWebhook(owner)} {
			if other := owners[name]; other != "" || len(name) > 63 {
				t.Errorf("%s of %s has the name %s (%d characters), also that of %s", kind, owner, name, len(name), other)
			}
			owners[name] = kind + " of " + owner
		}
	}
}

func TestShortNamesAreKept(t *testing.T) {
	for got, want := range map[string]string{
		Member("two-banks", "notary"):                                          "two-banks-notary",
		WorkloadRun("two-banks", "issue"):                                      "two-banks-issue",
		WorkerJob("two-banks-issue"):                                           "two-banks-issue",
		ExperimentRun("sweep", "p01", 2, 1):                                    "sweep-p01-r2",
		networkPrefix(strings.Repeat("a", 20) + "-" + strings.Repeat("b", 20)): strings.Repeat("a", 20) + "--a19a2583",
	} {
		if got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}
