package cometbft_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/golden"
	"github.com/benchnet/benchnet/internal/platform/cometbft"
	"github.com/benchnet/benchnet/internal/platform/platformtest"
)

func TestGolden(t *testing.T) {
	platformtest.CheckGolden(t, cometbft.New(), "cometbft_blocks")
}

// TestDefaultConfigs pins the configurations of the defaults. A test of systems/cometbft-bench compares them with CometBFT's own.
func TestDefaultConfigs(t *testing.T) {
	admission := platformtest.NewNetworkAdmission(t)
	for name, manifest := range map[string]string{"blocks": validBlocks, "transactions": validTransactions} {
		t.Run(name, func(t *testing.T) {
			network := admission.AdmitNetwork(t, []byte(manifest))
			golden.CheckText(t, "testdata/defaults_"+name+".toml", memberConfig(t, network, "member-0"))
		})
	}
}

// TestVersions checks that results name what differs from CometBFT's defaults.
func TestVersions(t *testing.T) {
	admission := platformtest.NewNetworkAdmission(t)
	for fields, want := range map[string]string{
		"":                      "CometBFT 0.40.0 (timeout_commit 0s)",
		"tuning: Fast":          "CometBFT 0.40.0, tuned: gossip sleep 2ms, flush 1ms, rate 500M, packets of 64Ki (timeout_commit 0s)",
		"gossip: {sleep: 10ms}": "CometBFT 0.40.0, tuned: gossip sleep 10ms, flush 10ms, rate 5000Ki, packets of 1Ki (timeout_commit 0s)",
		"image: \"x/y:1\", gossip: {flush: 10ms}": "CometBFT, x/y:1 (timeout_commit 0s)",
		"timeouts: {commit: 1s}":                  "CometBFT 0.40.0 (timeout_commit 1s)",
	} {
		t.Run(fields, func(t *testing.T) {
			network := admission.AdmitNetwork(t, []byte(strings.Replace(validBlocks, "cometBFT: {}", "cometBFT: {"+fields+"}", 1)))
			if got := cometbft.New().Version(&network.Spec); got != want {
				t.Errorf("version %q, want %q", got, want)
			}
		})
	}
}

// TestPeers checks that a validator dials only those of its graph.
func TestPeers(t *testing.T) {
	network := platformtest.NewNetworkAdmission(t).AdmitNetwork(t, []byte(validBlocks))
	network.Spec.Platform.CometBFT.Peers = v1alpha1.Peers{Type: v1alpha1.PeersRing, Degree: new(int32(2))}
	config := memberConfig(t, network, "member-3")
	if peers := regexp.MustCompile(`"\d@[^.]+`).FindAllString(config, -1); !slices.Equal(peers, []string{`"0@net-member-0-0`, `"1@net-member-1-0`}) {
		t.Errorf("member-3 dials %q, want member-0 and member-1", peers)
	}
}

// memberConfig returns the configuration of a member.
func memberConfig(t *testing.T, network *v1alpha1.BenchmarkNetwork, member string) string {
	t.Helper()
	for _, o := range platformtest.Build(t, cometbft.New(), network).Members {
		if c, ok := o.(*corev1.ConfigMap); ok && c.Labels[v1alpha1.LabelMember] == member {
			return c.Data["config.toml"]
		}
	}
	t.Fatalf("no configuration of %s", member)
	return ""
}
