package sizing

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// testProcess is the overhead of an example platform: 384Mi and five pool threads.
var testProcess = ProcessOverhead{Base: 384 * mebibyte, PoolThreads: 5}

func quantityPtr(s string) *resource.Quantity {
	if s == "" {
		return nil
	}
	q := resource.MustParse(s)
	return &q
}

func newMembersSpec(size v1alpha1.Size, heap, cores, memory string) *v1alpha1.MembersSpec {
	return &v1alpha1.MembersSpec{Size: size, Heap: quantityPtr(heap), Cores: quantityPtr(cores), Memory: quantityPtr(memory)}
}

func TestMachineOf(t *testing.T) {
	for name, tc := range map[string]struct {
		spec                *v1alpha1.MembersSpec
		heap, cores, memory string
		mebibytes           int64
		whole               int32
	}{
		"small":                   {newMembersSpec(v1alpha1.SizeSmall, "", "", ""), "1Gi", "1", "3Gi", 1024, 1},
		"medium":                  {newMembersSpec(v1alpha1.SizeMedium, "", "", ""), "4Gi", "8", "8Gi", 4096, 8},
		"large":                   {newMembersSpec(v1alpha1.SizeLarge, "", "", ""), "32Gi", "32", "64Gi", 32768, 32},
		"no size is small":        {newMembersSpec("", "", "", ""), "1Gi", "1", "3Gi", 1024, 1},
		"each can be overridden":  {newMembersSpec(v1alpha1.SizeLarge, "513Mi", "1500m", "1Gi"), "513Mi", "1500m", "1Gi", 513, 2},
		"one overridden":          {newMembersSpec(v1alpha1.SizeMedium, "5Gi", "", ""), "5Gi", "8", "8Gi", 5120, 8},
		"a part of a MiB is lost": {newMembersSpec(v1alpha1.SizeSmall, "1000M", "100m", ""), "1G", "100m", "3Gi", 953, 1},
	} {
		t.Run(name, func(t *testing.T) {
			m := MachineOf(tc.spec)
			if m.Heap.String() != tc.heap || m.Cores.String() != tc.cores || m.Memory.String() != tc.memory {
				t.Errorf("got heap %s, cores %s, memory %s", m.Heap.String(), m.Cores.String(), m.Memory.String())
			}
			if m.HeapMebibytes() != tc.mebibytes || m.WholeCores() != tc.whole {
				t.Errorf("got -Xmx%dm, %d whole cores", m.HeapMebibytes(), m.WholeCores())
			}
		})
	}
}

func TestRequests(t *testing.T) {
	for reservation, want := range map[v1alpha1.Reservation][2]string{
		v1alpha1.ReservationFull:       {"8", "8Gi"},
		v1alpha1.ReservationMinimal:    {"800m", "4Gi"},
		v1alpha1.ReservationMemoryOnly: {"1m", "4Gi"},
	} {
		cores, memory := MachineOf(newMembersSpec(v1alpha1.SizeMedium, "", "", "")).Requests(reservation)
		if cores.String() != want[0] || memory.String() != want[1] {
			t.Errorf("%s: got %s cores, %s, want %v", reservation, cores.String(), memory.String(), want)
		}
	}
}

func TestValidateMachine(t *testing.T) {
	for name, tc := range map[string]struct {
		spec *v1alpha1.MembersSpec
		// want lists the parts of the only error, the field first. Empty means that the machine is valid.
		want []string
	}{
		"every preset is fine: small":  {newMembersSpec(v1alpha1.SizeSmall, "", "", ""), nil},
		"every preset is fine: medium": {newMembersSpec(v1alpha1.SizeMedium, "", "", ""), nil},
		"every preset is fine: large":  {newMembersSpec(v1alpha1.SizeLarge, "", "", ""), nil},
		"the minimum":                  {newMembersSpec(v1alpha1.SizeSmall, "512Mi", "100m", "917Mi"), nil},
		"a MiB less": {newMembersSpec(v1alpha1.SizeSmall, "512Mi", "100m", "916Mi"),
			[]string{"spec.members.memory", "916Mi", "405Mi that a member needs in addition", "set memory to at least 917Mi"}},
		"room for a smaller heap": {newMembersSpec(v1alpha1.SizeSmall, "2900Mi", "", ""),
			[]string{"spec.members.memory", "3Gi", "size Small", "at least 3305Mi", "heap to at most 2667Mi"}},
		"heap as large as memory": {newMembersSpec(v1alpha1.SizeSmall, "1Gi", "1", "1Gi"),
			[]string{"spec.members.heap", "smaller than memory (1Gi)", "at least 1429Mi or heap to at most 619Mi"}},
		"heap above the preset's memory": {newMembersSpec(v1alpha1.SizeSmall, "4Gi", "", ""),
			[]string{"spec.members.heap", "4Gi", "memory (3Gi) (size Small unless set)", "at least 4501Mi"}},
		"heap too small": {newMembersSpec(v1alpha1.SizeSmall, "256Mi", "", ""), []string{"spec.members.heap", "256Mi", "at least 512Mi"}},
		"heap negative":  {newMembersSpec(v1alpha1.SizeSmall, "-1Gi", "", ""), []string{"spec.members.heap", "-1Gi", "at least 512Mi"}},
		"no cores":       {newMembersSpec(v1alpha1.SizeSmall, "", "0", ""), []string{"spec.members.cores", "greater than 0"}},
		"negative cores": {newMembersSpec(v1alpha1.SizeSmall, "", "-2", ""), []string{"spec.members.cores", "-2", "greater than 0"}},
	} {
		t.Run(name, func(t *testing.T) {
			errs := MachineOf(tc.spec).Validate(testProcess, field.NewPath("spec", "members"))
			if len(tc.want) == 0 {
				if len(errs) > 0 {
					t.Fatalf("refused: %v", errs)
				}
				return
			}
			if len(errs) != 1 {
				t.Fatalf("got %d errors, want 1: %v", len(errs), errs)
			}
			for _, part := range tc.want {
				if !strings.Contains(errs[0].Error(), part) {
					t.Errorf("%q does not say %q", errs[0].Error(), part)
				}
			}
		})
	}
}
