package queue

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"

	"k8s.io/apimachinery/pkg/util/validation"
)

// ParsePools reads a JSON list of pools: [{"name": "bare-metal", "nodeSelector": {"pool": "metal"}, "maxNetworks": 1}].
func ParsePools(text string) ([]Pool, error) {
	if text == "" {
		return nil, nil
	}
	var pools []Pool
	decoder := json.NewDecoder(bytes.NewReader([]byte(text)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&pools); err != nil {
		return nil, fmt.Errorf("queue.pools must be a list of {name, nodeSelector, maxNetworks}: %w", err)
	}
	if rest, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("queue.pools must be one list of {name, nodeSelector, maxNetworks}, but %v follows it", rest)
	}
	seen := map[string]bool{}
	for i, p := range pools {
		path := fmt.Sprintf("queue.pools[%d]", i)
		switch {
		case len(validation.IsDNS1123Label(p.Name)) > 0:
			return nil, fmt.Errorf("%s.name %q must be a DNS label", path, p.Name)
		case seen[p.Name]:
			return nil, fmt.Errorf("%s.name %q is there twice", path, p.Name)
		case len(p.NodeSelector) == 0:
			return nil, fmt.Errorf("%s.nodeSelector must have at least one label: queue.maxNetworks limits the whole cluster", path)
		case p.MaxNetworks < 1:
			return nil, fmt.Errorf("%s.maxNetworks %d must be at least 1", path, p.MaxNetworks)
		}
		seen[p.Name] = true
	}
	return pools, nil
}
