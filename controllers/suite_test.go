package controllers_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-logr/logr"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/events"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	"sigs.k8s.io/yaml"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/controllers"
	"github.com/benchnet/benchnet/internal/kube/apply"
	"github.com/benchnet/benchnet/internal/kube/pods"
	"github.com/benchnet/benchnet/internal/kube/snapshot"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/network/chart"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/registry"
	"github.com/benchnet/benchnet/internal/run/promql"
)

// config is that of the API server which all tests share; nil without binaries to start one.
var config *rest.Config

func TestMain(m *testing.M) {
	if chart.IsChild() {
		os.Exit(chart.ServeChild())
	}
	ctrl.SetLogger(logr.Discard())
	os.Exit(func() int {
		if os.Getenv("KUBEBUILDER_ASSETS") == "" {
			return m.Run()
		}
		env := &envtest.Environment{CRDDirectoryPaths: []string{filepath.Join("..", "config", "crd", "bases")}, ErrorIfCRDPathMissing: true}
		// All tests together create more Services than the default /24 has addresses.
		env.ControlPlane.GetAPIServer().Configure().Set("service-cluster-ip-range", "10.0.0.0/16")
		// A failed start may leave processes behind, too.
		defer func() {
			closeConnections()
			if err := env.Stop(); err != nil {
				fmt.Fprintln(os.Stderr, "stop the API server:", err)
			}
		}()
		var err error
		if config, err = env.Start(); err != nil {
			fmt.Fprintln(os.Stderr, "start the API server:", err)
			return 1
		}
		return m.Run()
	}())
}

// testEnv is a namespace on a real API server, with reconcilers that the test calls itself.
type testEnv struct {
	t         *testing.T
	ctx       context.Context
	namespace string
	// client belongs to the test. operatorClient belongs to the reconcilers and reads through their cache.
	client, operatorClient client.Client
	cache                  cache.Cache
	// writtenKinds are the kinds that a pass waits for.
	writtenKinds writtenKinds
	// apiReader is the reconcilers' uncached reader.
	apiReader client.Reader
	// podNode is the node of new pods; empty for none.
	podNode    string
	writeCount atomic.Int64
	// dryRunCount counts the dry-run creations.
	dryRunCount atomic.Int64
	// applied has the kind and name of each applied object. The reconcilers apply concurrently.
	applied      []string
	appliedMutex sync.Mutex
	// failAtWrite is the number of the write that fails, as if the operator crashed before it; 0 for none.
	failAtWrite int64
	// now is the reconcilers' clock.
	now time.Time
	// charts renders the charts of users.
	charts *chart.Renderer
	// platforms are those of the reconcilers.
	platforms platform.Registry
	// kueueMode is the Kueue mode of the reconcilers.
	kueueMode controllers.KueueMode
	// queries evaluates query objectives; nil without a Prometheus.
	queries *promql.Evaluator
	// podConstraints are what the cluster demands of pods.
	podConstraints pods.Constraints
	// limiter admits networks; nil for none.
	limiter *controllers.Limiter
}

func newTestEnv(t *testing.T) *testEnv {
	t.Helper()
	// Read again here, where the test cache records it; in TestMain it does not.
	if os.Getenv("KUBEBUILDER_ASSETS") == "" {
		t.Skip("KUBEBUILDER_ASSETS is not set: make test-envtest builds the API server")
	}
	scheme := runtime.NewScheme()
	must(t, clientgoscheme.AddToScheme(scheme))
	must(t, v1alpha1.AddToScheme(scheme))
	must(t, kueue.AddToScheme(scheme))
	plain, err := client.NewWithWatch(config, client.Options{Scheme: scheme})
	must(t, err)
	charts, err := chart.NewRenderer(time.Now)
	must(t, err)
	w := &testEnv{t: t, charts: charts, ctx: t.Context(), now: time.Now().Truncate(time.Second),
		platforms: registry.New()}
	w.client = w.recordWrites(plain)
	w.useConnection(sharedConnection(t, plain, controllers.KueueIgnore))
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{GenerateName: "test-"}}
	must(t, plain.Create(w.ctx, ns))
	w.namespace = ns.Name
	// Else the real controllers of other tests would create pods for them.
	t.Cleanup(func() {
		must(t, plain.DeleteAllOf(context.Background(), &appsv1.StatefulSet{}, client.InNamespace(w.namespace)))
	})
	return w
}

