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

// requestCounter counts requests by verb and resource, and the objects that were applied. What fills a cache, lists and watches of whole kinds,
// and discovery are left out.
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

// currentCounts are the counts until now, and of how many objects they were applied.
func (s *requestCounter) currentCounts() (counts map[string]int, objects int) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return maps.Clone(s.counts), len(s.appliedPaths)
}

// resetCounts what was asked for until now.
func (s *requestCounter) resetCounts() {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	clear(s.counts)
	clear(s.appliedPaths)
}

// startManager runs the controllers of networks and runs as the operator does, with its cache, in the world's namespace.
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
	must(w.t, (&controllers.NetworkReconciler{Dependencies: d}).SetupWithManager(mgr, 1))
	must(w.t, (&controllers.RunReconciler{Dependencies: d}).SetupWithManager(mgr, 1))
	ctx, stop := context.WithCancel(w.ctx)
	ended := make(chan error, 1)
	go func() { ended <- mgr.Start(ctx) }()
	w.t.Cleanup(func() { stop(); must(w.t, <-ended) })
	return counted
}

// TestRequestsOfANetwork counts what the operator asks of the API server from the making of a network until it is Ready, and
// then: one request makes each object, one removes the five that made the material, and a few tell how far it is. The clock
// stands still, so that single members, which the status tells of once a second, are told of with what comes next.
func TestRequestsOfANetwork(t *testing.T) {
	// One deletion; status of the beginning, of the members' turn, and of Ready, which has an event.
	const few = 5
	w := newTestEnv(t)
	counted := w.startManager()
	// Where the cache lags behind, an object is applied once more, which changes nothing. On a busy machine that happens, but
	// not to every network.
	for attempt := 1; ; attempt++ {
		counted.resetCounts()
		w.createReadyNetwork(fmt.Sprintf("validators-%d", attempt))
		counts, objects := w.waitUntilQuiet(counted)
		total, most := sumCounts(counts), objects+few
		if total <= most {
			return
		}
		if attempt == 8 {
			t.Fatalf("%d requests for %d objects; at most %d: %v", total, objects, most, counts)
		}
	}
}

// createReadyNetwork makes a network of validators, without workloads, and plays along until it is Ready.
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

// waitUntilQuiet waits until the operator has asked for nothing any more for a while, and tells what it had asked for. That it never does
// is an error: a network that stands costs no request.
func (w *testEnv) waitUntilQuiet(counted *requestCounter) (counts map[string]int, objects int) {
	w.t.Helper()
	const quiet, patience = 4 * time.Second, 10 * time.Minute
	for began, since := time.Now(), time.Now(); time.Since(since) < quiet; time.Sleep(100 * time.Millisecond) {
		now, _ := counted.currentCounts()
		if !maps.Equal(now, counts) {
			counts, since = now, time.Now()
		}
		if time.Since(began) > patience {
			w.t.Fatalf("a network that stands should cost no request, but after %s there are still some: %v", patience, counts)
		}
	}
	return counted.currentCounts()
}
