package emulate

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"

	"github.com/google/nftables"
	"github.com/google/nftables/expr"
	"github.com/google/nftables/xt"
	"golang.org/x/sys/unix"
)

// Types of ICMPv6 messages.
const neighborSolicitation, neighborAdvertisement = 135, 136

// Names of our tables in a pod's netfilter.
const (
	latencyTable   = "benchnet"
	partitionTable = "benchnet-partition"
)

// ipFamily holds what differs between the IP versions, such as the position of the source address, which the destination follows.
type ipFamily struct {
	table          nftables.TableFamily
	address        nftables.SetDatatype
	offset, length uint32
}

var ipFamilies = map[bool]ipFamily{
	true:  {nftables.TableFamilyIPv4, nftables.TypeIPAddr, 12, 4},
	false: {nftables.TableFamilyIPv6, nftables.TypeIP6Addr, 8, 16},
}

// peerRule is what happens to the packets from peers, or to them.
type peerRule struct {
	chain    string
	hook     *nftables.ChainHook
	priority *nftables.ChainPriority
	toPeers  bool
	actions  []expr.Any
}

// passNeighborDiscovery lets pass the packets by which IPv6 finds neighbors. IPv4 has ARP for that, which no rule sees. Without them, the loss
// of one direction would soon end the other one, too.
var passNeighborDiscovery = []expr.Any{
	&expr.Meta{Key: expr.MetaKeyL4PROTO, Register: 1},
	&expr.Cmp{Op: expr.CmpOpEq, Register: 1, Data: []byte{unix.IPPROTO_ICMPV6}},
	&expr.Payload{DestRegister: 1, Base: expr.PayloadBaseTransportHeader, Len: 1},
	&expr.Range{Op: expr.CmpOpEq, Register: 1, FromData: []byte{neighborSolicitation}, ToData: []byte{neighborAdvertisement}},
	&expr.Verdict{Kind: expr.VerdictAccept},
}

// netfilterRules are the rules of a table about the packets of peers.
type netfilterRules struct {
	table      string
	connection *nftables.Conn
	// peerSets are the sets of the peers' addresses; the key is true for IPv4.
	peerSets map[bool]*nftables.Set
}

// addNetfilterRules adds a table with rules without peers. It replaces the rules that an earlier fault or process left behind. The rules
// get the action that sends a packet to a queue: the kernel's queue expression, or the NFQUEUE target of iptables if the kernel lacks it.
func addNetfilterRules(table string, queue expr.Queue, rules func(toQueue expr.Any) []peerRule) (*netfilterRules, error) {
	connection, err := nftables.New(nftables.AsLasting())
	if err != nil {
		return nil, fmt.Errorf("open netfilter's rules: %w", err)
	}
	r := &netfilterRules{table: table, connection: connection, peerSets: map[bool]*nftables.Set{}}
	for isIPv4 := range ipFamilies {
		if err := r.addTable(isIPv4, rules(&queue)); err != nil {
			if again := r.addTable(isIPv4, rules(newQueueTarget(queue))); again != nil {
				return nil, fmt.Errorf("add a rule to netfilter: %w", errors.Join(err, again, connection.CloseLasting()))
			}
		}
	}
	return r, nil
}

// newQueueTarget returns the iptables target NFQUEUE, revision 3: queue, number of queues, and whether packets pass while no process reads
// the queue.
func newQueueTarget(queue expr.Queue) *expr.Target {
	var bypass uint16
	if queue.Flag == expr.QueueFlagBypass {
		bypass = 1
	}
	info := xt.Unknown(binary.NativeEndian.AppendUint16(nil, queue.Num))
	info = binary.NativeEndian.AppendUint16(info, 1)
	info = binary.NativeEndian.AppendUint16(info, bypass)
	return &expr.Target{Name: "NFQUEUE", Rev: 3, Info: &info}
}

func (r *netfilterRules) addTable(isIPv4 bool, rules []peerRule) error {
	f := ipFamilies[isIPv4]
	table := &nftables.Table{Family: f.table, Name: r.table}
	r.connection.AddTable(table)
	r.connection.FlushTable(table)
	set := &nftables.Set{Table: table, Name: "peers", KeyType: f.address}
	if err := r.connection.AddSet(set, nil); err != nil {
		return err
	}
	r.connection.FlushSet(set)
	for _, rule := range rules {
		offset := f.offset
		if rule.toPeers {
			offset += f.length
		}
		chain := r.connection.AddChain(&nftables.Chain{Name: rule.chain, Table: table, Type: nftables.ChainTypeFilter,
			Hooknum: rule.hook, Priority: rule.priority})
		if !isIPv4 {
			r.connection.AddRule(&nftables.Rule{Table: table, Chain: chain, Exprs: passNeighborDiscovery})
		}
		r.connection.AddRule(&nftables.Rule{Table: table, Chain: chain, Exprs: append([]expr.Any{
			&expr.Payload{DestRegister: 1, Base: expr.PayloadBaseNetworkHeader, Offset: offset, Len: f.length},
			&expr.Lookup{SourceRegister: 1, SetName: set.Name, SetID: set.ID},
		}, rule.actions...)})
	}
	r.peerSets[isIPv4] = set
	return r.connection.Flush()
}

// setPeers replaces the peers in one transaction.
func (r *netfilterRules) setPeers(peers []netip.Addr) error {
	elements := map[bool][]nftables.SetElement{}
	for _, p := range peers {
		elements[p.Is4()] = append(elements[p.Is4()], nftables.SetElement{Key: p.AsSlice()})
	}
	for isIPv4, set := range r.peerSets {
		r.connection.FlushSet(set)
		if err := r.connection.SetAddElements(set, elements[isIPv4]); err != nil {
			return fmt.Errorf("change netfilter's set of peers: %w", err)
		}
	}
	if err := r.connection.Flush(); err != nil {
		return fmt.Errorf("change netfilter's set of peers: %w", err)
	}
	return nil
}

// countPackets returns how many packets the rules of each chain that count have seen.
func (r *netfilterRules) countPackets(chains ...string) (map[string]uint64, error) {
	counts := map[string]uint64{}
	for _, set := range r.peerSets {
		for _, chain := range chains {
			rules, err := r.connection.GetRules(set.Table, &nftables.Chain{Name: chain, Table: set.Table})
			if err != nil {
				return nil, fmt.Errorf("read netfilter's counters: %w", err)
			}
			for _, rule := range rules {
				for _, e := range rule.Exprs {
					if c, ok := e.(*expr.Counter); ok {
						counts[chain] += c.Packets
					}
				}
			}
		}
	}
	return counts, nil
}

// removeRules removes the rules in one transaction. It keeps the empty chains: with a chain, the kernel would drop the packets that all queues
// hold, also that of regions.
func (r *netfilterRules) removeRules() error {
	for _, set := range r.peerSets {
		r.connection.FlushTable(set.Table)
	}
	if err := errors.Join(r.connection.Flush(), r.connection.CloseLasting()); err != nil {
		return fmt.Errorf("remove netfilter's rules: %w", err)
	}
	return nil
}
