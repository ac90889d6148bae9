package sidecar

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/limits"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/network/latency"
)

// The supported bandwidths in bits per second. Below the minimum a packet would take seconds. The maximum is a
// limit of the kernel.
const (
	minBandwidth = 64_000
	maxBandwidth = 32_000_000_000
)

// BuildConfig returns the latency configuration of a network for the members' names in order. The aliases are further names of
// members, by which regions may list them. It returns nil if the members have no sidecars, and an empty one if these emulate none. Each
// error names the field that is not valid.
func BuildConfig(network *v1alpha1.BenchmarkNetwork, members []string, aliases map[string]string) (*latency.Config, field.ErrorList) {
	if !network.Spec.HasSidecars() {
		return nil, nil
	}
	config := &latency.Config{Network: network.Name}
	if !network.Spec.EmulatesLatency() {
		return config, nil
	}
	spec := network.Spec.Regions
	path := field.NewPath("spec", "regions")
	var problems field.ErrorList
	if len(spec.Items) > 0 {
		var missing field.ErrorList
		config.Members, problems = assignMemberRegions(spec.Items, members, aliases, path.Child("items"))
		config.Runs, missing = assignRunRegions(network.Name, spec.Items, path.Child("items"))
		problems = append(problems, missing...)
		config.Links, missing = buildLinks(spec, path)
		problems = append(problems, missing...)
	}
	if spec.DatabaseRoundTrip != nil {
		config.Database = &latency.Link{RoundTripMicros: spec.DatabaseRoundTrip.Microseconds()}
		problems = append(problems, validateDatabaseRoundTrip(network.Spec.DatabaseOrDefault(), spec.DatabaseRoundTrip, path.Child("databaseRoundTrip"))...)
	}
	return config, problems
}

// AssignRegions returns the region of every member by name; none unless the network emulates regions. It leaves out what BuildConfig
// rejects.
func AssignRegions(network *v1alpha1.BenchmarkNetwork, members []string, aliases map[string]string) map[string]string {
	if !network.Spec.EmulatesLatency() {
		return nil
	}
	regions, _ := assignMemberRegions(network.Spec.Regions.Items, members, aliases, nil)
	return regions
}

// validateDatabaseRoundTrip rejects a round trip to a database that has no pod of its own.
func validateDatabaseRoundTrip(database v1alpha1.DatabaseSpec, roundTrip *v1alpha1.Latency, path *field.Path) field.ErrorList {
	switch {
	case database.Provider == v1alpha1.ProviderExternal:
		return field.ErrorList{field.Invalid(path, roundTrip.Duration.String(),
			"needs spec.database.provider Managed or Chart: latency to an external server cannot be emulated")}
	case database.Engine != v1alpha1.EnginePostgreSQL:
		return field.ErrorList{field.Invalid(path, roundTrip.Duration.String(),
			"needs spec.database.engine PostgreSQL: H2 runs inside the member, not across a network")}
	}
	return nil
}

// assignMemberRegions returns the region of every member. It assigns members that regions list by name first,
// then the counted ones in order.
func assignMemberRegions(regions []v1alpha1.Region, members []string, aliases map[string]string, path *field.Path) (map[string]string, field.ErrorList) {
	of := map[string]string{}
	var problems field.ErrorList
	for i, r := range regions {
		for j, listed := range r.Members {
			at, name := path.Index(i).Child("members").Index(j), cmp.Or(aliases[listed], listed)
			switch {
			case !slices.Contains(members, name):
				problems = append(problems, field.Invalid(at, name, "is not a member of the network; its members are "+limits.JoinItems(members, ", ")))
			case of[name] != "":
				problems = append(problems, field.Invalid(at, name, "is in region "+of[name]+" already"))
			default:
				of[name] = r.Name
			}
		}
	}
	left := slices.DeleteFunc(slices.Clone(members), func(m string) bool { return of[m] != "" })
	for i, r := range regions {
		if r.Count == nil {
			continue
		}
		if int(*r.Count) > len(left) {
			problems = append(problems, field.Invalid(path.Index(i).Child("count"), *r.Count,
				fmt.Sprintf("only %d of the %d members remain for this region", len(left), len(members))))
		}
		taken := min(int(*r.Count), len(left))
		for _, name := range left[:taken] {
			of[name] = r.Name
		}
		left = left[taken:]
	}
	if len(left) > 0 {
		problems = append(problems, field.Required(path, limits.JoinItems(left, ", ")+": every member must be in a region"))
	}
	return of, problems
}

