package emulation

import (
	"errors"
	"net"
	"net/netip"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"golang.org/x/sys/unix"

	"github.com/benchnet/benchnet/internal/emulation"
)

// plainLeaf stands in for the emulator on kernels without it: everything but the delay can be tried then.
func plainLeaf(attrs netlink.QdiscAttrs, _ emulation.Way) netlink.Qdisc {
	return &netlink.GenericQdisc{QdiscAttrs: attrs, QdiscType: "pfifo"}
}

func (s space) netem(t *testing.T, p pieces, l leaf) (*netem, error) {
	var n *netem
	var err error
	s.do(t, func() error {
		n, err = newNetem(p, l)
		return nil
	})
	return n, err
}

// TestNetemDelays needs a kernel with netem; where there is none, what must happen instead is that it says so.
func TestNetemDelays(t *testing.T) {
	a, others := spaces(t, 1)
	b := others[0]
	n, err := b.netem(t, wholePieces, netemLeaf)
	if errors.Is(err, unix.ENOENT) {
		t.Skipf("this kernel has no netem, what it would do cannot be measured: %v", err)
	}
	if err != nil {
		t.Fatal(err)
	}
	set := map[netip.Addr]emulation.Way{a.address: {Delay: 20 * time.Millisecond}}
	if err := n.set(set); err != nil {
		t.Fatal(err)
	}
	toA := a.listen(t, func(c net.Conn) { _ = c.Close() })
	if got := leastWithin(t, b, toA, 22*time.Millisecond); got < 20*time.Millisecond || got > 22*time.Millisecond {
		t.Errorf("a round trip of 20ms takes %v", got)
	}
}

// TestNetemLeavesNothingWhereItCannotWork: the interface is as it was, so that the other mechanism starts from nothing.
func TestNetemLeavesNothingWhereItCannotWork(t *testing.T) {
	_, others := spaces(t, 1)
	unknown := func(attrs netlink.QdiscAttrs, _ emulation.Way) netlink.Qdisc {
		return &netlink.GenericQdisc{QdiscAttrs: attrs, QdiscType: "no-such-qdisc"}
	}
	if _, err := others[0].netem(t, wholePieces, unknown); !errors.Is(err, unix.ENOENT) {
		t.Fatalf("error %v, want ENOENT", err)
	}
	others[0].do(t, func() error {
		all, err := netlink.QdiscList(nil)
		for _, q := range all {
			if q.Type() == "htb" {
				t.Errorf("%v is still there", q)
			}
		}
		return err
	})
}

// TestNetemShapesByDestination: classes and filters are the kernel's own, whatever delays at their end.
func TestNetemShapesByDestination(t *testing.T) {
	a, others := spaces(t, 1)
	b := others[0]
	n, err := b.netem(t, wirePieces, plainLeaf)
	if err != nil {
		t.Fatal(err)
	}
	const limit = 20_000_000
	other := netip.MustParseAddr("10.200.0.1")
	slow := emulation.Way{BitsPerSecond: limit}
	rates := map[string]float64{}
	for _, step := range []struct {
		name string
		ways map[netip.Addr]emulation.Way
	}{
		{"limited", map[netip.Addr]emulation.Way{a.address: slow, netip.MustParseAddr("fd00::1"): slow}},
		{"of another", map[netip.Addr]emulation.Way{other: slow}},
		{"limited again", map[netip.Addr]emulation.Way{other: slow, a.address: slow}},
		{"none", nil},
	} {
		if err := n.set(step.ways); err != nil {
			t.Fatalf("%s: %v", step.name, err)
		}
		rates[step.name] = transfer(t, b, a, 1500*time.Millisecond)
		t.Logf("%s: %.1f Mbit/s", step.name, rates[step.name]/1e6)
	}
	for _, name := range []string{"limited", "limited again"} {
		if rates[name] < 0.1*limit || rates[name] > 1.5*limit {
			t.Errorf("%s to %d bit/s, %.0f went through", name, limit, rates[name])
		}
	}
	for _, name := range []string{"of another", "none"} {
		if rates[name] < 2*limit {
			t.Errorf("%s: only %.0f bit/s", name, rates[name])
		}
	}
}
