package cluster

import (
	"errors"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// TestApplyErrorsSayToQuoteText checks errors of the API server for scalars that YAML does not read as text.
func TestApplyErrorsSayToQuoteText(t *testing.T) {
	for message, quote := range map[string]bool{
		`.spec.platform.corda.version: expected string, got &value.valueUnstructured{Value:4.1}`:                           true,
		`.spec.database.managed.settings.synchronous_commit: expected string, got &value.valueUnstructured{Value:false}`:   true,
		`spec.members.cores: Invalid value: "number": spec.members.cores in body must be of type integer,string: "number"`: true,
		`spec.networkName: Invalid value: "integer": spec.networkName in body must be of type string: "integer"`:           true,
		`spec.members.count: Invalid value: "string": spec.members.count in body must be of type integer: "string"`:        false,
		`spec.platform.corda.version: Invalid value: "4.1": 'platform.corda.version' must be 4.3 or a later 4.x`:           false,
	} {
		t.Run(message, func(t *testing.T) {
			err := explainApplyError(&unstructured.Unstructured{}, errors.New(message))
			if !strings.HasPrefix(err.Error(), message) || strings.Contains(err.Error(), "put the value in quotes") != quote {
				t.Errorf("got %v", err)
			}
		})
	}
}

func TestApplyErrorsNameRenamedFields(t *testing.T) {
	const message = `.spec.workloads[name="issue"].jtl: field not declared in schema`
	err := explainApplyError(&unstructured.Unstructured{}, errors.New(message))
	if want := message + "\nspec.workloads.jtl is now spec.workloads.sampleLogRetention"; err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestDecodeAcceptsNumbersAsText(t *testing.T) {
	object := &unstructured.Unstructured{Object: map[string]any{"apiVersion": v1alpha1.GroupVersion.String(), "kind": "BenchmarkNetwork",
		"spec": map[string]any{"platform": map[string]any{"type": "MalachiteEVM", "malachiteEVM": map[string]any{
			"execution": map[string]any{"flags": map[string]any{"cache": int64(256)}}}}}}}
	network := &v1alpha1.BenchmarkNetwork{}
	if err := DecodeTyped(object, network); err != nil || network.Spec.Platform.MalachiteEVM.Execution.Flags["cache"] != "256" {
		t.Errorf("decoded %+v, %v", network.Spec.Platform.MalachiteEVM, err)
	}
}
