package database

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"path"
	"reflect"
	"slices"
	"strings"

	"helm.sh/helm/v4/pkg/chart/common"
	"helm.sh/helm/v4/pkg/chart/common/util"
	"helm.sh/helm/v4/pkg/chart/loader/archive"
	chartv2 "helm.sh/helm/v4/pkg/chart/v2"
	"helm.sh/helm/v4/pkg/chart/v2/loader"
	chartutil "helm.sh/helm/v4/pkg/chart/v2/util"
	"helm.sh/helm/v4/pkg/engine"
	releasev1 "helm.sh/helm/v4/pkg/release/v1"
	releaseutil "helm.sh/helm/v4/pkg/release/v1/util"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"sigs.k8s.io/yaml"
)

// chartFiles holds a chart's files. Each rendering loads them again, since Helm changes a chart while rendering
// it.
type chartFiles struct{ files []*archive.BufferedFile }

// helmRelease is the input of a rendering besides the chart.
type helmRelease struct {
	name, namespace, kubeVersion string
	values                       map[string]any
}

func loadEmbeddedChart(files fs.FS) (chartFiles, error) {
	var c chartFiles
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := fs.ReadFile(files, name)
		c.files = append(c.files, &archive.BufferedFile{Name: name, Data: data})
		return err
	})
	if err != nil {
		return chartFiles{}, fmt.Errorf("read the PostgreSQL chart: %w", err)
	}
	return c, nil
}

// RenderRequest is the input of a rendering of a user's chart besides the chart itself.
type RenderRequest struct {
	Namespace string
	// KubeVersion is the version of the cluster; empty means v1.34.0.
	KubeVersion string
	// Instances are the names of the releases.
	Instances []string
	// Values apply to all instances. Each instance's name is its fullnameOverride unless the values set one.
	Values map[string]any
}

// RenderChart renders a user's packed chart (.tgz) and returns the objects of each instance. It rebuilds them
// from the fields that are allowed for a database, and fails for all others. Its errors are user errors. The
// chart decides how much time and memory rendering takes, so call it only in a process that may be killed.
func RenderChart(tgz []byte, request RenderRequest) ([][]*unstructured.Unstructured, error) {
	files, err := archive.LoadArchiveFiles(bytes.NewReader(tgz))
	if err != nil {
		return nil, fmt.Errorf("read the chart's archive: %w", err)
	}
	c := chartFiles{files: files}
	all := make([][]*unstructured.Unstructured, 0, len(request.Instances))
	for n, instance := range request.Instances {
		objects, err := c.renderInstance(request, instance, n == 0)
		if err != nil {
			return nil, fmt.Errorf("database instance %s: %w", instance, err)
		}
		all = append(all, objects)
	}
	return all, nil
}

// renderInstance returns the admitted objects of one instance. If stable is true, or if the chart calls a function with a
// random result, it renders twice and fails if the objects differ.
func (c chartFiles) renderInstance(request RenderRequest, instance string, stable bool) ([]*unstructured.Unstructured, error) {
	values := map[string]any{"fullnameOverride": instance}
	maps.Copy(values, request.Values)
	r := helmRelease{name: instance, namespace: request.Namespace, kubeVersion: request.KubeVersion, values: values}
	called := map[string]bool{}
	objects, err := c.renderTemplates(r, renderPass{1, called})
	if err != nil {
		return nil, err
	}
	if stable || len(called) > 0 {
		again, err := c.renderTemplates(r, renderPass{2, called})
		if err != nil {
			return nil, err
		}
		if err := compareRenderings(objects, again, called); err != nil {
			return nil, err
		}
	}
	return r.admitObjects(objects)
}

// compareRenderings returns an error that names the first field that differs between two renderings, and the called
// functions with a random result.
func compareRenderings(first, second []*unstructured.Unstructured, called map[string]bool) error {
	cause := ""
	if len(called) > 0 {
		cause = "; the chart calls " + strings.Join(slices.Sorted(maps.Keys(called)), ", ") + ": set the value, or name an existing Secret"
	}
	if len(first) != len(second) {
		return fmt.Errorf("it has %d objects in one rendering and %d in the next%s", len(first), len(second), cause)
	}
	for i := range first {
		if path := firstDifference(nil, first[i].Object, second[i].Object); path != nil {
			return fmt.Errorf("%s %s: %s differs at each rendering%s", first[i].GetKind(), first[i].GetName(), path, cause)
		}
	}
	return nil
}

