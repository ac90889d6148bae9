package supervise

import (
	"fmt"
	"time"

	"github.com/benchnet/benchnet/internal/run/measurement"
)

// FaultPath returns the path of the command that checks a fault, or injects it after a delay, with its parameters.
func FaultPath(f measurement.Fault, after time.Duration) string {
	return fmt.Sprintf("/faults?type=%s&afterMillis=%d&seconds=%d", f.Type, after.Milliseconds(), f.DurationSeconds)
}
