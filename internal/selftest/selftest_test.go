package selftest_test

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/discovery"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/selftest"
)

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// testInstallation is an API server with an account that has the rights of the self-test's pod, and an operator
// that is ready or not.
type testInstallation struct {
	t        *testing.T
	config   *rest.Config
	readyz   *httptest.Server
	notReady string
	// stalled makes the operator leave the next request without a response.
	stalled atomic.Bool
}

func newTestInstallation(t *testing.T) *testInstallation {
	t.Helper()
	if os.Getenv("KUBEBUILDER_ASSETS") == "" {
		t.Skip("KUBEBUILDER_ASSETS is not set: make test-envtest builds the API server")
	}
	env := &envtest.Environment{}
	config, err := env.Start()
	t.Cleanup(func() { must(t, env.Stop()) })
	must(t, err)
	i := &testInstallation{t: t, config: config}
	i.readyz = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if i.stalled.CompareAndSwap(true, false) {
			<-r.Context().Done()
		}
		if i.notReady != "" {
			http.Error(w, i.notReady, http.StatusInternalServerError)
		}
	}))
	t.Cleanup(i.readyz.Close)
	return i
}

// runSelfTest returns the output of the self-test and whether all checks passed.
func (i *testInstallation) runSelfTest() (string, bool) {
	i.t.Helper()
	user := rest.CopyConfig(i.config)
	user.Impersonate = rest.ImpersonationConfig{UserName: "tester", Groups: []string{"system:authenticated"}}
	scheme := runtime.NewScheme()
	must(i.t, v1alpha1.AddToScheme(scheme))
	c, err := client.New(user, client.Options{Scheme: scheme})
	must(i.t, err)
	kube, err := discovery.NewDiscoveryClientForConfig(user)
	must(i.t, err)
	var output strings.Builder
	inspected := selftest.Runner{Client: c, Discovery: kube, Namespace: "default", ReadinessURL: i.readyz.URL}
	err = inspected.Run(i.t.Context(), &output)
	return output.String(), err == nil
}

// grantNetworkCreation lets the tester create networks, as the chart does.
func (i *testInstallation) grantNetworkCreation() {
	i.t.Helper()
	scheme := runtime.NewScheme()
	must(i.t, clientgoscheme.AddToScheme(scheme))
	admin, err := client.New(i.config, client.Options{Scheme: scheme})
	must(i.t, err)
	name := metav1.ObjectMeta{Name: "test", Namespace: "default"}
	must(i.t, admin.Create(i.t.Context(), &rbacv1.Role{ObjectMeta: name, Rules: []rbacv1.PolicyRule{
		{APIGroups: []string{"benchnet.dev"}, Resources: []string{"benchmarknetworks"}, Verbs: []string{"create"}}}}))
	must(i.t, admin.Create(i.t.Context(), &rbacv1.RoleBinding{ObjectMeta: name,
		RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "test"},
		Subjects: []rbacv1.Subject{{Kind: "User", APIGroup: rbacv1.GroupName, Name: "tester"}}}))
}

// TestSelfTest repairs an installation step by step and compares the output after each step.
func TestSelfTest(t *testing.T) {
	i := newTestInstallation(t)
	i.grantNetworkCreation()
	i.expectChecks("FAILED FAILED FAILED ok", "are the CRDs installed?")

	_, err := envtest.InstallCRDs(i.config, envtest.CRDInstallOptions{
		Paths: []string{filepath.Join("..", "..", "config", "crd", "bases")}, ErrorIfPathMissing: true})
	must(t, err)
	i.expectChecks("ok ok ok ok", "defaults")

	i.stalled.Store(true)
	i.expectChecks("ok ok ok ok", "defaults")

	i.notReady = "the caches are not synced yet"
	i.expectChecks("ok ok ok FAILED", i.notReady)
}

// expectChecks compares the result of each check and looks for words in the output.
func (i *testInstallation) expectChecks(verdicts, words string) {
	i.t.Helper()
	output, well := i.runSelfTest()
	var got []string
	for _, line := range strings.Split(strings.TrimSpace(output), "\n") {
		got = append(got, strings.Fields(line)[0])
	}
	if strings.Join(got, " ") != verdicts || !strings.Contains(output, words) || well != !strings.Contains(verdicts, "FAILED") {
		i.t.Errorf("well: %t, want %s and a word of %q:\n%s", well, verdicts, words, output)
	}
}
