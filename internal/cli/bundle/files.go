package bundle

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"text/template"

	"sigs.k8s.io/yaml"

	"github.com/benchnet/benchnet/internal/cli/cluster"
)

//go:embed README.md.tmpl
var templates embed.FS

// Files of the bundle by their paths in it.
func (b *Bundle) Files() (map[string][]byte, error) {
	files := map[string][]byte{}
	var resources []string
	for _, object := range b.Objects {
		text, err := yaml.Marshal(object.Object)
		if err != nil {
			return nil, fmt.Errorf("encode %s %s: %w", object.GetKind(), object.GetName(), err)
		}
		name := strings.ToLower(strings.TrimPrefix(object.GetKind(), "Benchmark")) + "-" + object.GetName() + ".yaml"
		files[name] = text
		resources = append(resources, name)
	}
	var err error
	if files["kustomization.yaml"], err = kustomization(resources, nil); err != nil {
		return nil, err
	}
	if err := b.pin(files); err != nil {
		return nil, err
	}
	var result bytes.Buffer
	if err := json.Indent(&result, b.Result, "", "  "); err != nil {
		return nil, fmt.Errorf("encode the result: %w", err)
	}
	files["result.json"] = append(result.Bytes(), '\n')
	files["README.md"], err = b.readme(files["pinned/kustomization.yaml"] != nil)
	return files, err
}

// patch of one object.
type patch struct {
	Target patchTarget `json:"target"`
	Patch  string      `json:"patch"`
}

type patchTarget struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
}

func kustomization(resources []string, patches []patch) ([]byte, error) {
	text, err := yaml.Marshal(struct {
		APIVersion string   `json:"apiVersion"`
		Kind       string   `json:"kind"`
		Resources  []string `json:"resources"`
		Patches    []patch  `json:"patches,omitempty"`
	}{"kustomize.config.k8s.io/v1beta1", "Kustomization", resources, patches})
	if err != nil {
		return nil, fmt.Errorf("encode the kustomization: %w", err)
	}
	return text, nil
}

// pin adds an overlay with images by their digests: those that the manifests name, and, as Helm values, the project's own.
func (b *Bundle) pin(files map[string][]byte) error {
	byName, overrides := map[string]string{}, map[string]string{}
	for _, image := range b.Images() {
		if image.Pinned != "" {
			byName[image.Name] = image.Pinned
			overrides[projectName(image.Name)] = image.Pinned
		}
	}
	if len(byName) == 0 {
		return nil
	}
	var patches []patch
	for _, object := range b.Objects {
		operations := pins(object.Object, "", byName, overrides)
		if len(operations) == 0 {
			continue
		}
		text, err := yaml.Marshal(operations)
		if err != nil {
			return fmt.Errorf("encode the patch of %s: %w", object.GetName(), err)
		}
		patches = append(patches, patch{patchTarget{object.GetKind(), object.GetName()}, string(text)})
	}
	var err error
	if files["pinned/kustomization.yaml"], err = kustomization([]string{".."}, patches); err != nil {
		return err
	}
	files["pinned/values.yaml"], err = yaml.Marshal(map[string]any{"imageOverrides": overrides})
	return err
}

// projectName of an image is the last part of its path: ghcr.io/benchnet/agent:0.1.0 is agent.
func projectName(reference string) string {
	last := reference[strings.LastIndex(reference, "/")+1:]
	name, _, _ := strings.Cut(last, ":")
	return name
}

// operation of a JSON patch (RFC 6902).
type operation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value string `json:"value"`
}

// pins are the operations that replace images under the path. An image that a manifest names needs no override of the project's.
func pins(value any, path string, byName, overrides map[string]string) []operation {
	var all []operation
	switch v := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			all = append(all, pins(v[key], path+"/"+escape(key), byName, overrides)...)
		}
	case []any:
		for i, inner := range v {
			all = append(all, pins(inner, fmt.Sprintf("%s/%d", path, i), byName, overrides)...)
		}
	case string:
		if to, ok := byName[v]; ok {
			delete(overrides, projectName(v))
			all = append(all, operation{"replace", path, to})
		}
	}
	return all
}

// escape a key for a JSON pointer (RFC 6901).
func escape(key string) string { return strings.NewReplacer("~", "~0", "/", "~1").Replace(key) }

func (b *Bundle) readme(pinned bool) ([]byte, error) {
	page, err := template.ParseFS(templates, "README.md.tmpl")
	if err != nil {
		return nil, fmt.Errorf("read the template: %w", err)
	}
	var text bytes.Buffer
	err = page.Execute(&text, map[string]any{"Bundle": b, "Environment": b.Environments[0], "Pinned": pinned,
		"Experiment": b.Target.Kind == cluster.Experiment, "Networks": slices.Sorted(maps.Keys(b.PlanHashes))})
	if err != nil {
		return nil, fmt.Errorf("write the README: %w", err)
	}
	return text.Bytes(), nil
}
