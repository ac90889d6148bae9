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
	points        []Point
	runs          []Run
	// problem says why there is no baseline; empty if there is one.
	problem string
}

func resolveBaseline(spec *v1alpha1.Comparison, points []Point, runs []Run, stored *Result) baseline {
	if spec.Stored == nil {
		return baseline{name: spec.Baseline, variant: spec.Baseline, points: points, runs: runs}
	}
	b := baseline{stored: true, name: spec.Stored.ConfigMapName, variant: spec.Stored.Variant}
	if stored == nil {
		b.problem = fmt.Sprintf("ConfigMap %s has no stored result", spec.Stored.ConfigMapName)
		return b
	}
	b.points, b.runs, b.name = stored.Points, stored.Runs, stored.Experiment.Name
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
	for i := range b.points {
		if b.points[i].Variant == b.variant && slices.Equal(b.points[i].Parameters, p.Parameters) {
			return b.points[i].Name, ""
		}
	}
	return "", fmt.Sprintf("the baseline %s has no point at %s", b.name, formatPointLabel("", p.Parameters))
}

func (b *baseline) metricValues(point string, metric v1alpha1.Metric) []float64 {
	return validMetricValues(b.runs, point, metric)
}
