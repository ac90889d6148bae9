package emulation

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net/netip"

	"github.com/google/nftables"
	"github.com/google/nftables/expr"
	"github.com/google/nftables/xt"
)

// tableName of our rules in a pod's netfilter.
const tableName = "benchnet"

// family is what differs between the versions of IP: where the source address lies.
type family struct {
	table          nftables.TableFamily
	address        nftables.SetDatatype
	offset, length uint32
}

var families = map[bool]family{
	true:  {nftables.TableFamilyIPv4, nftables.TypeIPAddr, 12, 4},
	false: {nftables.TableFamilyIPv6, nftables.TypeIP6Addr, 8, 16},
}

// rules send what arrives from peers to the queue.
type rules struct {
	connection *nftables.Conn
	// sets of the peers' addresses; the key tells whether they are of IPv4.
	sets map[bool]*nftables.Set
}

// addRules makes the rules, without a peer yet. What another life of this process left behind is replaced.
func addRules() (*rules, error) {
	connection, err := nftables.New(nftables.AsLasting())
	if err != nil {
		return nil, fmt.Errorf("open netfilter's rules: %w", err)
	}
	r := &rules{connection: connection, sets: map[bool]*nftables.Set{}}
	for isIPv4 := range families {
		if err := r.add(isIPv4); err != nil {
			return nil, fmt.Errorf("add a rule to netfilter: %w", err)
		}
	}
	return r, nil
}

// add takes the kernel's own queue statement, or where that is not built in the one of iptables.
func (r *rules) add(isIPv4 bool) error {
	err := r.addWith(isIPv4, &expr.Queue{Num: queueNumber, Flag: expr.QueueFlagBypass})
	if err == nil {
		return nil
	}
	if again := r.addWith(isIPv4, bypassingQueue()); again != nil {
		return errors.Join(err, again)
	}
	return nil
}

// bypassingQueue is the target NFQUEUE of iptables in its third revision: queue, number of queues, and the flag by which
// packets go on where nobody reads the queue.
func bypassingQueue() *expr.Target {
	info := xt.Unknown(binary.NativeEndian.AppendUint16(nil, queueNumber))
	info = binary.NativeEndian.AppendUint16(info, 1)
	info = binary.NativeEndian.AppendUint16(info, 1)
	return &expr.Target{Name: "NFQUEUE", Rev: 3, Info: &info}
}

func (r *rules) addWith(isIPv4 bool, toQueue expr.Any) error {
	f := families[isIPv4]
	table := &nftables.Table{Family: f.table, Name: tableName}
	r.connection.AddTable(table)
	r.connection.DelTable(table)
	r.connection.AddTable(table)
	set := &nftables.Set{Table: table, Name: "peers", KeyType: f.address}
	if err := r.connection.AddSet(set, nil); err != nil {
		return err
	}
	// On the receiver: a sender's TCP would take what is held back for its own queue being full, and slow down.
	chain := r.connection.AddChain(&nftables.Chain{Name: "arrivals", Table: table, Type: nftables.ChainTypeFilter,
		Hooknum: nftables.ChainHookPrerouting, Priority: nftables.ChainPriorityMangle})
	r.connection.AddRule(&nftables.Rule{Table: table, Chain: chain, Exprs: []expr.Any{
		&expr.Payload{DestRegister: 1, Base: expr.PayloadBaseNetworkHeader, Offset: f.offset, Len: f.length},
		&expr.Lookup{SourceRegister: 1, SetName: set.Name, SetID: set.ID},
		toQueue,
	}})
	r.sets[isIPv4] = set
	return r.connection.Flush()
}

// set replaces the peers, at one instant.
func (r *rules) set(peers []netip.Addr) error {
	elements := map[bool][]nftables.SetElement{}
	for _, p := range peers {
		elements[p.Is4()] = append(elements[p.Is4()], nftables.SetElement{Key: p.AsSlice()})
	}
	for isIPv4, set := range r.sets {
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
