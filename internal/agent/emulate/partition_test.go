package emulate

import (
	"bufio"
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"regexp"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/benchnet/benchnet/internal/agent/faults"
	"github.com/benchnet/benchnet/internal/network/latency"
	"github.com/benchnet/benchnet/internal/run/measurement"
)

// newPartitionEmulator returns the emulator of member-0 in a namespace, whose peers member-1 and so on are others.
func newPartitionEmulator(t *testing.T, at testNamespace, others []testNamespace) *Emulator {
	t.Helper()
	var e *Emulator
	at.runInside(t, func() (err error) {
		e, err = New(&latency.Config{Network: "net"}, "member-0")
		return err
	})
	e.probe = func(ctx context.Context, address netip.Addr) (ok bool) {
		at.runInside(t, func() error { ok = probeAgent(ctx, address); return nil })
		return ok
	}
	e.pods = []*unstructured.Unstructured{newMemberPodObject("net-member-0-0", "member-0", at.address.String())}
	for i, o := range others {
		name := []string{"member-1", "member-2"}[i]
		e.pods = append(e.pods, newMemberPodObject("net-"+name+"-0", name, o.address.String()))
	}
	return e
}

// requestPartition sends a fault to the emulator. Its handler and its probes run in the namespace.
func requestPartition(ctx context.Context, t *testing.T, e *Emulator, at testNamespace, method string, f measurement.Fault) measurement.FaultEffect {
	t.Helper()
	f.Type = measurement.FaultPartition
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		faults.Serve(w, r, []measurement.FaultType{measurement.FaultPartition}, func(ctx context.Context, r *faults.Request) (effect measurement.FaultEffect) {
			at.runInside(t, func() error { effect = e.injectFault(ctx, r); return nil })
			return effect
		})
	}))
	t.Cleanup(server.Close)
	effect, err := faults.Send(ctx, method, server.URL, "", f, 0, time.Now())
	if err != nil {
		t.Error(err)
	}
	return effect
}

// TestPartition cuts a pod off from one of two peers: established connections stall, without an error for the sender, and go on afterwards.
func TestPartition(t *testing.T) {
	a, others := newTestNamespaces(t, 2)
	e := newPartitionEmulator(t, a, others)
	echo := func(c net.Conn) {
		for lines := bufio.NewReader(c); ; {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				return
			}
			_, _ = c.Write(line)
		}
	}
	var connections []net.Conn
	for _, o := range others {
		address := o.listenTCP(t, echo)
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
	for _, method := range []string{http.MethodGet, http.MethodPost} {
		done := make(chan measurement.FaultEffect)
		go func() {
			done <- requestPartition(t.Context(), t, e, a, method, measurement.Fault{DurationSeconds: 2, From: "member-2"})
		}()
		if method == http.MethodPost {
			time.Sleep(500 * time.Millisecond)
			if err := exchange(connections[0], time.Second); err != nil {
				t.Errorf("the peer on this side: %v", err)
			}
			if err := exchange(connections[1], 300*time.Millisecond); err == nil {
				t.Error("the peer on the other side answers")
			}
			a.runInside(t, func() error { return sendDatagrams(netip.AddrPortFrom(others[1].address, 9)) })
		}
		effect := <-done
		want := "1 of 1 members answered"
		if effect.Problem != "" || effect.Before != want {
			t.Fatalf("%s: effect %+v", method, effect)
		}
		if method == http.MethodGet {
			continue
		}
		if !regexp.MustCompile(`^0 of 1 members answered in [23] probes; [1-9]\d* packets dropped$`).MatchString(effect.During) || effect.After != want {
			t.Errorf("during %q, after %q", effect.During, effect.After)
		}
		if lasted := effect.Healed.FromSeconds - effect.Injected.FromSeconds; lasted < 2 || lasted > 3 {
			t.Errorf("lasted %v s", lasted)
		}
	}
	if err := exchange(connections[1], 10*time.Second); err != nil {
		t.Errorf("after the partition: %v", err)
	}
}

// sendDatagrams sends two datagrams, of which the second fails if the first was refused.
func sendDatagrams(to netip.AddrPort) error {
	c, err := net.Dial("udp", to.String())
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	for range 2 {
		if _, err := c.Write([]byte("x")); err != nil {
			return err
		}
		time.Sleep(10 * time.Millisecond)
	}
	return nil
}

// TestPartitionEnds checks that a partition ends with its caller, with its process, and does not begin without peers.
func TestPartitionEnds(t *testing.T) {
	a, others := newTestNamespaces(t, 1)
	e := newPartitionEmulator(t, a, others)
	t.Run("when the caller disconnects", func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
		defer cancel()
		var effect measurement.FaultEffect
		a.runInside(t, func() error {
			effect = e.injectFault(ctx, &faults.Request{Fault: measurement.Fault{Type: measurement.FaultPartition, DurationSeconds: 60}, Received: time.Now()})
			return nil
		})
		if effect.Problem != "the caller disconnected" || effect.Healed == nil || !answers(t, e) {
			t.Errorf("effect %+v", effect)
		}
	})
	t.Run("when the process starts again", func(t *testing.T) {
		a.runInside(t, func() error {
			rules, err := addPartitionRules()
			if err != nil {
				return err
			}
			return rules.setPeers([]netip.Addr{others[0].address})
		})
		if answers(t, e) {
			t.Fatal("the peer answers during a partition")
		}
		if newPartitionEmulator(t, a, others); !answers(t, e) {
			t.Error("the peer does not answer")
		}
	})
	t.Run("a peer with another address stays cut off", func(t *testing.T) {
		a.runInside(t, func() error {
			rules, err := addPartitionRules()
			if err != nil {
				return err
			}
			if err := e.beginPartition(&partition{&measurement.Fault{}, rules}); err != nil {
				return err
			}
			pods := e.pods
			if err := e.setObjects(pods[:1], nil); err != nil {
				return err
			}
			return e.setObjects(pods, nil)
		})
		if answers(t, e) {
			t.Error("the peer answers")
		}
		a.runInside(t, func() error { _, err := e.healPartition(); return err })
	})
	t.Run("without peers", func(t *testing.T) {
		effect := requestPartition(t.Context(), t, e, a, http.MethodPost, measurement.Fault{DurationSeconds: 1, Targets: "member-0,member-1"})
		if effect.Problem != "0 of 0 members answered before the fault" || effect.Injected != nil {
			t.Errorf("effect %+v", effect)
		}
	})
}

// answers reports whether the peers of the emulator answer.
func answers(t *testing.T, e *Emulator) bool {
	t.Helper()
	answered, _ := e.probePeers(t.Context(), &measurement.Fault{})
	return len(answered) > 0
}
