package emulate

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"
	"maps"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"time"

	"golang.org/x/sys/unix"

	"github.com/benchnet/benchnet/internal/agent/faults"
	"github.com/benchnet/benchnet/internal/network/latency"
	"github.com/benchnet/benchnet/internal/run/measurement"
)

const (
	// chainFromPeers and chainToPeers have the rules of a fault.
	chainFromPeers, chainToPeers = "from-peers", "to-peers"
	// probePort is the port of the members' agents, which answer probes.
	probePort = 9101
	// probeInterval is the time between two probes during a fault, and probeTimeout how long a peer may take to answer one.
	probeInterval = time.Second
	probeTimeout  = 700 * time.Millisecond
	// probesBefore is the number of probes before a fault. The next one begins within maxProbing, so that the fault is on time.
	probesBefore = 5
	maxProbing   = 200 * time.Millisecond
	// recoveryTimeout is how long after a fault the peers may take to answer as before.
	recoveryTimeout = 5 * time.Second
	// roundTripTolerance is by how much round trips differ on a busy node. Of longer ones, a fifth is tolerated.
	roundTripTolerance = 5 * time.Millisecond
)

// networkFaultTypes are the types of faults that the sidecar injects.
var networkFaultTypes = []measurement.FaultType{measurement.FaultPartition, measurement.FaultLink}

// faultMechanism impairs the packets between the pod and the peers on the other side of a fault.
type faultMechanism interface {
	setPeers(peers []netip.Addr) error
	endFault() error
	// proveFault returns evidence of a fault that ended, and fails if it was not the one that was asked for.
	proveFault(f *networkFault) (evidence string, err error)
}

// networkFault is a fault that is injected, and what its probes saw so far.
type networkFault struct {
	*faults.Request
	mechanism faultMechanism
	// before has the least round trip of each peer that answered before the fault.
	before map[string]time.Duration
	// peers is the number of peers, and sent that of the probes during the fault.
	peers, sent int
	// added has, for each answer during the fault, by how much its round trip exceeded that before.
	added  []time.Duration
	lasted time.Duration
	effect measurement.FaultEffect
}

// newMechanism returns the mechanism of a fault, without peers. It replaces what an earlier process left behind.
func (e *Emulator) newMechanism(f *measurement.Fault) (faultMechanism, error) {
	if f.Type == measurement.FaultLink {
		return startLink(f, deriveSeed(e.config, e.member))
	}
	return addPartition(f.Direction)
}

// checkFault fails if a fault cannot be injected. It removes what an earlier process left behind.
func (e *Emulator) checkFault(f *measurement.Fault) error {
	m, err := e.newMechanism(f)
	if err != nil {
		return err
	}
	return m.endFault()
}

// selectOtherSide returns the function that selects the peers on the other side of a fault.
func (e *Emulator) selectOtherSide(f *measurement.Fault) impairFunc {
	return func(peer latency.Peer) (latency.Impairment, bool) {
		return latency.Impairment{}, peer.Kind == latency.PeerMember && peer.Name != e.member && f.IsOtherSide(peer.Name)
	}
}

// hitsPackets reports whether a fault of a direction hits the packets to the peers, or else those from them.
func hitsPackets(direction measurement.FaultDirection, toPeers bool) bool {
	if toPeers {
		return direction != measurement.DirectionToTarget
	}
	return direction != measurement.DirectionFromTarget
}

// setFaultPeers applies the fault that is injected, if any, to the present peers. The mutex must be locked.
func (e *Emulator) setFaultPeers() error {
	if e.fault == nil {
		return nil
	}
	peers := impairmentsByAddress(e.selectOtherSide(&e.fault.Fault), e.pods, e.services)
	return e.fault.mechanism.setPeers(slices.Collect(maps.Keys(peers)))
}

// setFault applies a fault to the present and future peers; nil to no more.
func (e *Emulator) setFault(f *networkFault) error {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	e.fault = f
	return e.setFaultPeers()
}

// FaultHandler returns a handler of faults.Path, which injects faults of the network. It must get one request at a time.
func (e *Emulator) FaultHandler() http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { faults.Serve(w, r, networkFaultTypes, e.injectFault) })
}

// injectFault injects a fault, or checks whether it could be injected, and returns its effect.
func (e *Emulator) injectFault(ctx context.Context, request *faults.Request) measurement.FaultEffect {
	f := &networkFault{Request: request, before: map[string]time.Duration{}}
	for began, probe := time.Now(), 0; probe == 0 || probe < probesBefore && time.Since(began) < maxProbing; probe++ {
		var answered map[string]time.Duration
		answered, f.peers = e.probePeers(ctx, &f.Fault, probeTimeout)
		for name, took := range answered {
			f.before[name] = min(took, cmp.Or(f.before[name], took))
		}
	}
	f.effect.Before = describeAnswers(f.before, f.peers)
	var err error
	switch {
	case len(f.before) == 0:
		err = fmt.Errorf("%s before the fault", f.effect.Before)
	case request.IsCheck:
		err = e.checkFault(&f.Fault)
	default:
		err = e.injectAndHeal(ctx, f)
		slog.Info("fault ended", "type", request.Type, "err", err)
	}
	if err != nil {
		f.effect.Problem = err.Error()
	}
	return f.effect
}

