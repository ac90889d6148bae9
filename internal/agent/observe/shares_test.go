package observe

import (
	"testing"
	"time"

	"github.com/benchnet/benchnet/internal/agent/container"
)

// cpuSample returns a sample of a host with one CPU, with the total times of its states.
func cpuSample(seconds, busy, nice, steal, idle, thread float64) scrapeSample {
	return timedSample(seconds, time.Millisecond, map[string]float64{container.HostCPUs: 1, container.HostCPUBusy: busy, container.HostCPUNice: nice, container.HostCPUSteal: steal,
		container.HostCPUIdle: idle, container.BusiestThreadShare: thread})
}

// TestSharesOfSeconds checks a host whose mean of 67 % hides 2 of 3 saturated seconds, and a thread.
func TestSharesOfSeconds(t *testing.T) {
	e := computeEvidence([]scrapeSample{cpuSample(0, 0, 0, 0, 0, 1), cpuSample(1, 1, 0, 0, 0, 1), cpuSample(2, 1, 0, 0, 1, 0.2), cpuSample(3, 1.9, 0, 0.1, 1, 0.95)})
	if e.Host == nil || e.Host.SaturatedShare == nil || *e.Host.SaturatedShare != 0.6667 {
		t.Errorf("host %+v, want 2 of 3 seconds saturated", e.Host)
	}
	if e.BusiestThread == nil || e.BusiestThread.AtLimitShare != 0.75 || e.BusiestThread.Cores != 0.7875 {
		t.Errorf("thread %+v, want 3 of 4 readings at the limit", e.BusiestThread)
	}
}

// TestNiceTimeSaturatesNothing checks that processes of lowered priority do not saturate a host, and that two samples
// give no share of seconds.
func TestNiceTimeSaturatesNothing(t *testing.T) {
	e := computeEvidence([]scrapeSample{cpuSample(0, 0, 0, 0, 0, 0), cpuSample(1, 1, 0.9, 0, 0, 0), cpuSample(2, 2, 1.8, 0, 0, 0)})
	if *e.Host.SaturatedShare != 0 || e.Host.NiceShare != 0.9 {
		t.Errorf("host %+v, want no saturated second", e.Host)
	}
	if e := computeEvidence([]scrapeSample{cpuSample(0, 0, 0, 0, 0, 0), cpuSample(1, 1, 0, 0, 0, 0)}); e.Host.SaturatedShare != nil {
		t.Errorf("a share of one second: %v", *e.Host.SaturatedShare)
	}
}
