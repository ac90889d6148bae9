package promql

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/run/objectives"
)

// windowEnd is the end of the window of the runs. It is long ago, so that nothing waits for it.
var windowEnd = time.Unix(1_800_000_000, 500_000_000)

// evaluateOn evaluates expressions of a run with the Prometheus that the handler implements.
func evaluateOn(t *testing.T, handler http.HandlerFunc, expressions ...string) []objectives.QueryAnswer {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return evaluateAt(t, server.URL, expressions...)
}

func evaluateAt(t *testing.T, address string, expressions ...string) []objectives.QueryAnswer {
	t.Helper()
	e, err := NewEvaluator(address)
	if err != nil {
		t.Fatal(err)
	}
	e.retryPeriod = time.Millisecond
	run := &v1alpha1.BenchmarkRun{}
	run.Namespace, run.Name, run.UID, run.Spec.NetworkName = "lab", "banks-pay", "1", "banks"
	for i, expression := range expressions {
		run.Spec.Workload.Objectives = append(run.Spec.Workload.Objectives,
			v1alpha1.Objective{Query: &v1alpha1.QueryObjective{Name: fmt.Sprintf("q%d", i), Expression: expression}})
	}
	now := windowEnd.Add(time.Minute)
	if answers, evaluated := e.Evaluate(t.Context(), run, 60, windowEnd, now); evaluated {
		t.Fatalf("evaluated at once: %+v", answers)
	}
	if done := <-e.Done(); done.Object.GetName() != run.Name || done.Object.GetNamespace() != run.Namespace {
		t.Errorf("got an event of %s", done.Object.GetName())
	}
	answers, evaluated := e.Evaluate(t.Context(), run, 60, windowEnd, now)
	if !evaluated || len(answers) != len(expressions) {
		t.Fatalf("got %+v", answers)
	}
	return answers
}

func answerWith(status int, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(status)
		fmt.Fprint(w, body)
	}
}

func success(resultType, result string) http.HandlerFunc {
	return answerWith(http.StatusOK, fmt.Sprintf(`{"status":"success","data":{"resultType":%q,"result":%s}}`, resultType, result))
}

func TestEvaluateValue(t *testing.T) {
	for name, handler := range map[string]http.HandlerFunc{
		"scalar":        success("scalar", `[1,"2.5"]`),
		"single sample": success("vector", `[{"metric":{},"value":[1,"2.5"]}]`),
	} {
		t.Run(name, func(t *testing.T) {
			want := objectives.QueryAnswer{Expression: `a{namespace="lab"}`, Value: 2.5}
			if got := evaluateOn(t, handler, "a"); got[0] != want {
				t.Errorf("got %+v, want %+v", got[0], want)
			}
		})
	}
}

// TestEvaluateRequest checks what Prometheus receives.
func TestEvaluateRequest(t *testing.T) {
	answers := evaluateOn(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/api/v1/query" || r.FormValue("time") != "1800000000.5" || r.FormValue("timeout") != "5s" {
			t.Errorf("got %s with %v", r.URL, r.Form)
		}
		success("scalar", "[1,\"1\"]")(w, r)
	}, `rate(a{network="$network",run="$run"}[$window])`, "b")
	want := `rate(a{namespace="lab",network="banks",run="banks-pay"}[1m])`
	if len(answers) != 2 || answers[0].Expression != want || answers[1].Expression != `b{namespace="lab"}` {
		t.Errorf("got %+v, want %s", answers, want)
	}
}

