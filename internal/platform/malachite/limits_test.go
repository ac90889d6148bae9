package malachite_test

import (
	"fmt"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform/malachite"
	"github.com/benchnet/benchnet/internal/platform/platformtest"
)

// TestMaxValidatorsMatchApplication compares the limit of the schema with the limit of
// systems/malachite-bench.
func TestMaxValidatorsMatchApplication(t *testing.T) {
	most := rustConstant(t, "src/genesis.rs", `MAX_VALIDATORS: usize = (\d+)`)
	admission := platformtest.NewNetworkAdmission(t)
	for _, c := range []struct {
		name, from, to string
		count          int
		refusedWith    string
	}{
		{name: "discovery", count: most},
		{name: "discovery, one more", count: most + 1, refusedWith: fmt.Sprintf("less than or equal to %d", most)},
		{name: "full mesh", from: "{discovery: {}, peers: Discovery}", to: "{peers: FullMesh}", count: 100},
		{name: "full mesh, one more", from: "{discovery: {}, peers: Discovery}", to: "{peers: FullMesh}", count: 101,
			refusedWith: fmt.Sprintf("Discovery takes %d", most)},
	} {
		t.Run(c.name, func(t *testing.T) {
			manifest := strings.Replace(validManifest, "count: 4", fmt.Sprintf("count: %d", c.count), 1)
			if c.from != "" {
				manifest = strings.Replace(manifest, c.from, c.to, 1)
			}
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
