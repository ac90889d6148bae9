package experiment

import (
	"fmt"
	"slices"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/limits"
)

// baseline is the side that candidates are compared with: a variant of the same experiment, or of a stored
// result.
type baseline struct {
	// name is for people; variant is the variant of its points.
	name, variant string
	stored        bool
	// result has the points and runs; nil if there is none.
	result *Result
	// problem says why there is no baseline; empty if there is one.
	problem string
}

// resolveBaselines returns the baseline of the candidates. With a control that is the control, and the stored result that it repeats is its
// own baseline; otherwise ofControl is nil.
func (q *Question) resolveBaselines() (ofCandidates, ofControl *baseline) {
	base := resolveBaseline(q.Spec, q.Result, q.Stored)
	if q.Spec.Control == "" {
		return &base, nil
	}
	return &baseline{name: q.Spec.Control, variant: q.Spec.Control, result: q.Result}, &base
}

func resolveBaseline(spec *v1alpha1.Comparison, own, stored *Result) baseline {
	if spec.Stored == nil {
		return baseline{name: spec.Baseline, variant: spec.Baseline, result: own}
	}
	b := baseline{stored: true, name: spec.Stored.ConfigMapName, variant: spec.Stored.Variant}
	if stored == nil {
		b.problem = fmt.Sprintf("ConfigMap %s has no stored result", spec.Stored.ConfigMapName)
		return b
	}
	b.result, b.name = stored, stored.Experiment.Name
	switch variants := variantNames(stored.Points); {
	case b.variant == "" && len(variants) == 1:
		b.variant = variants[0]
	case !slices.Contains(variants, b.variant):
		b.problem = fmt.Sprintf("compare.stored.variant %q is not a variant of the stored result: %s", b.variant, limits.JoinItems(variants, ", "))
	}
	if b.variant != "" {
		b.name += " " + b.variant
	}
	return b
}

func variantNames(points []Point) []string {
	var variants []string
	for _, p := range points {
		if !slices.Contains(variants, p.Variant) {
			variants = append(variants, p.Variant)
		}
	}
	return variants
}

func (b *baseline) isCandidate(p *Point) bool { return b.stored || p.Variant != b.variant }

// findPartner returns the baseline's point for a candidate's point, or why none exists.
func (b *baseline) findPartner(p *Point) (name, missing string) {
	if b.problem != "" {
		return "", b.problem
	}
	for _, own := range b.result.Points {
		if own.Variant == b.variant && slices.Equal(own.Parameters, p.Parameters) {
			return own.Name, ""
		}
	}
	return "", fmt.Sprintf("the baseline %s has no point at %s", b.name, formatPointLabel("", p.Parameters))
}

// networkOf returns the network of a point of the baseline, or an empty string.
func (b *baseline) networkOf(point string) string {
	if b.result == nil {
		return ""
	}
	for i := range b.result.Points {
		if b.result.Points[i].Name == point {
			return b.result.Points[i].Network
		}
	}
	return ""
}

func (b *baseline) selectCountedRuns(point string) pointRuns {
	if b.result == nil || point == "" {
		return pointRuns{}
	}
	return selectCountedRuns(b.result, point)
}

// isSameExperiment reports whether the baseline was measured in the same experiment.
func (b *baseline) isSameExperiment(r *Result) bool {
	return b.result != nil && (b.result == r || r.Experiment.UID != "" && b.result.Experiment.UID == r.Experiment.UID)
}
