package emulate

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"regexp"
	"slices"
	"testing"
	"time"

	"github.com/google/nftables"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/benchnet/benchnet/internal/agent/faults"
	"github.com/benchnet/benchnet/internal/network/latency"
	"github.com/benchnet/benchnet/internal/run/measurement"
)

// newFaultEmulator returns the emulator of member-0 in a namespace, whose peers member-1 and so on are others. It runs until the test ends,
// in user space if the configuration has regions.
func newFaultEmulator(t *testing.T, at testNamespace, others []testNamespace, config *latency.Config) *Emulator {
	t.Helper()
	pods := []*unstructured.Unstructured{newMemberPodObject("net-member-0-0", "member-0", at.address.String())}
	for i, o := range others {
		name := []string{"member-1", "member-2"}[i]
		pods = append(pods, newMemberPodObject("net-"+name+"-0", name, o.address.String()))
	}
	var e *Emulator
	at.runInside(t, func() (err error) {
		if e, err = New(&latency.Config{Network: "net"}, "member-0"); err != nil {
			return err
		}
		if e.config = config; !config.IsEmpty() {
			if e.backend, err = newUserSpaceBackend(regionQueue, largeSegments, 1); err != nil {
				return err
			}
		}
		return e.setObjects(pods, nil)
	})
	e.probe = func(ctx context.Context, address netip.Addr) (ok bool) {
		at.runInside(t, func() error { ok = probeAgent(ctx, address); return nil })
		return ok
	}
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- e.runBackend(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return e
}

// noRegions is the configuration of a network whose sidecars only inject faults.
var noRegions = &latency.Config{Network: "net"}

// requestFault sends a fault to the emulator. Its handler and its probes run in the namespace.
func requestFault(ctx context.Context, t *testing.T, e *Emulator, at testNamespace, method string, f measurement.Fault) measurement.FaultEffect {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		faults.Serve(w, r, networkFaultTypes, func(ctx context.Context, r *faults.Request) (effect measurement.FaultEffect) {
			at.runInside(t, func() error { effect = e.injectFault(ctx, r); return nil })
			return effect
		})
	}))
	t.Cleanup(server.Close)
	effect, err := faults.Send(ctx, method, server.URL, "", f, 0, time.Now())
	if err != nil {
		t.Error(err)
	}
	t.Logf("%s %s: before: %s; during: %s; after: %s; problem: %s", method, f.Type, effect.Before, effect.During, effect.After, effect.Problem)
	return effect
}

// repeatFault repeats a fault until its problem is as wanted, but not for ever: on a busy machine, any probe may be late.
func repeatFault(t *testing.T, problem string, inject func() measurement.FaultEffect) measurement.FaultEffect {
	t.Helper()
	for attempt := 1; ; attempt++ {
		effect := inject()
		if regexp.MustCompile("^" + problem + "$").MatchString(effect.Problem) {
			return effect
		}
		if attempt == 5 {
			t.Fatalf("problem %q, want %q", effect.Problem, problem)
		}
	}
}

// requestInBackground sends a fault and returns a function that waits for its effect.
func requestInBackground(t *testing.T, e *Emulator, at testNamespace, f measurement.Fault) func() measurement.FaultEffect {
	t.Helper()
	done := make(chan measurement.FaultEffect, 1)
	go func() { done <- requestFault(t.Context(), t, e, at, http.MethodPost, f) }()
	return func() measurement.FaultEffect { return <-done }
}

// faultTables returns the tables with rules of faults that the namespace has.
func faultTables(t *testing.T, at testNamespace) []string {
	t.Helper()
	var names []string
	at.runInside(t, func() error {
		connection, err := nftables.New()
		if err != nil {
			return err
		}
		chains, err := connection.ListChains()
		for _, chain := range chains {
			rules, readErr := connection.GetRules(chain.Table, chain)
			if chain.Table.Name != latencyTable && len(rules) > 0 {
				names = append(names, chain.Table.Name)
			}
			err = errors.Join(err, readErr)
		}
		return err
	})
	return names
}

// answers reports whether the peers of the emulator answer.
func answers(t *testing.T, e *Emulator) bool {
	t.Helper()
	answered, _ := e.probePeers(t.Context(), &measurement.Fault{}, probeTimeout)
	return len(answered) > 0
}

