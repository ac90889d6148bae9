package documents

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/yaml"

	"github.com/benchnet/benchnet/internal/experiment"
	"github.com/benchnet/benchnet/internal/run/boundedjson"
	"github.com/benchnet/benchnet/internal/run/document"
)

// File holds the documents of a file.
type File struct {
	Name        string
	Runs        []*Run
	Experiments []*Experiment
	// unpackedBytes is the size of the unpacked values of ConfigMaps and Secrets.
	unpackedBytes int
}

// MaxBytes bounds a file, and what is unpacked from it in all, because packed documents can unpack to any size.
const MaxBytes = 256 << 20

// extensions are the extensions of result files.
var extensions = []string{".json", ".json.gz", ".yaml", ".yml"}

// IsFile reports whether an argument names a file and not a resource: the file exists, or the argument ends as
// result files do.
func IsFile(argument string) bool {
	if slices.ContainsFunc(extensions, func(extension string) bool { return strings.HasSuffix(argument, extension) }) {
		return true
	}
	info, err := os.Stat(argument)
	return err == nil && !info.IsDir()
}

// ReadFile reads a result file.
func ReadFile(name string) (*File, error) {
	in, err := os.Open(name)
	if err != nil {
		return nil, err // It names the file.
	}
	defer in.Close()
	var content []byte
	info, err := in.Stat()
	if err == nil && info.Size() <= MaxBytes {
		content, err = io.ReadAll(io.LimitReader(in, MaxBytes+1)) // Devices and pipes have no size.
	}
	if err == nil && max(info.Size(), int64(len(content))) > MaxBytes {
		err = fmt.Errorf("it has more than %d bytes", MaxBytes)
	}
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return DecodeFile(name, content)
}

// DecodeFile decodes a result file in JSON, gzipped JSON or YAML. It holds documents, ConfigMaps or Secrets that
// contain documents, or lists of these. DecodeFile fails if it finds no document, or one run twice.
func DecodeFile(name string, content []byte) (*File, error) {
	f := &File{Name: name}
	if err := f.decodeContent(content); err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	if len(f.Runs)+len(f.Experiments) == 0 {
		return nil, fmt.Errorf("%s has no result of a run or an experiment", name)
	}
	if err := f.checkDistinctRuns(); err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	return f, nil
}

// checkDistinctRuns fails if two runs have the same namespace and name.
func (f *File) checkDistinctRuns() error {
	seen := map[types.NamespacedName]bool{}
	for _, run := range f.Runs {
		key := types.NamespacedName{Namespace: run.Run.Namespace, Name: run.Run.Name}
		if seen[key] {
			return fmt.Errorf("run %s occurs twice", key)
		}
		seen[key] = true
	}
	return nil
}

// RunResults returns the results of the file's runs in a namespace by name.
func (f *File) RunResults(namespace string) map[string]*document.RunResult {
	all := map[string]*document.RunResult{}
	for _, run := range f.Runs {
		if run.Run.Namespace == namespace {
			all[run.Run.Name] = run.RunResult
		}
	}
	return all
}

// decodeContent adds the documents of a gzipped document, or of a stream of JSON or YAML documents.
func (f *File) decodeContent(content []byte) error {
	content, err := unpackContent(content)
	if err != nil {
		return err
	}
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(content), 4096)
	for {
		var object json.RawMessage
		err := decoder.Decode(&object)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = f.addObject(object, true)
		}
		if err != nil {
			return err
		}
	}
}

// unpackContent unpacks gzipped content. Other content has the limit of the file only, because a list of documents may be large.
func unpackContent(content []byte) ([]byte, error) {
	if !bytes.HasPrefix(content, boundedjson.GzipMagic) {
		return content, nil
	}
	return boundedjson.Unpack(content)
}

// addObject adds the documents of one object, or of a list if that is allowed. An empty YAML document has none.
func (f *File) addObject(object []byte, allowsList bool) error {
	if object = bytes.TrimSpace(object); len(object) == 0 || bytes.Equal(object, []byte("null")) {
		return nil
	}
	var head struct {
		Kind  string            `json:"kind"`
		Items []json.RawMessage `json:"items"`
	}
	if err := json.Unmarshal(object, &head); err != nil {
		return err
	}
	switch head.Kind {
	case document.Kind, experiment.Kind:
		return f.addDocument(head.Kind, object)
	case "ConfigMap":
		var cm corev1.ConfigMap
		if err := json.Unmarshal(object, &cm); err != nil {
			return err
		}
		return f.addStored("ConfigMap "+cm.Name, cm.Data, cm.BinaryData)
	case "Secret":
		var secret corev1.Secret
		if err := json.Unmarshal(object, &secret); err != nil {
			return err
		}
		return f.addStored("Secret "+secret.Name, secret.StringData, secret.Data)
	}
	if !allowsList || !strings.HasSuffix(head.Kind, "List") {
		return errorOfKind(head.Kind)
	}
	for i, item := range head.Items {
		if err := f.addObject(item, false); err != nil {
			return fmt.Errorf("items[%d]: %w", i, err)
		}
	}
	return nil
}

// addStored adds the documents among the texts and values of a ConfigMap or a Secret. Others are ignored. A text replaces a value of
// the same key.
func (f *File) addStored(object string, texts map[string]string, stored map[string][]byte) error {
	values := make(map[string][]byte, len(texts)+len(stored))
	maps.Copy(values, stored)
	for key, text := range texts {
		values[key] = []byte(text)
	}
	for _, key := range slices.Sorted(maps.Keys(values)) {
		text, err := unpackContent(values[key])
		if err != nil {
			return fmt.Errorf("%s: %s: %w", object, key, err)
		}
		if f.unpackedBytes += len(text); f.unpackedBytes > MaxBytes {
			return fmt.Errorf("%s: the values of ConfigMaps and Secrets unpack to more than %d bytes", object, MaxBytes)
		}
		var head struct {
			Kind string `json:"kind"`
		}
		if json.Unmarshal(text, &head) != nil || head.Kind != document.Kind && head.Kind != experiment.Kind {
			continue
		}
		if err := f.addDocument(head.Kind, text); err != nil {
			return fmt.Errorf("%s: %s: %w", object, key, err)
		}
	}
	return nil
}

// addDocument adds one document. It decodes the compact text, because the limits on stored documents exclude
// whitespace.
func (f *File) addDocument(kind string, text []byte) error {
	var compact bytes.Buffer
	if err := json.Compact(&compact, text); err != nil {
		return err
	}
	if kind == document.Kind {
		run, err := DecodeRun(compact.Bytes())
		f.Runs = append(f.Runs, run)
		return err
	}
	e, err := DecodeExperiment(compact.Bytes())
	f.Experiments = append(f.Experiments, e)
	return err
}
