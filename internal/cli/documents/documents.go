// Package documents decodes the results of runs and experiments: documents that the cluster stores, and files that
// a user saved. It needs no cluster.
package documents

import (
	"encoding/json"
	"fmt"

	"github.com/benchnet/benchnet/internal/experiment"
	"github.com/benchnet/benchnet/internal/run/boundedjson"
	"github.com/benchnet/benchnet/internal/run/document"
)

// Run is the complete result of a run.
type Run struct {
	*document.RunResult
	// Text is the original document, including fields unknown to this version.
	Text json.RawMessage
}

// Experiment is the complete result of an experiment.
type Experiment struct {
	*experiment.Result
	// Text is the original document.
	Text json.RawMessage
}

// DecodeRun decodes the document of a run, gzipped or as plain JSON.
func DecodeRun(stored []byte) (*Run, error) {
	decoded, err := document.DecodeRunResult(stored)
	if err != nil {
		return nil, err
	}
	text, err := boundedjson.Unpack(stored)
	return &Run{decoded, text}, err
}

// DecodeExperiment decodes the document of an experiment, gzipped or as plain JSON.
func DecodeExperiment(stored []byte) (*Experiment, error) {
	decoded, err := experiment.Decode(stored)
	if err != nil {
		return nil, err
	}
	text, err := boundedjson.Unpack(stored)
	return &Experiment{decoded, text}, err
}

// List is a list of documents, in the form of a list of Kubernetes objects.
type List struct {
	APIVersion string            `json:"apiVersion"`
	Kind       string            `json:"kind"`
	Items      []json.RawMessage `json:"items"`
}

// NewRunList returns a list of the documents of runs.
func NewRunList(runs []*Run) List {
	list := List{"v1", "List", []json.RawMessage{}}
	for _, run := range runs {
		list.Items = append(list.Items, run.Text)
	}
	return list
}

// errorOfKind returns the error for an object that is neither a result nor can contain one.
func errorOfKind(kind string) error {
	return fmt.Errorf("kind is %.40q, must be %s, %s, ConfigMap, Secret or, outside of a list, List", kind, document.Kind, experiment.Kind)
}
