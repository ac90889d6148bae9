// Package kube reaches the Secrets, ConfigMaps and other objects of one namespace from within a pod.
//
// It uses the dynamic client: with the typed one the agent, which runs in every member's container,
// would be 16 MB larger and take 11 MB more memory.
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

// requestTimeout of one request but a watch.
const requestTimeout = 15 * time.Second

// NamespaceClient gives the objects of one namespace.
type NamespaceClient struct {
	Secrets, ConfigMaps dynamic.ResourceInterface
	// Name of the namespace, and the client that reaches its other objects.
	Name   string
	Client dynamic.Interface
}

// NewInCluster uses the pod's service account.
func NewInCluster(namespace string) (*NamespaceClient, error) {
	config, err := rest.InClusterConfig()
	if err != nil {
		return nil, fmt.Errorf("find the API server: %w", err)
	}
	config.UserAgent = protocol.FieldManager
	return New(config, namespace)
}

// New uses the given configuration.
func New(config *rest.Config, namespace string) (*NamespaceClient, error) {
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, fmt.Errorf("make a client of the API server: %w", err)
	}
	of := func(resource string) dynamic.ResourceInterface {
		return client.Resource(schema.GroupVersionResource{Version: "v1", Resource: resource}).Namespace(namespace)
	}
	return &NamespaceClient{Secrets: of("secrets"), ConfigMaps: of("configmaps"), Name: namespace, Client: client}, nil
}

// MergePatch changes fields of an existing object (JSON merge patch: null removes) and returns the object.
// An object that does not exist is an error: nothing is created.
func MergePatch(ctx context.Context, objects dynamic.ResourceInterface, name string, change map[string]any) (*unstructured.Unstructured, error) {
	body, err := json.Marshal(change)
	if err != nil {
		return nil, err
	}
	return patchObject(ctx, objects, name, types.MergePatchType, body, metav1.PatchOptions{FieldManager: protocol.FieldManager})
}

// Apply states all fields of an existing object that the agent owns (server-side apply): fields that it owned and
// that are no longer stated are removed. The object must state the uid of the one that exists, so that none is created.
func Apply(ctx context.Context, objects dynamic.ResourceInterface, object *unstructured.Unstructured) error {
	body, err := json.Marshal(object)
	if err != nil {
		return err
	}
	force := true
	_, err = patchObject(ctx, objects, object.GetName(), types.ApplyPatchType, body,
		metav1.PatchOptions{FieldManager: protocol.FieldManager, Force: &force})
	return err
}

func patchObject(ctx context.Context, objects dynamic.ResourceInterface, name string, kind types.PatchType, body []byte,
	options metav1.PatchOptions) (*unstructured.Unstructured, error) {
	ctx, cancel := context.WithTimeout(ctx, requestTimeout)
	defer cancel()
	return objects.Patch(ctx, name, kind, body, options)
}
