package corda

import (
	"slices"
	"testing"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// TestHeapDumpsStayOffTheLedger checks that no argument makes a JVM write its heap into the base folder.
func TestHeapDumpsStayOffTheLedger(t *testing.T) {
	const ends, elsewhere = "-XX:+ExitOnOutOfMemoryError", "-XX:HeapDumpPath=/tmp"
	for name, c := range map[string]struct {
		own  []string
		exit bool
	}{
		"no arguments":   {nil, true},
		"a heap dump":    {[]string{"-XX:+HeapDumpOnOutOfMemoryError"}, true},
		"a crash":        {[]string{"-XX:+CrashOnOutOfMemoryError"}, false},
		"no exit at all": {[]string{"-XX:-ExitOnOutOfMemoryError"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			spec := &v1alpha1.BenchmarkNetworkSpec{}
			spec.Platform.Corda = &v1alpha1.CordaPlatform{Tuning: &v1alpha1.CordaTuning{JVMArgs: c.own}}
			got := jvmArgs(spec)
			if !slices.Contains(got, elsewhere) || slices.Contains(got, ends) != c.exit || !slices.Equal(got[len(got)-len(c.own):], c.own) {
				t.Errorf("got %q", got)
			}
		})
	}
}
