package experiment

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/limits"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/run/objectives"
	"github.com/benchnet/benchnet/internal/run/statistics"
)

// Bounds of an experiment.
const (
	// MaxPoints is the number of points that a grid may have.
	MaxPoints = 256
	// MaxRuns is the number of runs of an experiment, including repetitions.
	MaxRuns = 2000
)

// Design lists the networks and points of an experiment before anything is measured.
type Design struct {
	// Networks are in the order of their points, those of the first deployment before those of the second, and so on. Points with
	// equal network specs share one network of each deployment.
	Networks []PlannedNetwork
	// Points are the points of the grid. With Saturation each is one search, without a load of its own.
	Points []PlannedPoint
	// Axes are the axes with their values as text.
	Axes []Axis
	// Deployments is how often each network is created.
	Deployments int
	// runsPerDeployment is the number of repetitions on each deployment.
	runsPerDeployment int
}

// PlannedNetwork is a network to measure on.
type PlannedNetwork struct {
	Name string
	Spec v1alpha1.BenchmarkNetworkSpec
	// groupName is the name of the first of the networks that must exist at the same time, and groupSize their
	// number. It is empty for a network without such a group.
	groupName string
	groupSize int
}

// PlannedPoint is one combination of a variant and values of all axes.
type PlannedPoint struct {
	Name       string
	Variant    string
	Parameters []Parameter
	// Network is the network of the first deployment, as an index into Design.Networks.
	Network  int
	Workload v1alpha1.Workload
	// block numbers the combination of values of the axes that change the network. The variants of one block
	// can be interleaved.
	block int
}

// ConcurrentGroup returns the group of networks that exist at the same time as a network: the name of its first
// one and its size.
func (d *Design) ConcurrentGroup(network string) (first string, size int) {
	for _, n := range d.Networks {
		if n.Name == network {
			return n.groupName, n.groupSize
		}
	}
	return "", 0
}

// DistinctNetworks returns the number of networks with different specs. Their first deployments come first in Networks.
func (d *Design) DistinctNetworks() int { return len(d.Networks) / d.Deployments }

// NetworkOf returns the network on which a repetition of a point is measured, as an index into Networks. The repetition counts from
// 1; 0 is a search, which has one deployment.
func (d *Design) NetworkOf(point, repetition int) int {
	return d.Points[point].Network + max(0, repetition-1)/d.runsPerDeployment*d.DistinctNetworks()
}

// FirstDeployments returns the first deployments of networks, all as indexes into Networks.
func (d *Design) FirstDeployments(networks []int) []int {
	first := make([]int, len(networks))
	for i, n := range networks {
		first[i] = n % d.DistinctNetworks()
	}
	return first
}

// LargestGroup returns the largest number of networks that have to exist at the same time.
func (d *Design) LargestGroup() int {
	largest := 1
	for _, n := range d.Networks {
		largest = max(largest, n.groupSize)
	}
	return largest
}

// Label returns the label of a point for people: its variant and parameters, or template.
func (p *PlannedPoint) Label() string { return formatPointLabel(p.Variant, p.Parameters) }

func formatPointLabel(variant string, parameters []Parameter) string {
	var parts []string
	if variant != "" {
		parts = append(parts, "variant="+variant)
	}
	for _, p := range parameters {
		parts = append(parts, p.Name+"="+p.Value)
	}
	if len(parts) == 0 {
		return "template"
	}
	return strings.Join(parts, " ")
}

// resolvedAxis is an axis with its parsed path and its values.
type resolvedAxis struct {
	spec   *v1alpha1.Axis
	path   *field.Path
	steps  []pathStep
	values []string
}

// changesNetwork reports whether the axis changes the network.
func (a *resolvedAxis) changesNetwork() bool { return a.steps[0].name == "network" }

