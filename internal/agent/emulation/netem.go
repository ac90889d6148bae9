package emulation

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"

	"github.com/benchnet/benchnet/internal/emulation"
)

const (
	// rootMajor is the handle of our qdisc on the pod's interface.
	rootMajor = 1
	// firstMinor is the class of the first peer; the one before it tries whether the kernel has netem.
	firstMinor = 2
	// unlimited is the rate in bits per second of a class without a limit: what fits the kernel's 32 bits in bytes.
	unlimited = 32_000_000_000
	// leafPackets is how many packets may be on their way to one peer.
	leafPackets = 100_000
	// quantum is what a class may send in a turn, in bytes: one packet as large as they come.
	quantum = 64 << 10
)

// netem delays what is sent to each peer by a class of its own with the kernel's network emulator at its end.
type netem struct {
	kernel *netlink.Handle
	link   netlink.Link
	leaf   leaf
	peers  map[netip.Addr]shaped
}

// shaped is a peer with its class.
type shaped struct {
	minor uint16
	way   emulation.Way
}

// leaf is what delays the packets of a class.
type leaf func(attrs netlink.QdiscAttrs, way emulation.Way) netlink.Qdisc

func netemLeaf(attrs netlink.QdiscAttrs, way emulation.Way) netlink.Qdisc {
	return netlink.NewNetem(attrs, netlink.NetemQdiscAttrs{
		Latency: uint32(way.Delay.Microseconds()), Jitter: uint32(way.Jitter.Microseconds()),
		Loss: float32(way.Loss * 100), Limit: leafPackets,
	})
}

// newNetem fails with ENOENT where the kernel lacks netem, and leaves nothing behind then.
func newNetem(p pieces, l leaf) (*netem, error) {
	kernel, err := netlink.NewHandle(unix.NETLINK_ROUTE)
	if err != nil {
		return nil, fmt.Errorf("open the kernel's network: %w", err)
	}
	n := &netem{kernel: kernel, leaf: l, peers: map[netip.Addr]shaped{}}
	if err := n.begin(p); err != nil {
		kernel.Close()
		return nil, err
	}
	return n, nil
}

func (n *netem) begin(p pieces) (err error) {
	if n.link, err = interfaceOf(n.kernel); err != nil {
		return err
	}
	root := netlink.NewHtb(netlink.QdiscAttrs{LinkIndex: n.link.Attrs().Index,
		Handle: netlink.MakeHandle(rootMajor, 0), Parent: netlink.HANDLE_ROOT})
	// What another life of this process left behind goes first; there may be nothing.
	_ = n.kernel.QdiscDel(root)
	if err := n.kernel.QdiscAdd(root); err != nil {
		return fmt.Errorf("add an HTB qdisc to %s: %w", n.link.Attrs().Name, err)
	}
	trial := firstMinor - 1
	if err := errors.Join(n.addClass(uint16(trial), emulation.Way{}), n.inPieces(p)); err != nil {
		return errors.Join(err, n.kernel.QdiscDel(root))
	}
	return nil
}

// inPieces makes the kernel segment itself what it would leave to the network card, so that single packets can be lost.
func (n *netem) inPieces(p pieces) error {
	if p == wholePieces {
		return nil
	}
	if err := n.kernel.LinkSetGSOMaxSegs(n.link, 1); err != nil {
		return fmt.Errorf("keep %s from sending large segments: %w", n.link.Attrs().Name, err)
	}
	return nil
}

// interfaceOf is the network interface of the default route, or the only one besides the loopback.
func interfaceOf(kernel *netlink.Handle) (netlink.Link, error) {
	links, err := kernel.LinkList()
	if err != nil {
		return nil, fmt.Errorf("list network interfaces: %w", err)
	}
	routes, err := kernel.RouteList(nil, netlink.FAMILY_ALL)
	if err != nil {
		return nil, fmt.Errorf("list routes: %w", err)
	}
	var others []netlink.Link
	for _, l := range links {
		if l.Attrs().Flags&unix.IFF_LOOPBACK == 0 && l.Attrs().Flags&unix.IFF_UP != 0 {
			others = append(others, l)
		}
	}
	for _, r := range routes {
		for _, l := range others {
			if r.LinkIndex == l.Attrs().Index && isDefault(r) {
				return l, nil
			}
		}
	}
	if len(others) != 1 {
		return nil, fmt.Errorf("find the network interface: there are %d and none has the default route", len(others))
	}
	return others[0], nil
}

