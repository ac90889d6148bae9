package emulate

import (
	"io"
	"net"
	"net/netip"
	"slices"
	"testing"
	"time"

	"github.com/benchnet/benchnet/internal/agent/calibrate"
	"github.com/benchnet/benchnet/internal/network/latency"
)

func setPeer(t testing.TB, m *userSpaceBackend, peer netip.Addr, way latency.Impairment) {
	t.Helper()
	if err := m.setPeers(map[netip.Addr]latency.Impairment{peer: way}); err != nil {
		t.Fatal(err)
	}
}

func measureRoundTrips(t testing.TB, from testNamespace, to string, count int) []time.Duration {
	t.Helper()
	var all []time.Duration
	from.runInside(t, func() (err error) {
		all, err = calibrate.RoundTrips(t.Context(), to, count, time.Millisecond)
		return err
	})
	return all
}

// measureLeastRoundTrip repeats measurements until the shortest round trip is at most most, and returns it. On
// a busy machine any round trip may wait for a core.
func measureLeastRoundTrip(t testing.TB, from testNamespace, to string, most time.Duration) time.Duration {
	t.Helper()
	const tries = 20
	for attempt := 1; ; attempt++ {
		got := measureRoundTrips(t, from, to, 20)
		least := slices.Min(got)
		t.Logf("least %v, median %v", least, medianOf(slices.Values(got)))
		if least <= most || attempt == tries {
			return least
		}
	}
}

func TestUserSpaceDelays(t *testing.T) {
	a, others := newTestNamespaces(t, 2)
	b, c := others[0], others[1]
	here, there := a.startUserSpaceBackend(t, largeSegments), b.startUserSpaceBackend(t, largeSegments)
	toB, toC := b.listenTCP(t, func(c net.Conn) { _ = c.Close() }), c.listenTCP(t, func(c net.Conn) { _ = c.Close() })
	base := slices.Min(measureRoundTrips(t, a, toB, 20))
	for _, want := range []time.Duration{500 * time.Microsecond, 5 * time.Millisecond, 40 * time.Millisecond} {
		setPeer(t, here, b.address, latency.Impairment{Delay: want / 2})
		setPeer(t, there, a.address, latency.Impairment{Delay: want / 2})
		most := want + want/10 + time.Millisecond
		if least := measureLeastRoundTrip(t, a, toB, most); least < want || least > most {
			t.Errorf("a round trip of %v takes %v, without delay %v", want, least, base)
		}
	}
	if got := measureLeastRoundTrip(t, a, toC, 5*time.Millisecond); got > 5*time.Millisecond {
		t.Errorf("a round trip to one that is no peer takes %v", got)
	}
}

func TestUserSpaceDelaysIPv6(t *testing.T) {
	a, b := newNeighbors(t, false)
	here := a.startUserSpaceBackend(t, largeSegments)
	toB := b.listenTCP(t, func(c net.Conn) { _ = c.Close() })
	setPeer(t, here, b.address, latency.Impairment{Delay: 20 * time.Millisecond})
	if least := measureLeastRoundTrip(t, a, toB, 25*time.Millisecond); least < 20*time.Millisecond || least > 25*time.Millisecond {
		t.Errorf("a round trip of 20 ms takes %v", least)
	}
}

// measureThroughput sends for a while and returns the rate at the receiver in bits per second.
func measureThroughput(t testing.TB, from, to testNamespace, lasting time.Duration) float64 {
	t.Helper()
	type sum struct {
		bytes int64
		took  time.Duration
	}
	done := make(chan sum, 1)
	address := to.listenTCP(t, func(c net.Conn) {
		began := time.Now()
		n, _ := io.Copy(io.Discard, c)
		done <- sum{n, time.Since(began)}
	})
	from.runInside(t, func() error {
		c, err := net.Dial("tcp", address)
		if err != nil {
			return err
		}
		defer func() { _ = c.Close() }()
		data := make([]byte, 256<<10)
		for end := time.Now().Add(lasting); time.Now().Before(end); {
			if _, err := c.Write(data); err != nil {
				return err
			}
		}
		return nil
	})
	s := <-done
	return float64(s.bytes) * 8 / s.took.Seconds()
}