// NewDesign returns the design of an experiment. Its errors name the field of the spec that the user has to
// correct.
func NewDesign(e *v1alpha1.BenchmarkExperiment) (*Design, error) {
	path := field.NewPath("spec")
	if problems := limits.ValidateQuantities(&e.Spec, path); len(problems) > 0 {
		return nil, problems[0]
	}
	base, err := newTemplateDocument(&e.Spec.Template)
	if err != nil {
		return nil, err
	}
	axes, err := resolveAxes(e.Spec.Axes, path.Child("axes"))
	if err != nil {
		return nil, err
	}
	variants, err := parseVariants(e.Spec.Variants, axes, path.Child("variants"))
	if err != nil {
		return nil, err
	}
	if err := validateSize(e, axes, len(variants), path); err != nil {
		return nil, err
	}
	if err := validateSearch(&e.Spec, axes, path); err != nil {
		return nil, err
	}
	b := designBuilder{experiment: e.Name, stability: defaultStability(&e.Spec), design: &Design{Axes: describeAxes(axes)}, prefix: "p"}
	if e.Spec.Strategy == v1alpha1.StrategySaturation {
		b.prefix = "s"
	}
	for i, v := range variants {
		doc := base.copyDocument()
		applyMergePatch(doc, v.patch)
		if _, err := doc.decodeTemplate(); err != nil {
			return nil, field.Invalid(path.Child("variants").Index(i).Child("patch"), string(v.raw), err.Error())
		}
		if err := b.expandAxes(doc, v.name, axes, nil, nil); err != nil {
			return nil, err
		}
	}
	b.design.repeatNetworks(e)
	b.design.groupNetworks(&e.Spec)
	return b.design, nil
}

// defaultStability returns the stability policy of workloads that have none. That of comparisons is stricter, because a change within a
// window is easily taken for a difference. It is empty if the run's default applies.
func defaultStability(spec *v1alpha1.BenchmarkExperimentSpec) v1alpha1.StabilityPolicy {
	if spec.Strategy == v1alpha1.StrategyCompare {
		return v1alpha1.StabilityModerate
	}
	return ""
}

// repeatNetworks adds the networks of the deployments after the first.
func (d *Design) repeatNetworks(e *v1alpha1.BenchmarkExperiment) {
	distinct := len(d.Networks)
	d.Deployments = d.countDeployments(&e.Spec)
	d.runsPerDeployment = max(1, int(e.Spec.Repetitions)/d.Deployments)
	for i := distinct; i < distinct*d.Deployments; i++ {
		again := PlannedNetwork{Name: naming.ExperimentNetwork(e.Name, i+1), Spec: *d.Networks[i%distinct].Spec.DeepCopy()}
		d.Networks = append(d.Networks, again)
	}
}

// countDeployments returns the number of deployments of each network. By default, networks that are compared are deployed as often as
// leaves two runs on each, because two networks of one spec differ as much as two runs on one of them (docs/reproducing.md). That does
// not apply if it leaves too few deployments for a claim.
func (d *Design) countDeployments(spec *v1alpha1.BenchmarkExperimentSpec) int {
	if spec.Deployments > 0 || spec.Compare == nil || !d.comparesNetworks() {
		return int(max(1, spec.Deployments))
	}
	repetitions, runs := int(spec.Repetitions), 2 // The first of the two is not counted.
	if spec.Compare.FirstRepetition == v1alpha1.FirstRepetitionCount {
		runs = 1
	}
	for runs < repetitions && repetitions%runs != 0 {
		runs++
	}
	if deployments := repetitions / runs; deployments >= statistics.RunsNeeded(confidenceLevel(spec.Compare), 1, true) {
		return deployments
	}
	return 1
}

// comparesNetworks reports whether variants of one point have different networks.
func (d *Design) comparesNetworks() bool {
	networks := map[string]int{}
	for _, p := range d.Points {
		label := formatPointLabel("", p.Parameters)
		if network, known := networks[label]; known && network != p.Network {
			return true
		}
		networks[label] = p.Network
	}
	return false
}

// groupNetworks groups the networks that must exist at the same time, so that none of them is started without
// the others.
func (d *Design) groupNetworks(spec *v1alpha1.BenchmarkExperimentSpec) {
	for _, g := range d.GroupRuns(spec, 0) {
		for _, n := range g.Networks {
			if len(g.Networks) > 1 {
				d.Networks[n].groupName, d.Networks[n].groupSize = d.Networks[g.Networks[0]].Name, len(g.Networks)
			}
		}
	}
}

