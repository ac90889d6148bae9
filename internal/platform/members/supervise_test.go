package members_test

import (
	"testing"

	"github.com/benchnet/benchnet/internal/platform/members"
)

// TestStartupProbeOfLargeNetworks checks that members of a large network start without commands in their containers, in the same time.
func TestStartupProbeOfLargeNetworks(t *testing.T) {
	for count, runsCommand := range map[int32]bool{1: true, 16: true, 17: false, 1000: false} {
		probe := members.StartupProbe(count, "http", "agent", "check")
		if (probe.Exec != nil) != runsCommand || (probe.HTTPGet != nil) == runsCommand {
			t.Errorf("%d members: the probe is %+v, want a command: %v", count, probe.ProbeHandler, runsCommand)
		}
		if seconds := probe.PeriodSeconds * probe.FailureThreshold; seconds != 1800 {
			t.Errorf("%d members may take %d s to start, want 1800", count, seconds)
		}
	}
}
