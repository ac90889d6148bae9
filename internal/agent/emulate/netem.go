package emulate

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netlink/nl"
	"golang.org/x/sys/unix"

	"github.com/benchnet/benchnet/internal/network/latency"
)

const (
	// rootMajor is the handle of our root qdisc on the pod's interface.
	rootMajor = 1
	// firstMinor is the class of the first peer. The class before it probes whether the kernel has netem.
	firstMinor = 2
	// unlimitedRate is the rate of an unlimited class in bits per second. In bytes it fits the kernel's 32 bits.
	unlimitedRate = 32_000_000_000
	// netemPacketLimit is the maximum number of packets in transit to one peer.
	netemPacketLimit = 100_000
	// classQuantumBytes is how much a class may send per turn, in bytes: one packet of the largest size.
	classQuantumBytes = 64 << 10
)

// netemBackend delays packets to each peer in a separate HTB class with a netem qdisc.
type netemBackend struct {
	handle   *netlink.Handle
	link     netlink.Link
	newQdisc qdiscFactory
	peers    map[netip.Addr]peerClass
}

type peerClass struct {
	minor      uint16
	impairment latency.Impairment
}

// qdiscFactory returns the qdisc that delays the packets of a class.
type qdiscFactory func(attrs netlink.QdiscAttrs, way latency.Impairment) netlink.Qdisc

func newNetemQdisc(attrs netlink.QdiscAttrs, way latency.Impairment) netlink.Qdisc {
	return netlink.NewNetem(attrs, netlink.NetemQdiscAttrs{
		Latency: uint32(way.Delay.Microseconds()), Jitter: uint32(way.Jitter.Microseconds()),
		Loss: float32(way.Loss * 100), Limit: netemPacketLimit,
	})
}

// newNetemBackend adds the root qdisc. It fails with ENOENT, and removes the qdisc, if the kernel lacks netem.
func newNetemBackend(p segmentSize, l qdiscFactory) (*netemBackend, error) {
	kernel, err := netlink.NewHandle(unix.NETLINK_ROUTE)
	if err != nil {
		return nil, fmt.Errorf("open the kernel's network: %w", err)
	}
	n := &netemBackend{handle: kernel, newQdisc: l, peers: map[netip.Addr]peerClass{}}
	if err := n.addRootQdisc(p); err != nil {
		kernel.Close()
		return nil, err
	}
	return n, nil
}

func (n *netemBackend) addRootQdisc(p segmentSize) (err error) {
	if n.link, err = findInterface(n.handle); err != nil {
		return err
	}
	root := netlink.NewHtb(netlink.QdiscAttrs{LinkIndex: n.link.Attrs().Index,
		Handle: netlink.MakeHandle(rootMajor, 0), Parent: netlink.HANDLE_ROOT})
	// Remove the qdisc of an earlier process first. Usually there is none.
	_ = n.handle.QdiscDel(root)
	if err := n.handle.QdiscAdd(root); err != nil {
		return fmt.Errorf("add an HTB qdisc to %s: %w", n.link.Attrs().Name, err)
	}
	trial := firstMinor - 1
	if err := errors.Join(n.addClass(uint16(trial), latency.Impairment{}), n.limitSegmentSize(p)); err != nil {
		return errors.Join(err, n.handle.QdiscDel(root))
	}
	return nil
}

// limitSegmentSize disables segmentation offload for wireSegments, so that single packets can be lost.
func (n *netemBackend) limitSegmentSize(p segmentSize) error {
	if p == largeSegments {
		return nil
	}
	if err := n.handle.LinkSetGSOMaxSegs(n.link, 1); err != nil {
		return fmt.Errorf("keep %s from sending large segments: %w", n.link.Attrs().Name, err)
	}
	return nil
}

// findInterface returns the network interface of the default route, or the only one besides the loopback.
func findInterface(kernel *netlink.Handle) (netlink.Link, error) {
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
			if r.LinkIndex == l.Attrs().Index && isDefaultRoute(r) {
				return l, nil
			}
		}
	}
	if len(others) != 1 {
		return nil, fmt.Errorf("find the network interface: there are %d and none has the default route", len(others))
	}
	return others[0], nil
}

func isDefaultRoute(r netlink.Route) bool {
	if r.Dst == nil {
		return true
	}
	ones, _ := r.Dst.Mask.Size()
	return ones == 0 && r.Dst.IP.IsUnspecified()
}

func (*netemBackend) mechanismName() latency.Mechanism { return latency.Netem }

func (*netemBackend) packetCounts() *packetCounters { return nil }

// runUntilCancelled only waits, because the kernel does all the work.
func (*netemBackend) runUntilCancelled(ctx context.Context) error {
	<-ctx.Done()
	return nil
}

// setPeers adds, replaces and removes classes to match the given peers.
func (n *netemBackend) setPeers(ways map[netip.Addr]latency.Impairment) error {
	for peer, s := range n.peers {
		if way, stays := ways[peer]; stays && way == s.impairment {
			continue
		}
		if err := n.removePeer(peer, s.minor); err != nil {
			return fmt.Errorf("remove peer %s: %w", peer, err)
		}
		delete(n.peers, peer)
	}
	for peer, way := range ways {
		if _, there := n.peers[peer]; there {
			continue
		}
		minor := n.firstFreeMinor()
		if err := errors.Join(n.addClass(minor, way), n.handle.FilterAdd(n.newFilter(peer, minor))); err != nil {
			return fmt.Errorf("shape packets to peer %s: %w", peer, err)
		}
		n.peers[peer] = peerClass{minor, way}
	}
	return nil
}

// firstFreeMinor returns the lowest minor number without a class.
func (n *netemBackend) firstFreeMinor() uint16 {
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

func (n *netemBackend) removePeer(peer netip.Addr, minor uint16) error {
	if err := n.handle.FilterDel(n.newFilter(peer, minor)); err != nil {
		return fmt.Errorf("delete the filter: %w", err)
	}
	if err := n.handle.ClassDel(n.newClass(minor, unlimitedRate)); err != nil {
		return fmt.Errorf("delete the class: %w", err)
	}
	return nil
}

// addClass adds a class with the bandwidth of way and a qdisc with its delay and loss.
func (n *netemBackend) addClass(minor uint16, way latency.Impairment) error {
	rate := uint64(unlimitedRate)
	if way.BitsPerSecond > 0 {
		rate = min(rate, uint64(way.BitsPerSecond))
	}
	class := n.newClass(minor, rate)
	if err := n.handle.ClassAdd(class); err != nil {
		return fmt.Errorf("add class %d: %w", minor, err)
	}
	attrs := netlink.QdiscAttrs{LinkIndex: n.link.Attrs().Index, Parent: class.Handle}
	if err := n.handle.QdiscAdd(n.newQdisc(attrs, way)); err != nil {
		return fmt.Errorf("add the emulator to class %d: %w", minor, err)
	}
	return nil
}

func (n *netemBackend) newClass(minor uint16, rate uint64) *netlink.HtbClass {
	return netlink.NewHtbClass(
		netlink.ClassAttrs{LinkIndex: n.link.Attrs().Index, Parent: netlink.MakeHandle(rootMajor, 0), Handle: netlink.MakeHandle(rootMajor, minor)},
		netlink.HtbClassAttrs{Rate: rate, Quantum: classQuantumBytes})
}

// newFilter returns a filter that sends packets for peer to its class. Its priority is unique, because it
// identifies the filter when it is deleted.
func (n *netemBackend) newFilter(peer netip.Addr, minor uint16) *netlink.U32 {
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