func resolveAxes(specs []v1alpha1.Axis, path *field.Path) ([]resolvedAxis, error) {
	var all []resolvedAxis
	for i := range specs {
		a := resolvedAxis{spec: &specs[i], path: path.Index(i)}
		values, fault := axisValues(a.spec, a.path)
		if fault != nil {
			return nil, fault
		}
		if renamed := v1alpha1.DescribeRenamedField(a.spec.Field); renamed != "" {
			return nil, field.Invalid(a.path.Child("field"), a.spec.Field, renamed)
		}
		var err error
		if a.steps, err = parsePath(a.spec.Field); err != nil {
			return nil, field.Invalid(a.path.Child("field"), a.spec.Field, err.Error())
		}
		a.values = values
		for _, other := range all {
			if strings.HasPrefix(a.spec.Field+".", other.spec.Field+".") || strings.HasPrefix(other.spec.Field+".", a.spec.Field+".") {
				return nil, field.Invalid(a.path.Child("field"), a.spec.Field, fmt.Sprintf("axis %s sets %s already", other.spec.Name, other.spec.Field))
			}
		}
		all = append(all, a)
	}
	return all, nil
}

type parsedVariant struct {
	name  string
	raw   []byte
	patch map[string]any
}

func parseVariants(specs []v1alpha1.Variant, axes []resolvedAxis, path *field.Path) ([]parsedVariant, error) {
	if len(specs) == 0 {
		return []parsedVariant{{}}, nil
	}
	var all []parsedVariant
	for i, s := range specs {
		v := parsedVariant{name: s.Name}
		if s.Patch != nil {
			v.raw = s.Patch.Raw
			if err := json.Unmarshal(v.raw, &v.patch); err != nil {
				return nil, field.Invalid(path.Index(i).Child("patch"), string(v.raw), "must be an object with network or workload: "+err.Error())
			}
		}
		for _, a := range axes {
			if v.patch != nil && patchSetsField(v.patch, a.steps) {
				return nil, field.Invalid(path.Index(i).Child("patch"), string(v.raw),
					fmt.Sprintf("sets %s, which axis %s also sets: set it in only one of them", a.spec.Field, a.spec.Name))
			}
		}
		all = append(all, v)
	}
	return all, nil
}

func validateSize(e *v1alpha1.BenchmarkExperiment, axes []resolvedAxis, variants int, path *field.Path) error {
	points := variants
	for _, a := range axes {
		points *= len(a.values)
	}
	if points > MaxPoints {
		return field.Invalid(path.Child("axes"), points, fmt.Sprintf("axes and variants result in more than %d points: use fewer values", MaxPoints))
	}
	if runs := points * int(e.Spec.Repetitions); runs > MaxRuns {
		return field.Invalid(path.Child("repetitions"), e.Spec.Repetitions, fmt.Sprintf("results in %d runs, more than %d", runs, MaxRuns))
	}
	return nil
}

// maxSearches is the number of searches that one experiment may have.
const maxSearches = 64

// validateSearch checks whether the spec allows a saturation search.
func validateSearch(spec *v1alpha1.BenchmarkExperimentSpec, axes []resolvedAxis, path *field.Path) error {
	if spec.Strategy != v1alpha1.StrategySaturation {
		return nil
	}
	load, loadPath := spec.Template.Workload.Load, path.Child("template", "workload", "load")
	if load == nil {
		return field.Required(loadPath, "a saturation search varies the load, which this platform generates itself")
	}
	if len(load.Profile) > 0 {
		return field.Forbidden(loadPath.Child("profile"), "cannot be set with strategy Saturation, which searches the rate")
	}
	if len(spec.Template.Workload.Faults) > 0 {
		return field.Forbidden(path.Child("template", "workload", "faults"), "cannot be set with strategy Saturation, which looks for one constant level")
	}
	if err := validateLoads(spec.Saturation, load.Model, path.Child("saturation")); err != nil {
		return err
	}
	for i := range spec.Saturation.Objectives {
		if errs := objectives.ValidateLimit(&spec.Saturation.Objectives[i], path.Child("saturation", "objectives").Index(i)); len(errs) > 0 {
			return errs.ToAggregate()
		}
	}
	if order := spec.OrderType(); order != v1alpha1.OrderListed && order != v1alpha1.OrderShuffled {
		return field.Invalid(path.Child("order", "type"), spec.Order.Type, "must be Listed or Shuffled: the next load of a search depends on earlier results")
	}
	if spec.Repetitions > 1 {
		return field.Invalid(path.Child("repetitions"), spec.Repetitions, "must be 1 with strategy Saturation: use saturation.repeats instead")
	}
	searches := max(1, len(spec.Variants))
	for _, a := range axes {
		searches *= len(a.values)
		if strings.HasPrefix(a.spec.Field, "workload.load.") || a.spec.Name == loadParameter {
			return field.Invalid(a.path.Child("field"), a.spec.Field, "must not be the load or be named so: the search varies the load")
		}
	}
	if searches > maxSearches {
		return field.Invalid(path.Child("axes"), searches, fmt.Sprintf("axes and variants result in more than %d searches", maxSearches))
	}
	return nil
}

