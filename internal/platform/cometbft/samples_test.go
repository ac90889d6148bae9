package cometbft_test

import (
	"regexp"
	"slices"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform/cometbft"
	"github.com/benchnet/benchnet/internal/platform/platformtest"
)

func TestGolden(t *testing.T) {
	platformtest.CheckGolden(t, cometbft.New(), "cometbft_blocks")
}

// TestPeers checks that a validator dials only those of its graph.
func TestPeers(t *testing.T) {
	network := platformtest.NewNetworkAdmission(t).AdmitNetwork(t, []byte(validBlocks))
	network.Spec.Platform.CometBFT.Peers = v1alpha1.Peers{Type: v1alpha1.PeersRing, Degree: new(int32(2))}
	for _, o := range platformtest.Build(t, cometbft.New(), network).Members {
		c, ok := o.(*corev1.ConfigMap)
		if !ok || c.Labels[v1alpha1.LabelMember] != "member-3" {
			continue
		}
		if peers := regexp.MustCompile(`"\d@[^.]+`).FindAllString(c.Data["config.toml"], -1); !slices.Equal(peers, []string{`"0@net-member-0-0`, `"1@net-member-1-0`}) {
			t.Errorf("member-3 dials %q, want member-0 and member-1", peers)
		}
		return
	}
	t.Error("no configuration of member-3")
}