// TestPartition cuts a pod off from one of two peers: established connections stall, without an error for the sender, and go on afterwards.
// One of them is passed on by an agent, like those of Corda's Raft.
func TestPartition(t *testing.T) {
	a, others := newTestNamespaces(t, 2)
	e := newFaultEmulator(t, a, others, noRegions)
	echo := func(c net.Conn) {
		for lines := bufio.NewReader(c); ; {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				return
			}
			_, _ = c.Write(line)
		}
	}
	addresses := []string{others[0].listenTCP(t, echo), others[1].listenTCP(t, echo)}
	var connections []net.Conn
	for _, address := range append(addresses, a.forwardConnections(t, addresses[1])) {
		a.runInside(t, func() error {
			c, err := net.Dial("tcp", address)
			connections = append(connections, c)
			return err
		})
	}
	exchange := func(c net.Conn, within time.Duration) error {
		if _, err := c.Write([]byte("x\n")); err != nil {
			t.Fatalf("the sender got an error: %v", err)
		}
		_ = c.SetReadDeadline(time.Now().Add(within))
		_, err := bufio.NewReader(c).ReadBytes('\n')
		return err
	}
	fault, answered := measurement.Fault{Type: measurement.FaultPartition, DurationSeconds: 2, From: "member-2"}, regexp.MustCompile(`^1 of 1 members answered in \d+\.\d ms$`)
	if effect := requestFault(t.Context(), t, e, a, http.MethodGet, fault); effect.Problem != "" || !answered.MatchString(effect.Before) {
		t.Fatalf("effect %+v", effect)
	}
	wait := requestInBackground(t, e, a, fault)
	time.Sleep(500 * time.Millisecond)
	if err := exchange(connections[0], time.Second); err != nil {
		t.Errorf("the peer on this side: %v", err)
	}
	for i, c := range connections[1:] {
		if err := exchange(c, 300*time.Millisecond); err == nil {
			t.Errorf("the peer on the other side answers on connection %d", i)
		}
	}
	a.sendDatagrams(t, netip.AddrPortFrom(others[1].address, 9).String(), 20*time.Millisecond)
	effect := wait()
	if effect.Problem != "" || !answered.MatchString(effect.Before) || !answered.MatchString(effect.After) ||
		!regexp.MustCompile(`^0 of [23] probes answered; [1-9]\d* packets dropped$`).MatchString(effect.During) {
		t.Fatalf("effect %+v", effect)
	}
	if lasted := effect.Healed.FromSeconds - effect.Injected.FromSeconds; lasted < 1.99 || lasted > 3 {
		t.Errorf("lasted %v s", lasted)
	}
	for i, c := range connections[1:] {
		if err := exchange(c, 10*time.Second); err != nil {
			t.Errorf("after the partition on connection %d: %v", i, err)
		}
	}
}

// TestPartitionDirection checks that the packets of one direction are lost and those of the other arrive, also while the kernel looks for the
// neighbors again.
func TestPartitionDirection(t *testing.T) {
	for _, isIPv4 := range []bool{true, false} {
		for _, direction := range []measurement.FaultDirection{"", measurement.DirectionToTarget, measurement.DirectionFromTarget} {
			t.Run(fmt.Sprintf("direction %q, IPv4 %t", direction, isIPv4), func(t *testing.T) {
				a, b := newNeighbors(t, isIPv4)
				e := newFaultEmulator(t, a, []testNamespace{b}, noRegions)
				toTarget, fromTarget := a.receiveDatagrams(t), b.receiveDatagrams(t)
				wait := requestInBackground(t, e, a, measurement.Fault{Type: measurement.FaultPartition, DurationSeconds: 2, Direction: direction})
				waitUntil(t, "the fault", func() bool { return len(faultTables(t, a)) > 0 })
				time.Sleep(200 * time.Millisecond) // Until it has peers.
				a.forgetNeighbor(t, b.address)
				b.forgetNeighbor(t, a.address)
				sentTo, sentFrom := b.sendDatagrams(t, toTarget.address, 200*time.Millisecond), a.sendDatagrams(t, fromTarget.address, 200*time.Millisecond)
				if direction != "" {
					waitUntil(t, "all packets of the open direction arrive", func() bool {
						return toTarget.count.Load() == sentTo || fromTarget.count.Load() == sentFrom
					})
					if len(faultTables(t, a)) == 0 {
						t.Error("they arrived after the fault")
					}
				}
				effect := wait()
				if got := toTarget.count.Load(); hitsPackets(direction, false) && got > 0 {
					t.Errorf("%d of %d packets to the target arrived", got, sentTo)
				}
				if got := fromTarget.count.Load(); hitsPackets(direction, true) && got > 0 {
					t.Errorf("%d of %d packets from the target arrived", got, sentFrom)
				}
				want := map[bool]string{true: `^0 of [23] probes answered; [1-9]\d* packets dropped$`,
					false: `^0 of [23] probes answered; [1-9]\d* packets dropped, [1-9]\d* show that the other direction was open$`}[direction == ""]
				if effect.Problem != "" || !regexp.MustCompile(want).MatchString(effect.During) {
					t.Errorf("effect %+v", effect)
				}
			})
		}
	}
}

// TestPartitionOfClosedDirection checks that a partition of one direction is not proved if nothing passes in the other one either.
func TestPartitionOfClosedDirection(t *testing.T) {
	a, others := newTestNamespaces(t, 1)
	e := newFaultEmulator(t, a, others, noRegions)
	e.probe = func(context.Context, netip.Addr) bool { return len(faultTables(t, a)) == 0 }
	for _, direction := range []measurement.FaultDirection{measurement.DirectionToTarget, measurement.DirectionFromTarget} {
		t.Run(string(direction), func(t *testing.T) {
			fault := measurement.Fault{Type: measurement.FaultPartition, DurationSeconds: 1, Direction: direction}
			if effect := requestFault(t.Context(), t, e, a, http.MethodPost, fault); effect.Problem != "no packet shows that the other direction was open" {
				t.Errorf("effect %+v", effect)
			}
		})
	}
}

