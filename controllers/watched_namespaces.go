package controllers

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// namespaceRetryPeriod is how often NamespaceMonitor tries to read the namespaces that are not served.
const namespaceRetryPeriod = 30 * time.Second

// ReasonNamespaceNotServed is the reason of the event about a watched namespace that the operator cannot read.
const ReasonNamespaceNotServed = "NamespaceNotServed"

// NamespaceMonitor handles watched namespaces that the operator cannot read, for example because one was deleted with its
// Role. An informer of such a namespace would never sync, and then the operator would serve no namespace at all.
type NamespaceMonitor struct {
	reader    client.Reader
	objects   []client.Object
	scheme    *runtime.Scheme
	recorder  EventRecorder
	notServed map[string]error
	interval  time.Duration
}

// NewNamespaceMonitor tries to read every cached kind in every watched namespace of the scope. The reader must bypass the
// cache. It fails if the API server does not answer, or if none of the watched namespaces can be read.
func NewNamespaceMonitor(ctx context.Context, reader client.Reader, scheme *runtime.Scheme, scope CacheScope) (*NamespaceMonitor, error) {
	m := &NamespaceMonitor{reader: reader, scheme: scheme, notServed: map[string]error{}, interval: namespaceRetryPeriod,
		objects: []client.Object{&v1alpha1.BenchmarkNetwork{}, &v1alpha1.BenchmarkRun{}, &v1alpha1.BenchmarkExperiment{}}}
	for object := range scope.Options().ByObject {
		m.objects = append(m.objects, object)
	}
	for _, namespace := range scope.WatchedNamespaces {
		err := m.readNamespace(ctx, namespace)
		if err != nil && !apierrors.IsForbidden(err) && !apierrors.IsNotFound(err) {
			return nil, err
		}
		if err != nil {
			m.notServed[namespace] = err
		}
	}
	if len(scope.WatchedNamespaces) > 0 && len(m.Served(scope.WatchedNamespaces)) == 0 {
		return nil, fmt.Errorf("none of the watched namespaces %s can be read: %w",
			strings.Join(scope.WatchedNamespaces, ", "), m.notServed[scope.WatchedNamespaces[0]])
	}
	return m, nil
}

// readNamespace lists at most one object of each cached kind in the namespace.
func (m *NamespaceMonitor) readNamespace(ctx context.Context, namespace string) error {
	for _, object := range m.objects {
		gvk, err := apiutil.GVKForObject(object, m.scheme)
		if err != nil {
			return fmt.Errorf("kind of %T: %w", object, err)
		}
		list := &metav1.PartialObjectMetadataList{}
		list.SetGroupVersionKind(gvk.GroupVersion().WithKind(gvk.Kind + "List"))
		if err := m.reader.List(ctx, list, client.InNamespace(namespace), client.Limit(1)); err != nil {
			return fmt.Errorf("list %s in namespace %s: %w", gvk.Kind, namespace, err)
		}
	}
	return nil
}

// Served returns the namespaces without those that cannot be read.
func (m *NamespaceMonitor) Served(watched []string) []string {
	return slices.DeleteFunc(slices.Clone(watched), func(namespace string) bool { return m.notServed[namespace] != nil })
}

// NotServed returns the watched namespaces that cannot be read, in alphabetical order.
func (m *NamespaceMonitor) NotServed() []string { return slices.Sorted(maps.Keys(m.notServed)) }

// RecordWith sets the recorder of events about the operator's own pod.
func (m *NamespaceMonitor) RecordWith(recorder EventRecorder) { m.recorder = recorder }

// WithInterval sets how often the monitor tries to read the namespaces that are not served. The default is 30 s.
func (m *NamespaceMonitor) WithInterval(interval time.Duration) *NamespaceMonitor {
	m.interval = interval
	return m
}

// NeedLeaderElection returns false, since every replica has its own cache.
func (m *NamespaceMonitor) NeedLeaderElection() bool { return false }

// Start reports the namespaces that are not served. It returns an error when one of them can be read: the operator then
// ends, and its next start watches that namespace, too.
func (m *NamespaceMonitor) Start(ctx context.Context) error {
	if len(m.notServed) == 0 {
		return nil
	}
	m.reportNotServed(ctx)
	ticker := time.NewTicker(m.interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-ticker.C:
		}
		for _, namespace := range m.NotServed() {
			if m.readNamespace(ctx, namespace) == nil {
				return fmt.Errorf("the watched namespace %s can be read now: the operator restarts to serve it", namespace)
			}
		}
	}
}

// reportNotServed logs each namespace that is not served, and records an event about the operator's pod.
func (m *NamespaceMonitor) reportNotServed(ctx context.Context) {
	pod := operatorPod()
	for _, namespace := range m.NotServed() {
		err := m.notServed[namespace]
		log.FromContext(ctx).Info("namespace not served", "namespace", namespace, "reason", err.Error())
		if pod != nil && m.recorder != nil {
			m.recorder.Eventf(pod, nil, corev1.EventTypeWarning, ReasonNamespaceNotServed, "Watch",
				"the watched namespace %s cannot be read: create it with the operator's Role, or remove it from watchNamespaces", namespace)
		}
	}
}

// accountNamespaceFile contains the namespace of a pod with a service account token.
const accountNamespaceFile = "/var/run/secrets/kubernetes.io/serviceaccount/namespace"

// operatorPod returns a reference to the operator's pod, or nil if the operator does not run in a pod.
func operatorPod() *corev1.Pod {
	namespace, err := os.ReadFile(accountNamespaceFile)
	if err != nil {
		return nil
	}
	name, err := os.Hostname()
	if err != nil {
		return nil
	}
	return &corev1.Pod{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Pod"}, ObjectMeta: metav1.ObjectMeta{Namespace: string(namespace), Name: name}}
}
