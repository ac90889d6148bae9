package validators

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform"
)

const (
	// equalPower is the voting power with distribution Equal, which is the default of the programs.
	equalPower = 10
	// zipfPower is the voting power of the first validator with distribution Zipf.
	zipfPower = 1000
)

// powersOf returns the voting powers in a spec, and the name of the platform's field that has them.
func powersOf(spec *v1alpha1.BenchmarkNetworkSpec) (powers v1alpha1.VotingPowers, field string) {
	switch p := spec.Platform; {
	case p.Malachite != nil:
		return p.Malachite.Powers, "malachite"
	case p.MalachiteEVM != nil:
		return p.MalachiteEVM.Powers, "malachiteEVM"
	case p.CometBFT != nil:
		return p.CometBFT.Powers, "cometBFT"
	}
	return powers, ""
}

// PowerOverrides returns the overrides of voting powers, whose members are then checked. The nodes do not differ otherwise.
func PowerOverrides(spec *v1alpha1.BenchmarkNetworkSpec) []platform.Override {
	powers, field := powersOf(spec)
	var all []platform.Override
	for i, o := range powers.Overrides {
		all = append(all, platform.Override{Members: o.Members, Path: []string{"platform", field, "powers", fmt.Sprintf("overrides[%d]", i)}, Spec: spec})
	}
	return all
}

// ListPowers returns the voting power of each validator.
func ListPowers(spec *v1alpha1.BenchmarkNetworkSpec) []int32 {
	given, _ := powersOf(spec)
	overrides := map[string]int32{}
	for _, o := range given.Overrides {
		for _, name := range o.Members {
			overrides[name] = o.Power
		}
	}
	powers := make([]int32, spec.Members.Count)
	for i := range powers {
		distributed := int32(equalPower)
		if given.Distribution == v1alpha1.PowerZipf {
			distributed = int32(math.Round(zipfPower / float64(i+1)))
		}
		powers[i] = cmp.Or(overrides[platform.MemberName(int32(i))], distributed)
	}
	return powers
}

// isDefault reports whether all validators have the voting power that is the default of the programs.
func isDefault(powers []int32) bool {
	return !slices.ContainsFunc(powers, func(power int32) bool { return power != equalPower })
}

// initFlag returns the flag of StepInit that describes the validators, and its value: their powers, or their number if all have the
// default power.
func initFlag(spec *v1alpha1.BenchmarkNetworkSpec) (flag, value string) {
	powers := ListPowers(spec)
	if isDefault(powers) {
		return "--validators", strconv.Itoa(int(spec.Members.Count))
	}
	texts := make([]string, len(powers))
	for i, power := range powers {
		texts[i] = strconv.Itoa(int(power))
	}
	return "--powers", strings.Join(texts, ",")
}

// PowerSettings returns the largest voting power, with what it means for the network, or nil if all validators have the default.
func PowerSettings(spec *v1alpha1.BenchmarkNetworkSpec) []v1alpha1.DerivedSetting {
	powers := ListPowers(spec)
	if isDefault(powers) {
		return nil
	}
	total := int32(0)
	for _, power := range powers {
		total += power
	}
	largest := slices.Max(powers)
	_, field := powersOf(spec)
	source := "spec.platform." + field + ".powers"
	switch {
	case 3*largest > 2*total:
		source += ": more than two thirds, with which the validator decides blocks without the others"
	case 3*largest >= total:
		source += ": a third or more, without which the others decide no block"
	}
	name := platform.MemberName(int32(slices.Index(powers, largest)))
	return []v1alpha1.DerivedSetting{{Name: "largestPower", Value: fmt.Sprintf("%s: %d of %d", name, largest, total), Source: source}}
}
