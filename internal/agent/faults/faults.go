// Package faults is the protocol by which load workers have faults injected: by the agent of a container, which passes those of the
// network on to the sidecar of its pod.
package faults

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/benchnet/benchnet/internal/agent/observe"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/statistics"
)

// Path is the path of faults. POST injects one and answers with a measurement.FaultEffect as JSON. GET only checks whether it could be
// injected now: if not, the effect has a Problem.
const Path = "/faults"

// Parameters of a request: the measurement.Fault as JSON, and the time from the request to the injection.
const (
	faultParameter = "fault"
	afterParameter = "afterMillis"
)

const (
	maxAfterMillis = 10_000
	maxSeconds     = 600
	// maxEffectBytes bounds an answer, in bytes of JSON.
	maxEffectBytes = 16 << 10
)

// Request is a fault that is requested.
type Request struct {
	// Fault is the fault, of which the agent needs neither the name nor the container.
	measurement.Fault
	// After is the time from Received to the injection.
	After    time.Duration
	Received time.Time
	// IsCheck reports whether the fault is not to be injected.
	IsCheck bool
	// Token is the token of the request.
	Token string
}

// Duration returns how long the fault lasts.
func (r *Request) Duration() time.Duration { return time.Duration(r.DurationSeconds) * time.Second }

// BracketSince returns the bracket of system calls that began at an instant and have returned, in seconds since the request.
func (r *Request) BracketSince(began time.Time) *measurement.Bracket {
	return &measurement.Bracket{FromSeconds: began.Sub(r.Received).Seconds(), ToSeconds: time.Since(r.Received).Seconds()}
}

// Serve answers a request for a fault of one of the types. It sends the header before inject, so that the caller knows when the seconds of
// the effect began, and the effect afterwards. The context of inject ends if the caller disconnects.
func Serve(w http.ResponseWriter, r *http.Request, types []measurement.FaultType, inject func(context.Context, *Request) measurement.FaultEffect) {
	request, err := parseRequest(r, types)
	if err != nil {
		http.Error(w, err.Error(), http.StatusBadRequest)
		return
	}
	control := http.NewResponseController(w)
	if err := errors.Join(control.SetReadDeadline(time.Time{}), control.SetWriteDeadline(time.Time{})); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Connection", "close") // The deadlines hold for the connection.
	w.Header().Set("Content-Type", "application/json")
	_ = control.Flush() // An error means that the client disconnected, here and below.
	_ = json.NewEncoder(w).Encode(inject(r.Context(), request))
	_ = control.Flush()
}

// parseRequest parses the parameters of a request. Only an injection has times.
func parseRequest(r *http.Request, types []measurement.FaultType) (*Request, error) {
	query := r.URL.Query()
	request := &Request{Received: time.Now(), IsCheck: r.Method != http.MethodPost}
	request.Token, _ = strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	decoder := json.NewDecoder(strings.NewReader(query.Get(faultParameter)))
	decoder.DisallowUnknownFields() // An older agent must not inject half of a fault.
	if err := decoder.Decode(&request.Fault); err != nil {
		return nil, fmt.Errorf("%s: %w", faultParameter, err)
	}
	if !slices.Contains(types, request.Type) {
		return nil, fmt.Errorf("the type of the fault is %.20q, want one of %v", request.Type, types)
	}
	if request.IsCheck {
		return request, nil
	}
	least := 1
	if request.Type == measurement.FaultKill || request.Type == measurement.FaultEvict {
		least = 0
	}
	if s := request.DurationSeconds; s < least || s > maxSeconds {
		return nil, fmt.Errorf("the fault lasts %d s, want %d to %d", s, least, maxSeconds)
	}
	millis, err := strconv.Atoi(query.Get(afterParameter))
	if err != nil || millis < 0 || millis > maxAfterMillis {
		return nil, fmt.Errorf("%s is %.20q, want a whole number from 0 to %d", afterParameter, query.Get(afterParameter), maxAfterMillis)
	}
	request.After = time.Duration(millis) * time.Millisecond
	return request, nil
}

// Send sends a fault to the agent at a base URL and returns its effect, with times in seconds since the origin. With GET, the agent only
// checks it; with POST, it injects it after a time.
func Send(
	ctx context.Context, method, base, token string, f measurement.Fault, after time.Duration, origin time.Time,
) (effect measurement.FaultEffect, err error) {
	text, err := json.Marshal(f)
	if err != nil {
		return effect, err
	}
	query := url.Values{faultParameter: {string(text)}, afterParameter: {strconv.FormatInt(after.Milliseconds(), 10)}}
	sent, received := time.Now(), time.Time{}
	err = observe.SendRequest(ctx, method, base+Path+"?"+query.Encode(), token, func(body io.Reader) error {
		received = time.Now()
		return json.NewDecoder(io.LimitReader(body, maxEffectBytes)).Decode(&effect)
	})
	// The agent counts from the receipt of the request, between sent and received.
	for _, b := range []*measurement.Bracket{effect.Injected, effect.Healed, effect.Started} {
		if b != nil {
			b.FromSeconds = statistics.RoundMillis(b.FromSeconds + sent.Sub(origin).Seconds())
			b.ToSeconds = statistics.RoundMillis(b.ToSeconds + received.Sub(origin).Seconds())
		}
	}
	return effect, err
}
