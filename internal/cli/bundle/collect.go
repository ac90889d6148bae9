// Package bundle writes and checks bundles. A bundle is one file with everything needed to judge and to repeat a run or an
// experiment: manifests with explicit defaults, images by digest, results, report, seeds and versions.
package bundle

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/cli/cluster"
	"github.com/benchnet/benchnet/internal/cli/documents"
	"github.com/benchnet/benchnet/internal/experiment"
	"github.com/benchnet/benchnet/internal/naming"
)

// Kit is the content of a bundle: the manifests, and the results of the original runs.
type Kit struct {
	// Target is the run or experiment to repeat.
	Target cluster.Target
	// Objects are the objects to apply, in order.
	Objects []*unstructured.Unstructured
	// LeftOut lists the objects that the kit lacks, with the reasons.
	LeftOut []string
	// Result is the JSON document of the original result.
	Result []byte
	// Experiment is the decoded result of an experiment; nil for a run.
	Experiment *experiment.Result
	// Runs holds the results of the runs. The README shows the environment of the first one.
	Runs []*documents.Run
	// PlanHashes holds the plan hashes by network name.
	PlanHashes map[string]string
	// Seed is the seed of an experiment.
	Seed int64
}

// Collect collects the kit of a run or an experiment. It fails if the target has no result yet.
func Collect(ctx context.Context, c *cluster.Connection, target cluster.Target) (*Kit, error) {
	b := &Kit{Target: target, PlanHashes: map[string]string{}}
	runs, err := c.ListRuns(ctx, target)
	if err != nil {
		return nil, err
	}
	if target.Kind == cluster.Experiment {
		err = b.addExperiment(ctx, c)
	} else {
		err = b.addRun(ctx, c, &runs[0])
	}
	if err != nil {
		return nil, err
	}
	if err := b.addRuns(ctx, c, runs); err != nil {
		return nil, err
	}
	return b, b.addReferencedConfigMaps(ctx, c)
}

func (b *Kit) addExperiment(ctx context.Context, c *cluster.Connection) error {
	e := &v1alpha1.BenchmarkExperiment{}
	if err := c.Client.Get(ctx, b.Target.Key(), e); err != nil {
		return err
	}
	document, err := c.ReadExperimentDocument(ctx, e)
	if err != nil {
		return err
	}
	b.Result, b.Experiment, b.Seed = document.Text, document.Result, document.Seed
	object, err := c.GetManifest(ctx, b.Target)
	if err != nil {
		return err
	}
	if e.Spec.Order.Type == v1alpha1.OrderShuffled {
		if err := unstructured.SetNestedField(object.Object, document.Seed, "spec", "order", "seed"); err != nil {
			return fmt.Errorf("set the seed: %w", err)
		}
	}
	b.Objects = append(b.Objects, object)
	return nil
}

// addRun adds the result, the network and the run. It omits the network if it has changed since the run, and the run if the
// network's workloads create it.
func (b *Kit) addRun(ctx context.Context, c *cluster.Connection, run *v1alpha1.BenchmarkRun) error {
	document, err := c.ReadRunDocument(ctx, run)
	if err != nil {
		return err
	}
	b.Result = document.Text
	network, err := b.getNetworkManifest(ctx, c, run, document.Environment.PlanHash)
	if err != nil {
		return err
	}
	if network != nil {
		b.Objects = append(b.Objects, network)
		if isNetworkWorkload(network, run) {
			return nil
		}
	}
	object, err := c.GetManifest(ctx, b.Target)
	if err != nil {
		return err
	}
	b.Objects = append(b.Objects, object)
	return nil
}

