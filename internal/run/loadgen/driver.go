// Package loadgen describes load drivers and builds the objects of a run: the worker Job, its barrier, the
// ConfigMaps to which the workers report, and the Role that permits this.
//
// A driver is any program that implements the file protocol of docs/drivers.md. The agent (cmd/agent)
// transfers its files from and to the API server. A network that generates its own load has no driver; the
// agent observes it.
package loadgen

import (
	corev1 "k8s.io/api/core/v1"

	"github.com/benchnet/benchnet/internal/run/protocol"
)

// Driver is a program that applies load, with its configuration.
type Driver struct {
	// Image is the image of the worker.
	Image string
	// Command is the command that the agent starts in the worker. It implements the file protocol unless Plan
	// is set.
	Command []string
	// Plan is the path of a user's own JMeter plan, which Command runs, or "".
	Plan string
	// Stream is the URL of a member's decided blocks. The agent observes it itself, without a Command.
	Stream string
	// Env is the environment of the driver.
	Env []corev1.EnvVar
	// Init lists the init containers of the worker.
	Init []corev1.Container
	// Mounts lists the volume mounts of the driver.
	Mounts []corev1.VolumeMount
	// Volumes lists the volumes that Mounts and Init refer to.
	Volumes []corev1.Volume
	// Labels are labels of the worker's pods besides those of the run.
	Labels map[string]string
	// Workload is written to workload.json.
	Workload protocol.WorkloadFile[any]
}
