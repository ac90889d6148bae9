package main

import (
	"context"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
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

// waitUntilReady returns the last error of the readiness check if it fails for five minutes.
func waitUntilReady(mgr ctrl.Manager) error {
	var err error
	for range 3000 {
		if err = checkReadiness(mgr); err == nil {
			return nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return err
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
			NetworkTemplate: v1alpha1.NetworkTemplate{Platform: v1alpha1.PlatformSpec{Type: v1alpha1.PlatformMalachite, Malachite: &v1alpha1.MalachitePlatform{}},
				Members: v1alpha1.MembersSpec{Count: 2}}}}
		if err := c.Create(t.Context(), network); err != nil {
			t.Fatal(err)
		}
	}
	mgr := startManager(t, config, managerFlags{excludedNamespaces: stringListFlag{"theirs", "others"}})
	var seen v1alpha1.BenchmarkNetworkList
	if err = waitUntilReady(mgr); err == nil {
		err = mgr.GetClient().List(t.Context(), &seen)
	}
	if err != nil || len(seen.Items) != 1 || seen.Items[0].Namespace != "ours" {
		t.Errorf("an operator that leaves one of two namespaces sees networks %v (%v)", seen.Items, err)
	}
}

// startCache starts the cache of a manager without controllers, with an informer of networks.
func startCache(t *testing.T, config *rest.Config, o managerFlags) ctrl.Manager {
	t.Helper()
	o.metricsAddress, o.probeAddress = "0", "0"
	mgr, err := ctrl.NewManager(config, o.buildManagerOptions(controllers.KueueIgnore))
	if err != nil {
		t.Fatal(err)
	}
	go func() { _ = mgr.GetCache().Start(t.Context()) }()
	if _, err := mgr.GetCache().GetInformer(t.Context(), &v1alpha1.BenchmarkNetwork{}, cache.BlockUntilSynced(false)); err != nil {
		t.Fatal(err)
	}
	return mgr
}

// TestNotReadyWithoutRights checks that an operator that may not read anything does not become ready.
func TestNotReadyWithoutRights(t *testing.T) {
	config := rest.CopyConfig(startAPIServer(t))
	config.Impersonate = rest.ImpersonationConfig{UserName: "nobody", Groups: []string{"system:authenticated"}}
	if checkReadiness(startCache(t, config, managerFlags{})) == nil {
		t.Error("it should not get ready")
	}
}

// TestUnreadableNamespaces checks that an operator of single namespaces serves those that it can read, names the others in its
// readiness, and ends when it can read them again.
func TestUnreadableNamespaces(t *testing.T) {
	admin := startAPIServer(t)
	c, err := client.New(admin, client.Options{Scheme: newScheme()})
	if err != nil {
		t.Fatal(err)
	}
	const user = "of-single-namespaces"
	grant := func(namespace string, kinds ...string) {
		t.Helper()
		for _, object := range []client.Object{
			&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}},
			&rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Name: user, Namespace: namespace},
				Rules: []rbacv1.PolicyRule{{APIGroups: []string{"*"}, Resources: kinds, Verbs: []string{"get", "list", "watch"}}}},
			&rbacv1.RoleBinding{ObjectMeta: metav1.ObjectMeta{Name: user, Namespace: namespace}, RoleRef: rbacv1.RoleRef{Kind: "Role", Name: user},
				Subjects: []rbacv1.Subject{{Kind: "User", Name: user}}},
		} {
			if err := c.Create(t.Context(), object); err != nil {
				t.Fatal(err)
			}
		}
	}
	grant("readable", "*")
	grant("without-pods", "benchmarknetworks", "benchmarkruns", "benchmarkexperiments")
	config := rest.CopyConfig(admin)
	config.Impersonate = rest.ImpersonationConfig{UserName: user, Groups: []string{"system:authenticated"}}
	for name, test := range map[string]struct{ watched, served, notServed []string }{
		"a deleted one":               {[]string{"deleted", "readable"}, []string{"readable"}, []string{"deleted"}},
		"one with fewer rights":       {[]string{"readable", "without-pods"}, []string{"readable"}, []string{"without-pods"}},
		"all readable":                {[]string{"readable"}, []string{"readable"}, nil},
		"none readable, so it ends":   {[]string{"deleted", "without-pods"}, nil, nil},
		"all namespaces are not read": {nil, nil, nil},
	} {
		t.Run(name, func(t *testing.T) {
			o := managerFlags{watchedNamespaces: test.watched}
			m, err := o.selectNamespaces(t.Context(), config, controllers.KueueIgnore)
			if wantError := test.served == nil && test.watched != nil; (err != nil) != wantError {
				t.Fatalf("the error is %v, want one: %t", err, wantError)
			}
			if err == nil && (!slices.Equal(o.watchedNamespaces, test.served) || !slices.Equal(m.NotServed(), test.notServed)) {
				t.Errorf("it serves %q and not %q, want %q and not %q", o.watchedNamespaces, m.NotServed(), test.served, test.notServed)
			}
		})
	}

	t.Run("serves the readable one until the other is readable", func(t *testing.T) {
		o := managerFlags{watchedNamespaces: []string{"deleted", "readable"}}
		m, err := o.selectNamespaces(t.Context(), config, controllers.KueueIgnore)
		if err != nil {
			t.Fatal(err)
		}
		if err := waitUntilReady(startCache(t, config, o)); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- m.WithInterval(10 * time.Millisecond).Start(t.Context()) }()
		grant("deleted", "*")
		select {
		case err := <-ended:
			if err == nil || !strings.Contains(err.Error(), "namespace deleted can be read now") {
				t.Errorf("it ends with %v", err)
			}
		case <-time.After(time.Minute):
			t.Error("it does not end although the namespace can be read")
		}
	})
}