// getNetworkManifest returns the manifest of the run's network. It returns nil, and records why the network is left out, if the
// plan of the network no longer has the hash, which is that of the run.
func (b *Kit) getNetworkManifest(ctx context.Context, c *cluster.Connection, run *v1alpha1.BenchmarkRun, planHash string) (*unstructured.Unstructured, error) {
	live := &v1alpha1.BenchmarkNetwork{}
	err := c.Client.Get(ctx, client.ObjectKey{Namespace: run.Namespace, Name: run.Spec.NetworkName}, live)
	if err == nil && !live.HasPlan(planHash) {
		b.LeftOut = append(b.LeftOut, fmt.Sprintf("BenchmarkNetwork %s has changed since the run", live.Name))
		return nil, nil
	}
	if client.IgnoreNotFound(err) != nil {
		return nil, err
	}
	return c.GetNetworkManifest(ctx, run)
}

// isNetworkWorkload reports whether the run belongs to one of the network's workloads.
func isNetworkWorkload(network *unstructured.Unstructured, run *v1alpha1.BenchmarkRun) bool {
	workloads, _, err := unstructured.NestedSlice(network.Object, "spec", "workloads")
	if err != nil {
		return false
	}
	return slices.ContainsFunc(workloads, func(w any) bool {
		of, ok := w.(map[string]any)
		return ok && run.Name == naming.WorkloadRun(network.GetName(), fmt.Sprint(of["name"]))
	})
}

// addRuns adds the results of the runs that have one.
func (b *Kit) addRuns(ctx context.Context, c *cluster.Connection, runs []v1alpha1.BenchmarkRun) error {
	var err error
	if b.Runs, err = c.ReadRunDocuments(ctx, runs); err != nil {
		return err
	}
	for _, document := range b.Runs {
		b.PlanHashes[document.Run.Network] = document.Environment.PlanHash
	}
	if len(b.Runs) == 0 {
		return cluster.NoRunResultError(b.Target, runs)
	}
	return nil
}

// addReferencedConfigMaps adds the ConfigMaps that the manifests name: charts, test plans, stored results.
func (b *Kit) addReferencedConfigMaps(ctx context.Context, c *cluster.Connection) error {
	names := map[string]bool{}
	for _, object := range b.Objects {
		collectConfigMapNames(object.Object, names)
	}
	var found []*unstructured.Unstructured
	for _, name := range slices.Sorted(maps.Keys(names)) {
		live := &unstructured.Unstructured{}
		live.SetGroupVersionKind(schema.GroupVersionKind{Version: "v1", Kind: "ConfigMap"})
		err := c.Client.Get(ctx, client.ObjectKey{Namespace: b.Target.Namespace, Name: name}, live)
		if apierrors.IsNotFound(err) {
			b.LeftOut = append(b.LeftOut, "ConfigMap "+name+" no longer exists")
			continue
		}
		if err != nil {
			return err
		}
		found = append(found, cluster.ToMinimalManifest(live))
	}
	b.Objects = append(found, b.Objects...)
	return nil
}

// collectConfigMapNames adds the values of all configMapName fields to into.
func collectConfigMapNames(value any, into map[string]bool) {
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			if name, ok := inner.(string); ok && key == "configMapName" {
				into[name] = true
			}
			collectConfigMapNames(inner, into)
		}
	case []any:
		for _, inner := range v {
			collectConfigMapNames(inner, into)
		}
	}
}

// Images returns the images of all runs, sorted by name.
func (b *Kit) Images() []Image {
	byName := map[string]Image{}
	for _, run := range b.Runs {
		for _, i := range run.Environment.Images {
			byName[i.Name] = Image{Name: i.Name, Digest: i.Digest, Pinned: pinnedReference(i.Digest)}
		}
	}
	images := slices.Collect(maps.Values(byName))
	slices.SortFunc(images, func(a, b Image) int { return cmp.Compare(a.Name, b.Name) })
	return images
}

// Image is an image of a run.
type Image struct {
	Name, Digest string
	// Pinned is the reference by digest; empty if the node did not pull the image from a registry.
	Pinned string
}

// pinnedReference returns REPOSITORY@DIGEST if the image came from a registry, else an empty string.
func pinnedReference(digest string) string {
	repository, sum, ok := strings.Cut(digest, "@")
	if !ok || !strings.HasPrefix(sum, "sha256:") || strings.HasPrefix(repository, "import-") {
		return ""
	}
	return repository + "@" + sum
}
