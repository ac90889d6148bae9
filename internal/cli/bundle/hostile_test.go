package bundle

import (
	"archive/tar"
	"bytes"
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/yaml"
)

// maxAllocatedBytes bounds what the reading of a hostile bundle allocates in all.
const maxAllocatedBytes = 64 << 20

// TestHostileBundlesTakeLittleMemory reads bundles of at most 1 MiB that unpack to much, with fields that decode to much.
func TestHostileBundlesTakeLittleMemory(t *testing.T) {
	file := func(name, content string) tarEntry {
		return tarEntry{tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: fileMode}, content}
	}
	listing := func(names ...string) tarEntry {
		return file(kustomizationName, "resources: ["+strings.Join(names, ", ")+"]\n")
	}
	var large []tarEntry
	for i := range 30 {
		large = append(large, file(fmt.Sprintf("%d.json", i), strings.Repeat(" ", maxConfigMapBytes)))
	}
	const network = "{apiVersion: benchnet.dev/v1alpha1, kind: BenchmarkNetwork, spec: ["
	dense := network + strings.Repeat("a,", 65_000) + "]}"
	for name, test := range map[string]struct {
		entries []tarEntry
		want    string
	}{
		"kept files":                 {large, "all but report.html and runs/ have more than 33554432 bytes"},
		"large manifest":             {[]tarEntry{file("n.yaml", strings.Repeat(" ", maxManifestBytes+1))}, `"n.yaml" has 131073 bytes, at most 131072 are allowed`},
		"many nodes of YAML":         {[]tarEntry{listing("n.yaml", "m.yaml"), file("n.yaml", dense), file("m.yaml", dense)}, "result.json is missing"},
		"many manifests in YAML":     {[]tarEntry{listing("n.yaml", "m.yaml", "o.yaml"), file("n.yaml", network+"]}"), file("m.yaml", network+"]}"), file("o.yaml", network+"]}")}, "lists more than 2 manifests in YAML"},
		"one manifest many times":    {[]tarEntry{listing("c.json", "c.json"), file("c.json", `{"apiVersion": "v1", "kind": "ConfigMap"}`)}, "or twice"},
		"many keys of a ConfigMap":   {[]tarEntry{listing("c.json"), file("c.json", `{"apiVersion":"v1","kind":"ConfigMap","data":{`+manyKeys()+`}}`)}, "has 1200 keys in data, at most 1000 are allowed"},
		"many owners of a ConfigMap": {[]tarEntry{listing("c.json"), file("c.json", `{"apiVersion":"v1","kind":"ConfigMap","metadata":{"ownerReferences":[`+strings.TrimSuffix(strings.Repeat("{},", 600_000), ",")+`]}}`)}, "is named by none"},
		"result with packed results": {[]tarEntry{listing(), file(resultName, `{"kind":"List","items":[]}`)}, `kind of result.json is "List", must be RunResult or ExperimentResult`},
	} {
		t.Run(name, func(t *testing.T) {
			packed := packEntries(t, test.entries...)
			if len(packed) > 1<<20 {
				t.Fatalf("the bundle has %d bytes", len(packed))
			}
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			b, err := Read(bytes.NewReader(packed))
			if err == nil {
				_, err = b.Manifests("lab")
			}
			if err == nil {
				_, err = b.Result()
			}
			runtime.ReadMemStats(&after)
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
			if allocated := after.TotalAlloc - before.TotalAlloc; allocated > maxAllocatedBytes {
				t.Errorf("allocated %d MiB, at most %d are allowed", allocated>>20, maxAllocatedBytes>>20)
			}
		})
	}
}

// manyKeys returns 1200 fields of a JSON object.
func manyKeys() string {
	fields := make([]string, 1200)
	for i := range fields {
		fields[i] = fmt.Sprintf(`"%d":""`, i)
	}
	return strings.Join(fields, ",")
}

const hostileMetadata = `{"name": "c", "namespace": "kube-system", "generateName": "x", "labels": {"a": "b"}, "annotations": {"a": "b"}, "finalizers": ["a/b"],
 "ownerReferences": [{"apiVersion": "v1", "kind": "Pod", "name": "p", "uid": "u"}], "uid": "u"}`

