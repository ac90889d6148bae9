package corda_test

import (
	"strings"
	"testing"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform/platformtest"
)

// TestAdmitsVersions checks the rules of the CRD for versions of Corda.
func TestAdmitsVersions(t *testing.T) {
	admission := platformtest.NewNetworkAdmission(t)
	for version, admitted := range map[string]bool{"4.3": true, "4.10": true, "4.11": true, "4.12": true, "4.99": true,
		"4.2": false, "4.1": false, "4": false, "4.03": false, "4.10.1": false, "4.100": false, "5.0": false, "3.3": false} {
		t.Run(version, func(t *testing.T) {
			for field, manifest := range map[string]string{
				"platform.corda.version":             strings.Replace(validManifest, "corda: {", `corda: {image: "corda:1", version: "`+version+`", `, 1),
				"platform.corda.overrides[].version": strings.NewReplacer("corda: {tuning: {}", `corda: {overrides: [{members: [member-1], version: "`+version+`"}]`, "engine: PostgreSQL, topology: Shared", "engine: H2").Replace(validManifest),
			} {
				err := admission.Admit([]byte(manifest), &v1alpha1.BenchmarkNetwork{})
				if (err == nil) != admitted || err != nil && !strings.Contains(err.Error(), version) {
					t.Errorf("%s: %v", field, err)
				}
			}
		})
	}
}

func TestRefusesVersions(t *testing.T) {
	later := func(change func(*networkSpec)) func(*networkSpec) {
		return func(s *networkSpec) {
			s.Platform.Corda.Version = "4.12"
			change(s)
		}
	}
	checkRefusals(t, refusalCases{
		{"a later version without its image", later(func(*networkSpec) {}), "platform.corda.image", []string{"images of Corda 4.3 to 4.10", "that of 4.12"}},
		{"a later version of a member", func(s *networkSpec) {
			s.Database = nil // Overrides of versions need H2.
			s.Platform.Corda.Overrides = []v1alpha1.CordaOverride{{Members: []string{"member-1"}, Version: "4.11"}}
		}, "platform.corda.image", []string{"that of 4.11", "for member-1, because of spec.platform.corda.overrides[0]"}},
		{"CorDapps for Java 8", later(func(s *networkSpec) {
			s.Platform.Corda.Image = "example.com/corda:4.12.1"
			s.Platform.Corda.CorDapps = v1alpha1.CorDappsSpec{Type: v1alpha1.CordAppsSamples}
		}), "platform.corda.cordapps.type", []string{"needs platform.corda.version 4.3 to 4.11, not 4.12", "Java 8"}},
	})
}
