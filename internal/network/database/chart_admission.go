package database

import (
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/internal/kube/limits"
	"github.com/benchnet/benchnet/internal/naming"
)

// The operator applies the objects of a user's chart with its own rights. Each object is therefore rebuilt from
// the fields listed here and in chart_pods.go. They allow no object that grants rights, leaves its namespace,
// or affects objects of others.

// maxObjects and maxReplicas bound the size of one instance.
const (
	maxObjects  = 64
	maxReplicas = 16
)

// chartKind is a kind that a database may contain.
type chartKind struct {
	apiVersion string
	// newObject returns an empty object. A field that its type lacks is rejected.
	newObject func() client.Object
	// topFields are the fields allowed besides apiVersion, kind and metadata.
	topFields []string
	// specFields are the allowed fields of the spec; nil for a kind without a spec.
	specFields []string
	// validate rejects what the lists of fields cannot express. It is optional.
	validate func(content map[string]any) error
}

var claimFields = []string{"accessModes", "resources", "storageClassName", "volumeMode"}

var chartKinds = map[string]chartKind{
	"ConfigMap": {apiVersion: "v1", newObject: func() client.Object { return &corev1.ConfigMap{} },
		topFields: []string{"binaryData", "data", "immutable"}},
	"Secret": {apiVersion: "v1", newObject: func() client.Object { return &corev1.Secret{} },
		topFields: []string{"data", "immutable", "stringData", "type"}, validate: checkSecret},
	serviceAccountKind: {apiVersion: "v1", newObject: func() client.Object { return &corev1.ServiceAccount{} },
		topFields: []string{"automountServiceAccountToken", "imagePullSecrets"}},
	"Service": {apiVersion: "v1", newObject: func() client.Object { return &corev1.Service{} },
		topFields: []string{"spec"}, validate: checkService,
		specFields: []string{"clusterIP", "internalTrafficPolicy", "ipFamilies", "ipFamilyPolicy", "ports", "publishNotReadyAddresses", "selector",
			"sessionAffinity", "sessionAffinityConfig", "trafficDistribution", "type"}},
	"PersistentVolumeClaim": {apiVersion: "v1", newObject: func() client.Object { return &corev1.PersistentVolumeClaim{} },
		topFields: []string{"spec"}, specFields: claimFields},
	"PodDisruptionBudget": {apiVersion: "policy/v1", newObject: func() client.Object { return &policyv1.PodDisruptionBudget{} }, topFields: []string{"spec"},
		specFields: []string{"maxUnavailable", "minAvailable", "selector", "unhealthyPodEvictionPolicy"}},
	"StatefulSet": {
		apiVersion: "apps/v1",
		newObject:  func() client.Object { return &appsv1.StatefulSet{} },
		topFields:  []string{"spec"},
		validate:   checkStatefulSet,
		specFields: []string{"minReadySeconds", "ordinals", "persistentVolumeClaimRetentionPolicy", "podManagementPolicy", "replicas",
			"revisionHistoryLimit", "selector", "serviceName", "template", "updateStrategy", "volumeClaimTemplates"},
	},
}

// admitObjects rebuilds the objects of one instance. It fails if they do not include the Service to which
// members connect.
func (r helmRelease) admitObjects(objects []*unstructured.Unstructured) ([]*unstructured.Unstructured, error) {
	if len(objects) > maxObjects {
		return nil, fmt.Errorf("the chart has %d objects, at most %d are allowed", len(objects), maxObjects)
	}
	admitted := make([]*unstructured.Unstructured, 0, len(objects))
	for _, o := range objects {
		rebuilt, err := r.admitObject(o)
		if err != nil {
			return nil, err
		}
		admitted = append(admitted, rebuilt)
	}
	for _, o := range admitted {
		if o.GetKind() == "StatefulSet" {
			if err := setServiceAccount(o, admitted); err != nil {
				return nil, fmt.Errorf("%s %s: %w", o.GetKind(), o.GetName(), err)
			}
		}
	}
	for _, o := range admitted {
		if o.GetKind() == serviceAccountKind {
			o.SetName(naming.ChartAccount(o.GetName()))
		}
	}
	if !slices.ContainsFunc(admitted, r.isServerService) {
		return nil, fmt.Errorf("the chart creates no Service named %s with port %d, to which the members connect", r.name, serverPort)
	}
	return admitted, nil
}

// admitObject returns the object rebuilt from the allowed fields. It fails for a forbidden field, kind,
// namespace or name.
func (r helmRelease) admitObject(o *unstructured.Unstructured) (*unstructured.Unstructured, error) {
	kind, ok := chartKinds[o.GetKind()]
	if !ok || kind.apiVersion != o.GetAPIVersion() {
		return nil, fmt.Errorf("%s %s (%s) is not allowed; a database may consist of %s", o.GetKind(), o.GetName(), o.GetAPIVersion(),
			strings.Join(slices.Sorted(maps.Keys(chartKinds)), ", "))
	}
	content, err := kind.rebuildObject(o)
	if err != nil {
		return nil, fmt.Errorf("%s %s: %w", o.GetKind(), o.GetName(), err)
	}
	rebuilt := &unstructured.Unstructured{Object: content}
	if ns := o.GetNamespace(); ns != "" && ns != r.namespace {
		return nil, fmt.Errorf("%s %s is in namespace %s, not in the network's %s", o.GetKind(), o.GetName(), ns, r.namespace)
	}
	if name := rebuilt.GetName(); name != r.name && !strings.HasPrefix(name, r.name+"-") {
		return nil, fmt.Errorf("%s %s must be named %s, or begin with %s-, like every object of the database: use fullnameOverride",
			o.GetKind(), name, r.name, r.name)
	}
	return rebuilt, nil
}