// useConnection makes the reconcilers use a connection.
func (w *testEnv) useConnection(c *operatorConnection) {
	w.cache, w.apiReader = c.cache, c.directClient
	w.operatorClient = interceptor.NewClient(w.recordWrites(c.cachedClient), w.countingFuncs())
}

// operatorNamespace is where the chart would install the operator. The account works without a pod.
const operatorNamespace = "benchnet-system"

// installOperatorRBAC returns a configuration with exactly the rights that the chart gives the operator for all
// namespaces. A request that lacks a right fails as it would in a cluster.
func installOperatorRBAC(t *testing.T, admin client.Client) *rest.Config {
	t.Helper()
	values := map[string]any{"kueue": string(controllers.KueueHonor)}
	for _, object := range renderOperatorRBAC(t, operatorNamespace, values, "ClusterRole", "ClusterRoleBinding") {
		must(t, client.IgnoreAlreadyExists(admin.Create(t.Context(), object)))
	}
	return operatorConfig(operatorNamespace)
}

// operatorConfig returns the configuration of the operator that is installed in a namespace.
func operatorConfig(namespace string) *rest.Config {
	own := rest.CopyConfig(config)
	own.Impersonate = rest.ImpersonationConfig{UserName: "system:serviceaccount:" + namespace + ":benchnet-operator",
		Groups: []string{"system:serviceaccounts", "system:serviceaccounts:" + namespace, "system:authenticated"}}
	return own
}

// errDied is the error of a write before which the operator crashes.
var errDied = fmt.Errorf("the operator crashed before this write")

func (w *testEnv) countWrite(do func() error) error {
	if n := w.writeCount.Add(1); n == w.failAtWrite {
		return errDied
	}
	return do()
}

// interceptOperator makes the reconcilers call the functions instead of their client.
func (w *testEnv) interceptOperator(funcs interceptor.Funcs) {
	w.t.Helper()
	current, ok := w.operatorClient.(client.WithWatch)
	if !ok {
		w.t.Fatalf("%T cannot be intercepted", w.operatorClient)
	}
	w.operatorClient = interceptor.NewClient(current, funcs)
}

// countingFuncs counts every write of the reconcilers except dry runs.
func (w *testEnv) countingFuncs() interceptor.Funcs {
	return interceptor.Funcs{
		Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			if slices.Contains(opts, client.CreateOption(client.DryRunAll)) {
				w.dryRunCount.Add(1)
				return c.Create(ctx, o, opts...)
			}
			return w.countWrite(func() error { return c.Create(ctx, o, opts...) })
		},
		Delete: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.DeleteOption) error {
			return w.countWrite(func() error { return c.Delete(ctx, o, opts...) })
		},
		Patch: func(ctx context.Context, c client.WithWatch, o client.Object, p client.Patch, opts ...client.PatchOption) error {
			if slices.Contains(opts, client.PatchOption(client.DryRunAll)) {
				return c.Patch(ctx, o, p, opts...)
			}
			w.recordApplied(o)
			return w.countWrite(func() error { return c.Patch(ctx, o, p, opts...) })
		},
		SubResourcePatch: func(ctx context.Context, c client.Client, sub string, o client.Object, p client.Patch, opts ...client.SubResourcePatchOption) error {
			return w.countWrite(func() error { return c.SubResource(sub).Patch(ctx, o, p, opts...) })
		},
	}
}

