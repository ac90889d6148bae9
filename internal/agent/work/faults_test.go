package work

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

// newFaultWorker returns worker 1 of 2, which injects the second of two faults with the agent at url.
func newFaultWorker(url string) *Worker {
	return &Worker{Index: 1, Workers: 2, CommandsToken: "t", Workload: &protocol.WorkloadFile[any]{
		Observe: []protocol.ObservedEndpoint{{Member: "member-0", CommandsURL: "http://127.0.0.1:1"}, {Member: "member-1"}, {Member: "member-1", CommandsURL: url}},
		Faults:  []measurement.Fault{{Name: "a", Type: "Kill", Member: "member-0", AtSeconds: 3}, {Name: "a", Type: "Kill", Member: "member-1", AtSeconds: 3, DurationSeconds: 7}},
	}}
}

func serveAgent(t *testing.T, handle http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(handle)
	t.Cleanup(server.Close)
	return server.URL
}

func TestCheckFaults(t *testing.T) {
	answer, wanted := measurement.FaultEffect{}, ""
	url := serveAgent(t, func(w http.ResponseWriter, r *http.Request) {
		query := r.URL.Query()
		wanted = strings.Join([]string{r.Method, r.URL.Path, query.Get("fault"), query.Get("afterMillis"), r.Header.Get("Authorization")}, " ")
		_ = json.NewEncoder(w).Encode(answer)
	})
	want := `GET /faults {"name":"a","type":"Kill","member":"member-1","atSeconds":3,"durationSeconds":7} 0 Bearer t`
	if err := newFaultWorker(url).checkFaults(t.Context()); err != nil || wanted != want {
		t.Errorf("error %v after %s", err, wanted)
	}
	answer.Problem = "the command has not started"
	if err := newFaultWorker(url).checkFaults(t.Context()); err == nil || err.Error() != "fault a cannot be injected into member-1: the command has not started" {
		t.Errorf("error %v", err)
	}
}

// TestInjectFaults checks that the agent's seconds become those of the window.
func TestInjectFaults(t *testing.T) {
	const delay = 0.2
	url := serveAgent(t, func(w http.ResponseWriter, r *http.Request) {
		time.Sleep(delay * 1000 * time.Millisecond) // Until the header arrives, the instant of the receipt is unknown.
		_ = json.NewEncoder(w).Encode(measurement.FaultEffect{Injected: &measurement.Bracket{FromSeconds: 2, ToSeconds: 2.01}, Before: r.URL.Query().Get("afterMillis")})
	})
	from := time.Now().Add(-time.Second - 100*time.Millisecond) // The request is due in the past.
	window := protocol.MeasureTimes{WindowSeconds: 10}.NewWindow(from)
	records := newFaultWorker(url).injectFaults(t.Context(), window)
	if len(records) != 1 || records[0].Member != "member-1" || records[0].Problem != "" || records[0].Healed != nil {
		t.Fatalf("records %+v", records)
	}
	if b := records[0].Injected; b.FromSeconds < 3.1 || b.FromSeconds > 3.9 || b.ToSeconds-b.FromSeconds < delay {
		t.Errorf("injected %+v, want from about 3.1, and at least %g s longer than the agent says", b, delay)
	}
	if after := records[0].Before; !strings.HasPrefix(after, "18") && !strings.HasPrefix(after, "17") {
		t.Errorf("injection after %s ms, want the 1.9 s that are left", after)
	}
}

func TestFaultOfRoleIsRequested(t *testing.T) {
	wanted := ""
	url := serveAgent(t, func(w http.ResponseWriter, r *http.Request) {
		wanted = r.URL.Query().Get("fault")
		_ = json.NewEncoder(w).Encode(measurement.FaultEffect{})
	})
	worker := newFaultWorker(url)
	worker.Workload.Faults[1].Role = measurement.RoleLeader
	if err := worker.checkFaults(t.Context()); err != nil || !strings.Contains(wanted, `"role":"Leader"`) {
		t.Errorf("error %v after %s", err, wanted)
	}
}

func TestInjectFaultsProblems(t *testing.T) {
	refusing := serveAgent(t, func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "busy", http.StatusTooManyRequests) })
	now := protocol.MeasureTimes{WindowSeconds: 10}.NewWindow(time.Now().Add(-time.Second))
	if r := newFaultWorker(refusing).injectFaults(t.Context(), now); !strings.Contains(r[0].Problem, "429 Too Many Requests") {
		t.Errorf("record %+v", r)
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	later := protocol.MeasureTimes{WindowSeconds: 10}.NewWindow(time.Now().Add(time.Hour))
	if r := newFaultWorker(refusing).injectFaults(ended, later); r[0].Problem != "the run ended before the fault" {
		t.Errorf("record %+v", r)
	}
}

// fakePods is the one pod of a member, which the API server replaces as soon as it ends.
type fakePods struct {
	uid, calls string
	err        error
}

func (p *fakePods) UID(context.Context, string) (string, error) { return p.uid, nil }

func (p *fakePods) End(_ context.Context, f *measurement.Fault, check bool) (string, error) {
	ended := p.uid
	p.calls += fmt.Sprintf("%s %s %t;", f.Type, f.Pod, check)
	if !check && p.err == nil {
		p.uid += "'"
	}
	return ended, p.err
}

