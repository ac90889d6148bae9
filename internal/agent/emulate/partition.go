package emulate

import (
	"errors"
	"fmt"

	"github.com/google/nftables"
	"github.com/google/nftables/expr"
)

// silentQueue is a netfilter queue that nothing reads: the kernel drops its packets, and their sender takes them for sent. After another
// drop TCP would send again sooner than after a loss, and UDP would report an error.
const silentQueue = queueNumber + 1

// partition cuts the pod off from peers.
type partition struct {
	*netfilterRules
	dropped uint64
}

// addPartition adds a partition without peers.
func addPartition() (*partition, error) {
	rules, err := addNetfilterRules(partitionTable, expr.Queue{Num: silentQueue}, func(toQueue expr.Any) []peerRule {
		return []peerRule{
			{chain: chainFromPeers, hook: nftables.ChainHookPrerouting, priority: nftables.ChainPriorityRaw,
				actions: []expr.Any{&expr.Counter{}, &expr.Verdict{Kind: expr.VerdictDrop}}},
			{chain: chainToPeers, hook: nftables.ChainHookOutput, priority: nftables.ChainPriorityRaw, toPeers: true,
				actions: []expr.Any{&expr.Counter{}, toQueue}},
		}
	})
	return &partition{netfilterRules: rules}, err
}

func (p *partition) endFault() error {
	var err error
	p.dropped, err = p.countPackets(chainFromPeers, chainToPeers)
	return errors.Join(err, p.removeRules())
}

// proveFault returns how many packets were dropped. No probe was answered, else the partition would have failed before.
func (p *partition) proveFault(*networkFault) (evidence string, err error) {
	return fmt.Sprintf("%d packets dropped", p.dropped), nil
}
