// Package faults is the protocol by which load workers have faults injected: by the agent of a container, which passes those of the
// network on to the sidecar of its pod.
package faults

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
	"strconv"
	"strings"
	"time"

	"github.com/benchnet/benchnet/internal/agent/observe"
	"github.com/benchnet/benchnet/internal/run/measurement"
)

// Path is the path of faults. POST injects one and answers with a measurement.FaultEffect as JSON. GET only checks whether it could be
// injected now: if not, the effect has a Problem.
const Path = "/faults"

// Parameters of a fault: its measurement.FaultType, the time from the request to the injection, its duration, the role that it needs, and
// for a partition the members of both sides.
const (
	typeParameter    = "type"
	afterParameter   = "afterMillis"
	secondsParameter = "seconds"
	roleParameter    = "role"
	targetParameter  = "target"
	fromParameter    = "from"
)

const (
	maxAfterMillis = 10_000
	maxSeconds     = 600
	// maxEffectBytes bounds an answer, in bytes of JSON.
	maxEffectBytes = 16 << 10
)

// Request is a fault that is requested.
type Request struct {
	// Fault has the type, role, duration and sides of the fault.
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
	request := &Request{Received: time.Now(), IsCheck: r.Method != http.MethodPost, Fault: measurement.Fault{
		Type: measurement.FaultType(query.Get(typeParameter)), Role: measurement.ConsensusRole(query.Get(roleParameter)),
		Targets: query.Get(targetParameter), From: query.Get(fromParameter)}}
	request.Token, _ = strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !slices.Contains(types, request.Type) {
		return nil, fmt.Errorf("%s is %.20q, want one of %v", typeParameter, request.Type, types)
	}
	if request.IsCheck {
		return request, nil
	}
	least := 1
	if request.Type == measurement.FaultKill {
		least = 0
	}
	millis, err := parseNumber(query, afterParameter, 0, maxAfterMillis)
	if err != nil {
		return nil, err
	}
	request.After = time.Duration(millis) * time.Millisecond
	request.DurationSeconds, err = parseNumber(query, secondsParameter, least, maxSeconds)
	return request, err
}

func parseNumber(query url.Values, parameter string, least, most int) (int, error) {
	text := query.Get(parameter)
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		return 0, fmt.Errorf("%s is %.20q, want a whole number from %d to %d", parameter, text, least, most)
	}
	return n, nil
}

// Send sends a fault to the agent at a base URL and returns its effect, with times in seconds since the origin. With GET, the agent only
// checks it; with POST, it injects it after a time.
func Send(
	ctx context.Context, method, base, token string, f measurement.Fault, after time.Duration, origin time.Time,
) (effect measurement.FaultEffect, err error) {
	query := url.Values{typeParameter: {string(f.Type)}, afterParameter: {strconv.FormatInt(after.Milliseconds(), 10)},
		secondsParameter: {strconv.Itoa(f.DurationSeconds)}}
	for parameter, value := range map[string]string{roleParameter: string(f.Role), targetParameter: f.Targets, fromParameter: f.From} {
		if value != "" {
			query.Set(parameter, value)
		}
	}
	sent, received := time.Now(), time.Time{}
	err = observe.SendRequest(ctx, method, base+Path+"?"+query.Encode(), token, func(body io.Reader) error {
		received = time.Now()
		return json.NewDecoder(io.LimitReader(body, maxEffectBytes)).Decode(&effect)
	})
	// The agent counts from the receipt of the request, between sent and received.
	for _, b := range []*measurement.Bracket{effect.Injected, effect.Healed} {
		if b != nil {
			b.FromSeconds, b.ToSeconds = roundMillis(b.FromSeconds+sent.Sub(origin).Seconds()), roundMillis(b.ToSeconds+received.Sub(origin).Seconds())
		}
	}
	return effect, err
}

func roundMillis(seconds float64) float64 { return math.Round(seconds*1000) / 1000 }
