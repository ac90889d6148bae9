package emulate

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/google/nftables"
	"github.com/google/nftables/expr"
	"golang.org/x/sys/unix"

	"github.com/benchnet/benchnet/internal/agent/faults"
	"github.com/benchnet/benchnet/internal/network/latency"
	"github.com/benchnet/benchnet/internal/run/measurement"
)

const (
	// silentQueue is a netfilter queue that nothing reads: the kernel drops its packets, and their sender takes them for sent. After another
	// drop TCP would send again sooner than after a loss, and UDP would report an error.
	silentQueue = queueNumber + 1
	// chainFromPeers and chainToPeers drop and count the packets of a partition.
	chainFromPeers, chainToPeers = "from-peers", "to-peers"
	// probePort is the port of the members' agents, which answer probes.
	probePort = 9101
	// probeInterval is the time between two probes of a partition, and probeTimeout how long a peer may take to answer one.
	probeInterval = time.Second
	probeTimeout  = 700 * time.Millisecond
	// recoveryTimeout is how long after a partition the peers may take to answer again.
	recoveryTimeout = 5 * time.Second
)

// partition cuts the pod off from members.
type partition struct {
	fault *measurement.Fault
	rules *netfilterRules
}

// addPartitionRules adds the rules of a partition that has no peers yet.
func addPartitionRules() (*netfilterRules, error) {
	return addNetfilterRules(partitionTable, expr.Queue{Num: silentQueue}, func(toQueue expr.Any) []peerRule {
		return []peerRule{
			{chain: chainFromPeers, hook: nftables.ChainHookPrerouting, priority: nftables.ChainPriorityRaw,
				actions: []expr.Any{&expr.Counter{}, &expr.Verdict{Kind: expr.VerdictDrop}}},
			{chain: chainToPeers, hook: nftables.ChainHookOutput, priority: nftables.ChainPriorityRaw, toPeers: true,
				actions: []expr.Any{&expr.Counter{}, toQueue}},
		}
	})
}

// checkPartitions fails if the pod cannot be cut off. It removes the rules that an earlier process left behind.
func checkPartitions() error {
	rules, err := addPartitionRules()
	if err != nil {
		return err
	}
	return rules.removeTables()
}

// impairCutOff returns the function that loses all packets of the peers which a fault cuts off.
func (e *Emulator) impairCutOff(f *measurement.Fault) impairFunc {
	return func(peer latency.Peer) (latency.Impairment, bool) {
		return latency.Impairment{Loss: 1}, peer.Kind == latency.PeerMember && peer.Name != e.member && f.IsOtherSide(peer.Name)
	}
}

// addressesOf returns the addresses of a partition. The mutex must be locked.
func (e *Emulator) addressesOf(p *partition) []netip.Addr {
	return slices.Collect(maps.Keys(impairmentsByAddress(e.impairCutOff(p.fault), e.pods, e.services)))
}

// beginPartition injects a partition.
func (e *Emulator) beginPartition(p *partition) error {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	e.partition = p
	return p.rules.setPeers(e.addressesOf(p))
}

// healPartition ends the partition, and returns how many packets it dropped.
func (e *Emulator) healPartition() (dropped uint64, err error) {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	rules := e.partition.rules
	e.partition = nil
	dropped, err = rules.countPackets(chainFromPeers, chainToPeers)
	return dropped, errors.Join(err, rules.removeTables())
}

// FaultHandler returns a handler of faults.Path, which injects partitions. It must get one request at a time.
func (e *Emulator) FaultHandler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		faults.Serve(w, r, []measurement.FaultType{measurement.FaultPartition}, e.injectFault)
	})
}

// injectFault injects a partition, or checks whether it could be injected, and returns its effect.
func (e *Emulator) injectFault(ctx context.Context, request *faults.Request) (effect measurement.FaultEffect) {
	before, total := e.probePeers(ctx, &request.Fault)
	effect.Before = describeAnswers(len(before), total)
	var err error
	switch {
	case len(before) == 0:
		err = fmt.Errorf("%s before the fault", effect.Before)
	case request.IsCheck:
		err = checkPartitions()
	default:
		err = e.injectPartition(ctx, request, len(before), &effect)
		slog.Info("fault ended", "type", request.Type, "err", err)
	}
	if err != nil {
		effect.Problem = err.Error()
	}
	return effect
}