// TestRestartFaults follows faults after which other agents answer. Each answer is that of the next agent; "" is none.
func TestRestartFaults(t *testing.T) {
	kill := measurement.Fault{Name: "a", Type: "Kill", Kill: "Container", Member: "member-1", AtSeconds: 3}
	evict := measurement.Fault{Name: "a", Type: "Evict", Pod: "net-member-1-0", Member: "member-1", AtSeconds: 3}
	leader := evict
	leader.Role = measurement.RoleLeader
	const ended = `{"injected": {"fromSeconds": 0, "toSeconds": 0.1}, "before": "pid 7", "during": "killed", "instance": "A"}`
	const ready = `{"before": "2 threads", "instance": "A"}`
	const again = `{"before": "3 threads", "instance": "B", "started": {"fromSeconds": 0, "toSeconds": 0}}`
	for name, c := range map[string]struct {
		fault                          measurement.Fault
		answers                        []string
		podErr                         error
		before, during, after, problem string
		calls, pods                    string
	}{
		"a container": {fault: kill, answers: []string{ended, ready, "", `{"problem": "the command has not started", "instance": "B"}`, again},
			before: "agent A; pid 7", during: "killed; 1 checks without an answer", after: `agent B, started at second 3\.\d; 3 threads`},
		"a pod": {fault: evict, answers: []string{ready, "", "", again}, before: "agent A; 2 threads", during: "the API server accepted the end of the pod; 2 checks without an answer",
			after: `agent B, started at second 3\.\d; 3 threads`, calls: "Evict net-member-1-0 false;", pods: "1 1'"},
		"a disruption budget": {fault: evict, answers: []string{ready}, podErr: errors.New("cannot evict"), before: "2 threads", problem: "cannot evict",
			calls: "Evict net-member-1-0 false;", pods: "1 "},
		"a follower": {fault: leader, answers: []string{`{"skipped": "it was a Follower", "instance": "A"}`}},
		"an old agent": {fault: kill, answers: []string{ended, `{"instance": "B", "started": {"fromSeconds": -60, "toSeconds": -60}}`},
			before: "pid 7", during: "killed; 0 checks without an answer", problem: "another agent answers, which did not start after the fault"},
		"not ended": {fault: kill, answers: []string{`{"problem": "1 thread stopped", "instance": "A"}`}, problem: "1 thread stopped"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var count atomic.Int64
			url := serveAgent(t, func(w http.ResponseWriter, _ *http.Request) {
				answer := c.answers[min(int(count.Add(1)), len(c.answers))-1]
				if answer == "" {
					http.Error(w, "busy", http.StatusTooManyRequests)
					return
				}
				_, _ = w.Write([]byte(answer))
			})
			pods := &fakePods{uid: "1", err: c.podErr}
			worker := newFaultWorker(url)
			worker.Workload.Faults[1], worker.Pods = c.fault, pods
			window := protocol.MeasureTimes{WindowSeconds: 10}.NewWindow(time.Now().Add(-3 * time.Second))
			got := worker.injectFaults(t.Context(), window)[0]
			for what, pair := range map[string][2]string{"before": {got.Before, c.before}, "during": {got.During, c.during}, "after": {got.After, c.after}, "problem": {got.Problem, c.problem}} {
				if !regexp.MustCompile("^(" + pair[1] + ")$").MatchString(pair[0]) {
					t.Errorf("%s is %q, want %q", what, pair[0], pair[1])
				}
			}
			if isHealed := c.after != ""; got.IsProved() != isHealed || isHealed && got.Healed.FromSeconds < got.Injected.ToSeconds-0.1 {
				t.Errorf("injected %+v, healed %+v", got.Injected, got.Healed)
			}
			if c.fault.EndsPod() && got.Skipped == "" && got.PodBefore+" "+got.PodAfter != c.pods || pods.calls != c.calls || got.Instance != "" || got.Started != nil {
				t.Errorf("record %+v after %s", got, pods.calls)
			}
		})
	}
}

// TestRestartTakesTooLong checks that the end of the run ends the wait.
func TestRestartTakesTooLong(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var count atomic.Int64
	url := serveAgent(t, func(w http.ResponseWriter, _ *http.Request) {
		if count.Add(1) > 1 {
			cancel()
		}
		_, _ = w.Write([]byte(`{"injected": {}, "instance": "A"}`))
	})
	worker := newFaultWorker(url)
	worker.Workload.Faults[1].Kill = measurement.KillContainer
	record := worker.injectFaults(ctx, protocol.MeasureTimes{WindowSeconds: 10}.NewWindow(time.Now().Add(-3*time.Second)))[0]
	if !strings.HasPrefix(record.Problem, "no other agent has run the command since") || record.Healed != nil {
		t.Errorf("record %+v", record)
	}
}

// TestCheckPodFaults checks that a pod which could not be ended fails the run before the load.
func TestCheckPodFaults(t *testing.T) {
	url := serveAgent(t, func(w http.ResponseWriter, _ *http.Request) { _ = json.NewEncoder(w).Encode(measurement.FaultEffect{}) })
	for want, err := range map[string]error{"": nil, "fault a cannot be injected into member-1: the budget needs 3 healthy pods": errors.New("the budget needs 3 healthy pods")} {
		t.Run(want, func(t *testing.T) {
			pods := &fakePods{uid: "1", err: err}
			worker := newFaultWorker(url)
			worker.Workload.Faults[1], worker.Pods = measurement.Fault{Name: "a", Type: "Evict", Pod: "p", Member: "member-1"}, pods
			got := ""
			if err := worker.checkFaults(t.Context()); err != nil {
				got = err.Error()
			}
			if got != want || pods.calls != "Evict p true;" {
				t.Errorf("error %q after %s", got, pods.calls)
			}
		})
	}
}