// injectAndHeal injects a fault for its duration, or until ctx ends.
func (e *Emulator) injectAndHeal(ctx context.Context, f *networkFault) (err error) {
	if f.mechanism, err = e.newMechanism(&f.Fault); err != nil {
		return err
	}
	began := time.Now()
	err = e.setFault(f)
	f.effect.Injected = f.BracketSince(began)
	if err == nil {
		err = e.watchFault(ctx, f, began.Add(f.Duration()))
	}
	healing := time.Now()
	f.lasted = healing.Sub(began)
	healErr := cmp.Or(e.setFault(nil), f.mechanism.endFault())
	f.effect.Healed = f.BracketSince(healing)
	evidence, proofErr := f.mechanism.proveFault(f)
	f.effect.During = fmt.Sprintf("%d of %d probes answered; %s", len(f.added), f.sent, evidence)
	if err := cmp.Or(err, healErr, proofErr); err != nil {
		return err
	}
	return e.awaitPeers(ctx, f)
}

// watchFault probes the peers until an instant. It fails as soon as one answers during a partition.
func (e *Emulator) watchFault(ctx context.Context, f *networkFault, end time.Time) error {
	timeout := probeTimeout + time.Duration(f.Link.RoundTripMicros+f.Link.JitterMicros)*time.Microsecond
	for time.Now().Before(end) {
		next := time.Now().Add(probeInterval)
		if next.After(end) {
			next = end
		}
		probing, cancel := context.WithDeadline(ctx, end)
		answered, total := e.probePeers(probing, &f.Fault, timeout)
		cancel()
		f.peers, f.sent = total, f.sent+total
		for name, took := range answered {
			if was, ok := f.before[name]; ok {
				f.added = append(f.added, took-was)
			}
			if f.Type == measurement.FaultPartition {
				return fmt.Errorf("%s answered during the partition", name)
			}
		}
		select {
		case <-ctx.Done():
			return errors.New("the caller disconnected")
		case <-time.After(time.Until(next)):
		}
	}
	return nil
}

// awaitPeers waits until as many peers as before the fault answer and, after a link, as soon as before.
func (e *Emulator) awaitPeers(ctx context.Context, f *networkFault) error {
	most := medianOf(maps.Values(f.before))
	most += max(most/5, roundTripTolerance)
	for deadline := time.Now().Add(recoveryTimeout); ; time.Sleep(probeInterval / 10) {
		answered, total := e.probePeers(ctx, &f.Fault, probeTimeout)
		f.effect.After = describeAnswers(answered, total)
		switch {
		case len(answered) >= len(f.before) && (f.Type != measurement.FaultLink || medianOf(maps.Values(answered)) <= most):
			return nil
		case ctx.Err() != nil || time.Now().After(deadline):
			return fmt.Errorf("%s after the fault", f.effect.After)
		}
	}
}

// probePeers returns the round trips of the peers on the other side of a fault that answer within a time, and the number of all.
func (e *Emulator) probePeers(ctx context.Context, f *measurement.Fault, timeout time.Duration) (answered map[string]time.Duration, total int) {
	ctx, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	e.mutex.Lock()
	addresses := map[string]netip.Addr{}
	for _, pod := range e.pods {
		if peer, ok := peerFromPod(pod); ok && !isPodTerminated(pod) {
			if _, isOther := e.selectOtherSide(f)(peer); isOther && len(podAddresses(pod)) > 0 {
				addresses[peer.Name] = podAddresses(pod)[0]
			}
		}
	}
	e.mutex.Unlock()
	answered = map[string]time.Duration{}
	var mutex sync.Mutex
	var all sync.WaitGroup
	for name, address := range addresses {
		all.Go(func() {
			if began := time.Now(); e.probe(ctx, address) {
				took := time.Since(began)
				mutex.Lock()
				answered[name] = took
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

func describeAnswers(answered map[string]time.Duration, total int) string {
	text := fmt.Sprintf("%d of %d members answered", len(answered), total)
	if len(answered) > 0 {
		text += " in " + formatMillis(medianOf(maps.Values(answered)))
	}
	return text
}

func formatMillis(d time.Duration) string { return fmt.Sprintf("%.1f ms", d.Seconds()*1000) }

// medianOf returns the median, the upper one for an even count, or 0 for none.
func medianOf(all iter.Seq[time.Duration]) time.Duration {
	sorted := append(slices.Sorted(all), 0)
	return sorted[(len(sorted)-1)/2]
}
