package corda

import (
	"maps"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// FuzzLegalName checks that an accepted name parses the same in canonical order and cannot break out of its
// quotes.
func FuzzLegalName(f *testing.F) {
	for _, name := range []string{"O=Bank 0,L=London,C=GB", " c = GB , l=London,O=Zürich Re,OU=x ", "O=A,L=B,C=GB,O=C", "O=\"x\",L=L,C=GB", "O=a\nb,L=L,C=GB", ",,=", "CN=x\x00,O=oo,L=l,C=AA"} {
		f.Add(name)
	}
	f.Fuzz(func(t *testing.T, name string) {
		parts, err := parseLegalName(name)
		if err != nil {
			return
		}
		written := strings.Join(strings.FieldsFunc(canonicalLegalName(parts), func(r rune) bool { return r == ',' }), ",")
		var given []string
		for part := range strings.SplitSeq(written, ",") {
			if !strings.HasSuffix(part, "=") {
				given = append(given, part)
			}
		}
		again, err := parseLegalName(strings.Join(given, ", "))
		if err != nil || !maps.Equal(parts, again) {
			t.Errorf("%q is %v, and written as %q %v: %v", name, parts, given, again, err)
		}
		if strings.ContainsAny(name, "\"'\\$") || strings.ContainsFunc(name, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			t.Errorf("%q was accepted", name)
		}
	})
}

// FuzzExtraConfig checks that an accepted entry is one line of the node's configuration.
func FuzzExtraConfig(f *testing.F) {
	for _, c := range [][2]string{
		{"flowTimeout.timeout", "30 seconds"}, {"telemetry.a", `"b"`}, {"telemetry.a", "[1, 2]"}, {"telemetry.a", "${?HOME}"}, {"telemetry.a", "[1,\n2]"},
		{"telemetry.a", "\"b\"\n"}, {"telemetry.a\nb", "1"}, {"telemetry.a", `"\u000a"`}, {"telemetry.a", "1\r"}, {"telemetry.a", "{b: c}"},
		{"telemetry.a", "[\"\u2028\"]"}, {"telemetry.a", "include \"x\""}, {"telemetry.a", ""}, {"include", "1"},
	} {
		f.Add(c[0], c[1])
	}
	network := &v1alpha1.BenchmarkNetwork{}
	network.Spec.Platform.Corda = &v1alpha1.CordaPlatform{Version: "4.12", Notary: v1alpha1.CordaNotary{Type: v1alpha1.CordaNotarySingle}}
	f.Fuzz(func(t *testing.T, key, value string) {
		if len(validateExtraEntry(&network.Spec, key, value, field.NewPath("extraConfig"))) > 0 {
			return
		}
		if strings.TrimSpace(key+value) == "" || strings.ContainsAny(key+value, "\n\r\x00") || strings.ContainsAny(key, "\"${}[] ") {
			t.Errorf("%q = %q was accepted", key, value)
		}
	})
}
