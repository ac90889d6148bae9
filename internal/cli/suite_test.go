package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/cli"
)

// namespace is that of the recorded objects. It is part of the members' addresses and thus of the plan hash.
const namespace = "bn-plugin"

// server is the API server of all tests; nil without its binaries. It holds objects recorded on a real cluster,
// after two workloads on a network of four Malachite validators and an experiment of eight runs.
var server *testServer

type testServer struct {
	client     client.Client
	kubeconfig string
}

func TestMain(m *testing.M) {
	ctrl.SetLogger(logr.Discard())
	os.Exit(func() int {
		if os.Getenv("KUBEBUILDER_ASSETS") == "" {
			return m.Run()
		}
		env := &envtest.Environment{CRDDirectoryPaths: []string{filepath.Join("..", "..", "config", "crd", "bases")}, ErrorIfCRDPathMissing: true}
		defer func() { _ = env.Stop() }()
		var err error
		if server, err = startServer(env); err != nil {
			fmt.Fprintln(os.Stderr, "start the API server:", err)
			return 1
		}
		defer os.Remove(server.kubeconfig)
		return m.Run()
	}())
}

func startServer(env *envtest.Environment) (*testServer, error) {
	config, err := env.Start()
	if err != nil {
		return nil, err
	}
	user, err := env.AddUser(envtest.User{Name: "engineer", Groups: []string{"system:masters"}}, config)
	if err != nil {
		return nil, err
	}
	text, err := user.KubeConfig()
	if err != nil {
		return nil, err
	}
	file := filepath.Join(os.TempDir(), fmt.Sprintf("benchnet-plugin-%d.yaml", os.Getpid()))
	if err := os.WriteFile(file, text, 0o600); err != nil {
		return nil, err
	}
	scheme := runtime.NewScheme()
	if err := corev1.AddToScheme(scheme); err != nil {
		return nil, err
	}
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		return nil, err
	}
	c, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		return nil, err
	}
	w := &testServer{client: c, kubeconfig: file}
	return w, w.loadRecordedObjects(context.Background())
}

// loadRecordedObjects creates the recorded objects with their status.
func (w *testServer) loadRecordedObjects(ctx context.Context) error {
	if err := w.client.Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}); err != nil {
		return err
	}
	content, err := os.ReadFile(filepath.Join("testdata", "recorded.json"))
	if err != nil {
		return err
	}
	var list unstructured.UnstructuredList
	if err := json.Unmarshal(content, &list); err != nil {
		return err
	}
	for i := range list.Items {
		object := &list.Items[i]
		status := object.Object["status"]
		if err := w.client.Create(ctx, object); err != nil {
			return fmt.Errorf("create %s %s: %w", object.GetKind(), object.GetName(), err)
		}
		if object.GetKind() == "ConfigMap" {
			continue
		}
		object.Object["status"] = status
		if err := w.client.Status().Update(ctx, object); err != nil {
			return fmt.Errorf("update %s %s: %w", object.GetKind(), object.GetName(), err)
		}
	}
	return nil
}

// requireServer skips a test that needs the API server, where its binaries are missing.
func requireServer(t *testing.T) {
	t.Helper()
	if server == nil {
		t.Skip("KUBEBUILDER_ASSETS is not set: make test-envtest builds the API server")
	}
}

// commandResult is the result of a command line.
type commandResult struct {
	code     int
	out, err string
}

// runPlugin runs kubectl benchnet with the arguments.
func runPlugin(t *testing.T, args ...string) commandResult {
	t.Helper()
	return runPluginWithInput(t, "", args...)
}

func runPluginWithInput(t *testing.T, input string, args ...string) commandResult {
	t.Helper()
	requireServer(t)
	var out, errOut bytes.Buffer
	head := []string{"--kubeconfig", server.kubeconfig, "--namespace", namespace, "--cache-dir", t.TempDir()}
	if args[0] == "__complete" {
		head, args = []string{args[0]}, append(head, args[1:]...)
	}
	code := cli.Run(t.Context(), "0.1.0", strings.NewReader(input), &out, &errOut, append(head, args...))
	return commandResult{code, out.String(), errOut.String()}
}

// expect fails the test unless the exit code matches and the output contains the texts.
func (o commandResult) expect(t *testing.T, code int, texts ...string) {
	t.Helper()
	if o.code != code {
		t.Errorf("exit code %d, want %d\n%s%s", o.code, code, o.out, o.err)
	}
	for _, text := range texts {
		if !strings.Contains(o.out+o.err, text) {
			t.Errorf("no %q in\n%s%s", text, o.out, o.err)
		}
	}
}

// matchGoldenFile compares the standard output with a golden file. BENCHNET_UPDATE=1 rewrites the file.
func (o commandResult) matchGoldenFile(t *testing.T, name string) {
	t.Helper()
	path := filepath.Join("testdata", name)
	if os.Getenv("BENCHNET_UPDATE") != "" {
		if err := os.WriteFile(path, []byte(o.out), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if o.out != string(want) {
		t.Errorf("%s: got\n%s\nwant\n%s", name, o.out, want)
	}
}
