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

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"

	"github.com/benchnet/benchnet/internal/cli/cluster"
	"github.com/benchnet/benchnet/internal/cli/documents"
	"github.com/benchnet/benchnet/internal/experiment"
	"github.com/benchnet/benchnet/internal/report"
)

//go:embed README.md.tmpl
var readmeTemplates embed.FS

// Names of the files of a kit, besides its manifests.
const (
	kustomizationName = "kustomization.yaml"
	pinnedDirectory   = "pinned/"
	readmeName        = "README.md"
	reportName        = "report.html"
	resultName        = "result.json"
	runsDirectory     = "runs/"
)

func (b *Kit) buildFiles() (map[string][]byte, error) {
	files := map[string][]byte{resultName: b.Result}
	if err := addManifests(files, "", b.Objects); err != nil {
		return nil, err
	}
	if err := b.addPinnedManifests(files); err != nil {
		return nil, err
	}
	if b.Experiment != nil {
		for _, run := range b.Runs {
			files[runsDirectory+run.Run.Name+".json"] = run.Text
		}
	}
	var err error
	if files[reportName], err = b.renderReport(); err != nil {
		return nil, err
	}
	files[readmeName], err = b.renderReadme(files[pinnedDirectory+kustomizationName] != nil)
	return files, err
}

// addManifests adds objects as YAML, ConfigMaps as JSON, and a kustomization that lists them in order. A reader of JSON needs
// little memory for any content, and ConfigMaps can be large.
func addManifests(files map[string][]byte, directory string, objects []*unstructured.Unstructured) error {
	var resources []string
	for _, object := range objects {
		encode, extension := yaml.Marshal, ".yaml"
		if isConfigMap(object) {
			encode, extension = marshalJSON, ".json"
		}
		text, err := encode(object.Object)
		if err != nil {
			return fmt.Errorf("encode %s %s: %w", object.GetKind(), object.GetName(), err)
		}
		name := strings.ToLower(strings.TrimPrefix(object.GetKind(), "Benchmark")) + "-" + object.GetName() + extension
		files[directory+name] = text
		resources = append(resources, name)
	}
	text, err := yaml.Marshal(kustomization{APIVersion: "kustomize.config.k8s.io/v1beta1", Kind: "Kustomization", Resources: resources})
	if err != nil {
		return fmt.Errorf("encode the kustomization: %w", err)
	}
	files[directory+kustomizationName] = text
	return nil
}

// marshalJSON returns indented JSON with the characters of HTML as they are.
func marshalJSON(object any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err := encoder.Encode(object)
	return text.Bytes(), err
}

// kustomization lists the manifests in the order in which they are applied.
type kustomization struct {
	APIVersion string   `json:"apiVersion"`
	Kind       string   `json:"kind"`
	Resources  []string `json:"resources"`
}

// addPinnedManifests adds the manifests with images by digest, and Helm values with the digests of the other images, which
// are the project's own. It adds nothing if no image has a pinned reference.
func (b *Kit) addPinnedManifests(files map[string][]byte) error {
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
	var pinned []*unstructured.Unstructured
	for _, object := range b.Objects {
		object = object.DeepCopy()
		pinImages(object.Object, byName, overrides)
		pinned = append(pinned, object)
	}
	if err := addManifests(files, pinnedDirectory, pinned); err != nil {
		return err
	}
	var err error
	files[pinnedDirectory+"values.yaml"], err = yaml.Marshal(map[string]any{"imageOverrides": overrides})
	return err
}

// imageBaseName returns the last part of an image's path without its tag and digest: agent for
// ghcr.io/benchnet/agent:0.1.0.
func imageBaseName(reference string) string {
	repository, _, _ := strings.Cut(reference, "@")
	name, _, _ := strings.Cut(repository[strings.LastIndex(repository, "/")+1:], ":")
	return name
}

// pinImages returns a value with the images in it replaced. It changes maps and lists in place. It deletes the images that
// it replaces from overrides, because an image in a manifest needs no Helm value.
func pinImages(value any, byName, overrides map[string]string) any {
	switch v := value.(type) {
	case map[string]any:
		for key, inner := range v {
			v[key] = pinImages(inner, byName, overrides)
		}
	case []any:
		for i, inner := range v {
			v[i] = pinImages(inner, byName, overrides)
		}
	case string:
		if pinned, ok := byName[v]; ok {
			delete(overrides, imageBaseName(v))
			return pinned
		}
	}
	return value
}

// renderReport returns the report of the run or the experiment.
func (b *Kit) renderReport() ([]byte, error) {
	var page bytes.Buffer
	if b.Experiment == nil {
		err := report.WriteRunPage(&page, b.Runs[0].RunResult)
		return page.Bytes(), err
	}
	runs := documents.File{Runs: b.Runs}
	err := report.WriteExperimentPage(&page, b.Experiment, runs.RunResults(b.Target.Namespace))
	return page.Bytes(), err
}

func (b *Kit) renderReadme(pinned bool) ([]byte, error) {
	page, err := template.ParseFS(readmeTemplates, "README.md.tmpl")
	if err != nil {
		return nil, fmt.Errorf("read the template: %w", err)
	}
	var text bytes.Buffer
	err = page.Execute(&text, map[string]any{"Bundle": b, "Environment": b.Runs[0].Environment, "Pinned": pinned,
		"Experiment": b.Target.Kind == cluster.Experiment, "TooFewRuns": b.Experiment == nil || experiment.HasTooFewRunsToReproduce(b.Experiment),
		"Networks": slices.Sorted(maps.Keys(b.PlanHashes))})
	if err != nil {
		return nil, fmt.Errorf("write the README: %w", err)
	}
	return text.Bytes(), nil
}
