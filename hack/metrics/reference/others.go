package reference

import (
	_ "embed"
	"fmt"
	"strings"

	"sigs.k8s.io/yaml"
)

//go:embed others.yaml
var othersFile []byte

// readOtherMetrics returns the manually maintained metrics by source.
func readOtherMetrics() (map[Source][]Metric, error) {
	var file map[Source][]struct{ Name, Kind, Labels, Help string }
	if err := yaml.UnmarshalStrict(othersFile, &file); err != nil {
		return nil, fmt.Errorf("decode others.yaml: %w", err)
	}
	all := map[Source][]Metric{}
	for source, entries := range file {
		for _, e := range entries {
			m := Metric{Name: e.Name, Kind: e.Kind, Help: e.Help}
			if e.Labels != "" {
				m.Labels = strings.Split(e.Labels, ", ")
			}
			if m.Name == "" || m.Kind == "" || m.Help == "" {
				return nil, fmt.Errorf("others.yaml: a metric of %s lacks its name, kind or help: %v", source, e)
			}
			all[source] = append(all[source], m)
		}
	}
	return all, nil
}