// assignRunRegions returns the region of the load workers of each run, by the name of the run.
func assignRunRegions(network string, regions []v1alpha1.Region, path *field.Path) (map[string]string, field.ErrorList) {
	of := map[string]string{}
	var problems field.ErrorList
	for i, r := range regions {
		for j, workload := range r.Workloads {
			run := naming.WorkloadRun(network, workload)
			if of[run] != "" {
				problems = append(problems, field.Invalid(path.Index(i).Child("workloads").Index(j), workload, "is in region "+of[run]+" already"))
			}
			of[run] = r.Name
		}
	}
	return of, problems
}

// buildLinks returns the links between all regions and within each, every pair once.
func buildLinks(spec *v1alpha1.RegionsSpec, path *field.Path) ([]latency.RegionLink, field.ErrorList) {
	given, problems := collectOverrides(spec.RoundTrips, path.Child("roundTrips"))
	defaults := v1alpha1.LinkDefaults{}
	if spec.Defaults != nil {
		defaults = *spec.Defaults
		problems = append(problems, validateLimits(defaults.LossPercent, defaults.Bandwidth, path.Child("defaults"))...)
	}
	var all []latency.RegionLink
	for i, a := range spec.Items {
		for _, b := range spec.Items[i:] {
			pair := [2]string{min(a.Name, b.Name), max(a.Name, b.Name)}
			link, ok := buildLink(pair, given[pair], defaults)
			if !ok {
				problems = append(problems, field.Required(path.Child("roundTrips"), fmt.Sprintf(
					"the built-in table (docs/regions.md) has no figure for %s and %s: add {between: [%s, %s], roundTrip: ...}",
					pair[0], pair[1], pair[0], pair[1])))
				continue
			}
			if link.JitterMicros > link.RoundTripMicros {
				problems = append(problems, field.Invalid(path.Child("roundTrips"), microsToDuration(link.JitterMicros).String(), fmt.Sprintf(
					"the jitter between %s and %s cannot exceed its round trip, %v", pair[0], pair[1], microsToDuration(link.RoundTripMicros))))
			}
			all = append(all, link)
		}
	}
	return all, problems
}

// collectOverrides returns the round trips by their two regions in lexical order.
func collectOverrides(roundTrips []v1alpha1.RoundTrip, path *field.Path) (map[[2]string]v1alpha1.RoundTrip, field.ErrorList) {
	given := map[[2]string]v1alpha1.RoundTrip{}
	var problems field.ErrorList
	for i, t := range roundTrips {
		pair := [2]string{min(t.Between[0], t.Between[1]), max(t.Between[0], t.Between[1])}
		if _, twice := given[pair]; twice {
			problems = append(problems, field.Duplicate(path.Index(i).Child("between"), t.Between))
		}
		given[pair] = t
		problems = append(problems, validateLimits(t.LossPercent, t.Bandwidth, path.Index(i))...)
	}
	return given, problems
}

// validateLimits rejects a loss or a bandwidth with which no link could work.
func validateLimits(loss, bandwidth *resource.Quantity, path *field.Path) field.ErrorList {
	var problems field.ErrorList
	if loss != nil && (loss.Sign() < 0 || loss.Cmp(resource.MustParse("50")) > 0) {
		problems = append(problems, field.Invalid(path.Child("lossPercent"), loss.String(), "must be between 0 and 50"))
	}
	if bandwidth != nil && (bandwidth.Value() < minBandwidth || bandwidth.Value() > maxBandwidth) {
		problems = append(problems, field.Invalid(path.Child("bandwidth"), bandwidth.String(), "must be between 64k and 32G bits per second"))
	}
	return problems
}

// buildLink returns the link between two regions. Given values take precedence over the defaults between
// regions, and these over the built-in table. It returns false if no round trip is known.
func buildLink(pair [2]string, given v1alpha1.RoundTrip, defaults v1alpha1.LinkDefaults) (latency.RegionLink, bool) {
	roundTrip, ok := latency.LookupRoundTrip(pair[0], pair[1])
	jitter, loss, bandwidth := defaults.Jitter, defaults.LossPercent, defaults.Bandwidth
	if pair[0] == pair[1] {
		jitter, loss, bandwidth = nil, nil, nil
		if defaults.SameRegionRoundTrip != nil {
			roundTrip = defaults.SameRegionRoundTrip.Duration
		}
	}
	if given.RoundTrip != nil {
		roundTrip, ok = given.RoundTrip.Duration, true
	}
	link := latency.Link{RoundTripMicros: roundTrip.Microseconds()}
	if j := cmp.Or(given.Jitter, jitter); j != nil {
		link.JitterMicros = j.Microseconds()
	}
	if l := cmp.Or(given.LossPercent, loss); l != nil {
		link.LossPercent = l.AsApproximateFloat64()
	}
	if b := cmp.Or(given.Bandwidth, bandwidth); b != nil {
		link.BitsPerSecond = b.Value()
	}
	return latency.RegionLink{Between: pair, Link: link}, ok
}

func microsToDuration(n int64) time.Duration { return time.Duration(n) * time.Microsecond }
