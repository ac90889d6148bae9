package controllers

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"runtime/metrics"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/snapshot"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/run/boundedjson"
	"github.com/benchnet/benchnet/internal/run/document"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/protocol"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

// reportReader serves the packed reports of workers, by the name of their ConfigMap.
type reportReader map[string][]byte

func (r reportReader) Get(_ context.Context, key client.ObjectKey, into client.Object, _ ...client.GetOption) error {
	into.(*corev1.ConfigMap).BinaryData = map[string][]byte{protocol.ResultKey: bytes.Clone(r[key.Name])}
	return nil
}

func (r reportReader) List(context.Context, client.ObjectList, ...client.ListOption) error {
	return nil
}

// newRunPass returns a pass over a run with these workers' reports.
func newRunPass(packed [][]byte, measure v1alpha1.Measure) (*RunReconciler, *runPass) {
	run := &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Name: "r"}}
	run.Spec.Workload.Workers.Count, run.Spec.Workload.Measure = int32(len(packed)), measure
	reader, cached := reportReader{}, []client.Object{}
	for i, content := range packed {
		name := naming.WorkerReport("r", int32(i))
		reader[name] = content
		cached = append(cached, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name},
			BinaryData: map[string][]byte{protocol.ResultKey: []byte("digest")}})
	}
	r := &RunReconciler{Dependencies: Dependencies{APIReader: reader}}
	return r, &runPass{run: run, snapshot: snapshot.New(clientgoscheme.Scheme, cached, nil)}
}

func gzipText(t *testing.T, text string) []byte {
	t.Helper()
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	if _, err := zip.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

// fullReport returns a valid worker report of the maximum size that the bounds of stored documents allow.
func fullReport(t *testing.T, index, seconds, members, series, intervals int) []byte {
	t.Helper()
	histogram := measurement.NewHistogram()
	for micros := int64(1); micros < 3_600_000_000; micros += 1 + micros/1000 {
		if err := histogram.Record(micros); err != nil {
			t.Fatal(err)
		}
	}
	encoded, err := histogram.Encode()
	if err != nil {
		t.Fatal(err)
	}
	w := measurement.WorkerResult{Worker: index, StartMillis: 1, WindowSeconds: seconds, Histogram: encoded,
		CompletedPerSecond: make([]int64, seconds), FailedPerSecond: make([]int64, seconds)}
	for i := range members {
		name := fmt.Sprintf("%d-%d", index, i)
		w.Members = append(w.Members, measurement.MemberUsage{Member: name, CPUSeconds: make(measurement.Series, seconds), MemoryBytes: make(measurement.Series, seconds)})
		w.Errors = append(w.Errors, measurement.ErrorCount{Kind: name, Count: 1})
		w.Blocks = append(w.Blocks, measurement.Block{Height: int64(1 + i), Micros: 1, Proposer: name})
	}
	for i := range series {
		w.Series = append(w.Series, measurement.NamedSeries{Subject: fmt.Sprintf("%d-%d", index, i), Name: "s", Values: make(measurement.Series, seconds)})
	}
	if intervals > 0 {
		// Each interval is full; the total has the sum.
		w.IntervalSeconds = seconds / intervals
		for range intervals {
			w.Intervals = append(w.Intervals, measurement.RecordedInterval{Histogram: encoded})
		}
		whole := measurement.NewHistogram()
		for range intervals {
			if err := whole.Merge(histogram); err != nil {
				t.Fatal(err)
			}
		}
		if w.Histogram, err = whole.Encode(); err != nil {
			t.Fatal(err)
		}
	}
	text, err := json.Marshal(w)
	if err != nil || len(text) > boundedjson.MaxDecodedBytes {
		t.Fatalf("the report has %d bytes, at most %d are decoded: %v", len(text), boundedjson.MaxDecodedBytes, err)
	}
	t.Logf("a report has %d KiB", len(text)>>10)
	return gzipText(t, string(text))
}

// TestResultHoldsDecodingSlot: a decoded result holds the decoding slot until the pass ends.
func TestResultHoldsDecodingSlot(t *testing.T) {
	packed, err := document.EncodeRunResult(&document.RunResult{APIVersion: document.APIVersion, Kind: document.Kind, SchemaVersion: document.SchemaVersion})
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		content []byte
		held    int
	}{"a result": {packed, 1}, "no result": {[]byte("{"), 0}} {
		t.Run(name, func(t *testing.T) {
			r := &RunReconciler{Dependencies: Dependencies{APIReader: reportReader{naming.ResultConfigMap("r"): c.content}}}
			pass := &runPass{run: &v1alpha1.BenchmarkRun{ObjectMeta: metav1.ObjectMeta{Name: "r"}}, snapshot: snapshot.New(clientgoscheme.Scheme,
				[]client.Object{&corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: naming.ResultConfigMap("r")}}}, nil)}
			if err := r.readResult(t.Context(), pass); err != nil {
				t.Fatal(err)
			}
			if len(decodingSlot) != c.held || (pass.result != nil) != (c.held == 1) || (pass.failure.message == "") != (c.held == 1) {
				t.Errorf("the slot is held by %d, want %d; the result is %v, the failure %q", len(decodingSlot), c.held, pass.result, pass.failure.message)
			}
			if pass.releaseSlot != nil {
				pass.releaseSlot()
			}
			if len(decodingSlot) != 0 {
				t.Error("the slot should be free when the pass has ended")
			}
		})
	}
}

