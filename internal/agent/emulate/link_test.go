package emulate

import (
	"context"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"regexp"
	"slices"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/benchnet/benchnet/internal/agent/faults"
	"github.com/benchnet/benchnet/internal/network/latency"
	"github.com/benchnet/benchnet/internal/run/measurement"
)

// newLinkFault returns a fault of the link to member-1.
func newLinkFault(seconds int, l measurement.LinkFault) measurement.Fault {
	return measurement.Fault{Type: measurement.FaultLink, DurationSeconds: seconds, Targets: "member-0", From: "member-1", Link: l}
}

// TestLinkDelays checks that the round trip of a fault is added to that of regions, by either mechanism, for the peer on the other side only.
func TestLinkDelays(t *testing.T) {
	const region, added = 30 * time.Millisecond, 40 * time.Millisecond
	for mechanism, config := range map[latency.Mechanism]*latency.Config{
		latency.NoMechanism: noRegions,
		latency.UserSpace: {Network: "net", Members: map[string]string{"member-0": "LON", "member-1": "NYC", "member-2": "NYC"},
			Links: []latency.RegionLink{{Between: [2]string{"LON", "NYC"}, Link: latency.Link{RoundTripMicros: 2 * region.Microseconds()}}}},
		latency.Netem: noRegions,
	} {
		t.Run(string(mechanism), func(t *testing.T) {
			a, others := newTestNamespaces(t, 2)
			e := newFaultEmulator(t, a, others, config)
			var near, far time.Duration
			switch mechanism {
			case latency.UserSpace:
				near, far = region, region
			case latency.Netem:
				delayByNetem(t, others[0], a.address, region)
				far = region
			}
			toFar, toNear := others[0].listenTCP(t, func(c net.Conn) { _ = c.Close() }), others[1].listenTCP(t, func(c net.Conn) { _ = c.Close() })
			effect := repeatFault(t, "", func() measurement.FaultEffect {
				wait := requestInBackground(t, e, a, newLinkFault(3, measurement.LinkFault{RoundTripMicros: added.Microseconds()}))
				waitUntil(t, "the fault", func() bool { return len(faultTables(t, a)) > 0 })
				time.Sleep(200 * time.Millisecond) // Until it has peers.
				for address, want := range map[string]time.Duration{toNear: near, toFar: far + added} {
					if got := slices.Min(measureRoundTrips(t, a, address, 5)); got < want || got > want+10*time.Millisecond {
						t.Errorf("a round trip takes %v, want %v", got, want)
					}
				}
				return wait()
			})
			if !regexp.MustCompile(`^\d of [34] probes answered; round trip [34]\d\.\d ms longer; of \d+ packets 0 lost`).MatchString(effect.During) {
				t.Errorf("effect %+v", effect)
			}
			if lasted := effect.Healed.FromSeconds - effect.Injected.FromSeconds; lasted < 2.99 || lasted > 4 {
				t.Errorf("lasted %v s", lasted)
			}
			if left := faultTables(t, a); len(left) > 0 {
				t.Errorf("the tables %v are left", left)
			}
		})
	}
}

