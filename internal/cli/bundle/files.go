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
var readmeTemplates embed.FS

// Files returns the files of the kit by path.
func (b *Kit) Files() (map[string][]byte, error) {
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
	if files["kustomization.yaml"], err = encodeKustomization(resources, nil); err != nil {
		return nil, err
	}
	if err := b.addPinnedOverlay(files); err != nil {
		return nil, err
	}
	var result bytes.Buffer
	if err := json.Indent(&result, b.Result, "", "  "); err != nil {
		return nil, fmt.Errorf("encode the result: %w", err)
	}
	files["result.json"] = append(result.Bytes(), '\n')
	files["README.md"], err = b.renderReadme(files["pinned/kustomization.yaml"] != nil)
	return files, err
}

// kustomizePatch patches one object.
type kustomizePatch struct {
	Target patchTarget `json:"target"`
	Patch  string      `json:"patch"`
}

type patchTarget struct {
	Kind string `json:"kind"`
	Name string `json:"name"`
}

func encodeKustomization(resources []string, patches []kustomizePatch) ([]byte, error) {
	text, err := yaml.Marshal(struct {
		APIVersion string           `json:"apiVersion"`
		Kind       string           `json:"kind"`
		Resources  []string         `json:"resources"`
		Patches    []kustomizePatch `json:"patches,omitempty"`
	}{"kustomize.config.k8s.io/v1beta1", "Kustomization", resources, patches})
	if err != nil {
		return nil, fmt.Errorf("encode the kustomization: %w", err)
	}
	return text, nil
}

// addPinnedOverlay adds an overlay that pins images by digest: those in the manifests by patches, and the
// project's own images by Helm values. It adds nothing if no image has a pinned reference.
func (b *Kit) addPinnedOverlay(files map[string][]byte) error {
	byName, overrides := map[string]string{}, map[string]string{}
	for _, image := range b.Images() {
		if image.Pinned != "" {
			byName[image.Name] = image.Pinned
			overrides[imageBaseName(image.Name)] = image.Pinned
		}
	}
	if len(byName) == 0 {
		return nil
	}
	var patches []kustomizePatch
	for _, object := range b.Objects {
		operations := imageReplacements(object.Object, "", byName, overrides)
		if len(operations) == 0 {
			continue
		}
		text, err := yaml.Marshal(operations)
		if err != nil {
			return fmt.Errorf("encode the patch of %s: %w", object.GetName(), err)
		}
		patches = append(patches, kustomizePatch{patchTarget{object.GetKind(), object.GetName()}, string(text)})
	}
	var err error
	if files["pinned/kustomization.yaml"], err = encodeKustomization([]string{".."}, patches); err != nil {
		return err
	}
	files["pinned/values.yaml"], err = yaml.Marshal(map[string]any{"imageOverrides": overrides})
	return err
}

// imageBaseName returns the last part of an image's path without its tag: agent for ghcr.io/benchnet/agent:0.1.0.
func imageBaseName(reference string) string {
	last := reference[strings.LastIndex(reference, "/")+1:]
	name, _, _ := strings.Cut(last, ":")
	return name
}

// jsonPatchOperation is an operation of a JSON patch (RFC 6902).
type jsonPatchOperation struct {
	Op    string `json:"op"`
	Path  string `json:"path"`
	Value string `json:"value"`
}

// imageReplacements returns the operations that replace images below path. It deletes the images that it
// replaces from overrides, because an image in a manifest needs no Helm value.
func imageReplacements(value any, path string, byName, overrides map[string]string) []jsonPatchOperation {
	var all []jsonPatchOperation
	switch v := value.(type) {
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(v)) {
			all = append(all, imageReplacements(v[key], path+"/"+escapePointerKey(key), byName, overrides)...)
		}
	case []any:
		for i, inner := range v {
			all = append(all, imageReplacements(inner, fmt.Sprintf("%s/%d", path, i), byName, overrides)...)
		}
	case string:
		if to, ok := byName[v]; ok {
			delete(overrides, imageBaseName(v))
			all = append(all, jsonPatchOperation{"replace", path, to})
		}
	}
	return all
}

// escapePointerKey escapes a key for a JSON pointer (RFC 6901).
func escapePointerKey(key string) string {
	return strings.NewReplacer("~", "~0", "/", "~1").Replace(key)
}

func (b *Kit) renderReadme(pinned bool) ([]byte, error) {
	page, err := template.ParseFS(readmeTemplates, "README.md.tmpl")
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