// injectPartition cuts the pod off for the duration of the fault, or until ctx ends. Before it, a number of peers answered.
func (e *Emulator) injectPartition(ctx context.Context, request *faults.Request, before int, effect *measurement.FaultEffect) error {
	rules, err := addPartitionRules()
	if err != nil {
		return err
	}
	began := time.Now()
	err = e.beginPartition(&partition{&request.Fault, rules})
	effect.Injected = request.BracketSince(began)
	if err == nil {
		effect.During, err = e.watchPartition(ctx, request, began.Add(request.Duration()))
	}
	began = time.Now()
	dropped, healErr := e.healPartition()
	effect.Healed = request.BracketSince(began)
	effect.During += fmt.Sprintf("; %d packets dropped", dropped)
	if err := errors.Join(err, healErr); err != nil {
		return err
	}
	return e.awaitPeers(ctx, request, before, effect)
}

// watchPartition probes the peers until an instant. It fails as soon as one answers.
func (e *Emulator) watchPartition(ctx context.Context, request *faults.Request, end time.Time) (during string, err error) {
	for probes := 1; ; probes++ {
		next := time.Now().Add(probeInterval)
		probing, cancel := context.WithDeadline(ctx, end)
		answered, total := e.probePeers(probing, &request.Fault)
		cancel()
		during = fmt.Sprintf("%s in %d probes", describeAnswers(len(answered), total), probes)
		if len(answered) > 0 {
			return during, fmt.Errorf("%s answered in probe %d of the partition", answered[0], probes)
		}
		isLast := !next.Before(end)
		if isLast {
			next = end
		}
		select {
		case <-ctx.Done():
			return during, errors.New("the caller disconnected")
		case <-time.After(time.Until(next)):
		}
		if isLast {
			return during, nil
		}
	}
}

// awaitPeers waits until as many peers as before the partition answer.
func (e *Emulator) awaitPeers(ctx context.Context, request *faults.Request, before int, effect *measurement.FaultEffect) error {
	for deadline := time.Now().Add(recoveryTimeout); ; time.Sleep(probeInterval / 10) {
		answered, total := e.probePeers(ctx, &request.Fault)
		effect.After = describeAnswers(len(answered), total)
		switch {
		case len(answered) >= before:
			return nil
		case ctx.Err() != nil || time.Now().After(deadline):
			return fmt.Errorf("%s after the fault", effect.After)
		}
	}
}

// probePeers returns the names of the peers that answer, of all that the fault cuts off.
func (e *Emulator) probePeers(ctx context.Context, f *measurement.Fault) (answered []string, total int) {
	ctx, cancel := context.WithTimeout(ctx, probeTimeout)
	defer cancel()
	e.mutex.Lock()
	addresses := map[string]netip.Addr{}
	for _, pod := range e.pods {
		if peer, ok := peerFromPod(pod); ok && !isPodTerminated(pod) {
			if _, cutOff := e.impairCutOff(f)(peer); cutOff && len(podAddresses(pod)) > 0 {
				addresses[peer.Name] = podAddresses(pod)[0]
			}
		}
	}
	e.mutex.Unlock()
	var mutex sync.Mutex
	var all sync.WaitGroup
	for name, address := range addresses {
		all.Go(func() {
			if e.probe(ctx, address) {
				mutex.Lock()
				answered = append(answered, name)
				mutex.Unlock()
			}
		})
	}
	all.Wait()
	return answered, len(addresses)
}

// probeAgent reports whether the pod at an address answers.
func probeAgent(ctx context.Context, address netip.Addr) bool {
	connection, err := new(net.Dialer).DialContext(ctx, "tcp", netip.AddrPortFrom(address, probePort).String())
	if err == nil {
		_ = connection.Close()
	}
	return err == nil || errors.Is(err, unix.ECONNREFUSED)
}

func describeAnswers(answered, total int) string {
	return fmt.Sprintf("%d of %d members answered", answered, total)
}
