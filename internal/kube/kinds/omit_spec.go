package kinds

import (
	"fmt"
	"reflect"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// MaxSpecBytes bounds the spec, the finalizers and the owner references of a network, a run or an experiment, as Size counts
// them. Long texts count as their length.
const MaxSpecBytes = 432 << 10

// omittedSpec is the manager of the entry in the managed fields that holds the size of an omitted spec. It has no operation, so
// that keptDigests keeps it.
const omittedSpec = "omitted-spec"

// isUserCreated reports whether an object is of a kind whose objects users create.
func isUserCreated(o metav1.Object) bool {
	switch o.(type) {
	case *v1alpha1.BenchmarkNetwork, *v1alpha1.BenchmarkRun, *v1alpha1.BenchmarkExperiment:
		return true
	}
	return false
}

// omitLargeSpec removes the spec of a user's object that exceeds MaxSpecBytes and records its size. A run keeps the name of its
// network. It reports whether the object has no spec.
func omitLargeSpec(o metav1.Object) bool {
	if OmittedSpecBytes(o) > 0 {
		return true
	}
	spec := reflect.ValueOf(o).Elem().FieldByName("Spec")
	size := Size(spec.Interface()) + Size(o.GetFinalizers()) + Size(o.GetOwnerReferences())
	if size <= MaxSpecBytes {
		return false
	}
	networkName := ""
	run, isRun := o.(*v1alpha1.BenchmarkRun)
	if isRun {
		networkName = run.Spec.NetworkName
	}
	spec.SetZero()
	if isRun {
		run.Spec.NetworkName = networkName
	}
	o.SetManagedFields(append(o.GetManagedFields(), metav1.ManagedFieldsEntry{Manager: omittedSpec, FieldsType: strconv.Itoa(size)}))
	return true
}

// OmittedSpecBytes returns the size of the spec that the cache omits from a user's object, or 0 if the object is complete.
func OmittedSpecBytes(o metav1.Object) int {
	for _, entry := range o.GetManagedFields() {
		if entry.Operation == "" && entry.Manager == omittedSpec {
			size, _ := strconv.Atoi(entry.FieldsType) // omitLargeSpec wrote it.
			return size
		}
	}
	return 0
}

// ValidateSpecSize returns an error if the cache omits the spec of a user's object.
func ValidateSpecSize(o metav1.Object) error {
	size := OmittedSpecBytes(o)
	if size == 0 {
		return nil
	}
	return fmt.Errorf("spec: takes %d KiB together with finalizers and owner references, at most %d KiB: shorten it, or move data to a ConfigMap, "+
		"such as values of database.chart into the packaged chart", size>>10, MaxSpecBytes>>10)
}
