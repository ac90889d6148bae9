// Package kube reads and writes the objects of one namespace from within a pod: it waits for the barrier of a run, reports to
// ConfigMaps, and publishes files into Secrets.
//
// It uses the dynamic client: the typed one would make the agent, which runs in every member's container, 16 MB
// larger and take 11 MB more memory.
package kube

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"github.com/benchnet/benchnet/internal/run/protocol"
)

// requestTimeout bounds one request, except watches.
const requestTimeout = 15 * time.Second

// NamespaceClient accesses the objects of one namespace.
type NamespaceClient struct {
	Secrets, ConfigMaps, Pods dynamic.ResourceInterface
	// Name is the name of the namespace. Client accesses its other objects.
	Name   string
	Client dynamic.Interface
}

// NewInCluster returns a client that uses the pod's service account.
func NewInCluster(namespace string) (*NamespaceClient, error) {
	config, err := rest.InClusterConfig()
	if err != nil {
		return nil, fmt.Errorf("load the client configuration: %w", err)
	}
	config.UserAgent = protocol.FieldManager
	// The API server limits its clients. The client's own limit, 5 requests per second, delayed the keys of 100 validators by 80 s.
	config.QPS = -1
	return New(config, namespace)
}

// New returns a client that uses config.
func New(config *rest.Config, namespace string) (*NamespaceClient, error) {
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("create a client of the API server: %w", err)
	}
	of := func(resource string) dynamic.ResourceInterface {
		return client.Resource(schema.GroupVersionResource{Version: "v1", Resource: resource}).Namespace(namespace)
	}
	return &NamespaceClient{Secrets: of("secrets"), ConfigMaps: of("configmaps"), Pods: of("pods"), Name: namespace, Client: client}, nil
}

// MergePatch applies a JSON merge patch to an existing object and returns the object. A null value removes a
// field. It fails if the object does not exist.
func MergePatch(ctx context.Context, objects dynamic.ResourceInterface, name string, change map[string]any) (*unstructured.Unstructured, error) {
	body, err := json.Marshal(change)
	if err != nil {
		return nil, err
	}
	return patchObject(ctx, objects, name, types.MergePatchType, body, metav1.PatchOptions{FieldManager: protocol.FieldManager})
}

// applyObject sets all fields of an existing object that the agent owns (server-side apply) and forces conflicts. It removes
// owned fields that object omits. object must have the UID of the existing one, so that none is created.
func applyObject(ctx context.Context, objects dynamic.ResourceInterface, object *unstructured.Unstructured) error {
	body, err := json.Marshal(object)
	if err != nil {
		return err
	}
	_, err = patchObject(ctx, objects, object.GetName(), types.ApplyPatchType, body,
		metav1.PatchOptions{FieldManager: protocol.FieldManager, Force: new(true)})
	return err
}

func patchObject(ctx context.Context, objects dynamic.ResourceInterface, name string, kind types.PatchType, body []byte,
	options metav1.PatchOptions) (*unstructured.Unstructured, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	return objects.Patch(ctx, name, kind, body, options)
}