// delayByNetem delays packets to an address by the kernel, or skips the test if it cannot.
func delayByNetem(t *testing.T, at testNamespace, to netip.Addr, delay time.Duration) {
	t.Helper()
	n, err := at.newNetemBackend(t, largeSegments, newNetemQdisc)
	if errors.Is(err, unix.ENOENT) {
		t.Skipf("this kernel has no netem: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	if err := n.setPeers(map[netip.Addr]latency.Impairment{to: {Delay: delay}}); err != nil {
		t.Fatal(err)
	}
}

// TestLinkProof checks which links are proved, with and without traffic.
func TestLinkProof(t *testing.T) {
	for name, c := range map[string]struct {
		link    measurement.LinkFault
		traffic bool
		problem string
	}{
		"loss":                          {measurement.LinkFault{LossPercent: 2}, true, ""},
		"loss of few packets":           {measurement.LinkFault{LossPercent: 2}, false, `too few packets to prove the loss: \d+, want 250`},
		"bandwidth":                     {measurement.LinkFault{BitsPerSecond: 20_000_000}, true, ""},
		"bandwidth that is not reached": {measurement.LinkFault{BitsPerSecond: 20_000_000}, false, "no packet waited for the bandwidth: the load did not reach it"},
		"all":                           {measurement.LinkFault{RoundTripMicros: 20_000, JitterMicros: 5_000, LossPercent: 2, BitsPerSecond: 20_000_000}, true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			a, others := newTestNamespaces(t, 1)
			e := newFaultEmulator(t, a, others, noRegions)
			repeatFault(t, c.problem, func() measurement.FaultEffect {
				wait := requestInBackground(t, e, a, newLinkFault(4, c.link))
				waitUntil(t, "the fault", func() bool { return len(faultTables(t, a)) > 0 })
				time.Sleep(200 * time.Millisecond) // Until it has peers.
				if c.traffic {
					var both sync.WaitGroup
					for _, ends := range [][2]testNamespace{{a, others[0]}, {others[0], a}} {
						both.Go(func() {
							if rate := measureThroughput(t, ends[0], ends[1], 2*time.Second); c.link.BitsPerSecond > 0 && rate > 1.3*float64(c.link.BitsPerSecond) {
								t.Errorf("%.1f Mbit/s went through", rate/1e6)
							}
						})
					}
					both.Wait()
				}
				return wait()
			})
		})
	}
}

// TestLinkDirection checks that a link hits the packets of one direction only, and is proved by them.
func TestLinkDirection(t *testing.T) {
	for name, c := range map[string]struct {
		direction measurement.FaultDirection
		link      measurement.LinkFault
	}{
		"loss to the target":        {measurement.DirectionToTarget, measurement.LinkFault{RoundTripMicros: 40_000, LossPercent: 5}},
		"loss from the target":      {measurement.DirectionFromTarget, measurement.LinkFault{LossPercent: 5}},
		"bandwidth to the target":   {measurement.DirectionToTarget, measurement.LinkFault{BitsPerSecond: 40_000}},
		"bandwidth from the target": {measurement.DirectionFromTarget, measurement.LinkFault{BitsPerSecond: 40_000}},
	} {
		t.Run(name, func(t *testing.T) {
			a, b := newNeighbors(t, false)
			e := newFaultEmulator(t, a, []testNamespace{b}, noRegions)
			fault := newLinkFault(3, c.link)
			fault.Direction = c.direction
			repeatFault(t, "", func() measurement.FaultEffect {
				toTarget, fromTarget := a.receiveDatagrams(t), b.receiveDatagrams(t)
				wait := requestInBackground(t, e, a, fault)
				waitUntil(t, "the fault", func() bool { return len(faultTables(t, a)) > 0 })
				time.Sleep(200 * time.Millisecond) // Until it has peers.
				sentTo, sentFrom := b.sendDatagrams(t, toTarget.address, time.Second), a.sendDatagrams(t, fromTarget.address, time.Second)
				effect := wait()
				for toPeers, lost := range map[bool]int64{false: sentTo - toTarget.count.Load(), true: sentFrom - fromTarget.count.Load()} {
					if isHit := hitsPackets(c.direction, toPeers); (lost > 0) != isHit {
						t.Errorf("%d packets were lost, to the peers %t", lost, toPeers)
					}
				}
				return effect
			})
		})
	}
}

// TestLinkWithoutEffect checks that a link which the probes do not see is a problem.
func TestLinkWithoutEffect(t *testing.T) {
	a, others := newTestNamespaces(t, 1)
	e := newFaultEmulator(t, a, others, noRegions)
	fault := newLinkFault(1, measurement.LinkFault{RoundTripMicros: 40_000})
	for want, answer := range map[string]func() bool{
		"the round trip was 0.0 ms longer, not 40.0 ms": func() bool { return true },
		"no member answered during the fault":           func() bool { return len(faultTables(t, a)) == 0 },
	} {
		t.Run(want, func(t *testing.T) {
			e.probe = func(context.Context, netip.Addr) bool { return answer() }
			if effect := requestFault(t.Context(), t, e, a, http.MethodPost, fault); effect.Problem != want {
				t.Errorf("effect %+v", effect)
			}
		})
	}
}