// fastest repeats transfers until the rate at the receiver is at least least, and returns the highest. On a
// busy machine any transfer may be slow.
func fastest(t testing.TB, from, to testNamespace, least float64) float64 {
	t.Helper()
	rate := 0.0
	for tries := 10; rate < least && tries > 0; tries-- {
		rate = max(rate, measureThroughput(t, from, to, 1500*time.Millisecond))
		t.Logf("%.1f Mbit/s", rate/1e6)
	}
	return rate
}

// TestUserSpaceThroughput checks that a long link is not slow. At 40 ms, TCP's default windows allow hundreds of
// Mbit/s: half a Gbit/s on an idle machine, less on a busy one. Packets held on the wrong side would allow a hundredth.
func TestUserSpaceThroughput(t *testing.T) {
	a, others := newTestNamespaces(t, 1)
	b := others[0]
	here, there := a.startUserSpaceBackend(t, largeSegments), b.startUserSpaceBackend(t, largeSegments)
	for _, c := range []struct {
		rtt   time.Duration
		least float64
	}{{time.Millisecond, 2e7}, {40 * time.Millisecond, 1e7}} {
		setPeer(t, here, b.address, latency.Impairment{Delay: c.rtt / 2})
		setPeer(t, there, a.address, latency.Impairment{Delay: c.rtt / 2})
		rate := fastest(t, a, b, c.least)
		if rate < c.least {
			t.Errorf("at %v only %.0f Mbit/s went through", c.rtt, rate/1e6)
		}
		if n := there.packetCounts().dropped.Load(); n > 0 {
			t.Errorf("at %v %d packets were dropped", c.rtt, n)
		}
	}
}

func TestUserSpaceBandwidthAndLoss(t *testing.T) {
	a, others := newTestNamespaces(t, 1)
	b := others[0]
	there := b.startUserSpaceBackend(t, wireSegments)
	const limit = 50_000_000
	setPeer(t, there, a.address, latency.Impairment{Delay: 5 * time.Millisecond, BitsPerSecond: limit})
	if rate := fastest(t, a, b, 0.1*limit); rate < 0.1*limit || rate > 1.3*limit {
		t.Errorf("%.1f Mbit/s went through a link of %d Mbit/s", rate/1e6, limit/1_000_000)
	}
	setPeer(t, there, a.address, latency.Impairment{Loss: 0.05})
	before := there.packetCounts().held.Load()
	// Until there are enough packets for a share, because their number per second depends on the machine.
	var arrived, gone int64
	for range 30 {
		measureThroughput(t, a, b, 2*time.Second)
		arrived, gone = there.packetCounts().held.Load()-before, there.packetCounts().lost.Load()
		if arrived+gone >= 1000 {
			break
		}
	}
	share := float64(gone) / float64(arrived+gone)
	t.Logf("%d of %d packets lost", gone, arrived+gone)
	if arrived+gone < 1000 || share < 0.03 || share > 0.07 {
		t.Errorf("%d of %d packets were lost, 5 percent should be", gone, arrived+gone)
	}
}

// TestTrafficPassesAfterUserSpaceEnds checks that a terminated sidecar does not disconnect its member.
func TestTrafficPassesAfterUserSpaceEnds(t *testing.T) {
	a, others := newTestNamespaces(t, 1)
	b := others[0]
	toA := a.listenTCP(t, func(c net.Conn) { _ = c.Close() })
	t.Run("while it works", func(t *testing.T) {
		here := a.startUserSpaceBackend(t, largeSegments)
		setPeer(t, here, b.address, latency.Impairment{Delay: 20 * time.Millisecond})
		if got := medianOf(slices.Values(measureRoundTrips(t, b, toA, 5))); got < 20*time.Millisecond {
			t.Errorf("a round trip takes %v", got)
		}
	})
	if got := measureLeastRoundTrip(t, b, toA, 10*time.Millisecond); got > 10*time.Millisecond {
		t.Errorf("afterwards a round trip takes %v", got)
	}
	t.Run("when it is back", func(t *testing.T) {
		here := a.startUserSpaceBackend(t, largeSegments)
		setPeer(t, here, b.address, latency.Impairment{Delay: 20 * time.Millisecond})
		if got := medianOf(slices.Values(measureRoundTrips(t, b, toA, 5))); got < 20*time.Millisecond {
			t.Errorf("a round trip takes %v", got)
		}
	})
}
