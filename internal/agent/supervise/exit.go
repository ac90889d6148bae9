package supervise

import (
	"fmt"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/benchnet/benchnet/internal/agent/container"
	"github.com/benchnet/benchnet/internal/kube/termination"
)

// exitKilled is the exit code of a command that SIGKILL ended.
const exitKilled = 128 + 9

// DescribeExit returns why a command failed, or "" if nothing says so: the kernel killed it because its container reached the
// memory limit, or the last error line of its output, with the size of the exhausted Java heap if it is known.
func DescribeExit(code int, output string, evidence []container.Metric, heap string) string {
	if line := describeOOM(code, evidence); line != "" {
		return line
	}
	line := termination.LastErrorLine(output)
	if heap != "" && termination.IsHeapExhausted(line) {
		return termination.Clean(fmt.Sprintf("heap of %s: %s", heap, line))
	}
	return line
}

// describeOOM returns that the kernel killed the command at the memory limit, or "" if it did not.
func describeOOM(code int, evidence []container.Metric) string {
	var kills float64
	limit := ""
	for _, m := range evidence {
		switch m.Name {
		case container.OOMKills:
			kills = m.Value
		case container.MemoryLimit:
			limit = " of " + resource.NewQuantity(int64(m.Value), resource.BinarySI).String()
		}
	}
	if code != exitKilled || kills == 0 {
		return ""
	}
	return termination.OOMKilled + ": it reached its container's memory limit" + limit
}
