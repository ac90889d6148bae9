// Package cluster connects the plugin to the API server: it resolves names, reads results and applies manifests.
package cluster

import (
	"context"
	"fmt"
	"io"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	corev1client "k8s.io/client-go/kubernetes/typed/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// FieldManager is the field manager of the plugin.
const FieldManager = "kubectl-benchnet"

// Connection is a client for an API server, with the user's namespace.
type Connection struct {
	Client    client.Client
	Namespace string
	pods      corev1client.PodsGetter
	flags     genericclioptions.RESTClientGetter
	// enforceNamespace means that the user set the namespace by a flag.
	enforceNamespace bool
}

// Connect returns a connection to the cluster, user and namespace of kubectl's flags and kubeconfig.
func Connect(flags genericclioptions.RESTClientGetter) (*Connection, error) {
	config, err := flags.ToRESTConfig()
	if err != nil {
		return nil, err
	}
	mapper, err := flags.ToRESTMapper()
	if err != nil {
		return nil, err
	}
	namespace, enforce, err := flags.ToRawKubeConfigLoader().Namespace()
	if err != nil {
		return nil, err
	}
	scheme, err := newScheme()
	if err != nil {
		return nil, err
	}
	c, err := client.New(config, client.Options{Scheme: scheme, Mapper: mapper})
	if err != nil {
		return nil, fmt.Errorf("make the client: %w", err)
	}
	pods, err := corev1client.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("make the client for logs: %w", err)
	}
	return &Connection{Client: c, Namespace: namespace, pods: pods, flags: flags, enforceNamespace: enforce}, nil
}

// OpenLog opens the log of a container.
func (c *Connection) OpenLog(ctx context.Context, namespace, pod string, options *corev1.PodLogOptions) (io.ReadCloser, error) {
	return c.pods.Pods(namespace).GetLogs(pod, options).Stream(ctx)
}

// ServerVersion returns the API server's version.
func (c *Connection) ServerVersion() (string, error) {
	discovery, err := c.flags.ToDiscoveryClient()
	if err != nil {
		return "", err
	}
	version, err := discovery.ServerVersion()
	if err != nil {
		return "", fmt.Errorf("ask the API server's version: %w", err)
	}
	return version.GitVersion, nil
}

func newScheme() (*runtime.Scheme, error) {
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{appsv1.AddToScheme, corev1.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(s); err != nil {
			return nil, err
		}
	}
	return s, nil
}