var testImages = naming.ImageCatalogue{Registry: "ghcr.io/benchnet", Version: "0.1.0"}

func (w *testEnv) newDependencies() controllers.Dependencies {
	return controllers.Dependencies{Client: w.operatorClient, APIReader: w.apiReader, Platforms: w.platforms, Images: testImages,
		Writer: apply.NewWriter(w.operatorClient, w.apiReader, w.operatorClient.Scheme()), SnapshotReader: snapshot.NewReader(w.operatorClient, w.operatorClient.Scheme()),
		ChartRenderer: w.charts, Recorder: events.NewFakeRecorder(1000), KubeVersion: "v1.34.4", PodConstraints: w.podConstraints, Kueue: w.kueueMode, Queries: w.queries, Now: func() time.Time { return w.now }}
}

func (w *testEnv) networkReconciler() *controllers.NetworkReconciler {
	w.awaitWrites()
	return &controllers.NetworkReconciler{Dependencies: w.newDependencies(), Limiter: w.limiter}
}

func (w *testEnv) runReconciler() *controllers.RunReconciler {
	w.awaitWrites()
	return &controllers.RunReconciler{Dependencies: w.newDependencies()}
}

func (w *testEnv) requestFor(name string) ctrl.Request {
	return ctrl.Request{NamespacedName: client.ObjectKey{Namespace: w.namespace, Name: name}}
}

// reconcileNetwork makes one pass that must succeed.
func (w *testEnv) reconcileNetwork(name string) ctrl.Result {
	w.t.Helper()
	result, err := w.networkReconciler().Reconcile(w.ctx, w.requestFor(name))
	must(w.t, err)
	return result
}

func (w *testEnv) reconcileRun(name string) {
	w.t.Helper()
	_, err := w.runReconciler().Reconcile(w.ctx, w.requestFor(name))
	must(w.t, err)
}

// createFromYAML creates an object from YAML in the test's namespace.
func (w *testEnv) createFromYAML(text string, into client.Object) error {
	w.t.Helper()
	raw := w.decodeYAML(text)
	if err := w.client.Create(w.ctx, raw, client.FieldValidation(metav1.FieldValidationStrict)); err != nil {
		return err
	}
	// The test's clock is never behind that of the API server, or a run would complete before its network was created.
	if created := raw.GetCreationTimestamp().Time; created.After(w.now) {
		w.now = created
	}
	return w.client.Get(w.ctx, client.ObjectKeyFromObject(raw), into)
}

// decodeYAML returns what kubectl would send: exactly the fields of the text, including zeros.
func (w *testEnv) decodeYAML(text string) *unstructured.Unstructured {
	w.t.Helper()
	raw := &unstructured.Unstructured{}
	must(w.t, yaml.Unmarshal([]byte(text), &raw.Object))
	raw.SetNamespace(w.namespace)
	return raw
}

func (w *testEnv) mustGet(name string, into client.Object) {
	w.t.Helper()
	must(w.t, w.client.Get(w.ctx, client.ObjectKey{Namespace: w.namespace, Name: name}, into))
}

func (w *testEnv) getNetwork(name string) *v1alpha1.BenchmarkNetwork {
	w.t.Helper()
	n := &v1alpha1.BenchmarkNetwork{}
	w.mustGet(name, n)
	return n
}

func (w *testEnv) getRun(name string) *v1alpha1.BenchmarkRun {
	w.t.Helper()
	r := &v1alpha1.BenchmarkRun{}
	w.mustGet(name, r)
	return r
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func (w *testEnv) objectMeta(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Name: name, Namespace: w.namespace}
}

func (w *testEnv) recordApplied(o client.Object) {
	w.appliedMutex.Lock()
	defer w.appliedMutex.Unlock()
	w.applied = append(w.applied, o.GetObjectKind().GroupVersionKind().Kind+" "+o.GetName())
}
