package controllers_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/promql"
)

// TestObjectivesOfARun measures 20 flows per second with latencies of 20 ms, 200 in all.
func TestObjectivesOfARun(t *testing.T) {
	w := newTestEnvWithRun(t, strings.Replace(twoWorkerRun, "    workers:", `    objectives:
    - {metric: LatencyP95, maxLatency: 50ms}
    - {metric: Throughput, minThroughputPerSecond: "30"}
    - {metric: LatencyP99, maxLatency: 50ms}
    - {metric: FinalityP95, maxLatency: 50ms}
    workers:`, 1))
	w.reconcileRun("extra")
	w.finishTwoWorkerRun()
	s := w.getRun("extra").Status
	var got []string
	for _, o := range s.Objectives {
		got = append(got, fmt.Sprintf("%s %s", o.Metric, o.Outcome))
	}
	if want := "LatencyP95 Passed, Throughput Failed, LatencyP99 Undecided, FinalityP95 Passed"; strings.Join(got, ", ") != want || s.Verdict != v1alpha1.VerdictValid {
		t.Errorf("got %s (%s), want %s (Valid)", strings.Join(got, ", "), s.Verdict, want)
	}
	gates := meta.FindStatusCondition(s.Conditions, v1alpha1.ConditionGatesPassed)
	if gates == nil || gates.Status != metav1.ConditionFalse || gates.Reason != v1alpha1.ReasonGateFailed || !strings.Contains(gates.Message, "Throughput is 20.0/s") {
		t.Errorf("got %+v, want a failed gate of the throughput", gates)
	}
	cm := &corev1.ConfigMap{}
	w.mustGet(s.Result.ConfigMapName, cm)
	result, err := document.DecodeRunResult(cm.BinaryData[s.Result.Key])
	must(t, err)
	if f := s.FinalityMicroseconds; f == nil || f.Of != "Operation" || f.Mean != s.LatencyMicroseconds.Mean {
		t.Errorf("the finality is %+v, want the latency of operations", f)
	}
	if len(result.Objectives) != 4 || result.Objectives[1].Limit != 30 {
		t.Errorf("the result has the objectives %+v", result.Objectives)
	}
}

// TestQueryObjectivesOfARun stops the operator while Prometheus answers. The next operator queries again, and a stored result is not judged
// twice.
func TestQueryObjectivesOfARun(t *testing.T) {
	var queries atomic.Int64
	prometheus := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		queries.Add(1)
		result := `{"resultType":"scalar","result":[1,"5"]}`
		if strings.HasPrefix(r.FormValue("query"), "many") {
			result = `{"resultType":"vector","result":[{"metric":{"a":"b"},"value":[1,"1"]},{"metric":{},"value":[1,"2"]}]}`
		}
		fmt.Fprintf(w, `{"status":"success","data":%s}`, result)
	}))
	t.Cleanup(prometheus.Close)
	w := newTestEnv(t)
	startOperator := func() {
		var err error
		w.queries, err = promql.NewEvaluator(prometheus.URL)
		must(t, err)
	}
	startOperator()
	must(t, w.createFromYAML(cordaNetwork[:strings.Index(cordaNetwork, "  workloads:")], &v1alpha1.BenchmarkNetwork{}))
	w.bringUp("banks")
	must(t, w.createFromYAML(strings.Replace(twoWorkerRun, "    workers:", `    objectives:
    - {metric: Throughput, minThroughputPerSecond: "10"}
    - query: {name: in-flight, expression: 'sum(flows{run="$run"})', max: "4"}
    - query: {name: rate, expression: 'rate(flows[$window])', min: "1", max: "5"}
    - query: {name: series, expression: many, max: "4"}
    workers:`, 1), &v1alpha1.BenchmarkRun{}))
	w.reconcileNetwork("banks")
	w.reconcileRun("extra")
	finish := w.now
	w.now = finish.Add(-time.Minute) // The window ends in the past.
	w.createReadyWorkers("extra")
	w.reconcileRun("extra")
	for worker := range int32(2) {
		w.reportResult(w.getRun("extra"), worker, 100, 20_000)
	}
	w.now = finish
	w.reconcileRun("extra")
	if s := w.getRun("extra").Status; s.Result != nil {
		t.Fatalf("the run has a result before its queries are evaluated: %+v", s.Objectives)
	}
	<-w.queries.Done()
	startOperator()
	w.reconcileRun("extra")
	<-w.queries.Done()
	w.reconcileRun("extra")
	w.reconcileRun("extra")
	evaluated := queries.Load()
	w.reconcileRun("extra")
	var got []string
	for _, o := range w.getRun("extra").Status.Objectives {
		got = append(got, fmt.Sprintf("%s %s", o.Metric, o.Outcome))
	}
	if want := "Throughput Passed, in-flight Failed, rate Passed, series Undecided"; strings.Join(got, ", ") != want {
		t.Errorf("got %s, want %s", strings.Join(got, ", "), want)
	}
	if evaluated != 6 || queries.Load() != evaluated {
		t.Errorf("got %d, then %d queries, want 3 of each operator", evaluated, queries.Load())
	}
	s := w.getRun("extra").Status
	cm := &corev1.ConfigMap{}
	w.mustGet(s.Result.ConfigMapName, cm)
	result, err := document.DecodeRunResult(cm.BinaryData[s.Result.Key])
	must(t, err)
	query := result.Objectives[1].Query
	if want := fmt.Sprintf("sum(flows{namespace=%q,run=\"extra\"})", w.namespace); query.Expression != want || *query.Value != 5 || *query.Max != 4 || query.Min != nil {
		t.Errorf("got %+v, want 5 of %s", query, want)
	}
}
