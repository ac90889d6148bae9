package main

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/controllers"
)

// startAPIServer starts an API server with the CRDs.
func startAPIServer(t *testing.T) *rest.Config {
	t.Helper()
	if os.Getenv("KUBEBUILDER_ASSETS") == "" {
		t.Skip("KUBEBUILDER_ASSETS is not set: make test-envtest builds the API server")
	}
	ctrl.SetLogger(logr.Discard())
	env := &envtest.Environment{CRDDirectoryPaths: []string{filepath.Join("config", "crd", "bases")}, ErrorIfCRDPathMissing: true}
	config, err := env.Start()
	t.Cleanup(func() {
		if err := env.Stop(); err != nil {
			t.Error(err)
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	return config
}

// startManager runs a manager until the test ends.
func startManager(t *testing.T, config *rest.Config, o managerFlags) ctrl.Manager {
	t.Helper()
	o.metricsAddress, o.probeAddress, o.concurrency = "0", "0", 1
	mgr, err := ctrl.NewManager(config, o.buildManagerOptions(controllers.KueueIgnore))
	if err != nil {
		t.Fatal(err)
	}
	if err := o.setUpManager(mgr, "v1.34.4", controllers.KueueIgnore); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = mgr.Start(ctx) // Without rights it fails on its own, after minutes.
	}()
	t.Cleanup(func() { cancel(); <-ended })
	return mgr
}

func checkReadiness(mgr ctrl.Manager) error {
	request, err := http.NewRequest(http.MethodGet, "/readyz", nil)
	if err != nil {
		return err
	}
	return newCacheSyncChecker(mgr.GetCache())(request)
}

// TestExcludedNamespacesAreNotCached checks that the cache holds no objects of excluded namespaces.
func TestExcludedNamespacesAreNotCached(t *testing.T) {
	config := startAPIServer(t)
	c, err := client.New(config, client.Options{Scheme: newScheme()})
	if err != nil {
		t.Fatal(err)
	}
	for _, namespace := range []string{"ours", "theirs"} {
		if err := c.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}); err != nil {
			t.Fatal(err)
		}
		network := &v1alpha1.BenchmarkNetwork{ObjectMeta: metav1.ObjectMeta{Name: "net", Namespace: namespace}, Spec: v1alpha1.BenchmarkNetworkSpec{
			Platform: v1alpha1.PlatformSpec{Type: v1alpha1.PlatformMalachite, Malachite: &v1alpha1.MalachitePlatform{}},
			Members:  v1alpha1.MembersSpec{Count: 2}}}
		if err := c.Create(t.Context(), network); err != nil {
			t.Fatal(err)
		}
	}
	mgr := startManager(t, config, managerFlags{excludedNamespaces: stringListFlag{"theirs", "others"}})
	var seen v1alpha1.BenchmarkNetworkList
	for range 3000 {
		if err = checkReadiness(mgr); err == nil {
			err = mgr.GetClient().List(t.Context(), &seen)
			break
		}
		time.Sleep(100 * time.Millisecond)
	}
	if err != nil || len(seen.Items) != 1 || seen.Items[0].Namespace != "ours" {
		t.Errorf("an operator that leaves one of two namespaces sees networks %v (%v)", seen.Items, err)
	}
}

// TestNotReadyWithoutRights checks that an operator that may not read anything does not become ready.
func TestNotReadyWithoutRights(t *testing.T) {
	config := rest.CopyConfig(startAPIServer(t))
	config.Impersonate = rest.ImpersonationConfig{UserName: "nobody", Groups: []string{"system:authenticated"}}
	mgr, err := ctrl.NewManager(config, managerFlags{metricsAddress: "0", probeAddress: "0"}.buildManagerOptions(controllers.KueueIgnore))
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	go func() { _ = mgr.GetCache().Start(ctx) }()
	if _, err := mgr.GetCache().GetInformer(ctx, &v1alpha1.BenchmarkNetwork{}, cache.BlockUntilSynced(false)); err != nil {
		t.Fatal(err)
	}
	if checkReadiness(mgr) == nil {
		t.Error("it should not get ready")
	}
}