// firstDifference returns the path of the first field in which two values differ, or nil. The root differs only in its
// fields.
func firstDifference(path *field.Path, a, b any) *field.Path {
	switch a := a.(type) {
	case map[string]any:
		b, ok := b.(map[string]any)
		if !ok {
			return path
		}
		for _, key := range slices.Sorted(maps.Keys(a)) {
			if found := firstDifference(path.Child(key), a[key], b[key]); found != nil {
				return found
			}
		}
		for _, key := range slices.Sorted(maps.Keys(b)) {
			if _, known := a[key]; !known {
				return path.Child(key)
			}
		}
		return nil
	case []any:
		b, ok := b.([]any)
		if !ok || len(a) != len(b) {
			return path
		}
		for i := range a {
			if found := firstDifference(path.Index(i), a[i], b[i]); found != nil {
				return found
			}
		}
		return nil
	}
	if reflect.DeepEqual(a, b) {
		return nil
	}
	return path
}

// renderTemplates returns the chart's objects in Helm's install order.
func (c chartFiles) renderTemplates(r helmRelease, pass renderPass) ([]*unstructured.Unstructured, error) {
	loaded, err := loader.LoadFiles(c.files)
	if err != nil {
		return nil, fmt.Errorf("load the chart: %w", err)
	}
	caps, err := r.helmCapabilities()
	if err != nil {
		return nil, err
	}
	if err := checkRenderable(loaded, caps); err != nil {
		return nil, fmt.Errorf("chart %s: %w", loaded.Name(), err)
	}
	if err := chartutil.ProcessDependencies(loaded, r.values); err != nil {
		return nil, fmt.Errorf("chart %s: resolve dependencies: %w", loaded.Name(), err)
	}
	options := common.ReleaseOptions{Name: r.name, Namespace: r.namespace, Revision: 1, IsInstall: true}
	// Helm's own validation would load the documents to which the schema refers.
	values, err := util.ToRenderValuesWithSchemaValidation(loaded, r.values, options, caps, true)
	if err != nil {
		return nil, fmt.Errorf("chart %s: %w", loaded.Name(), err)
	}
	if err := validateValues(loaded, asTable(values["Values"])); err != nil {
		return nil, fmt.Errorf("chart %s: %w", loaded.Name(), err)
	}
	rendered, err := engine.Engine{CustomTemplateFuncs: pass.templateFunctions()}.RenderWithContext(context.Background(), loaded, values)
	if err != nil {
		return nil, fmt.Errorf("chart %s: %w", loaded.Name(), err)
	}
	maps.DeleteFunc(rendered, func(name, _ string) bool { // Partials and notes are no objects.
		return strings.HasPrefix(path.Base(name), "_") || path.Base(name) == "NOTES.txt"
	})
	return decodeManifests(rendered)
}

// defaultKubeVersion makes renderings independent of the default that is compiled into Helm.
const defaultKubeVersion = "v1.34.0"

func (r helmRelease) helmCapabilities() (*common.Capabilities, error) {
	version, err := common.ParseKubeVersion(cmp.Or(r.kubeVersion, defaultKubeVersion))
	if err != nil {
		return nil, fmt.Errorf("parse Kubernetes version %q: %w", r.kubeVersion, err)
	}
	caps := common.DefaultCapabilities.Copy()
	caps.KubeVersion = *version
	return caps, nil
}

// checkRenderable returns an error if the chart needs more than rendering, such as the installation of CRDs.
func checkRenderable(c *chartv2.Chart, caps *common.Capabilities) error {
	if c.Metadata.Type == "library" {
		return errors.New("is a library chart and has no objects")
	}
	if len(c.CRDObjects()) > 0 {
		return errors.New("has CustomResourceDefinitions: install them with the cluster, not with a network")
	}
	if want := c.Metadata.KubeVersion; want != "" && !chartutil.IsCompatibleRange(want, caps.KubeVersion.String()) {
		return fmt.Errorf("needs Kubernetes %s, this is %s", want, caps.KubeVersion.String())
	}
	for _, d := range c.Metadata.Dependencies {
		packed := slices.ContainsFunc(c.Dependencies(), func(sub *chartv2.Chart) bool { return sub.Name() == d.Name })
		if !packed {
			return fmt.Errorf("dependency %s is not packed into it: run helm dependency update before helm package", d.Name)
		}
	}
	return nil
}

// decodeManifests returns the objects in install order, without those of Helm's tests. It fails for all other
// hooks.
func decodeManifests(files map[string]string) ([]*unstructured.Unstructured, error) {
	hooks, manifests, err := releaseutil.SortManifests(files, nil, releaseutil.InstallOrder)
	if err != nil {
		return nil, fmt.Errorf("read the chart's objects: %w", err)
	}
	for _, h := range hooks {
		if !slices.Contains(h.Events, releasev1.HookTest) {
			return nil, fmt.Errorf("%s %s is a Helm hook, and hooks are not run", h.Kind, h.Name)
		}
	}
	out := make([]*unstructured.Unstructured, 0, len(manifests))
	for _, m := range manifests {
		o := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(m.Content), &o.Object); err != nil {
			return nil, fmt.Errorf("decode %s: %w", m.Name, err)
		}
		out = append(out, o)
	}
	return out, nil
}
