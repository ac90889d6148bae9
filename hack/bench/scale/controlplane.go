package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// nodeCount is the number of nodes over which pods are spread.
const nodeCount = 20

// controlPlane is a control plane with KWOK nodes.
type controlPlane struct {
	env       *envtest.Environment
	outputDir string
	client    client.WithWatch
	processes []*process
	timeout   time.Duration
}

// process is a process that the control plane started.
type process struct {
	name    string
	command *exec.Cmd
	exited  chan struct{}
}

// startControlPlane starts the control plane. The caller must stop it, also after an error.
func startControlPlane(ctx context.Context, o options) (*controlPlane, error) {
	policy, err := filepath.Abs(filepath.Join("hack", "bench", "scale", "audit.yaml"))
	if err != nil {
		return &controlPlane{env: &envtest.Environment{}}, fmt.Errorf("find the audit policy: %w", err)
	}
	p := &controlPlane{outputDir: o.outputDir, timeout: o.timeout, env: &envtest.Environment{BinaryAssetsDirectory: o.assets,
		CRDDirectoryPaths: []string{filepath.Join("config", "crd", "bases")}, ErrorIfCRDPathMissing: true,
		ControlPlaneStartTimeout: 2 * time.Minute, ControlPlaneStopTimeout: 3 * time.Minute}}
	p.env.ControlPlane.GetAPIServer().Configure().
		Set("audit-policy-file", policy).
		Set("audit-log-path", p.auditLogPath()).
		Set("audit-log-maxsize", "4096")
	config, err := p.env.Start()
	if err != nil {
		return p, fmt.Errorf("start etcd and the API server: %w", err)
	}
	if p.client, err = newClient(config); err != nil {
		return p, err
	}
	if err := p.startControllers(o); err != nil {
		return p, err
	}
	return p, p.createNodes(ctx)
}

func newClient(config *rest.Config) (client.WithWatch, error) {
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), v1alpha1.AddToScheme(scheme)); err != nil {
		return nil, fmt.Errorf("create the scheme: %w", err)
	}
	unlimited := rest.CopyConfig(config)
	unlimited.QPS = -1
	c, err := client.NewWithWatch(unlimited, client.Options{Scheme: scheme})
	if err != nil {
		return nil, fmt.Errorf("create a client: %w", err)
	}
	return c, nil
}

// startControllers starts the programs that create the pods of StatefulSets and Jobs, schedule them, and make
// them ready. Their client-side rate limits are raised, so that they do not dominate the measurement.
func (p *controlPlane) startControllers(o options) error {
	config, err := p.writeKubeconfig("cluster")
	if err != nil {
		return err
	}
	for _, arguments := range [][]string{
		{filepath.Join(o.assets, "kube-controller-manager"), "--kubeconfig=" + config, "--leader-elect=false", "--secure-port=0",
			"--kube-api-qps=2000", "--kube-api-burst=4000", "--concurrent-statefulset-syncs=20", "--concurrent-gc-syncs=20"},
		{filepath.Join(o.assets, "kube-scheduler"), "--kubeconfig=" + config, "--leader-elect=false", "--secure-port=0",
			"--kube-api-qps=2000", "--kube-api-burst=4000"},
		{o.kwok, "--config=" + filepath.Join("hack", "bench", "scale", "stages.yaml"), "--kubeconfig=" + config, "--manage-all-nodes=true",
			"--node-lease-duration-seconds=40", "--server-address="},
	} {
		if _, err := p.startProcess(arguments); err != nil {
			return err
		}
	}
	return nil
}

// startProcess runs a program until the control plane stops. Its output goes to a file.
func (p *controlPlane) startProcess(arguments []string) (*process, error) {
	name := filepath.Base(arguments[0])
	log, err := os.Create(filepath.Join(p.outputDir, name+".log"))
	if err != nil {
		return nil, fmt.Errorf("create the log of %s: %w", name, err)
	}
	command := exec.Command(arguments[0], arguments[1:]...)
	command.Stdout, command.Stderr = log, log
	if err := command.Start(); err != nil {
		return nil, fmt.Errorf("start %s: %w", name, err)
	}
	started := &process{name: name, command: command, exited: make(chan struct{})}
	go func() {
		_ = command.Wait()
		log.Close()
		close(started.exited)
	}()
	p.processes = append(p.processes, started)
	return started, nil
}

// stopAll stops all processes, the last first.
func (p *controlPlane) stopAll() error {
	for i := len(p.processes) - 1; i >= 0; i-- {
		process := p.processes[i]
		_ = process.command.Process.Signal(syscall.SIGTERM)
		select {
		case <-process.exited:
		case <-time.After(20 * time.Second):
			_ = process.command.Process.Kill()
		}
	}
	if err := p.env.Stop(); err != nil {
		return fmt.Errorf("stop etcd and the API server: %w", err)
	}
	return nil
}

// writeKubeconfig writes the kubeconfig of an administrator with the given user name, which identifies it in
// the audit log.
func (p *controlPlane) writeKubeconfig(user string) (string, error) {
	added, err := p.env.AddUser(envtest.User{Name: user, Groups: []string{"system:masters"}}, nil)
	if err != nil {
		return "", fmt.Errorf("add user %s: %w", user, err)
	}
	content, err := added.KubeConfig()
	if err != nil {
		return "", fmt.Errorf("kubeconfig of %s: %w", user, err)
	}
	path := filepath.Join(p.outputDir, user+".kubeconfig")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		return "", fmt.Errorf("write %s: %w", path, err)
	}
	return path, nil
}

func (p *controlPlane) createNodes(ctx context.Context) error {
	for i := range nodeCount {
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("kwok-%02d", i),
			Labels: map[string]string{corev1.LabelHostname: fmt.Sprintf("kwok-%02d", i), corev1.LabelOSStable: "linux"}}}
		if err := p.client.Create(ctx, node); err != nil {
			return fmt.Errorf("create node %s: %w", node.Name, err)
		}
	}
	return p.waitUntil(ctx, "the nodes are ready", func() (bool, error) {
		var list corev1.NodeList
		if err := p.client.List(ctx, &list); err != nil {
			return false, err
		}
		ready := 0
		for _, n := range list.Items {
			for _, c := range n.Status.Conditions {
				if c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue && len(n.Spec.Taints) == 0 {
					ready++
				}
			}
		}
		return ready == nodeCount, nil
	})
}

// waitUntil polls the condition four times per second until it holds. It fails after the timeout or if a
// process has ended.
func (p *controlPlane) waitUntil(ctx context.Context, what string, so func() (bool, error)) error {
	deadline := time.Now().Add(p.timeout)
	for time.Now().Before(deadline) {
		ok, err := so()
		if err = errors.Join(err, p.checkProcesses()); err != nil {
			return fmt.Errorf("%s: %w", what, err)
		}
		if ok {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(250 * time.Millisecond):
		}
	}
	return fmt.Errorf("not within %s: %s (logs are in %s)", p.timeout, what, p.outputDir)
}

// checkProcesses returns an error if a process has ended.
func (p *controlPlane) checkProcesses() error {
	for _, process := range p.processes {
		select {
		case <-process.exited:
			return fmt.Errorf("%s has ended: see %s", process.name, filepath.Join(p.outputDir, process.name+".log"))
		default:
		}
	}
	return nil
}

func (p *controlPlane) auditLogPath() string { return filepath.Join(p.outputDir, "audit.log") }