func isDefault(r netlink.Route) bool {
	if r.Dst == nil {
		return true
	}
	ones, _ := r.Dst.Mask.Size()
	return ones == 0 && r.Dst.IP.IsUnspecified()
}

func (*netem) name() emulation.Mechanism { return emulation.Netem }

func (*netem) counts() *counters { return nil }

// run has nothing to do: the kernel does it all.
func (*netem) run(ctx context.Context) error {
	<-ctx.Done()
	return nil
}

// set brings the classes to the peers given.
func (n *netem) set(ways map[netip.Addr]emulation.Way) error {
	for peer, s := range n.peers {
		if way, stays := ways[peer]; stays && way == s.way {
			continue
		}
		if err := n.remove(peer, s.minor); err != nil {
			return fmt.Errorf("forget peer %s: %w", peer, err)
		}
		delete(n.peers, peer)
	}
	for peer, way := range ways {
		if _, there := n.peers[peer]; there {
			continue
		}
		minor := n.free()
		if err := errors.Join(n.addClass(minor, way), n.kernel.FilterAdd(n.filter(peer, minor))); err != nil {
			return fmt.Errorf("shape what goes to peer %s: %w", peer, err)
		}
		n.peers[peer] = shaped{minor, way}
	}
	return nil
}

// free is the first minor number without a class.
func (n *netem) free() uint16 {
	used := map[uint16]bool{}
	for _, s := range n.peers {
		used[s.minor] = true
	}
	minor := uint16(firstMinor)
	for used[minor] {
		minor++
	}
	return minor
}

func (n *netem) remove(peer netip.Addr, minor uint16) error {
	if err := n.kernel.FilterDel(n.filter(peer, minor)); err != nil {
		return fmt.Errorf("delete the filter: %w", err)
	}
	if err := n.kernel.ClassDel(n.class(minor, unlimited)); err != nil {
		return fmt.Errorf("delete the class: %w", err)
	}
	return nil
}

// addClass makes a class of the way's bandwidth with the emulator in it.
func (n *netem) addClass(minor uint16, way emulation.Way) error {
	rate := uint64(unlimited)
	if way.BitsPerSecond > 0 {
		rate = min(rate, uint64(way.BitsPerSecond))
	}
	class := n.class(minor, rate)
	if err := n.kernel.ClassAdd(class); err != nil {
		return fmt.Errorf("add class %d: %w", minor, err)
	}
	attrs := netlink.QdiscAttrs{LinkIndex: n.link.Attrs().Index, Parent: class.Handle}
	if err := n.kernel.QdiscAdd(n.leaf(attrs, way)); err != nil {
		return fmt.Errorf("add the emulator to class %d: %w", minor, err)
	}
	return nil
}

func (n *netem) class(minor uint16, rate uint64) *netlink.HtbClass {
	return netlink.NewHtbClass(
		netlink.ClassAttrs{LinkIndex: n.link.Attrs().Index, Parent: netlink.MakeHandle(rootMajor, 0), Handle: netlink.MakeHandle(rootMajor, minor)},
		netlink.HtbClassAttrs{Rate: rate, Quantum: quantum})
}

// filter sends what goes to the peer to its class. Each has a priority of its own, by which it is deleted.
func (n *netem) filter(peer netip.Addr, minor uint16) *netlink.U32 {
	protocol, offset := uint16(unix.ETH_P_IP), int32(16)
	if peer.Is6() {
		protocol, offset = unix.ETH_P_IPV6, 24
	}
	selector := &netlink.TcU32Sel{Flags: nl.TC_U32_TERMINAL}
	for address := peer.AsSlice(); len(address) > 0; address = address[4:] {
		selector.Keys = append(selector.Keys, netlink.TcU32Key{Mask: 0xffffffff, Val: binary.BigEndian.Uint32(address), Off: offset})
		offset += 4
	}
	return &netlink.U32{
		FilterAttrs: netlink.FilterAttrs{LinkIndex: n.link.Attrs().Index, Parent: netlink.MakeHandle(rootMajor, 0),
			Priority: minor, Protocol: protocol},
		ClassId: netlink.MakeHandle(rootMajor, minor), Sel: selector,
	}
}