// TestFaultEnds checks that a fault ends with its caller, with its process, and does not begin without peers.
func TestFaultEnds(t *testing.T) {
	a, others := newTestNamespaces(t, 1)
	e := newFaultEmulator(t, a, others, noRegions)
	for _, f := range []measurement.Fault{{Type: measurement.FaultPartition, DurationSeconds: 60},
		{Type: measurement.FaultLink, DurationSeconds: 60, Link: measurement.LinkFault{RoundTripMicros: 50_000, LossPercent: 1}}} {
		t.Run(string(f.Type)+" when the caller disconnects", func(t *testing.T) {
			ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
			defer cancel()
			var effect measurement.FaultEffect
			a.runInside(t, func() error {
				effect = e.injectFault(ctx, &faults.Request{Fault: f, Received: time.Now()})
				return nil
			})
			if effect.Problem != "the caller disconnected" || effect.Healed == nil || !answers(t, e) {
				t.Errorf("effect %+v", effect)
			}
			if left := faultTables(t, a); len(left) > 0 {
				t.Errorf("the tables %v are left", left)
			}
		})
		t.Run(string(f.Type)+" when the process starts again", func(t *testing.T) {
			a.runInside(t, func() error {
				m, err := e.newMechanism(&f)
				if err != nil {
					return err
				}
				if l, ok := m.(*link); ok {
					l.cancel()
					_, _ = <-l.ended, <-l.ended
				}
				return m.setPeers([]netip.Addr{others[0].address})
			})
			if isCutOff := !answers(t, e); isCutOff != (f.Type == measurement.FaultPartition) || len(faultTables(t, a)) == 0 {
				t.Fatalf("cut off: %t, tables %v", isCutOff, faultTables(t, a))
			}
			if newFaultEmulator(t, a, others, noRegions); !answers(t, e) || len(faultTables(t, a)) > 0 {
				t.Errorf("the tables %v are left", faultTables(t, a))
			}
		})
		t.Run(string(f.Type)+" follows a peer", func(t *testing.T) {
			a.runInside(t, func() error {
				m, err := e.newMechanism(&f)
				if err != nil {
					return err
				}
				pods := e.pods
				if err := e.setFault(&networkFault{Request: &faults.Request{Fault: f}, mechanism: m}); err != nil {
					return err
				}
				if err := e.setObjects(pods[:1], nil); err != nil {
					return err
				}
				return e.setObjects(pods, nil)
			})
			answered, _ := e.probePeers(t.Context(), &f, probeTimeout)
			if took, ok := answered["member-1"]; ok && took < 50*time.Millisecond {
				t.Errorf("the peer answers in %v", took)
			}
			m := e.fault.mechanism
			a.runInside(t, func() error { _ = e.setFault(nil); return m.endFault() })
		})
		t.Run(string(f.Type)+" without peers", func(t *testing.T) {
			f.Targets = "member-0,member-1"
			effect := requestFault(t.Context(), t, e, a, http.MethodPost, f)
			if effect.Problem != "0 of 0 members answered before the fault" || effect.Injected != nil {
				t.Errorf("effect %+v", effect)
			}
		})
	}
}

// TestFaultSparesHeldPackets checks that a fault between other members, at its beginning and end, loses none of the packets that the emulation
// of regions holds.
func TestFaultSparesHeldPackets(t *testing.T) {
	a, others := newTestNamespaces(t, 2)
	e := newFaultEmulator(t, a, others, &latency.Config{Network: "net", Members: map[string]string{"member-0": "LON", "member-1": "NYC"},
		Links: []latency.RegionLink{{Between: [2]string{"LON", "NYC"}, Link: latency.Link{RoundTripMicros: 200_000}}}})
	for _, faultType := range networkFaultTypes {
		t.Run(string(faultType), func(t *testing.T) {
			receiver := a.receiveDatagrams(t)
			wait := requestInBackground(t, e, a, measurement.Fault{Type: faultType, DurationSeconds: 1, From: "member-2", Link: measurement.LinkFault{RoundTripMicros: 40_000}})
			sent := others[0].sendDatagrams(t, receiver.address, 1500*time.Millisecond)
			if effect := wait(); effect.Healed == nil {
				t.Fatalf("effect %+v", effect)
			}
			waitUntil(t, "all packets arrive", func() bool { return receiver.count.Load() == sent })
		})
	}
}

func TestMedian(t *testing.T) {
	for want, all := range map[time.Duration][]time.Duration{0: nil, 1: {1}, 3: {3, 2}, 2: {9, 1, 2}} {
		if got := medianOf(slices.Values(all)); got != want {
			t.Errorf("the median of %v is %v", all, got)
		}
	}
}
