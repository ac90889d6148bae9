package database

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/charts/postgresql"
	"github.com/benchnet/benchnet/internal/naming"
)

// renderOwnChart renders the project's chart into the instance.
func (in Input) renderOwnChart(g memberGroup, i *Instance) error {
	needed, memory := in.totalConnections(g), ServerMachine(g.spec).Memory
	settings, err := serverSettings(needed, memory.Value(), g.spec.ManagedOrDefault().Settings, g.settingsSource())
	if err != nil {
		return err
	}
	i.MaxConnections, i.Settings = int32(needed+reservedConnections), settings
	i.NeededStorage = in.neededStorage(g)
	i.Storage = i.NeededStorage
	if in.ExistingSize != nil {
		if size, ok := in.ExistingSize(g.name); ok {
			i.Storage = size
		}
	}
	chart, err := loadEmbeddedChart(postgresql.ChartFiles)
	if err != nil {
		return err
	}
	values, err := normalizeValues(in.chartValues(g, settings, i.Storage))
	if err != nil {
		return err
	}
	objects, err := chart.renderTemplates(in.newHelmRelease(g, values), renderPass{1, map[string]bool{}})
	if err != nil {
		return err
	}
	i.ServerObjects, err = in.labelChartObjects(objects, g.name)
	return err
}

// renderUserChart renders the user's chart for all groups at once.
func (in Input) renderUserChart(groups []memberGroup) ([][]client.Object, error) {
	request := RenderRequest{Namespace: in.Network.Namespace, KubeVersion: in.KubeVersion, Values: in.Chart.Values}
	for _, g := range groups {
		request.Instances = append(request.Instances, g.name)
	}
	rendered, err := in.Chart.Render(request)
	if err != nil {
		return nil, err
	}
	servers := make([][]client.Object, len(groups))
	for n, g := range groups {
		if servers[n], err = in.labelChartObjects(rendered[n], g.name); err != nil {
			return nil, err
		}
	}
	return servers, nil
}

func (in Input) labelChartObjects(objects []*unstructured.Unstructured, instance string) ([]client.Object, error) {
	out := make([]client.Object, 0, len(objects))
	for _, o := range objects {
		if err := in.labelChartObject(o, instance); err != nil {
			return nil, fmt.Errorf("label %s %s: %w", o.GetKind(), o.GetName(), err)
		}
		out = append(out, o)
	}
	return out, nil
}

func (in Input) newHelmRelease(g memberGroup, values map[string]any) helmRelease {
	return helmRelease{name: g.name, namespace: in.Network.Namespace, kubeVersion: in.KubeVersion, values: values}
}

// chartValues returns the values of the project's chart for one instance.
func (in Input) chartValues(g memberGroup, settings []Setting, size resource.Quantity) map[string]any {
	conf := map[string]string{}
	for _, s := range settings {
		conf[s.Name] = s.Value
	}
	given := g.spec.ManagedOrDefault().Storage
	storage := map[string]any{"type": in.Network.Spec.StorageTypeOrDefault(given), "size": size}
	if given != nil && given.ClassName != nil {
		storage["storageClassName"] = *given.ClassName
	}
	image, entrypoint := in.serverImage(g.spec)
	exported := in.Network.Spec.Observation != v1alpha1.ObservationNone
	return map[string]any{
		"image":      image,
		"entrypoint": entrypoint,
		"auth":       map[string]any{"existingSecret": naming.DatabaseSuperuserSecret(in.Network.Name), "passwordKey": PasswordKey},
		"settings":   conf,
		"storage":    storage,
		"resources":  ServerMachine(g.spec).Resources(in.Network.Spec.ReservationOrDefault()),
		"exporter":   map[string]any{"enabled": exported, "port": exporterPort, "image": in.Images.Image("postgres-exporter", "")},
		"agent": map[string]any{"enabled": true, "port": agentPort, "commandsPort": commandsPort,
			"commandsSecret": naming.CommandsSecret(in.Network.Name), "image": in.Images.Image("agent", "")},
		"commonLabels": naming.DatabaseLabels(in.Network.Name, g.name),
		"affinity":     in.serverAntiAffinity(),
	}
}

