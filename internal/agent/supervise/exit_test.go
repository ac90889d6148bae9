package supervise

import (
	"testing"

	"github.com/benchnet/benchnet/internal/agent/container"
)

func TestDescribeExit(t *testing.T) {
	oom := []container.Metric{{Name: container.OOMKills, Value: 1}, {Name: container.MemoryLimit, Value: 160 << 20}}
	const heap = "Terminating due to java.lang.OutOfMemoryError: Java heap space\n"
	for name, c := range map[string]struct {
		code     int
		output   string
		evidence []container.Metric
		heap     string
		want     string
	}{
		"out of memory":               {137, "starting\n", oom, "", "OOMKilled: it reached its container's memory limit of 160Mi"},
		"killed with memory left":     {137, "starting\n", []container.Metric{{Name: container.OOMKills}}, "", "starting"},
		"a helper was out of memory":  {1, "ERROR: x\n", oom, "", "ERROR: x"},
		"heap of known size":          {3, heap, nil, "512Mi", "heap of 512Mi: Terminating due to java.lang.OutOfMemoryError: Java heap space"},
		"heap of unknown size":        {3, heap, nil, "", "Terminating due to java.lang.OutOfMemoryError: Java heap space"},
		"no output":                   {1, "", nil, "512Mi", ""},
		"another error with a heap":   {1, "ERROR: x\n", nil, "512Mi", "ERROR: x"},
		"a password in the last line": {1, "FATAL: jdbc:postgresql://db/x?password=S3CRET\n", nil, "", "FATAL: jdbc:postgresql://db/x?password=***"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := DescribeExit(c.code, c.output, c.evidence, c.heap); got != c.want {
				t.Errorf("got %q, want %q", got, c.want)
			}
		})
	}
}
