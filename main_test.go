package main

import (
	"slices"
	"testing"

	"github.com/benchnet/benchnet/controllers"
)

// TestWatchNamespace sets the flag as the chart does, once for each namespace, and as OLM does: a list, or nothing for all.
func TestWatchNamespace(t *testing.T) {
	for name, test := range map[string]struct{ given, want []string }{
		"one by one": {[]string{"a", "b"}, []string{"a", "b"}},
		"a list":     {[]string{"a,b"}, []string{"a", "b"}},
		"all":        {[]string{""}, nil},
	} {
		var watched list
		for _, text := range test.given {
			if err := watched.Set(text); err != nil {
				t.Fatalf("%s: %v", name, err)
			}
		}
		if !slices.Equal(watched, test.want) {
			t.Errorf("%s: --watch-namespace=%q watches %q, want %q", name, test.given, watched, test.want)
		}
		if cache := (options{namespaces: watched}).cache(controllers.KueueIgnore); len(cache.DefaultNamespaces) != len(test.want) {
			t.Errorf("%s: the cache has %d namespaces, want %d", name, len(cache.DefaultNamespaces), len(test.want))
		}
	}
}
