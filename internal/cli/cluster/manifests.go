package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/resource"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/experiment"
)

// ReadManifests reads objects from files, directories, URLs, standard input (-) or a kustomization, as kubectl apply does.
func (c *Connection) ReadManifests(files resource.FilenameOptions, in io.Reader) ([]*unstructured.Unstructured, error) {
	if err := files.RequireFilenameOrKustomize(); err != nil {
		return nil, err
	}
	builder := resource.NewBuilder(c.flags).Unstructured().ContinueOnError().NamespaceParam(c.Namespace).DefaultNamespace()
	named := slices.DeleteFunc(slices.Clone(files.Filenames), func(name string) bool { return name == "-" })
	if len(named) < len(files.Filenames) {
		builder.Stream(in, "standard input")
	}
	files.Filenames = named
	infos, err := builder.FilenameParam(c.enforceNamespace, &files).Flatten().Do().Infos()
	if err != nil {
		return nil, err
	}
	var objects []*unstructured.Unstructured
	for _, info := range infos {
		object, ok := info.Object.(*unstructured.Unstructured)
		if !ok {
			return nil, fmt.Errorf("read %s: %T is not an object", info.Source, info.Object)
		}
		objects = append(objects, object)
	}
	if len(objects) == 0 {
		return nil, errors.New("no objects passed to the command")
	}
	return objects, nil
}

// TargetOf returns the target of an object; ok reports whether the object is of a benchnet kind.
func TargetOf(object *unstructured.Unstructured) (target Target, ok bool) {
	if object.GroupVersionKind().Group != v1alpha1.GroupVersion.Group {
		return Target{}, false
	}
	kind, ok := ParseKind(object.GetKind())
	return Target{Kind: kind, Namespace: object.GetNamespace(), Name: object.GetName()}, ok
}

// ApplyMode selects whether an apply is persisted.
type ApplyMode string

// Apply modes.
const (
	// ApplyPersistent stores the object.
	ApplyPersistent ApplyMode = "Persist"
	// ApplyDryRun lets the API server validate and default the object without storing it.
	ApplyDryRun ApplyMode = "DryRun"
)

// Apply applies an object with server-side apply and updates it with the API server's response, including defaults.
func (c *Connection) Apply(ctx context.Context, object *unstructured.Unstructured, mode ApplyMode) error {
	options := []client.ApplyOption{client.FieldOwner(FieldManager)}
	if mode == ApplyDryRun {
		options = append(options, client.DryRunAll)
	}
	if err := c.Client.Apply(ctx, client.ApplyConfigurationFromUnstructured(object), options...); err != nil {
		return explainApplyError(object, err)
	}
	return nil
}

// textTypeErrors are parts of the API server's errors for a number or a boolean where the schema has text or a quantity.
var textTypeErrors = []string{"expected string, got &value.valueUnstructured", "must be of type string: ", "must be of type integer,string: "}

// explainApplyError adds a summary to a conflict error, which itself lists the field managers, says what renamed fields are called now,
// and how YAML writes text.
func explainApplyError(object *unstructured.Unstructured, err error) error {
	isOfTextType := func(part string) bool { return strings.Contains(err.Error(), part) }
	renamed := v1alpha1.DescribeRenamedFields(err.Error())
	switch {
	case renamed != "":
		return fmt.Errorf("%w\n%s", err, renamed)
	case apierrors.IsConflict(err):
		return fmt.Errorf("%s %s was applied by somebody else: %w", object.GetKind(), object.GetName(), err)
	case slices.ContainsFunc(textTypeErrors, isOfTextType):
		return fmt.Errorf("%w\nput the value in quotes, as in \"4.10\", \"0.5\" or \"off\": without them YAML reads a number or a boolean", err)
	}
	return err
}

// DecodeTyped converts an object into a typed one, by way of JSON as the API server does: a field of type Text may be a number.
func DecodeTyped(object *unstructured.Unstructured, into client.Object) error {
	content, err := object.MarshalJSON()
	if err == nil {
		err = json.Unmarshal(content, into)
	}
	if err != nil {
		return fmt.Errorf("read %s %s: %w", object.GetKind(), object.GetName(), err)
	}
	return nil
}

// GetManifest returns an object as a user would apply it, without status and server-set metadata.
func (c *Connection) GetManifest(ctx context.Context, target Target) (*unstructured.Unstructured, error) {
	live := &unstructured.Unstructured{}
	live.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind(target.Kind.objectKind()))
	if err := c.Client.Get(ctx, target.Key(), live); err != nil {
		return nil, err
	}
	return ToMinimalManifest(live), nil
}

// ToMinimalManifest returns only the kind, name, namespace and spec of an object, or the data of a ConfigMap.
func ToMinimalManifest(live *unstructured.Unstructured) *unstructured.Unstructured {
	bare := &unstructured.Unstructured{Object: map[string]any{}}
	for _, key := range []string{"spec", "data", "binaryData"} {
		if value, ok := live.Object[key]; ok {
			bare.Object[key] = value
		}
	}
	bare.SetGroupVersionKind(live.GroupVersionKind())
	bare.SetName(live.GetName())
	bare.SetNamespace(live.GetNamespace())
	return bare
}

// GetNetworkManifest returns the manifest of a run's network. An experiment's network is deleted after its
// runs; its manifest is then rebuilt from the experiment's design.
func (c *Connection) GetNetworkManifest(ctx context.Context, run *v1alpha1.BenchmarkRun) (*unstructured.Unstructured, error) {
	target := Target{Kind: Network, Namespace: run.Namespace, Name: run.Spec.NetworkName}
	live, err := c.GetManifest(ctx, target)
	name := run.Labels[v1alpha1.LabelExperiment]
	if !apierrors.IsNotFound(err) || name == "" {
		return live, err
	}
	var e v1alpha1.BenchmarkExperiment
	if err := c.Client.Get(ctx, client.ObjectKey{Namespace: run.Namespace, Name: name}, &e); err != nil {
		return nil, err
	}
	design, err := experiment.NewDesign(&e)
	if err != nil {
		return nil, err
	}
	for i := range design.Networks {
		if design.Networks[i].Name == target.Name {
			return c.dryRunNetwork(ctx, design.Networks[i].BuildNetwork(&e))
		}
	}
	return nil, fmt.Errorf("experiment %s has no network %s", name, target.Name)
}

// dryRunNetwork returns the manifest of a network with the API server's defaults.
func (c *Connection) dryRunNetwork(ctx context.Context, network *v1alpha1.BenchmarkNetwork) (*unstructured.Unstructured, error) {
	if err := c.Client.Create(ctx, network, client.DryRunAll, client.FieldOwner(FieldManager)); err != nil {
		return nil, err
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(network)
	if err != nil {
		return nil, fmt.Errorf("encode network %s: %w", network.Name, err)
	}
	object := &unstructured.Unstructured{Object: content}
	object.SetGroupVersionKind(v1alpha1.GroupVersion.WithKind(Network.objectKind()))
	return ToMinimalManifest(object), nil
}
