package documents

import (
	"bytes"
	"compress/gzip"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/benchnet/benchnet/internal/run/boundedjson"
	"github.com/benchnet/benchnet/internal/run/document"
)

const (
	runText        = `{"apiVersion":"benchnet.dev/v1alpha1","kind":"RunResult","schemaVersion":1,"run":{"namespace":"lab","name":"r1"},"future":true}`
	experimentText = `{"apiVersion":"benchnet.dev/v1alpha1","kind":"ExperimentResult","schemaVersion":2,"experiment":{"name":"e1"}}`
)

// packedValue returns the result as it is in binaryData, in base64.
func packedValue(t *testing.T) string {
	t.Helper()
	packed, err := boundedjson.Pack(map[string]any{"apiVersion": document.APIVersion, "kind": document.Kind, "schemaVersion": 1,
		"run": map[string]string{"name": "stored"}}, "result")
	if err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(packed)
}

func TestDecodeFile(t *testing.T) {
	stored := packedValue(t)
	gzipped, err := base64.StdEncoding.DecodeString(stored)
	if err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name, content, want string
	}{
		{"run", runText, "runs [r1] experiments []"},
		{"gzipped run", string(gzipped), "runs [stored] experiments []"},
		{"experiment", experimentText, "runs [] experiments [e1]"},
		{"YAML", "apiVersion: benchnet.dev/v1alpha1\nkind: RunResult\nschemaVersion: 1\nrun: {name: y1}\n", "runs [y1] experiments []"},
		{"YAML documents", "---\nkind: ConfigMap\ndata: {a: '" + runText + "'}\n---\n" + experimentText, "runs [r1] experiments [e1]"},
		{"list of documents", `{"kind":"List","items":[` + runText + "," + experimentText + `]}`, "runs [r1] experiments [e1]"},
		{"saved ConfigMap", "apiVersion: v1\nkind: ConfigMap\nbinaryData:\n  result.json.gz: " + stored + "\n", "runs [stored] experiments []"},
		{"saved Secret", "apiVersion: v1\nkind: Secret\ndata:\n  result.json.gz: " + stored + "\n", "runs [stored] experiments []"},
		{"written Secret", "kind: Secret\nstringData: {baseline.json: '" + experimentText + "'}\n", "runs [] experiments [e1]"},
		{"list of ConfigMaps, not all with results", "kind: ConfigMapList\nitems:\n- {kind: ConfigMap, data: {a: text, b: '{\"kind\":\"WorkerResult\"}'}}\n- {kind: ConfigMap, binaryData: {r: " + stored + "}}\n",
			"runs [stored] experiments []"},
	} {
		t.Run(test.name, func(t *testing.T) {
			f, err := DecodeFile("f", []byte(test.content))
			if err != nil {
				t.Fatal(err)
			}
			runs, experiments := []string{}, []string{}
			for _, run := range f.Runs {
				runs = append(runs, run.Run.Name)
			}
			for _, e := range f.Experiments {
				experiments = append(experiments, e.Experiment.Name)
			}
			if got := fmt.Sprintf("runs %v experiments %v", runs, experiments); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestDecodeFileKeepsUnknownFields(t *testing.T) {
	f, err := DecodeFile("f", []byte(runText))
	if err != nil {
		t.Fatal(err)
	}
	if text := string(f.Runs[0].Text); text != runText {
		t.Errorf("got %s", text)
	}
}

func TestRunResultsOfNamespace(t *testing.T) {
	f, err := DecodeFile("f", []byte(runText+"\n---\n"+strings.Replace(runText, "lab", "bench", 1)))
	if err != nil {
		t.Fatal(err)
	}
	for _, namespace := range []string{"lab", "bench"} {
		if runs := f.RunResults(namespace); len(runs) != 1 || runs["r1"].Run.Namespace != namespace {
			t.Errorf("namespace %s has %v", namespace, runs)
		}
	}
}

func TestDecodeFileErrors(t *testing.T) {
	for _, test := range []struct {
		name, content, want string
	}{
		{"empty", "", "f has no result of a run or an experiment"},
		{"no object", "package x\n", "read f: "},
		{"another kind", "kind: Pod\n", `read f: kind is "Pod", must be RunResult, ExperimentResult, ConfigMap, Secret or, outside of a list, List`},
		{"another kind in a list", "kind: List\nitems: [{kind: Pod}]\n", `read f: items[0]: kind is "Pod"`},
		{"list in a list", "kind: List\nitems: [{kind: List, items: [{kind: List}]}]\n", `read f: items[0]: kind is "List"`},
		{"newer schema", strings.Replace(runText, `"schemaVersion":1`, `"schemaVersion":99`, 1), "schema 99"},
		{"run twice", runText + "\n---\n" + runText, "read f: run lab/r1 occurs twice"},
		{"no result in a ConfigMap", "kind: ConfigMap\ndata: {a: b}\n", "f has no result"},
		{"broken result in a ConfigMap", "kind: ConfigMap\nmetadata: {name: c}\nbinaryData: {r: H4sI}\n", "read f: ConfigMap c: r: "},
	} {
		t.Run(test.name, func(t *testing.T) {
			_, err := DecodeFile("f", []byte(test.content))
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("got %v, want %q", err, test.want)
			}
		})
	}
}

// TestReadFileIsBounded reads a file of zeros, and a list of ConfigMaps that unpack to more than a file may have.
func TestReadFileIsBounded(t *testing.T) {
	directory := t.TempDir()
	sparse := filepath.Join(directory, "zeros.json")
	if err := errors.Join(os.WriteFile(sparse, nil, 0o600), os.Truncate(sparse, 4<<30)); err != nil {
		t.Fatal(err)
	}
	if _, err := ReadFile(sparse); err == nil || !strings.Contains(err.Error(), "it has more than 268435456 bytes") {
		t.Errorf("zeros: %v", err)
	}
	var zeros bytes.Buffer
	zip := gzip.NewWriter(&zeros)
	_, err := zip.Write(make([]byte, boundedjson.MaxDecodedBytes))
	if err := errors.Join(err, zip.Close()); err != nil {
		t.Fatal(err)
	}
	item := `{"kind":"ConfigMap","metadata":{"name":"c"},"binaryData":{"r":"` + base64.StdEncoding.EncodeToString(zeros.Bytes()) + `"}}`
	list := `{"kind":"List","items":[` + strings.Repeat(item+",", MaxBytes/boundedjson.MaxDecodedBytes) + item + `]}`
	if _, err := DecodeFile("f", []byte(list)); err == nil || !strings.Contains(err.Error(), "unpack to more than 268435456 bytes") {
		t.Errorf("list of %d bytes: %v", len(list), err)
	}
}
