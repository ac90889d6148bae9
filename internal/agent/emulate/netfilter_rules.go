package emulate

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"

	"github.com/google/nftables"
	"github.com/google/nftables/expr"
	"github.com/google/nftables/xt"
)

// tableName is the name of our tables in a pod's netfilter.
const tableName = "benchnet"

// ipFamily holds what differs between the IP versions, such as the position of the source address.
type ipFamily struct {
	table          nftables.TableFamily
	address        nftables.SetDatatype
	offset, length uint32
}

var ipFamilies = map[bool]ipFamily{
	true:  {nftables.TableFamilyIPv4, nftables.TypeIPAddr, 12, 4},
	false: {nftables.TableFamilyIPv6, nftables.TypeIP6Addr, 8, 16},
}

// netfilterRules send packets from peers to the queue.
type netfilterRules struct {
	connection *nftables.Conn
	// peerSets are the sets of the peers' addresses; the key is true for IPv4.
	peerSets map[bool]*nftables.Set
}

// addNetfilterRules adds the rules without peers. It replaces tables that an earlier process left behind.
func addNetfilterRules() (*netfilterRules, error) {
	connection, err := nftables.New(nftables.AsLasting())
	if err != nil {
		return nil, fmt.Errorf("open netfilter's rules: %w", err)
	}
	r := &netfilterRules{connection: connection, peerSets: map[bool]*nftables.Set{}}
	for isIPv4 := range ipFamilies {
		if err := r.addFamilyRule(isIPv4); err != nil {
			return nil, fmt.Errorf("add a rule to netfilter: %w", err)
		}
	}
	return r, nil
}

// addFamilyRule uses the kernel's queue expression, or the NFQUEUE target of iptables if the kernel lacks the former.
func (r *netfilterRules) addFamilyRule(isIPv4 bool) error {
	err := r.addQueueRule(isIPv4, &expr.Queue{Num: queueNumber, Flag: expr.QueueFlagBypass})
	if err == nil {
		return nil
	}
	if again := r.addQueueRule(isIPv4, newBypassQueueTarget()); again != nil {
		return errors.Join(err, again)
	}
	return nil
}

// newBypassQueueTarget returns the iptables target NFQUEUE, revision 3: queue, number of queues, and the bypass
// flag, which accepts packets while no process reads the queue.
func newBypassQueueTarget() *expr.Target {
	info := xt.Unknown(binary.NativeEndian.AppendUint16(nil, queueNumber))
	info = binary.NativeEndian.AppendUint16(info, 1)
	info = binary.NativeEndian.AppendUint16(info, 1)
	return &expr.Target{Name: "NFQUEUE", Rev: 3, Info: &info}
}

func (r *netfilterRules) addQueueRule(isIPv4 bool, toQueue expr.Any) error {
	f := ipFamilies[isIPv4]
	table := &nftables.Table{Family: f.table, Name: tableName}
	r.connection.AddTable(table)
	r.connection.DelTable(table)
	r.connection.AddTable(table)
	set := &nftables.Set{Table: table, Name: "peers", KeyType: f.address}
	if err := r.connection.AddSet(set, nil); err != nil {
		return err
	}
	// The rule is on the receiver: a sender's TCP would count held packets as its own full queue and slow down.
	chain := r.connection.AddChain(&nftables.Chain{Name: "arrivals", Table: table, Type: nftables.ChainTypeFilter,
		Hooknum: nftables.ChainHookPrerouting, Priority: nftables.ChainPriorityMangle})
	r.connection.AddRule(&nftables.Rule{Table: table, Chain: chain, Exprs: []expr.Any{
		&expr.Payload{DestRegister: 1, Base: expr.PayloadBaseNetworkHeader, Offset: f.offset, Len: f.length},
		&expr.Lookup{SourceRegister: 1, SetName: set.Name, SetID: set.ID},
		toQueue,
	}})
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