// TestManifestsHaveOnlyTheirNames checks that no other metadata of a bundle is applied.
func TestManifestsHaveOnlyTheirNames(t *testing.T) {
	b := &Bundle{files: map[string][]byte{
		kustomizationName: []byte("resources: [c.json, n.yaml]\n"),
		"c.json":          []byte(`{"apiVersion": "v1", "kind": "ConfigMap", "immutable": true, "data": {"a": "b"}, "metadata": ` + hostileMetadata + `}`),
		"n.yaml": []byte(`{"apiVersion": "benchnet.dev/v1alpha1", "kind": "BenchmarkNetwork", "spec": {"database": {"chart": {"configMapName": "c"}}},
 "status": {"phase": "Ready"}, "metadata": ` + hostileMetadata + `}`),
	}}
	objects, err := b.Manifests("lab")
	if err != nil {
		t.Fatal(err)
	}
	metadata := map[string]any{"name": "c", "namespace": "lab"}
	want := []map[string]any{
		{"apiVersion": "v1", "kind": "ConfigMap", "data": map[string]any{"a": "b"}, "metadata": metadata},
		{"apiVersion": "benchnet.dev/v1alpha1", "kind": "BenchmarkNetwork", "metadata": metadata,
			"spec": map[string]any{"database": map[string]any{"chart": map[string]any{"configMapName": "c"}}}},
	}
	got := []map[string]any{objects[0].Object, objects[1].Object}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// TestWrittenManifestsAreRead checks that the manifests of a bundle, with a ConfigMap, are read as they were collected.
func TestWrittenManifestsAreRead(t *testing.T) {
	kit := newKit(t)
	kit.Objects = append([]*unstructured.Unstructured{{Object: map[string]any{"apiVersion": "v1", "kind": "ConfigMap",
		"metadata": map[string]any{"name": "plan", "namespace": "lab"}, "data": map[string]any{"plan.jmx": "<a b=\"c\"/>\n"}, "binaryData": map[string]any{"x": "AA=="}}}}, kit.Objects...)
	_ = unstructured.SetNestedField(kit.Objects[1].Object, "plan", "spec", "configMapName")
	b, err := Read(bytes.NewReader(writeKit(t, kit, nil)))
	if err != nil {
		t.Fatal(err)
	}
	objects, err := b.Manifests("lab")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(kit.Objects[0].Object, objects[0].Object); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if text := string(b.files["configmap-plan.json"]); !json.Valid([]byte(text)) || !strings.Contains(text, "<a b=") {
		t.Errorf("the ConfigMap is %s", text)
	}
	kit.Objects[1].Object["spec"] = map[string]any{"long": strings.Repeat("a", maxManifestBytes)}
	if err := kit.Write(&bytes.Buffer{}, nil); err == nil || !strings.Contains(err.Error(), "network-n.yaml\" has 131") {
		t.Errorf("a bundle that cannot be read was written: %v", err)
	}
}

func TestReferences(t *testing.T) {
	for name, test := range map[string]struct {
		manifest  string
		all       []string
		databases int
	}{
		"network": {`{kind: BenchmarkNetwork, spec: {platform: {type: Corda, corda: {image: "a:1"}}, imagePullSecrets: [s], members: {count: 1},
  database: {provider: External, external: {servers: [{host: db.example, port: 5432, adminSecret: {name: admin}}]}}}}`,
			[]string{`database.external.servers[0].adminSecret.name: "admin"`, `database.external.servers[0].host: "db.example"`, `database.external.servers[0].port: "5432"`, `imagePullSecrets[0]: "s"`, `platform.corda.image: "a:1"`}, 3},
		"chart": {`{kind: BenchmarkNetwork, spec: {database: {chart: {configMapName: c, values: {image: "b:1", size: 1}}}}}`,
			[]string{`database.chart.configMapName: "c"`, `database.chart.values.image: "b:1"`}, 0},
		"escape sequence": {`{kind: BenchmarkRun, spec: {workload: {plan: {configMapName: "\x1b[2J"}}}}`, []string{`workload.plan.configMapName: "\x1b[2J"`}, 0},
		"patch in other letters": {`{kind: BenchmarkExperiment, spec: {variants: [{patch: {network: {database: {EXTERNAL: {Hoſt: h}, Image: "a:1"}}}}]}}`,
			[]string{`variants[0].patch.network.database.EXTERNAL.Hoſt: "h"`, `variants[0].patch.network.database.Image: "a:1"`}, 1},
		"axis": {`{kind: BenchmarkExperiment, spec: {axes: [{field: workload.load.clients, values: ["1"]}, {field: "network.database.external.servers[0].host", values: [a, b]}]}}`,
			[]string{`axes[1].network.database.external.servers[0].host[0]: "a"`, `axes[1].network.database.external.servers[0].host[1]: "b"`}, 2},
		"nothing": {`{kind: BenchmarkNetwork, spec: {members: {count: 4}, platform: {type: Malachite}}}`, nil, 0},
	} {
		t.Run(name, func(t *testing.T) {
			object := &unstructured.Unstructured{}
			if err := yaml.Unmarshal([]byte(test.manifest), &object.Object); err != nil {
				t.Fatal(err)
			}
			object.SetName("n")
			var got References
			got.Add(object)
			for i := range test.all {
				test.all[i] = object.GetKind() + ` "n": spec.` + test.all[i]
			}
			if diff := cmp.Diff(test.all, got.All); diff != "" || len(got.ExternalDatabases) != test.databases {
				t.Errorf("external databases %q; all, -want +got:\n%s", got.ExternalDatabases, diff)
			}
		})
	}
}