func TestCheckLinkProof(t *testing.T) {
	const ms = time.Millisecond
	few := func(p *linkProof) { p.packets, p.lost = 999, 5 }
	for name, c := range map[string]struct {
		asked  measurement.LinkFault
		added  time.Duration
		change func(*linkProof)
		want   string
	}{
		"exact":                     {measurement.LinkFault{RoundTripMicros: 100_000}, 100 * ms, nil, ""},
		"a fifth shorter":           {measurement.LinkFault{RoundTripMicros: 100_000}, 80 * ms, nil, ""},
		"shorter":                   {measurement.LinkFault{RoundTripMicros: 100_000}, 79 * ms, nil, "the round trip was 79.0 ms longer, not 100.0 ms"},
		"longer":                    {measurement.LinkFault{RoundTripMicros: 100_000}, 121 * ms, nil, "the round trip was 121.0 ms longer, not 100.0 ms"},
		"longer by the bandwidth":   {measurement.LinkFault{RoundTripMicros: 100_000, BitsPerSecond: 1000}, 121 * ms, func(p *linkProof) { p.late = 1 }, ""},
		"on a busy node":            {measurement.LinkFault{RoundTripMicros: 4_000}, 9 * ms, nil, ""},
		"half of a short one":       {measurement.LinkFault{RoundTripMicros: 4_000}, 2 * ms, nil, ""},
		"less of a short one":       {measurement.LinkFault{RoundTripMicros: 4_000}, 2*ms - 1, nil, "the round trip was 2.0 ms longer, not 4.0 ms"},
		"no answers":                {measurement.LinkFault{LossPercent: 1}, 0, func(p *linkProof) { p.added = nil }, "no member answered during the fault"},
		"few packets":               {measurement.LinkFault{LossPercent: 0.5}, 0, few, "too few packets to prove the loss: 999, want 1000"},
		"as many lost as expected":  {measurement.LinkFault{LossPercent: 0.5}, 0, func(p *linkProof) { p.packets, p.lost = 1000, 5 }, ""},
		"none lost":                 {measurement.LinkFault{LossPercent: 0.5}, 0, func(p *linkProof) { p.packets = 1000 }, "0 of 1000 packets were lost, not 0.5%"},
		"many lost by chance":       {measurement.LinkFault{LossPercent: 50}, 0, func(p *linkProof) { p.packets, p.lost = 10_000, 5190 }, ""},
		"too many lost":             {measurement.LinkFault{LossPercent: 50}, 0, func(p *linkProof) { p.packets, p.lost = 10_000, 5200 }, "5200 of 10000 packets were lost, not 50%"},
		"too few lost":              {measurement.LinkFault{LossPercent: 50}, 0, func(p *linkProof) { p.packets, p.lost = 10_000, 4800 }, "4800 of 10000 packets were lost, not 50%"},
		"the bandwidth of two":      {measurement.LinkFault{BitsPerSecond: 1000}, 0, func(p *linkProof) { p.bitsPerSecond, p.dropped = 2100, 1 }, ""},
		"more than that of two":     {measurement.LinkFault{BitsPerSecond: 1000}, 0, func(p *linkProof) { p.bitsPerSecond, p.dropped = 2101, 1 }, "2101 bit/s passed, more than 1000 to each of 2 members"},
		"an unreached bandwidth":    {measurement.LinkFault{BitsPerSecond: 1000}, 0, func(p *linkProof) { p.bitsPerSecond = 900 }, "no packet waited for the bandwidth: the load did not reach it"},
		"a bandwidth that was late": {measurement.LinkFault{BitsPerSecond: 1000}, 0, func(p *linkProof) { p.late = 1 }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			p := &linkProof{networkFault: &networkFault{Request: &faults.Request{Fault: measurement.Fault{Link: c.asked}}, peers: 2,
				added: []time.Duration{c.added}}}
			if c.change != nil {
				c.change(p)
			}
			got := ""
			if err := p.checkProof(); err != nil {
				got = err.Error()
			}
			if got != c.want {
				t.Errorf("problem %q, want %q", got, c.want)
			}
		})
	}
}
