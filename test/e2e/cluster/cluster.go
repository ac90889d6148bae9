// Package cluster gives the end-to-end tests access to a real cluster with the operator, by kubectl and by a
// client for whole objects.
package cluster

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// OperatorNamespace is the namespace in which hack/install installs the operator.
const OperatorNamespace = "benchnet-system"

// Namespace is the namespace of one scenario. A failed test collects artifacts about it.
type Namespace struct {
	testing.TB
	Name   string
	Client client.Client
}

// NewNamespace creates an empty namespace that enforces the pod security standard "restricted". It is deleted
// after the test.
func NewNamespace(t testing.TB, scenario string) *Namespace {
	t.Helper()
	c, err := newClient()
	if err != nil {
		t.Fatalf("no cluster: %v; make test-e2e brings one up", err)
	}
	n := &Namespace{TB: t, Name: "bn-e2e-" + scenario, Client: c}
	n.deleteAndWait()
	object := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: n.Name,
		Labels: map[string]string{"pod-security.kubernetes.io/enforce": "restricted"}}}
	if err := c.Create(n.Context(), object); err != nil {
		t.Fatalf("create namespace %s: %v", n.Name, err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			n.collectArtifacts()
			n.deleteAndWait()
			return
		}
		// A test that passed need not wait for the deletion: the next test has another namespace, and the next
		// run of this test waits for it.
		if err := n.startDeletion(context.Background()); err != nil && !apierrors.IsNotFound(err) {
			n.Error(err)
		}
	})
	return n
}

// ForSubtest returns the namespace for a subtest.
func (n *Namespace) ForSubtest(t testing.TB) *Namespace {
	return &Namespace{TB: t, Name: n.Name, Client: n.Client}
}

func newClient() (client.Client, error) {
	// Logs of the client library are redundant, because the tests report its errors.
	ctrl.SetLogger(zap.New(zap.WriteTo(io.Discard)))
	config, err := ctrl.GetConfig()
	if err != nil {
		return nil, err
	}
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), v1alpha1.AddToScheme(scheme)); err != nil {
		return nil, err
	}
	return client.New(config, client.Options{Scheme: scheme})
}

// deleteAndWait deletes the namespace and waits until it is gone.
func (n *Namespace) deleteAndWait() {
	n.Helper()
	ctx, cancel := context.WithTimeout(context.Background(), waitTimeout)
	defer cancel()
	for {
		err := n.startDeletion(ctx)
		if apierrors.IsNotFound(err) {
			return
		}
		if ctx.Err() != nil {
			n.Errorf("namespace %s is still there: %v", n.Name, errors.Join(err, ctx.Err()))
			return
		}
		time.Sleep(time.Second)
	}
}

// startDeletion deletes the namespace without waiting. It deletes experiments first, because they would recreate their
// networks, and then networks: without the operator, members would take their whole grace period.
func (n *Namespace) startDeletion(ctx context.Context) error {
	for _, kind := range []client.Object{&v1alpha1.BenchmarkExperiment{}, &v1alpha1.BenchmarkNetwork{}, &v1alpha1.BenchmarkRun{}} {
		if err := n.Client.DeleteAllOf(ctx, kind, client.InNamespace(n.Name)); err != nil && !apierrors.IsNotFound(err) {
			return fmt.Errorf("delete %T in namespace %s: %w", kind, n.Name, err)
		}
	}
	return n.Client.Delete(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: n.Name}})
}

// Get reads an existing object of the namespace.
func (n *Namespace) Get(name string, into client.Object) {
	n.Helper()
	key := client.ObjectKey{Namespace: n.Name, Name: name}
	if _, err := retryRequest(func() (any, error) { return nil, n.Client.Get(n.Context(), key, into) }); err != nil {
		n.Fatalf("get %T %s: %v", into, name, err)
	}
}

// GetNetwork returns a network.
func (n *Namespace) GetNetwork(name string) *v1alpha1.BenchmarkNetwork {
	n.Helper()
	network := &v1alpha1.BenchmarkNetwork{}
	n.Get(name, network)
	return network
}

// GetRun returns a run.
func (n *Namespace) GetRun(name string) *v1alpha1.BenchmarkRun {
	n.Helper()
	run := &v1alpha1.BenchmarkRun{}
	n.Get(name, run)
	return run
}

// GetPod returns a pod.
func (n *Namespace) GetPod(name string) *corev1.Pod {
	n.Helper()
	pod := &corev1.Pod{}
	n.Get(name, pod)
	return pod
}

// Apply applies a manifest in the namespace by kubectl apply and returns kubectl's error.
func (n *Namespace) Apply(manifest string) error {
	_, err := runKubectl(n.Context(), manifest, "apply", "--namespace", n.Name, "--filename", "-")
	return err
}

// MustApply applies a manifest, which must be accepted.
func (n *Namespace) MustApply(manifest string) {
	n.Helper()
	if err := n.Apply(manifest); err != nil {
		n.Fatal(err)
	}
}

// RunKubectl runs kubectl in the namespace, which must succeed, and returns its output.
func (n *Namespace) RunKubectl(args ...string) string {
	n.Helper()
	out, err := runKubectl(n.Context(), "", append([]string{"--namespace", n.Name}, args...)...)
	if err != nil {
		n.Fatal(err)
	}
	return out
}

// AllowPrivilegedPods lets the namespace have pods with any capability.
func (n *Namespace) AllowPrivilegedPods() {
	n.Helper()
	n.RunKubectl("label", "namespace", n.Name, "pod-security.kubernetes.io/enforce=privileged", "--overwrite")
}

// RunKubectlUntilEnd is RunKubectl for a change outside of the namespace, which kubectl reverts by other arguments after
// the test.
func (n *Namespace) RunKubectlUntilEnd(revert []string, args ...string) {
	n.Helper()
	n.Cleanup(func() {
		if _, err := runKubectl(context.Background(), "", revert...); err != nil {
			n.Error(err)
		}
	})
	n.RunKubectl(args...)
}

func runKubectl(ctx context.Context, stdin string, args ...string) (string, error) {
	command := exec.CommandContext(ctx, "kubectl", args...)
	var out, problems bytes.Buffer
	command.Stdin, command.Stdout, command.Stderr = strings.NewReader(stdin), &out, &problems
	if err := command.Run(); err != nil {
		return out.String(), fmt.Errorf("kubectl %s: %w: %s", strings.Join(args, " "), err, strings.TrimSpace(problems.String()))
	}
	return out.String(), nil
}
