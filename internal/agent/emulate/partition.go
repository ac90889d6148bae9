package emulate

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/google/nftables"
	"github.com/google/nftables/expr"

	"github.com/benchnet/benchnet/internal/run/measurement"
)

// chainAnswers counts the answers of the peers' agents to probes, before they are dropped.
const chainAnswers = "answers"

// silentQueue is a netfilter queue that nothing reads: the kernel drops its packets, and their sender takes them for sent. After another
// drop TCP would send again sooner than after a loss, and UDP would report an error.
const silentQueue = queueNumber + 1

// partition cuts the pod off from peers.
type partition struct {
	*netfilterRules
	direction measurement.FaultDirection
	// dropped is the number of packets that were dropped, and passed that of packets which show that the other direction was open.
	dropped, passed uint64
}

// addPartition adds a partition without peers.
func addPartition(direction measurement.FaultDirection) (*partition, error) {
	rules, err := addNetfilterRules(partitionTable, expr.Queue{Num: silentQueue}, func(toQueue expr.Any) []peerRule {
		rules := []peerRule{
			{chain: chainFromPeers, hook: nftables.ChainHookPrerouting, priority: nftables.ChainPriorityRaw,
				actions: []expr.Any{&expr.Counter{}, &expr.Verdict{Kind: expr.VerdictDrop}}},
			{chain: chainToPeers, hook: nftables.ChainHookOutput, priority: nftables.ChainPriorityRaw, toPeers: true,
				actions: []expr.Any{&expr.Counter{}, toQueue}},
		}
		for i := range rules {
			if !hitsPackets(direction, rules[i].toPeers) {
				rules[i].actions = rules[i].actions[:1]
			}
		}
		return append(rules, peerRule{chain: chainAnswers, hook: nftables.ChainHookPrerouting,
			priority: nftables.ChainPriorityRef(*nftables.ChainPriorityRaw - 1),
			actions: []expr.Any{&expr.Payload{DestRegister: 1, Base: expr.PayloadBaseTransportHeader, Len: 2},
				&expr.Cmp{Op: expr.CmpOpEq, Register: 1, Data: binary.BigEndian.AppendUint16(nil, probePort)}, &expr.Counter{}}})
	})
	return &partition{netfilterRules: rules, direction: direction}, err
}

func (p *partition) endFault() error {
	counts, err := p.countPackets(chainFromPeers, chainToPeers, chainAnswers)
	switch p.direction {
	case measurement.DirectionToTarget: // Only a probe that arrived has an answer.
		p.dropped, p.passed = counts[chainFromPeers], counts[chainAnswers]
	case measurement.DirectionFromTarget:
		p.dropped, p.passed = counts[chainToPeers], counts[chainFromPeers]
	default:
		p.dropped = counts[chainFromPeers] + counts[chainToPeers]
	}
	return errors.Join(err, p.removeRules())
}

// proveFault returns how many packets were dropped, and fails if none shows that the other direction was open. No probe was answered, else
// the partition would have failed before.
func (p *partition) proveFault(*networkFault) (evidence string, err error) {
	evidence = fmt.Sprintf("%d packets dropped", p.dropped)
	if p.direction == "" {
		return evidence, nil
	}
	if p.passed == 0 {
		err = errors.New("no packet shows that the other direction was open")
	}
	return fmt.Sprintf("%s, %d show that the other direction was open", evidence, p.passed), err
}