// TestReportsDoNotExhaustMemory has three concurrent reconciles read the reports of hostile workers, with the
// operator's garbage collector settings. Before, one report of 4 KB made the operator take 579 MiB, and all
// reports of a run were in memory at a time.
func TestReportsDoNotExhaustMemory(t *testing.T) {
	const allowed, reconciles, workers = 256 << 20, 3, 3
	defer debug.SetGCPercent(debug.SetGCPercent(50))
	list := func(item string, n int) string {
		return "[" + strings.TrimSuffix(strings.Repeat(item+",", n), ",") + "]"
	}
	fixed, steadily := v1alpha1.Measure{}, v1alpha1.Measure{SteadyState: &v1alpha1.SteadyState{HalfWidthPercent: 5, ConfidencePercent: 95}}
	for name, c := range map[string]struct {
		measure v1alpha1.Measure
		report  func(worker int) []byte
		merges  bool
	}{
		"bombs":            {fixed, func(int) []byte { return gzipText(t, strings.Repeat(" ", 32<<20)) }, false},
		"too many members": {fixed, func(int) []byte { return gzipText(t, `{"members":`+list("{}", 1_300_000)+`}`) }, false},
		"maximum of members": {fixed, func(int) []byte {
			return gzipText(t, `{"members":`+list(`{"host":{"pressure":{}},"volume":{},"clock":{}}`, 20_000)+`}`)
		}, false},
		"maximum of numbers": {fixed, func(int) []byte { return gzipText(t, `{"series":`+list(`{"values":`+list("0", 199_000)+`}`, 10)+`}`) }, false},
		"duplicate keys": {fixed, func(int) []byte {
			return gzipText(t, `{`+strings.Repeat(`"members":`+list("{}", 19_000)+`,`, 25)+`"unit":""}`)
		}, false},
		"nesting":           {fixed, func(int) []byte { return gzipText(t, strings.Repeat(`{"members":[`, 300_000)) }, false},
		"valid, members":    {fixed, func(i int) []byte { return fullReport(t, i, 1, 10_000, 10_000, 0) }, true},
		"valid, series":     {fixed, func(i int) []byte { return fullReport(t, i, 80_000, 8, 4, 0) }, true},
		"valid, histograms": {steadily, func(i int) []byte { return fullReport(t, i, 480, 100, 10, 48) }, true},
	} {
		t.Run(name, func(t *testing.T) {
			var packed [][]byte
			for i := range workers {
				packed = append(packed, c.report(i))
			}
			peak := measurePeakMemory(func() {
				var all sync.WaitGroup
				for range reconciles {
					all.Go(func() { collectReports(t, packed, c.measure, c.merges) })
				}
				all.Wait()
			})
			t.Logf("%d MiB at most", peak>>20)
			if peak > allowed {
				t.Errorf("%d MiB, at most %d MiB", peak>>20, allowed>>20)
			}
		})
	}
}

// collectReports processes the reports as a reconcile does.
func collectReports(t *testing.T, packed [][]byte, measure v1alpha1.Measure, merges bool) {
	release, err := acquireDecodingSlot(t.Context())
	if err != nil {
		t.Error(err)
		return
	}
	defer release()
	r, pass := newRunPass(packed, measure)
	if err := r.readReports(t.Context(), pass); err != nil {
		t.Error(err)
		return
	}
	if merged := pass.reports.measurement; (merged != nil) != merges || !merges && len(pass.reports.failures) != len(packed) {
		t.Errorf("merged: %t, failure of the first: %s", merged != nil, pass.reports.failures[0])
		return
	}
	if !merges {
		return
	}
	result, err := document.NewRunResult(pass.reports.measurement, verdict.Interpretation{}, verdict.Verdict{})
	if err != nil {
		t.Error(err)
		return
	}
	if _, err := document.EncodeRunResult(result); err != nil {
		t.Error(err)
	}
}

// measurePeakMemory returns the peak memory that the process holds from the system while do runs, without
// released memory.
func measurePeakMemory(do func()) uint64 {
	debug.FreeOSMemory()
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	var peak uint64
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for ticker := time.NewTicker(2 * time.Millisecond); ; {
			metrics.Read(samples)
			peak = max(peak, samples[0].Value.Uint64()-samples[1].Value.Uint64())
			select {
			case <-done:
				ticker.Stop()
				return
			case <-ticker.C:
			}
		}
	}()
	do()
	close(done)
	<-ended
	return peak
}

// TestReportOfAnotherWorkerIsRefused: a pod may write only the reports of its run, but any of them.
func TestReportOfAnotherWorkerIsRefused(t *testing.T) {
	r, pass := newRunPass([][]byte{fullReport(t, 0, 2, 1, 1, 0), fullReport(t, 0, 2, 1, 1, 0)}, v1alpha1.Measure{})
	if err := r.readReports(t.Context(), pass); err != nil {
		t.Fatal(err)
	}
	if len(pass.reports.measurement.Workers) != 1 || !strings.Contains(pass.reports.failures[1], "the report of worker 1 is from worker 0") {
		t.Errorf("%d workers merged, failures %v", len(pass.reports.measurement.Workers), pass.reports.failures)
	}
}

func TestTolerancesFollowStabilityPolicy(t *testing.T) {
	for policy, want := range map[v1alpha1.StabilityPolicy]verdict.StabilityPolicy{"": verdict.StabilityTolerant,
		v1alpha1.StabilityTolerant: verdict.StabilityTolerant, v1alpha1.StabilityModerate: verdict.StabilityModerate, v1alpha1.StabilityStrict: verdict.StabilityStrict} {
		if got := tolerancesOf(&v1alpha1.BenchmarkNetworkSpec{}, &v1alpha1.Measure{StabilityPolicy: policy}).Policies().Stability; got != want {
			t.Errorf("the policy of %q is %q, want %q", policy, got, want)
		}
	}
}