func TestEvaluateWithoutValue(t *testing.T) {
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		want    string
	}{
		"no sample":     {success("vector", "[]"), "there is no sample: check"},
		"NaN":           {success("vector", `[{"metric":{},"value":[1,"NaN"]}]`), "the value is NaN: check for a division by zero"},
		"infinite":      {success("scalar", `[1,"+Inf"]`), "the value is +Inf"},
		"two samples":   {success("vector", `[{"metric":{"a":"b"},"value":[1,"1"]},{"metric":{},"value":[1,"2"]}]`), "there are 2 samples: aggregate them"},
		"a matrix":      {success("matrix", "[]"), "neither a scalar nor a vector"},
		"a histogram":   {success("vector", `[{"metric":{},"histogram":[1,{"count":"1","sum":"1","buckets":[]}]}]`), "the sample is a histogram"},
		"a warning":     {answerWith(200, `{"status":"success","warnings":["a store is missing"],"data":{"resultType":"scalar","result":[1,"1"]}}`), "warned that the value may be wrong: a store is missing"},
		"an error":      {answerWith(400, `{"status":"error","errorType":"bad_data","error":"unknown\u001b[31m function\n"}`), "refused the query: bad_data: unknown [31m function: correct"},
		"a long error":  {answerWith(422, `{"status":"error","errorType":"execution","error":"`+strings.Repeat("x", 5000)+`"}`), "refused the query: execution: xxx"},
		"its timeout":   {answerWith(503, `{"status":"error","errorType":"timeout","error":"query timed out"}`), "ran out of time (server error: 503)"},
		"no Prometheus": {answerWith(200, "<html>"), "refused the query: bad_response"},
		"a redirect":    {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/elsewhere", http.StatusFound) }, "refused the query: bad_response"},
		"too much":      {answerWith(200, strings.Repeat(" ", maxResponseBytes+1)), "above 1 MiB"},
		"no connection": {func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }, "Prometheus is unreachable"},
	} {
		t.Run(name, func(t *testing.T) {
			got := evaluateOn(t, c.handler, "a")[0]
			if !strings.Contains(got.Problem, c.want) || got.Value != 0 || len(got.Problem) > 400 {
				t.Errorf("got %+v, want %q", got, c.want)
			}
		})
	}
}

// TestEvaluateRetries counts the queries of a run with two expressions: only transient problems are tried again, and all retries of a run
// together are bounded.
func TestEvaluateRetries(t *testing.T) {
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		queries int64
	}{
		"no sample": {success("vector", "[]"), maxRetries + 2},
		"an error":  {answerWith(400, `{"status":"error","errorType":"bad_data","error":"no"}`), 2},
		"a value":   {success("scalar", `[1,"1"]`), 2},
	} {
		t.Run(name, func(t *testing.T) {
			var queries atomic.Int64
			evaluateOn(t, func(w http.ResponseWriter, r *http.Request) {
				queries.Add(1)
				c.handler(w, r)
			}, "a", "b")
			if got := queries.Load(); got != c.queries {
				t.Errorf("got %d queries, want %d", got, c.queries)
			}
		})
	}
}

func TestEvaluateWaitsForSample(t *testing.T) {
	var queries atomic.Int64
	got := evaluateOn(t, func(w http.ResponseWriter, r *http.Request) {
		if queries.Add(1) < 3 {
			success("vector", "[]")(w, r)
			return
		}
		success("scalar", `[1,"7"]`)(w, r)
	}, "a")[0]
	if got.Value != 7 || got.Problem != "" {
		t.Errorf("got %+v, want 7", got)
	}
}

// TestUnreachableHidesAddress keeps the address of Prometheus from tenants.
func TestUnreachableHidesAddress(t *testing.T) {
	got := evaluateAt(t, "http://127.0.0.1:1", "a")[0].Problem
	if !strings.Contains(got, "unreachable") || strings.Contains(got, "127.0.0.1") {
		t.Errorf("got %q", got)
	}
}

func TestBadPrometheusURL(t *testing.T) {
	for _, address := range []string{"", "prometheus:9090", "ftp://prometheus", "http://", "http://user:password@prometheus", "http://prometheus?a=b", ":"} {
		t.Run(address, func(t *testing.T) {
			if _, err := NewEvaluator(address); err == nil || !strings.Contains(err.Error(), "must be a URL such as http://prometheus.monitoring:9090") {
				t.Errorf("got %v", err)
			}
		})
	}
}
