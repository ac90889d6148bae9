package validators_test

import (
	"fmt"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/cometbft"
	"github.com/benchnet/benchnet/internal/platform/malachite"
	"github.com/benchnet/benchnet/internal/platform/platformtest"
)

// TestPowers checks the flag that the genesis Job passes to the program, the content of its configuration, whose hash must differ
// with the powers, and the derived setting.
func TestPowers(t *testing.T) {
	admission := platformtest.NewNetworkAdmission(t)
	for _, p := range []struct {
		platform.Platform
		field, members string
	}{
		{malachite.New(), "malachite", ""},
		{malachite.NewEVM(), "malachiteEVM", ", cores: 2, memory: 4Gi"},
		{cometbft.New(), "cometBFT", ""},
	} {
		for name, c := range map[string]struct {
			count                    int
			powers, flag, validators string
			largest, meaning         string
		}{
			"default": {4, "{}", "--validators", "4", "", ""},
			"equal":   {4, "{distribution: Equal, overrides: [{members: [member-1], power: 10}]}", "--validators", "4", "", ""},
			"one of seven tenths": {4, "{overrides: [{members: [member-2], power: 70}]}", "--powers", "10,10,70,10",
				"member-2: 70 of 100", "more than two thirds"},
			"two of a third":  {4, "{overrides: [{members: [member-0, member-3], power: 20}]}", "--powers", "20,10,10,20", "member-0: 20 of 60", "a third or more"},
			"none of a third": {4, "{overrides: [{members: [member-0], power: 11}]}", "--powers", "11,10,10,10", "member-0: 11 of 41", ""},
			"Zipf":            {8, "{distribution: Zipf}", "--powers", "1000,500,333,250,200,167,143,125", "member-0: 1000 of 2718", "a third or more"},
			"Zipf but one": {4, "{distribution: Zipf, overrides: [{members: [member-3], power: 1}]}", "--powers", "1000,500,333,1",
				"member-0: 1000 of 1834", "a third or more"},
		} {
			t.Run(p.field+" "+name, func(t *testing.T) {
				network := admission.AdmitNetwork(t, fmt.Appendf(nil, `
apiVersion: benchnet.dev/v1alpha1
kind: BenchmarkNetwork
metadata: {name: net}
spec:
  platform: {type: %s, %s: {powers: %s}}
  members: {count: %d%s}
`, p.Type(), p.field, c.powers, c.count, p.members))
				built := platformtest.Build(t, p.Platform, network)
				if got := findInitFlag(built.Genesis); got != c.flag+" "+c.validators {
					t.Errorf("init has %s, want %s %s", got, c.flag, c.validators)
				}
				if got := findConfig(built.Genesis); got != c.validators+"\n" {
					t.Errorf("the configuration of the genesis is %q, want %q", got, c.validators)
				}
				checkLargest(t, built.Settings, c.largest, "spec.platform."+p.field+".powers", c.meaning)
			})
		}
	}
}

// findInitFlag returns the flag before --out of the step init, and its value.
func findInitFlag(g platform.Genesis) string {
	for _, o := range g.JobObjects {
		if job, ok := o.(*batchv1.Job); ok {
			for _, c := range job.Spec.Template.Spec.InitContainers {
				if c.Name == "init" {
					return strings.Join(c.Command[2:4], " ")
				}
			}
		}
	}
	return ""
}

func findConfig(g platform.Genesis) string {
	for _, o := range g.JobObjects {
		if config, ok := o.(*corev1.ConfigMap); ok {
			return config.Data["validators"]
		}
	}
	return ""
}

// checkLargest checks the setting of the largest power: none if value is empty.
func checkLargest(t *testing.T, settings []v1alpha1.DerivedSetting, value, field, meaning string) {
	t.Helper()
	for _, s := range settings {
		if s.Name == "largestPower" {
			if s.Value != value || !strings.HasPrefix(s.Source, field) || !strings.Contains(s.Source, meaning) {
				t.Errorf("%+v, want %s", s, value)
			}
			return
		}
	}
	if value != "" {
		t.Errorf("no setting of the largest power among %+v", settings)
	}
}
