package emulate

import (
	"context"
	"errors"
	"fmt"
	"math"
	"net/netip"
	"slices"
	"time"

	"github.com/google/nftables"

	"github.com/benchnet/benchnet/internal/network/latency"
	"github.com/benchnet/benchnet/internal/run/measurement"
)

// linkQueues are those of packets from peers, behind the queue of regions, and of packets to peers.
var linkQueues = []packetQueue{
	{table: "benchnet-link-from", number: silentQueue + 1, rule: peerRule{chain: chainFromPeers, hook: nftables.ChainHookPrerouting,
		priority: nftables.ChainPriorityRef(*nftables.ChainPriorityMangle + 1)}},
	{table: "benchnet-link-to", number: silentQueue + 2, rule: peerRule{chain: chainToPeers, hook: nftables.ChainHookOutput,
		priority: nftables.ChainPriorityRaw, toPeers: true}},
}

// link impairs the packets of peers, beside the emulation of regions.
type link struct {
	latency.Link
	// backends read the linkQueues of the fault's direction, until cancel is called, and ended has their errors then.
	backends []*userSpaceBackend
	cancel   context.CancelFunc
	ended    chan error
}

// startLink starts a link without peers.
func startLink(f *measurement.Fault, seed uint64) (*link, error) {
	ctx, cancel := context.WithCancel(context.Background())
	l := &link{Link: latency.Link(f.Link), cancel: cancel, ended: make(chan error, len(linkQueues))}
	for i, q := range linkQueues {
		if !hitsPackets(f.Direction, q.rule.toPeers) {
			continue
		}
		u, err := newUserSpaceBackend(q, chooseSegmentSize([]latency.RegionLink{{Link: l.Link}}), seed+uint64(i))
		if err != nil {
			return nil, errors.Join(err, l.endFault())
		}
		l.backends = append(l.backends, u)
		go func() { l.ended <- u.runUntilCancelled(ctx) }()
	}
	return l, nil
}

// setPeers replaces the peers. The packets from them have all of the round trip: a sender's TCP counts held packets as its own full queue.
func (l *link) setPeers(peers []netip.Addr) error {
	for _, u := range l.backends {
		way, ways := l.FullRoundTrip(), map[netip.Addr]latency.Impairment{}
		if u.queue.rule.toPeers {
			way.Delay, way.Jitter = 0, 0
		}
		for _, peer := range peers {
			if way != (latency.Impairment{}) {
				ways[peer] = way
			}
		}
		if err := u.setPeers(ways); err != nil {
			return err
		}
	}
	return nil
}

// endFault lets packets pass, releases those that are held, and removes queues and rules.
func (l *link) endFault() error {
	var errs []error
	for _, u := range l.backends {
		errs = append(errs, u.rules.setPeers(nil))
	}
	l.cancel()
	for range l.backends {
		errs = append(errs, <-l.ended)
	}
	for _, u := range l.backends {
		errs = append(errs, u.rules.removeRules())
	}
	return errors.Join(errs...)
}

// proveFault returns what happened to the probes and packets, and fails if it is not what was asked for.
func (l *link) proveFault(f *networkFault) (evidence string, err error) {
	p := linkProof{networkFault: f}
	for _, u := range l.backends {
		held, lost, dropped := u.counters.held.Load(), u.counters.lost.Load(), u.counters.dropped.Load()
		p.packets, p.lost, p.dropped, p.late = p.packets+held+lost+dropped, p.lost+lost, p.dropped+dropped, p.late+u.scheduler.late
		// A full buffer is sent after the fault.
		p.bitsPerSecond = max(p.bitsPerSecond, float64(u.scheduler.acceptedBytes)*8/(f.lasted+maxBufferDelay).Seconds())
	}
	return fmt.Sprintf("round trip %s longer; of %d packets %d lost, %d dropped, %d late; at most %.3g Mbit/s",
		formatMillis(medianOf(slices.Values(p.added))), p.packets, p.lost, p.dropped, p.late, p.bitsPerSecond/1e6), p.checkProof()
}

// linkProof is the evidence of a link.
type linkProof struct {
	*networkFault
	// packets are those of the fault's directions: of these, lost at random, dropped by a full buffer, and late because of the bandwidth.
	packets, lost, dropped, late int64
	// bitsPerSecond is the rate in the direction of the higher rate.
	bitsPerSecond float64
}

// lossDeviations are the standard deviations by which the share of lost packets may differ from the loss rate, which chance exceeds once in
// 10,000 times.
const lossDeviations = 3.9

// checkProof fails if the link is not the one that was asked for. A bandwidth may add to the round trip.
func (p *linkProof) checkProof() error {
	added, asked := medianOf(slices.Values(p.added)), time.Duration(p.Link.RoundTripMicros)*time.Microsecond
	tolerance := max(asked/5, roundTripTolerance)
	tooLong := added > asked+tolerance && p.Link.BitsPerSecond == 0
	loss, n := p.Link.LossPercent/100, float64(p.packets)
	differs := math.Abs(float64(p.lost)-n*loss)-0.5 > lossDeviations*math.Sqrt(n*loss*(1-loss))
	limit := float64(p.Link.BitsPerSecond) * float64(p.peers)
	switch {
	case len(p.added) == 0:
		return errors.New("no member answered during the fault")
	case asked > 0 && (added < asked-min(tolerance, asked/2) || tooLong):
		return fmt.Errorf("the round trip was %s longer, not %s", formatMillis(added), formatMillis(asked))
	case n*loss < 5 && loss > 0:
		return fmt.Errorf("too few packets to prove the loss: %d, want %.0f", p.packets, math.Ceil(5/loss))
	case loss > 0 && (p.lost == 0 || differs):
		return fmt.Errorf("%d of %d packets were lost, not %g%%", p.lost, p.packets, p.Link.LossPercent)
	case limit > 0 && p.bitsPerSecond > 1.05*limit:
		return fmt.Errorf("%.0f bit/s passed, more than %d to each of %d members", p.bitsPerSecond, p.Link.BitsPerSecond, p.peers)
	case limit > 0 && p.late+p.dropped == 0:
		return errors.New("no packet waited for the bandwidth: the load did not reach it")
	}
	return nil
}
