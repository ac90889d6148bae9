package observe

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"sync"

	"github.com/benchnet/benchnet/internal/agent/container"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

// maxMachineBytes bounds the description of a host, in bytes of JSON.
const maxMachineBytes = 16 << 10

// DescribeMachines requests /machine from the agents of the endpoints once, with the token of the network's commands. The
// result maps members to hosts and lacks those whose agent does not answer.
func DescribeMachines(ctx context.Context, token string, endpoints []protocol.ObservedEndpoint) map[string]*measurement.Machine {
	described := make([]*measurement.Machine, len(endpoints))
	var all sync.WaitGroup
	for i, o := range endpoints {
		if o.CommandsURL != "" {
			all.Go(func() { described[i], _ = fetchMachine(ctx, o.CommandsURL+container.MachinePath, token) })
		}
	}
	all.Wait()
	byMember := map[string]*measurement.Machine{}
	for i, o := range endpoints {
		if described[i] != nil {
			byMember[o.Member] = described[i]
		}
	}
	return byMember
}

func fetchMachine(ctx context.Context, url, token string) (*measurement.Machine, error) {
	ctx, cancel := context.WithTimeout(ctx, scrapeTimeout)
	defer cancel()
	var m measurement.Machine
	err := SendRequest(ctx, http.MethodGet, url, token, func(body io.Reader) error {
		return json.NewDecoder(io.LimitReader(body, maxMachineBytes)).Decode(&m)
	})
	if err != nil {
		return nil, err
	}
	return &m, nil
}
