package emerald

import (
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform/execution"
)

const (
	// minMessageSize fits a part of a block (128 KiB). minResponseSize fits a block of some thousand
	// transfers.
	minMessageSize  = 256 << 10
	minResponseSize = 1 << 20
)

const (
	imageRequiredMessage = "is required: Emerald is not published in any registry, so supply an image with its programs emerald and emerald-utils " +
		"(see docs/emerald.md for the contract)"
	executionImageRequiredMessage = "is required: validators need an execution client of your choice, which for blocks below a second must accept " +
		"equal timestamps (see docs/emerald.md for the contract)"
)

// Validate rejects what CEL cannot express. The path is that of the spec.
func (Emerald) Validate(spec *v1alpha1.BenchmarkNetworkSpec, path *field.Path) field.ErrorList {
	emerald := path.Child("platform", "emerald")
	e := spec.Platform.Emerald
	switch {
	case e == nil:
		return field.ErrorList{field.Required(emerald, "must be set when platform.type is Emerald")}
	case e.Image == "":
		return field.ErrorList{field.Required(emerald.Child("image"), imageRequiredMessage)}
	case e.Execution == nil || e.Execution.Image == "":
		return field.ErrorList{field.Required(emerald.Child("execution", "image"), executionImageRequiredMessage)}
	}
	errs := layerOf(spec).Validate(spec, path)
	gossip := emerald.Child("gossip")
	errs = append(errs, execution.ValidateByteSize(e.Gossip.MaxMessageSize, minMessageSize, "256Ki: a block part has 128Ki", gossip.Child("maxMessageSize"))...)
	return append(errs, execution.ValidateByteSize(e.Gossip.MaxResponseSize, minResponseSize, "1Mi: it contains whole blocks", gossip.Child("maxResponseSize"))...)
}