// serverAntiAffinity spreads the instances of topology PerHost, and those apart from it, over as many hosts as possible.
func (in Input) serverAntiAffinity() corev1.Affinity {
	if in.databaseSpec().Topology != v1alpha1.TopologyPerHost {
		return corev1.Affinity{}
	}
	names := []string{}
	for _, g := range in.groupMembers() {
		names = append(names, g.name)
	}
	others := &metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
		{Key: InstanceLabel, Operator: metav1.LabelSelectorOpIn, Values: names},
	}}
	return corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{
		PreferredDuringSchedulingIgnoredDuringExecution: []corev1.WeightedPodAffinityTerm{{
			Weight:          100,
			PodAffinityTerm: corev1.PodAffinityTerm{LabelSelector: others, TopologyKey: corev1.LabelHostname},
		}},
	}}
}

// normalizeValues converts typed values to those of a values file. It drops nil values, so that the chart's
// defaults apply.
func normalizeValues(values map[string]any) (map[string]any, error) {
	raw, err := json.Marshal(values)
	if err != nil {
		return nil, fmt.Errorf("encode chart values: %w", err)
	}
	out := map[string]any{}
	if err := json.Unmarshal(raw, &out); err != nil {
		return nil, fmt.Errorf("decode chart values: %w", err)
	}
	maps.DeleteFunc(out, func(_ string, v any) bool { return v == nil })
	return out, nil
}

// checkUniqueNames returns an error if two objects of the instances have the same kind and name, or if a chart's
// Secret has the name of one of the operator's. The operator would otherwise write both in turn without end.
func (in Input) checkUniqueNames(instances []Instance) error {
	type name struct{ kind, name string }
	seen := map[name]bool{{"Secret", naming.DatabaseSuperuserSecret(in.Network.Name)}: true}
	for _, m := range in.Members {
		seen[name{"Secret", in.passwordSecret(m)}] = true
	}
	for _, i := range instances {
		for _, o := range slices.Concat(i.SetupObjects, i.ResetObjects, i.ServerObjects) {
			n := name{o.GetObjectKind().GroupVersionKind().Kind, o.GetName()}
			if seen[n] {
				return fmt.Errorf("database instance %s: %s %s exists twice: the chart must use other names", i.Name, n.kind, n.name)
			}
			seen[n] = true
		}
	}
	return nil
}

// labelChartObject sets the namespace and the labels of a chart's object. A user's chart may select its pods by
// its own labels, so a pod template keeps them and gets only those of the instance and the network. A
// disruption budget is narrowed to the instance's pods. The volumes of a StatefulSet are deleted with it.
func (in Input) labelChartObject(o *unstructured.Unstructured, instance string) error {
	o.SetNamespace(in.Network.Namespace)
	labels := o.GetLabels()
	if labels == nil {
		labels = map[string]string{}
	}
	maps.Copy(labels, naming.DatabaseLabels(in.Network.Name, instance))
	o.SetLabels(labels)
	switch o.GetKind() {
	case "StatefulSet":
		return errors.Join(
			unstructured.SetNestedField(o.Object, instance, "spec", "template", "metadata", "labels", InstanceLabel),
			unstructured.SetNestedField(o.Object, in.Network.Name, "spec", "template", "metadata", "labels", v1alpha1.LabelNetwork),
			unstructured.SetNestedField(o.Object, map[string]any{"whenDeleted": "Delete", "whenScaled": "Retain"},
				"spec", "persistentVolumeClaimRetentionPolicy"))
	case "PodDisruptionBudget":
		return unstructured.SetNestedField(o.Object, instance, "spec", "selector", "matchLabels", InstanceLabel)
	}
	return nil
}
