package loadgen

import (
	"fmt"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

// ValidateSampleMemory rejects a workload whose samples would take more than half of a worker's memory. The
// agent keeps them until the window has ended. The path is that of the workload.
func ValidateSampleMemory(w *protocol.WorkloadFile[any], workers *v1alpha1.Workers, path *field.Path) *field.Error {
	var largest int64
	for worker := range int(workers.Count) {
		var samples int64
		for i := worker; i < len(w.Observe); i += int(workers.Count) {
			samples += int64(w.Measure.WindowSeconds / w.Observe[i].SampleIntervalSeconds())
		}
		largest = max(largest, samples)
	}
	needed := largest * protocol.SampleBytes
	if needed <= workers.Memory.Value()/2 {
		return nil
	}
	return field.Invalid(path.Child("workers"), workers.Count, fmt.Sprintf(
		"is too few: a worker would keep %d samples of members over a window of %d s, which need %d MiB, more than half of workers.memory (%s): "+
			"raise workers.count or workers.memory, or shorten measure.window", largest, w.Measure.WindowSeconds, needed>>20, workers.Memory.String()))
}
