package cluster

import (
	"context"
	"fmt"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// Kind is a benchnet kind, by the short name of its resource.
type Kind string

// The kinds, in the order in which FindTarget tries them.
const (
	Experiment Kind = "bexp"
	Network    Kind = "bnet"
	Run        Kind = "brun"
)

// Kinds lists all kinds.
var Kinds = []Kind{Experiment, Network, Run}

// kindSpellings maps the spellings that kubectl accepts to kinds.
var kindSpellings = map[string]Kind{
	"bexp": Experiment, "benchmarkexperiment": Experiment, "benchmarkexperiments": Experiment,
	"bnet": Network, "benchmarknetwork": Network, "benchmarknetworks": Network,
	"brun": Run, "benchmarkrun": Run, "benchmarkruns": Run,
}

// ParseKind parses a resource name or an object's kind.
func ParseKind(word string) (Kind, bool) {
	word = strings.ToLower(word)
	word = strings.TrimSuffix(strings.TrimSuffix(word, "."+v1alpha1.GroupVersion.Group), "."+v1alpha1.GroupVersion.Version)
	k, ok := kindSpellings[word]
	return k, ok
}

// Plural returns the plural name of the resource.
func (k Kind) Plural() string {
	return strings.ToLower(k.objectKind()) + "s"
}

func (k Kind) objectKind() string {
	return map[Kind]string{Experiment: "BenchmarkExperiment", Network: "BenchmarkNetwork", Run: "BenchmarkRun"}[k]
}

// NewObject returns an empty object of the kind.
func (k Kind) NewObject() client.Object {
	switch k {
	case Experiment:
		return &v1alpha1.BenchmarkExperiment{}
	case Network:
		return &v1alpha1.BenchmarkNetwork{}
	default:
		return &v1alpha1.BenchmarkRun{}
	}
}

// Target identifies one benchnet object.
type Target struct {
	Kind      Kind
	Namespace string
	Name      string
}

// Key returns the object's key.
func (t Target) Key() client.ObjectKey { return client.ObjectKey{Namespace: t.Namespace, Name: t.Name} }

// String returns the target as kubectl names it: bnet/two-banks.
func (t Target) String() string { return string(t.Kind) + "/" + t.Name }

// FindTarget returns the object that a user named KIND/NAME or NAME. It fails if no object of the given kinds
// has the name, or more than one.
func (c *Connection) FindTarget(ctx context.Context, text string, kinds ...Kind) (Target, error) {
	if word, name, ok := strings.Cut(text, "/"); ok {
		kind, known := ParseKind(word)
		if !known || !slices.Contains(kinds, kind) {
			return Target{}, fmt.Errorf("%q: %q is not a kind that fits here, which are %s", text, word, joinKinds(kinds))
		}
		kinds, text = []Kind{kind}, name
	}
	if text == "" {
		return Target{}, fmt.Errorf("the name is empty: give NAME or KIND/NAME, KIND being one of %s", joinKinds(kinds))
	}
	var found []Target
	for _, kind := range kinds {
		target := Target{Kind: kind, Namespace: c.Namespace, Name: text}
		err := c.Client.Get(ctx, target.Key(), kind.NewObject())
		if err == nil {
			found = append(found, target)
		} else if !apierrors.IsNotFound(err) || len(kinds) == 1 {
			return Target{}, err
		}
	}
	switch len(found) {
	case 1:
		return found[0], nil
	case 0:
		return Target{}, apierrors.NewNotFound(schema.GroupResource{Group: v1alpha1.GroupVersion.Group, Resource: joinPlurals(kinds)}, text)
	}
	return Target{}, fmt.Errorf("%q is the name of %s and of %s: say which", text, found[0], found[1])
}

// ListNames returns the names of all objects of the given kinds in the namespace. A name of several kinds is KIND/NAME.
func (c *Connection) ListNames(ctx context.Context, kinds ...Kind) ([]string, error) {
	count := map[string]int{}
	var all []Target
	for _, kind := range kinds {
		names, err := c.listNames(ctx, v1alpha1.GroupVersion.WithKind(kind.objectKind()+"List"), client.InNamespace(c.Namespace))
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			count[name]++
			all = append(all, Target{Kind: kind, Namespace: c.Namespace, Name: name})
		}
	}
	texts := make([]string, 0, len(all))
	for _, target := range all {
		if count[target.Name] == 1 {
			texts = append(texts, target.Name)
		} else {
			texts = append(texts, target.String())
		}
	}
	return texts, nil
}

// listNames returns the names of the objects in a list of the given kind.
func (c *Connection) listNames(ctx context.Context, kind schema.GroupVersionKind, options ...client.ListOption) ([]string, error) {
	list := &metav1.PartialObjectMetadataList{}
	list.SetGroupVersionKind(kind)
	if err := c.Client.List(ctx, list, options...); err != nil {
		return nil, err
	}
	names := make([]string, 0, len(list.Items))
	for _, item := range list.Items {
		names = append(names, item.Name)
	}
	return names, nil
}

func joinKinds(kinds []Kind) string {
	words := make([]string, 0, len(kinds))
	for _, k := range kinds {
		words = append(words, string(k))
	}
	return strings.Join(words, ", ")
}

func joinPlurals(kinds []Kind) string {
	words := make([]string, 0, len(kinds))
	for _, k := range kinds {
		words = append(words, k.Plural())
	}
	return strings.Join(words, "|")
}

// ListNamespaces returns the names of the cluster's namespaces.
func (c *Connection) ListNamespaces(ctx context.Context) ([]string, error) {
	return c.listNames(ctx, corev1.SchemeGroupVersion.WithKind("NamespaceList"))
}
