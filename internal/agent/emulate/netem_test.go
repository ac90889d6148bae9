package emulate

import (
	"errors"
	"math"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/benchnet/benchnet/internal/network/latency"
)

// newPlainQdisc replaces netem on kernels without it, so that everything except the delay can be tested.
func newPlainQdisc(attrs netlink.QdiscAttrs, _ latency.Impairment) netlink.Qdisc {
	return &netlink.GenericQdisc{QdiscAttrs: attrs, QdiscType: "pfifo"}
}

func (s testNamespace) newNetemBackend(t *testing.T, p segmentSize, l qdiscFactory) (*netemBackend, error) {
	var n *netemBackend
	var err error
	s.runInside(t, func() error {
		n, err = newNetemBackend(p, l)
		return nil
	})
	return n, err
}

// TestNetemDelays needs a kernel with netem. Otherwise it checks for ENOENT and skips.
func TestNetemDelays(t *testing.T) {
	a, others := newTestNamespaces(t, 1)
	b := others[0]
	n, err := b.newNetemBackend(t, largeSegments, newNetemQdisc)
	if errors.Is(err, unix.ENOENT) {
		t.Skipf("this kernel has no netem, what it would do cannot be measured: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	set := map[netip.Addr]latency.Impairment{a.address: {Delay: 20 * time.Millisecond}}
	if err := n.setPeers(set); err != nil {
		t.Fatal(err)
	}
	toA := a.listenTCP(t, func(c net.Conn) { _ = c.Close() })
	if got := measureLeastRoundTrip(t, b, toA, 22*time.Millisecond); got < 20*time.Millisecond || got > 22*time.Millisecond {
		t.Errorf("a round trip of 20ms takes %v", got)
	}
}

// TestNetemCleansUpWhenUnsupported checks that the interface is unchanged, so that the other backend starts clean.
func TestNetemCleansUpWhenUnsupported(t *testing.T) {
	_, others := newTestNamespaces(t, 1)
	unknown := func(attrs netlink.QdiscAttrs, _ latency.Impairment) netlink.Qdisc {
		return &netlink.GenericQdisc{QdiscAttrs: attrs, QdiscType: "no-such-qdisc"}
	}
	if _, err := others[0].newNetemBackend(t, largeSegments, unknown); !errors.Is(err, unix.ENOENT) {
		t.Fatalf("error %v, want ENOENT", err)
	}
	others[0].runInside(t, func() error {
		all, err := netlink.QdiscList(nil)
		for _, q := range all {
			if q.Type() == "htb" {
				t.Errorf("%v is still there", q)
			}
		}
		return err
	})
}

// TestNetemShapesByDestination checks the kernel's classes and filters, independently of netem.
func TestNetemShapesByDestination(t *testing.T) {
	a, others := newTestNamespaces(t, 1)
	b := others[0]
	n, err := b.newNetemBackend(t, wireSegments, newPlainQdisc)
	if err != nil {
		t.Fatal(err)
	}
	const limit = 20_000_000
	other := netip.MustParseAddr("10.200.0.1")
	slow := latency.Impairment{BitsPerSecond: limit}
	for _, step := range []struct {
		name        string
		ways        map[netip.Addr]latency.Impairment
		least, most float64
	}{
		{"limited", map[netip.Addr]latency.Impairment{a.address: slow, netip.MustParseAddr("fd00::1"): slow}, 0.1 * limit, 1.5 * limit},
		{"of another", map[netip.Addr]latency.Impairment{other: slow}, 2 * limit, math.Inf(1)},
		{"limited again", map[netip.Addr]latency.Impairment{other: slow, a.address: slow}, 0.1 * limit, 1.5 * limit},
		{"none", nil, 2 * limit, math.Inf(1)},
	} {
		if err := n.setPeers(step.ways); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		if rate := fastest(t, b, a, step.least); rate < step.least || rate > step.most {
			t.Errorf("%s: %.0f bit/s went through, want %.0f to %.0f", step.name, rate, step.least, step.most)
		}
	}
}
