package emulate

import (
	"context"
	"fmt"
	"net"
	"net/netip"
	"os"
	"runtime"
	"testing"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"
)

// testNamespace is a network namespace like that of a pod.
type testNamespace struct {
	handle  netns.NsHandle
	address netip.Addr
}

// requireRoot skips the test if it cannot create network namespaces.
func requireRoot(t testing.TB) {
	t.Helper()
	if os.Geteuid() != 0 {
		t.Skip("needs root: it makes network namespaces and changes their rules")
	}
}

// runInside runs f in the namespace, on a thread that is not reused.
func (s testNamespace) runInside(t testing.TB, f func() error) {
	t.Helper()
	done := make(chan error)
	go func() {
		runtime.LockOSThread() // Never unlocked: the thread ends with the goroutine.
		if err := netns.Set(s.handle); err != nil {
			done <- fmt.Errorf("enter the network namespace: %w", err)
			return
		}
		done <- f()
	}()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}

// newTestNamespaces returns a network namespace and several others, each connected to the first one.
func newTestNamespaces(t testing.TB, others int) (testNamespace, []testNamespace) {
	t.Helper()
	requireRoot(t)
	create := func() testNamespace {
		var s testNamespace
		done := make(chan error)
		go func() {
			runtime.LockOSThread()
			handle, err := netns.New()
			s.handle = handle
			done <- err
		}()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = s.handle.Close() })
		return s
	}
	center := create()
	var all []testNamespace
	for i := range others {
		other := create()
		near, far := fmt.Sprintf("10.9.%d.1/24", i), fmt.Sprintf("10.9.%d.2/24", i)
		center.runInside(t, func() error {
			veth := &netlink.Veth{LinkAttrs: netlink.LinkAttrs{Name: fmt.Sprintf("eth%d", i)}, PeerName: "eth0", PeerNamespace: netlink.NsFd(other.handle)}
			if err := netlink.LinkAdd(veth); err != nil {
				return fmt.Errorf("add veth: %w", err)
			}
			return configureLink(veth.Name, near)
		})
		other.runInside(t, func() error { return configureLink("eth0", far) })
		other.address = netip.MustParsePrefix(far).Addr()
		if i == 0 {
			center.address = netip.MustParsePrefix(near).Addr()
		}
		all = append(all, other)
	}
	return center, all
}

func configureLink(name, address string) error {
	link, err := netlink.LinkByName(name)
	if err != nil {
		return err
	}
	parsed, err := netlink.ParseAddr(address)
	if err != nil {
		return err
	}
	if err := netlink.AddrAdd(link, parsed); err != nil {
		return err
	}
	return netlink.LinkSetUp(link)
}

// addIPv6Address adds an address to the first interface of the namespace that can be used at once.
func (s testNamespace) addIPv6Address(t testing.TB, address string) netip.Addr {
	t.Helper()
	s.runInside(t, func() error {
		link, err := netlink.LinkByName("eth0")
		if err != nil {
			return err
		}
		parsed, err := netlink.ParseAddr(address)
		if err != nil {
			return err
		}
		parsed.Flags = unix.IFA_F_NODAD
		return netlink.AddrAdd(link, parsed)
	})
	return netip.MustParsePrefix(address).Addr()
}

// listenTCP accepts connections in the namespace and passes each to serve.
func (s testNamespace) listenTCP(t testing.TB, serve func(net.Conn)) string {
	t.Helper()
	var listener net.Listener
	s.runInside(t, func() (err error) {
		listener, err = net.Listen("tcp", netip.AddrPortFrom(s.address, 0).String())
		return err
	})
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			c, err := listener.Accept()
			if err != nil {
				return
			}
			go serve(c)
		}
	}()
	return listener.Addr().String()
}

// startUserSpaceBackend runs a user space backend in the namespace until the test ends.
func (s testNamespace) startUserSpaceBackend(t testing.TB, p segmentSize) *userSpaceBackend {
	t.Helper()
	var u *userSpaceBackend
	s.runInside(t, func() (err error) {
		u, err = newUserSpaceBackend(regionQueue, p, 1)
		return err
	})
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- u.runUntilCancelled(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
	})
	return u
}
