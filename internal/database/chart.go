package database

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"reflect"
	"regexp"
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
	"sigs.k8s.io/yaml"
)

// chart holds a chart's files. They are loaded anew for each rendering, since Helm changes a chart while it renders.
type chart struct{ files []*archive.BufferedFile }

// release is what a rendering depends on beside the chart.
type release struct {
	name, namespace, kubeVersion string
	values                       map[string]any
}

func embeddedChart(files fs.FS) (chart, error) {
	var c chart
	err := fs.WalkDir(files, ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := fs.ReadFile(files, name)
		c.files = append(c.files, &archive.BufferedFile{Name: name, Data: data})
		return err
	})
	if err != nil {
		return chart{}, fmt.Errorf("read the PostgreSQL chart: %w", err)
	}
	return c, nil
}

func archivedChart(tgz []byte) (chart, error) {
	files, err := archive.LoadArchiveFiles(bytes.NewReader(tgz))
	if err != nil {
		return chart{}, fmt.Errorf("read the chart's archive: %w", err)
	}
	return chart{files: files}, nil
}

// renderStable renders twice and refuses a chart whose objects differ: they would change at every reconcile.
func (c chart) renderStable(r release) ([]*unstructured.Unstructured, error) {
	first, err := c.render(r)
	if err != nil {
		return nil, err
	}
	second, err := c.render(r)
	if err != nil {
		return nil, err
	}
	for i := range first {
		if !reflect.DeepEqual(first[i], second[i]) {
			return nil, fmt.Errorf("%s %s differs at each rendering: give the chart existing Secrets instead of random values",
				first[i].GetKind(), first[i].GetName())
		}
	}
	return first, nil
}

// render gives the chart's objects in Helm's install order.
func (c chart) render(r release) ([]*unstructured.Unstructured, error) {
	loaded, err := loader.LoadFiles(c.files)
	if err != nil {
		return nil, fmt.Errorf("load the chart: %w", err)
	}
	caps, err := r.capabilities()
	if err != nil {
		return nil, err
	}
	if err := renderable(loaded, caps); err != nil {
		return nil, fmt.Errorf("chart %s: %w", loaded.Name(), err)
	}
	if err := chartutil.ProcessDependencies(loaded, r.values); err != nil {
		return nil, fmt.Errorf("chart %s: resolve dependencies: %w", loaded.Name(), err)
	}
	options := common.ReleaseOptions{Name: r.name, Namespace: r.namespace, Revision: 1, IsInstall: true}
	values, err := util.ToRenderValuesWithSchemaValidation(loaded, r.values, options, caps, remoteSchema(loaded))
	if err != nil {
		return nil, fmt.Errorf("chart %s: %w", loaded.Name(), err)
	}
	rendered, err := engine.Render(loaded, values)
	if err != nil {
		return nil, fmt.Errorf("chart %s: %w", loaded.Name(), err)
	}
	return decode(manifestsOf(rendered), r)
}

// defaultKubeVersion keeps renderings the same whatever Helm takes a binary's own default to be.
const defaultKubeVersion = "v1.34.0"

func (r release) capabilities() (*common.Capabilities, error) {
	version, err := common.ParseKubeVersion(cmp.Or(r.kubeVersion, defaultKubeVersion))
	if err != nil {
		return nil, fmt.Errorf("parse Kubernetes version %q: %w", r.kubeVersion, err)
	}
	caps := common.DefaultCapabilities.Copy()
	caps.KubeVersion = *version
	return caps, nil
}

// renderable refuses what rendering alone cannot do.
func renderable(c *chartv2.Chart, caps *common.Capabilities) error {
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

var remoteReference = regexp.MustCompile(`"\$ref"\s*:\s*"https?://`)

// remoteSchema tells whether checking the values would leave the process: such a schema is not checked.
func remoteSchema(c *chartv2.Chart) bool {
	return remoteReference.Match(c.Schema) || slices.ContainsFunc(c.Dependencies(), remoteSchema)
}

// manifestsOf leaves out partials and notes.
func manifestsOf(rendered map[string]string) map[string]string {
	out := make(map[string]string, len(rendered))
	for name, content := range rendered {
		base := path.Base(name)
		if !strings.HasPrefix(base, "_") && base != "NOTES.txt" {
			out[name] = content
		}
	}
	return out
}

// decode gives the objects in install order and refuses those that a network may not have.
func decode(files map[string]string, r release) ([]*unstructured.Unstructured, error) {
	hooks, manifests, err := releaseutil.SortManifests(files, nil, releaseutil.InstallOrder)
	if err != nil {
		return nil, fmt.Errorf("read the chart's objects: %w", err)
	}
	for _, h := range hooks {
		if !slices.Contains(h.Events, releasev1.HookTest) {
			return nil, fmt.Errorf("%s %s is a Helm hook, which nothing would run", h.Kind, h.Name)
		}
	}
	out := make([]*unstructured.Unstructured, 0, len(manifests))
	for _, m := range manifests {
		o := &unstructured.Unstructured{}
		if err := yaml.Unmarshal([]byte(m.Content), &o.Object); err != nil {
			return nil, fmt.Errorf("decode %s: %w", m.Name, err)
		}
		if err := r.admit(o); err != nil {
			return nil, fmt.Errorf("%s: %w", m.Name, err)
		}
		out = append(out, o)
	}
	return out, nil
}
