package work

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
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
