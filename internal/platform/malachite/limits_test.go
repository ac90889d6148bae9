package malachite_test

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/malachite"
	"github.com/benchnet/benchnet/internal/platform/platformtest"
)

// TestMaxValidatorsMatchApplication compares the limit of the schema with the limit of
// systems/malachite-bench.
func TestMaxValidatorsMatchApplication(t *testing.T) {
	most := rustConstant(t, "src/genesis.rs", `MAX_VALIDATORS: usize = (\d+)`)
	admission := platformtest.NewNetworkAdmission(t)
	for _, c := range []struct {
		name, peers string
		count       int
		refusedWith string
	}{
		{name: "discovery", peers: "{type: Discovery}", count: most},
		{name: "discovery, one more", peers: "{type: Discovery}", count: most + 1, refusedWith: fmt.Sprintf("less than or equal to %d", most)},
		{name: "ring", peers: "{type: Ring, degree: 32}", count: most},
		{name: "random", peers: "{type: Random, degree: 32}", count: most},
		{name: "sentries", peers: "{type: Sentries, sentries: 100}", count: most},
		{name: "full mesh", peers: "{type: FullMesh}", count: 100},
		{name: "full mesh, one more", peers: "{type: FullMesh}", count: 101, refusedWith: fmt.Sprintf("the other types take %d", most)},
	} {
		t.Run(c.name, func(t *testing.T) {
			manifest := strings.Replace(validManifest, "count: 4", fmt.Sprintf("count: %d", c.count), 1)
			manifest = strings.Replace(manifest, "{discovery: {}, peers: {type: Discovery}}", "{peers: "+c.peers+"}", 1)
			network := &v1alpha1.BenchmarkNetwork{}
			err := admission.Admit([]byte(manifest), network)
			if err == nil {
				err = malachite.New().Validate(&network.Spec, nil).ToAggregate()
			}
			switch {
			case c.refusedWith == "" && err != nil:
				t.Errorf("refused: %v", err)
			case c.refusedWith != "" && (err == nil || !strings.Contains(err.Error(), c.refusedWith)):
				t.Errorf("got %v, want %q", err, c.refusedWith)
			}
		})
	}
}

// TestInboundPeersExceedDefault checks that validators admit all that dial them, and that a full mesh keeps the default limit of
// systems/malachite-bench, which does not apply to those that a validator dials itself.
func TestInboundPeersExceedDefault(t *testing.T) {
	most := rustConstant(t, "src/config/file.rs", `inbound_peers: (\d+)`)
	admission := platformtest.NewNetworkAdmission(t)
	for _, c := range []struct {
		name, peers   string
		count, dialed int
		limit         string
	}{
		{"as many as the default", "{type: Sentries, sentries: 1}", most + 1, 0, ""},
		{"more than the default", "{type: Sentries, sentries: 1}", most + 2, 0, fmt.Sprintf("inbound_peers = %d\n", most+1)},
		{"full mesh", "{type: FullMesh}", most + 2, most + 1, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			manifest := strings.NewReplacer("{discovery: {}, peers: {type: Discovery}}", "{peers: "+c.peers+"}", "count: 4", fmt.Sprintf("count: %d", c.count))
			network := admission.AdmitNetwork(t, []byte(manifest.Replace(validManifest)))
			config := firstConfig(t, malachite.New(), network)
			if strings.Contains(config, "inbound_peers") != (c.limit != "") || !strings.Contains(config, c.limit) || strings.Count(config, "/dns4/") != c.dialed {
				t.Errorf("want %d peers and the limit %q in\n%s", c.dialed, c.limit, config)
			}
		})
	}
}

// firstConfig returns the configuration of member-0.
func firstConfig(t *testing.T, p platform.Platform, network *v1alpha1.BenchmarkNetwork) string {
	t.Helper()
	for _, o := range platformtest.Build(t, p, network).Members {
		if c, ok := o.(*corev1.ConfigMap); ok {
			return c.Data["config.toml"]
		}
	}
	t.Fatal("no configuration")
	return ""
}

// rustConstant returns the number that pattern captures in a source file of the application.
func rustConstant(t *testing.T, file, pattern string) int {
	t.Helper()
	text, err := os.ReadFile("../../../systems/malachite-bench/" + file)
	if err != nil {
		t.Fatal(err)
	}
	match := regexp.MustCompile(pattern).FindSubmatch(text)
	if match == nil {
		t.Fatalf("%s has no %s", file, pattern)
	}
	number, err := strconv.Atoi(string(match[1]))
	if err != nil {
		t.Fatal(err)
	}
	return number
}
