package networkpolicy

import (
	"strings"
	"testing"
)

func TestScrapersFlag(t *testing.T) {
	defaults := DefaultScrapers()
	for name, c := range map[string]struct{ text, want, err string }{
		"the default, printed and read": {text: defaults.String(), want: `[{"podSelector":{"matchExpressions":[{"key":"app.kubernetes.io/name","operator":"In","values":["prometheus"]}]},"namespaceSelector":{"matchLabels":{"kubernetes.io/metadata.name":"monitoring"}}}]`},
		"everybody":                     {text: "[]", want: "[]"},
		"addresses":                     {text: `[{"ipBlock":{"cidr":"10.0.0.0/8"}}]`, want: `[{"ipBlock":{"cidr":"10.0.0.0/8"}}]`},
		"no list":                       {text: "prometheus", err: "JSON list"},
		"a misspelled field":            {text: `[{"podSelectors":{}}]`, err: "podSelectors"},
		"a peer that selects nothing":   {text: `[{}]`, err: "peer 0 selects nothing"},
		"a block and pods":              {text: `[{"podSelector":{}},{"ipBlock":{"cidr":"10.0.0.0/8"},"podSelector":{}}]`, err: "peer 1 has ipBlock and a selector"},
		"a block and namespaces":        {text: `[{"ipBlock":{"cidr":"10.0.0.0/8"},"namespaceSelector":{}}]`, err: "peer 0 has ipBlock and a selector"},
	} {
		t.Run(name, func(t *testing.T) {
			var s Scrapers
			err := s.Set(c.text)
			if c.err != "" {
				if err == nil || !strings.Contains(err.Error(), c.err) {
					t.Errorf("error %v, want %q", err, c.err)
				}
				return
			}
			if err != nil || s.String() != c.want {
				t.Errorf("got %s, %v; want %s", s.String(), err, c.want)
			}
		})
	}
}
