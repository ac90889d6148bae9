package kube_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/benchnet/benchnet/internal/agent/kube"
)

const namespace = "default"

// apiServer is the API server, with clients that have administrator rights.
var apiServer struct {
	env     *envtest.Environment
	clients *kubernetes.Clientset
	// restarted are the API server processes that replaced the first one.
	restarted []*exec.Cmd
}

// apiClients returns the clients of the API server. It skips a test that needs the server without its binaries.
func apiClients(t *testing.T) *kubernetes.Clientset {
	t.Helper()
	if os.Getenv("KUBEBUILDER_ASSETS") == "" { // Read by a test, so that no result without the server is reused.
		t.Skip("KUBEBUILDER_ASSETS is not set")
	}
	return apiServer.clients
}

// TestMain starts the API server. hack/cluster/assets builds its binaries and "make test" sets the variable.
func TestMain(m *testing.M) {
	if os.Getenv("KUBEBUILDER_ASSETS") == "" {
		os.Exit(m.Run())
	}
	apiServer.env = &envtest.Environment{}
	config, err := apiServer.env.Start()
	if err != nil {
		fmt.Println("start the API server:", err)
		os.Exit(1)
	}
	config.QPS = -1
	apiServer.clients = kubernetes.NewForConfigOrDie(config)
	code := m.Run()
	for _, server := range apiServer.restarted {
		_ = server.Process.Kill()
	}
	if err := apiServer.env.Stop(); err != nil {
		fmt.Println("stop the API server:", err)
	}
	os.Exit(code)
}

// restartAPIServer kills the API server, calls meanwhile and starts the server again with the same arguments.
// envtest's own stop would wait a minute for watches to end, and its start would create new certificates.
func restartAPIServer(t *testing.T, meanwhile func()) {
	t.Helper()
	pid := apiServerPID(t)
	cmdline, err := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", pid))
	if err != nil {
		t.Fatal(err)
	}
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	meanwhile()
	arguments := strings.Split(strings.TrimSuffix(string(cmdline), "\x00"), "\x00")
	server := exec.Command(arguments[0], arguments[1:]...)
	if err := server.Start(); err != nil {
		t.Fatal(err)
	}
	apiServer.restarted = append(apiServer.restarted, server)
	go func() { _ = server.Wait() }()
}

// apiServerPID returns the PID of the child process that is the API server.
func apiServerPID(t *testing.T) int {
	t.Helper()
	files, err := filepath.Glob("/proc/self/task/*/children")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		children, _ := os.ReadFile(file)
		for _, child := range strings.Fields(string(children)) {
			arguments, _ := os.ReadFile("/proc/" + child + "/cmdline")
			program, _, _ := strings.Cut(string(arguments), "\x00")
			if pid, err := strconv.Atoi(child); err == nil && filepath.Base(program) == "kube-apiserver" {
				return pid
			}
		}
	}
	t.Fatal("the API server is not among the children of this process")
	return 0
}

// userCount makes the names of users unique.
var userCount atomic.Int64

// newClientWithRights returns a client of a user that has only the given verbs on the named objects. wrap may
// change the client's configuration.
func newClientWithRights(t *testing.T, resource string, names, verbs []string, wrap func(*rest.Config)) *kube.NamespaceClient {
	t.Helper()
	name := fmt.Sprintf("user-%d", userCount.Add(1))
	role := &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Name: name},
		Rules: []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{resource}, ResourceNames: names, Verbs: verbs}}}
	if _, err := apiClients(t).RbacV1().Roles(namespace).Create(t.Context(), role, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	binding := &rbacv1.RoleBinding{ObjectMeta: metav1.ObjectMeta{Name: name},
		RoleRef:  rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: name},
		Subjects: []rbacv1.Subject{{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: name}}}
	if _, err := apiClients(t).RbacV1().RoleBindings(namespace).Create(t.Context(), binding, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	waitForRights(t, name, resource, names, verbs)
	user, err := apiServer.env.AddUser(envtest.User{Name: name}, nil)
	if err != nil {
		t.Fatal(err)
	}
	config := user.Config()
	if wrap != nil {
		wrap(config)
	}
	cluster, err := kube.New(config, namespace)
	if err != nil {
		t.Fatal(err)
	}
	return cluster
}

// waitForRights waits until the API server applies a new role.
func waitForRights(t *testing.T, user, resource string, names, verbs []string) {
	t.Helper()
	attributes := authorizationv1.ResourceAttributes{Namespace: namespace, Resource: resource, Verb: verbs[0]}
	if len(names) > 0 {
		attributes.Name = names[0]
	}
	review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{User: user, ResourceAttributes: &attributes}}
	retryUntilSuccess(t, "rights of "+user, func(ctx context.Context) error {
		answer, err := apiClients(t).AuthorizationV1().SubjectAccessReviews().Create(ctx, review, metav1.CreateOptions{})
		if err == nil && !answer.Status.Allowed {
			err = errors.New("not yet")
		}
		return err
	})
}

func createConfigMap(t *testing.T, name string, data map[string]string) {
	t.Helper()
	object := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: name}, Data: data}
	if _, err := apiClients(t).CoreV1().ConfigMaps(namespace).Create(t.Context(), object, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
}

// retryUntilSuccess retries until success, because the API server may refuse requests right after a restart.
func retryUntilSuccess(t *testing.T, what string, try func(context.Context) error) {
	t.Helper()
	var err error
	for deadline := time.Now().Add(5 * time.Minute); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if err = try(t.Context()); err == nil {
			return
		}
	}
	t.Fatalf("%s: %v", what, err)
}
