package controllers_test

import (
	"context"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	ctrl "sigs.k8s.io/controller-runtime"
	controllerconfig "sigs.k8s.io/controller-runtime/pkg/config"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/controllers"
	"github.com/benchnet/benchnet/internal/kube/apply"
	"github.com/benchnet/benchnet/internal/kube/snapshot"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/platform/registry"
)

// requestCounter counts requests by verb and resource, and the applied objects. It leaves out discovery and the
// requests that fill a cache: lists and watches of whole kinds.
type requestCounter struct {
	mutex        sync.Mutex
	counts       map[string]int
	appliedPaths map[string]bool
	next         http.RoundTripper
}

func (s *requestCounter) RoundTrip(r *http.Request) (*http.Response, error) {
	parts := strings.Split(strings.Trim(r.URL.Path, "/"), "/")
	if i := slices.Index(parts, "namespaces"); i >= 0 && len(parts) > i+2 {
		s.mutex.Lock()
		what := r.Method + " " + parts[i+2]
		if len(parts) > i+4 {
			what += "/" + parts[i+4]
		} else if r.Method == http.MethodPatch {
			s.appliedPaths[r.URL.Path] = true
		}
		if !r.URL.Query().Has("watch") && !r.URL.Query().Has("resourceVersion") {
			s.counts[what]++
		}
		s.mutex.Unlock()
	}
	return s.next.RoundTrip(r)
}

// currentCounts returns the counts so far and the number of objects that were applied.
func (s *requestCounter) currentCounts() (counts map[string]int, objects int) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return maps.Clone(s.counts), len(s.appliedPaths)
}

// resetCounts sets all counts to zero.
func (s *requestCounter) resetCounts() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	clear(s.counts)
	clear(s.appliedPaths)
}

// startManager runs the controllers of networks and runs as the operator does, with its cache, in the test's
// namespace.
func (w *testEnv) startManager() *requestCounter {
	w.t.Helper()
	counted := &requestCounter{counts: map[string]int{}, appliedPaths: map[string]bool{}}
	own := operatorConfig(operatorNamespace)
	own.QPS = -1
	own.Wrap(func(next http.RoundTripper) http.RoundTripper { counted.next = next; return counted })
	mgr, err := ctrl.NewManager(own, ctrl.Options{Scheme: w.client.Scheme(), Metrics: metricsserver.Options{BindAddress: "0"},
		Controller: controllerconfig.Controller{SkipNameValidation: new(true)},
		Cache:      controllers.CacheScope{WatchedNamespaces: []string{w.namespace}}.Options()})
	must(w.t, err)
	must(w.t, controllers.IndexRunsByNetwork(w.ctx, mgr.GetFieldIndexer()))
	d := controllers.Dependencies{
		Client: mgr.GetClient(), APIReader: mgr.GetAPIReader(), Platforms: registry.New(), ChartRenderer: w.charts,
		Images: naming.ImageCatalogue{Registry: naming.DefaultImageRegistry, Version: "0"},
		Writer: apply.NewWriter(mgr.GetClient(), mgr.GetAPIReader(), mgr.GetScheme()), SnapshotReader: snapshot.NewReader(mgr.GetClient(), mgr.GetScheme()),
		Recorder: mgr.GetEventRecorder(v1alpha1.ManagedBy), KubeVersion: "v1.34.4", Now: func() time.Time { return w.now },
	}
	d.Writer.Recorder = d.Recorder
	must(w.t, (&controllers.NetworkReconciler{Dependencies: d}).SetupWithManager(mgr, 1))
	must(w.t, (&controllers.RunReconciler{Dependencies: d}).SetupWithManager(mgr, 1))
	ctx, stop := context.WithCancel(w.ctx)
	ended := make(chan error, 1)
	go func() { ended <- mgr.Start(ctx) }()
	w.t.Cleanup(func() { stop(); must(w.t, <-ended) })
	return counted
}

// TestRequestsOfANetwork counts the operator's requests from the creation of a network until it is Ready and
// quiet. One request creates each object, one looks for a foreign claim of each member's volume, one deletes the five objects of
// genesis, and a few report progress.
// The clock does not advance, so that the progress of single members, which is written once a second, is
// written with the next milestone.
func TestRequestsOfANetwork(t *testing.T) {
	// One deletion; the token and the record of it; the status at the beginning, when the members start, and when Ready, which has an
	// event.
	const few, members = 7, 4
	w := newTestEnv(t)
	counted := w.startManager()
	// If the cache lags, an object is applied once more, which changes nothing. That happens on a busy machine,
	// but not to every network.
	for attempt := 1; ; attempt++ {
		counted.resetCounts()
		w.createReadyNetwork(fmt.Sprintf("validators-%d", attempt))
		counts, objects := w.waitUntilQuiet(counted)
		total, most := sumCounts(counts), objects+few+members
		if total <= most {
			return
		}
		if attempt == 8 {
			t.Fatalf("%d requests for %d objects; at most %d: %v", total, objects, most, counts)
		}
	}
}

// createReadyNetwork creates a network of validators without workloads, and simulates the cluster until it is
// Ready.
func (w *testEnv) createReadyNetwork(name string) {
	w.t.Helper()
	text := strings.Replace(validMalachiteNetwork[:strings.Index(validMalachiteNetwork, "  workloads:")], "name: validators", "name: "+name, 1)
	must(w.t, w.createFromYAML(text, &v1alpha1.BenchmarkNetwork{}))
	deadline := time.Now().Add(10 * time.Minute)
	for !meta.IsStatusConditionTrue(w.getNetwork(name).Status.Conditions, v1alpha1.ConditionReady) {
		if time.Now().After(deadline) {
			w.t.Fatalf("not ready: %+v", w.getNetwork(name).Status)
		}
		time.Sleep(300 * time.Millisecond)
		w.simulateCluster()
	}
}

func sumCounts(counts map[string]int) int {
	total := 0
	for _, n := range counts {
		total += n
	}
	return total
}

// waitUntilQuiet waits until the operator has sent no requests for a while, and returns the counts. It fails
// the test if that never happens: a ready network costs no requests.
func (w *testEnv) waitUntilQuiet(counted *requestCounter) (counts map[string]int, objects int) {
	w.t.Helper()
	const quiet, patience = 4 * time.Second, 10 * time.Minute
	for began, since := time.Now(), time.Now(); time.Since(since) < quiet; time.Sleep(100 * time.Millisecond) {
		now, _ := counted.currentCounts()
		if !maps.Equal(now, counts) {
			counts, since = now, time.Now()
		}
		if time.Since(began) > patience {
			w.t.Fatalf("a ready network should cause no requests, but after %s there are still some: %v", patience, counts)
		}
	}
	return counted.currentCounts()
}