// rebuildObject returns the object as its Go type encodes it, with the allowed metadata. It fails for any field
// that is not allowed.
func (k chartKind) rebuildObject(o *unstructured.Unstructured) (map[string]any, error) {
	given := maps.Clone(o.Object)
	if metadata, ok := given["metadata"].(map[string]any); ok {
		given["metadata"] = keepKeys(metadata, "name", "labels", "annotations")
	}
	object := k.newObject()
	if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(given, object, true); err != nil {
		return nil, err
	}
	if problems := limits.ValidateQuantities(object, nil); len(problems) > 0 {
		return nil, problems.ToAggregate()
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(object)
	if err != nil {
		return nil, err
	}
	delete(content, "status")
	if err := checkAllowedFields(content, nil, append([]string{"apiVersion", "kind", "metadata"}, k.topFields...)); err != nil {
		return nil, err
	}
	spec, _ := content["spec"].(map[string]any)
	if k.specFields != nil {
		if err := checkAllowedFields(spec, field.NewPath("spec"), k.specFields); err != nil {
			return nil, err
		}
	}
	if k.validate != nil {
		if err := k.validate(content); err != nil {
			return nil, err
		}
	}
	content["metadata"], err = rebuildMetadata(content, true, field.NewPath("metadata"))
	return content, err
}

// keepKeys returns a copy of the map with only these keys.
func keepKeys(content map[string]any, keys ...string) map[string]any {
	kept := map[string]any{}
	for _, key := range keys {
		if value, ok := content[key]; ok {
			kept[key] = value
		}
	}
	return kept
}

// checkAllowedFields returns an error that names the first field that is not allowed.
func checkAllowedFields(content map[string]any, path *field.Path, allowed []string) error {
	for _, name := range slices.Sorted(maps.Keys(content)) {
		if !slices.Contains(allowed, name) {
			return fmt.Errorf("%s is not allowed", path.Child(name))
		}
	}
	return nil
}

// checkSecret rejects types that have a meaning for the cluster. It moves stringData into data, as the API
// server does, so that the object equals the live one.
func checkSecret(content map[string]any) error {
	if kind, _, _ := unstructured.NestedString(content, "type"); kind != "" && kind != string(corev1.SecretTypeOpaque) {
		return fmt.Errorf("type %s is not allowed, only %s: others hold tokens or are read by the cluster", kind, corev1.SecretTypeOpaque)
	}
	texts, _ := content["stringData"].(map[string]any)
	if len(texts) == 0 {
		return nil
	}
	data, _ := content["data"].(map[string]any)
	data = maps.Clone(data)
	if data == nil {
		data = map[string]any{}
	}
	for key, text := range texts {
		data[key] = base64.StdEncoding.EncodeToString([]byte(text.(string)))
	}
	content["data"] = data
	delete(content, "stringData")
	return nil
}

// checkService rejects a Service that reaches out of the cluster or can be reached from outside. It defaults
// the target port as the API server does, so that the object equals the live one.
func checkService(content map[string]any) error {
	if kind, _, _ := unstructured.NestedString(content, "spec", "type"); kind != "" && kind != string(corev1.ServiceTypeClusterIP) {
		return fmt.Errorf("spec.type %s is not allowed, only %s", kind, corev1.ServiceTypeClusterIP)
	}
	if ip, _, _ := unstructured.NestedString(content, "spec", "clusterIP"); ip != "" && ip != corev1.ClusterIPNone {
		return fmt.Errorf("spec.clusterIP %s is not allowed, only %s", ip, corev1.ClusterIPNone)
	}
	for n, p := range nestedMaps(content, "spec", "ports") {
		if _, found := p["nodePort"]; found {
			return fmt.Errorf("spec.ports[%d].nodePort is not allowed", n)
		}
		if p["targetPort"] == int64(0) {
			p["targetPort"] = p["port"]
		}
	}
	return nil
}

// serviceAccountKind is the kind whose objects get other names than in the chart.
const serviceAccountKind = "ServiceAccount"

// setServiceAccount replaces the name of a service account that the chart creates by that which the operator gives it. It
// rejects any other account than default, since it may have rights in the cluster or in a cloud.
func setServiceAccount(set *unstructured.Unstructured, objects []*unstructured.Unstructured) error {
	path := []string{"spec", "template", "spec", "serviceAccountName"}
	account, _, _ := unstructured.NestedString(set.Object, path...)
	exists := slices.ContainsFunc(objects, func(o *unstructured.Unstructured) bool {
		return o.GetKind() == serviceAccountKind && o.GetName() == account
	})
	switch {
	case exists:
		return unstructured.SetNestedField(set.Object, naming.ChartAccount(account), path...)
	case account != "" && account != "default":
		return fmt.Errorf("spec.template.spec.serviceAccountName %s is not allowed, only default or one that the chart creates", account)
	}
	return nil
}

// isServerService reports whether the object is the Service to which members connect.
func (r helmRelease) isServerService(o *unstructured.Unstructured) bool {
	if o.GetKind() != "Service" || o.GetName() != r.name {
		return false
	}
	return slices.ContainsFunc(nestedMaps(o.Object, "spec", "ports"), func(p map[string]any) bool { return p["port"] == int64(serverPort) })
}

// nestedMaps returns the maps in the list at the path. It returns an empty list if there is no such list.
func nestedMaps(content map[string]any, path ...string) []map[string]any {
	found, _, _ := unstructured.NestedFieldNoCopy(content, path...)
	list, _ := found.([]any)
	all := make([]map[string]any, 0, len(list))
	for _, item := range list {
		if m, ok := item.(map[string]any); ok {
			all = append(all, m)
		}
	}
	return all
}