func describeAxes(axes []resolvedAxis) []Axis {
	all := []Axis{}
	for _, a := range axes {
		all = append(all, Axis{Name: a.spec.Name, Field: a.spec.Field, Values: a.values})
	}
	return all
}

// designBuilder collects points and the networks that they need.
type designBuilder struct {
	experiment, prefix string
	// stability is the policy of workloads that have none.
	stability v1alpha1.StabilityPolicy
	design    *Design
	// blocks are the values of the axes that change the network, in order of appearance.
	blocks []string
}

// expandAxes expands the values of the first axis, and recursively those of the others.
func (b *designBuilder) expandAxes(doc templateDocument, variant string, axes []resolvedAxis, parameters []Parameter, block []string) error {
	if len(axes) == 0 {
		return b.addPoint(doc, variant, parameters, strings.Join(block, ","))
	}
	a := axes[0]
	for _, value := range a.values {
		changed := doc.copyDocument()
		if err := changed.setConvertedValue(a.steps, value); err != nil {
			return field.Invalid(a.path.Child("field"), a.spec.Field, fmt.Sprintf("cannot be %q: %v", value, err))
		}
		deeper := block
		if a.changesNetwork() {
			deeper = append(slices.Clone(block), value)
		}
		with := append(slices.Clone(parameters), Parameter{Name: a.spec.Name, Value: value})
		if err := b.expandAxes(changed, variant, axes[1:], with, deeper); err != nil {
			return err
		}
	}
	return nil
}

func (b *designBuilder) addPoint(doc templateDocument, variant string, parameters []Parameter, block string) error {
	template, err := doc.decodeTemplate()
	if err != nil {
		return fmt.Errorf("template with %s: %w", formatPointLabel(variant, parameters), err)
	}
	if parameters == nil {
		parameters = []Parameter{}
	}
	template.Workload.Measure.StabilityPolicy = cmp.Or(template.Workload.Measure.StabilityPolicy, b.stability)
	b.design.Points = append(b.design.Points, PlannedPoint{
		Name:    naming.ExperimentPoint(b.prefix, len(b.design.Points)+1),
		Variant: variant, Parameters: parameters, Network: b.networkIndex(template.Network), Workload: template.Workload, block: b.blockIndex(block),
	})
	return nil
}

// networkIndex returns the index of the network with that template. It adds the network if necessary.
func (b *designBuilder) networkIndex(template v1alpha1.NetworkTemplate) int {
	for i := range b.design.Networks {
		if equality.Semantic.DeepEqual(b.design.Networks[i].Spec.NetworkTemplate, template) {
			return i
		}
	}
	b.design.Networks = append(b.design.Networks, PlannedNetwork{
		Name: naming.ExperimentNetwork(b.experiment, len(b.design.Networks)+1), Spec: v1alpha1.BenchmarkNetworkSpec{NetworkTemplate: template}})
	return len(b.design.Networks) - 1
}

func (b *designBuilder) blockIndex(key string) int {
	for i, known := range b.blocks {
		if known == key {
			return i
		}
	}
	b.blocks = append(b.blocks, key)
	return len(b.blocks) - 1
}
