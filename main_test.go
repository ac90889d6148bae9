package main

import (
	"flag"
	"io"
	"math"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/benchnet/benchnet/controllers"
	"github.com/benchnet/benchnet/internal/network/chart"
)

// TestEnumFlag: other words are rejected, and the default is kept.
func TestEnumFlag(t *testing.T) {
	chosen := controllers.KueueIgnore
	flags := flag.NewFlagSet("manager", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	flags.Var(enumFlag[controllers.KueueMode]{&chosen, []controllers.KueueMode{controllers.KueueHonor, controllers.KueueIgnore}}, "kueue", "")
	err := flags.Parse([]string{"--kueue=honor"})
	const want = `invalid value "honor" for flag -kueue: it must be one of ["Honor" "Ignore"]`
	if err == nil || err.Error() != want || chosen != controllers.KueueIgnore {
		t.Errorf("got %v and %s, want the error %s", err, chosen, want)
	}
	if err := flags.Parse([]string{"--kueue=Honor"}); err != nil || chosen != controllers.KueueHonor {
		t.Errorf("got %v and %s, want %s", err, chosen, controllers.KueueHonor)
	}
}

// TestWatchNamespace sets the flag as the chart does, once per namespace, and as OLM does: to a list, or to
// nothing for all.
func TestWatchNamespace(t *testing.T) {
	for name, test := range map[string]struct{ given, want []string }{
		"one by one": {[]string{"a", "b"}, []string{"a", "b"}},
		"a list":     {[]string{"a,b"}, []string{"a", "b"}},
		"all":        {[]string{""}, nil},
	} {
		var watched stringListFlag
		for _, text := range test.given {
			if err := watched.Set(text); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		if !slices.Equal(watched, test.want) {
			t.Errorf("%s: --watch-namespace=%q watches %q, want %q", name, test.given, watched, test.want)
		}
		if cache := (controllers.CacheScope{WatchedNamespaces: watched}).Options(); len(cache.DefaultNamespaces) != len(test.want) {
			t.Errorf("%s: the cache has %d namespaces, want %d", name, len(cache.DefaultNamespaces), len(test.want))
		}
	}
}

// TestMetricsServing: metrics are served over TLS even if the operator may not authorize the clients.
func TestMetricsServing(t *testing.T) {
	for name, c := range map[string]struct {
		options             managerFlags
		secure, authorizing bool
	}{
		"of the whole cluster": {managerFlags{metricsSecure: true, metricsAuthorization: true}, true, true},
		"of single namespaces": {managerFlags{metricsSecure: true}, true, false},
		"by hand, without TLS": {managerFlags{metricsAuthorization: true}, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			served := c.options.buildManagerOptions(controllers.KueueIgnore).Metrics
			if served.SecureServing != c.secure || (served.FilterProvider != nil) != c.authorizing {
				t.Errorf("TLS %t, authorization %t; want %t, %t", served.SecureServing, served.FilterProvider != nil, c.secure, c.authorizing)
			}
		})
	}
}

// TestOwnMemoryLimit checks that the operator and the children that render charts together fit into the pod's
// memory.
func TestOwnMemoryLimit(t *testing.T) {
	for name, c := range map[string]struct{ pod, want int64 }{
		"default of the chart": {512 << 20, 512<<20 - chart.MaxChildMemory},
		"small pod":            {256 << 20, 128 << 20},
		"no limit":             {math.MaxInt64, math.MaxInt64},
	} {
		t.Run(name, func(t *testing.T) {
			if got := operatorMemoryLimit(c.pod); got != c.want {
				t.Errorf("got %d MiB, want %d MiB", got>>20, c.want>>20)
			}
		})
	}
}

func TestMain(m *testing.M) {
	if chart.IsChild() {
		main()
	}
	os.Exit(m.Run())
}

// TestRenderChart starts the manager as the child that renders a chart.
func TestRenderChart(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	child := exec.CommandContext(t.Context(), program, chart.ChildCommand)
	child.Env, child.Stdin = []string{}, strings.NewReader(`{"Archive": "", "Deadline": 60000000000}`)
	out, err := child.CombinedOutput()
	if err != nil || !strings.Contains(string(out), `{"refusal":"read the chart's archive: `) {
		t.Errorf("got %v: %s", err, out)
	}
}
