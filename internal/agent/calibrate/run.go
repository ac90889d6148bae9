// Package calibrate measures what a container gets from its host before a run: the speed of its CPUs, the latency of fsync on its
// volume, and the network between it and a load worker. Members serve these commands to workers with the token of their network.
package calibrate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"slices"
	"sync"
	"time"

	"github.com/benchnet/benchnet/internal/agent/observe"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

const (
	// networkShare is the share of the duration in which the network is measured, after the containers.
	networkShare = 0.25
	// maxRoundTrips bounds the round trips to one pod.
	maxRoundTrips = 100
	// maxAnswerBytes bounds the answer of an agent, in bytes of JSON.
	maxAnswerBytes = 16 << 10
)

// ErrTooLate is the error of a worker whose start was too near to measure.
var ErrTooLate = errors.New("the release was received too late for the calibration")

// Run measures a worker's own container, as subject, and those behind the endpoints that are agents, all at the same time,
// because the run will use them at the same time. Then it measures the network to each agent in turn. The whole takes
// about duration. A pod that cannot be measured has an Error. The token is that of the network's commands.
func Run(ctx context.Context, duration time.Duration, subject, token string, endpoints []protocol.ObservedEndpoint) []measurement.PodCalibration {
	var agents []remoteAgent
	for _, o := range endpoints {
		if o.CommandsURL != "" {
			agents = append(agents, remoteAgent{o, token})
		}
	}
	pods := make([]measurement.PodCalibration, len(agents)+1)
	network := time.Duration(networkShare * float64(duration))
	var all sync.WaitGroup
	for i, agent := range agents {
		all.Go(func() { pods[i+1] = agent.measureContainer(ctx, duration-network) })
	}
	all.Go(func() {
		measured, err := measureContainer(ctx, duration-network, "")
		pods[0] = withError(measured, err)
	})
	all.Wait()
	pods[0].Subject = subject
	for i, agent := range agents {
		pod := &pods[i+1]
		pod.Subject = agent.Member
		if pod.Error == "" {
			measured, err := agent.measureNetwork(ctx, network/time.Duration(len(agents)))
			pod.Network = measured
			*pod = withError(*pod, err)
		}
	}
	return pods
}

// remoteAgent is the agent of another pod, with the token of its commands.
type remoteAgent struct {
	protocol.ObservedEndpoint
	token string
}

func withError(pod measurement.PodCalibration, err error) measurement.PodCalibration {
	if err != nil {
		pod.Error = err.Error()
	}
	return pod
}

func (a remoteAgent) measureContainer(ctx context.Context, duration time.Duration) (pod measurement.PodCalibration) {
	err := a.requestMeasurement(ctx, ContainerPath, duration, func(body io.Reader) error {
		return json.NewDecoder(io.LimitReader(body, maxAnswerBytes)).Decode(&pod)
	})
	return withError(pod, err)
}

// requestMeasurement requests a measurement and passes the body of a successful response to read.
func (a remoteAgent) requestMeasurement(ctx context.Context, path string, duration time.Duration, read func(io.Reader) error) error {
	target := fmt.Sprintf("%s%s?%s=%f", a.CommandsURL, path, secondsParameter, duration.Seconds())
	return observe.SendRequest(ctx, http.MethodPost, target, a.token, read)
}

// measureNetwork measures round trips to the agent for half of the duration, and then the bandwidth from it.
func (a remoteAgent) measureNetwork(ctx context.Context, duration time.Duration) (*measurement.NetworkCalibration, error) {
	address, err := url.Parse(a.CommandsURL)
	if err != nil {
		return nil, err
	}
	measured := &measurement.NetworkCalibration{}
	if err := measureRoundTrips(ctx, address.Host, duration/2, measured); err != nil {
		return nil, err
	}
	err = a.requestMeasurement(ctx, StreamPath, duration/2, func(body io.Reader) error {
		began := time.Now()
		received, err := io.Copy(io.Discard, body)
		measured.BandwidthMbps = float64(received) * 8 / 1e6 / time.Since(began).Seconds()
		return err
	})
	return measured, err
}

// measureRoundTrips connects to address until the duration is over, at least once and at most maxRoundTrips times.
func measureRoundTrips(ctx context.Context, address string, duration time.Duration, measured *measurement.NetworkCalibration) error {
	var all []time.Duration
	for end := time.Now().Add(duration); len(all) == 0 || len(all) < maxRoundTrips && time.Now().Before(end); {
		one, err := RoundTrips(ctx, address, 1, 0)
		if err != nil {
			return err
		}
		all = append(all, one...)
	}
	slices.Sort(all)
	measured.RoundTrips = len(all)
	measured.RoundTripP50Millis, measured.RoundTripMaxMillis = toMillis(all[(len(all)-1)/2]), toMillis(all[len(all)-1])
	return nil
}

// toMillis returns milliseconds, to microseconds.
func toMillis(d time.Duration) float64 { return math.Round(float64(d.Microseconds())) / 1000 }
