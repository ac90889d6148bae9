package emulate

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"
	"os/exec"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/vishvananda/netlink"
	"github.com/vishvananda/netns"
	"golang.org/x/sys/unix"

	"github.com/benchnet/benchnet/internal/agent/supervise"
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

// routeVariable is the environment variable with the route that a process of this test serves instead of the tests.
const routeVariable = "BENCHNET_TEST_ROUTE"

func TestMain(m *testing.M) {
	if text := os.Getenv(routeVariable); text != "" {
		route, err := supervise.ParseRoute(text)
		if err == nil {
			_, err = route.Serve()
		}
		fmt.Println("serving:", err)
		select {}
	}
	os.Exit(m.Run())
}

// forwardConnections starts a process in the namespace that passes connections on to a target, and returns its address.
func (s testNamespace) forwardConnections(t *testing.T, target string) string {
	t.Helper()
	const address = "127.0.1.2:10204"
	process := exec.CommandContext(t.Context(), os.Args[0])
	process.Env = append(os.Environ(), routeVariable+"="+address+"="+target)
	output, err := process.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	s.runInside(t, func() error {
		loopback, err := netlink.LinkByName("lo")
		if err != nil {
			return err
		}
		return errors.Join(netlink.LinkSetUp(loopback), process.Start())
	})
	t.Cleanup(func() { _, _ = process.Process.Kill(), process.Wait() })
	if line, err := bufio.NewReader(output).ReadString('\n'); line != "serving: <nil>\n" {
		t.Fatalf("the process says %q, %v", line, err)
	}
	return address
}

// datagramReceiver counts the datagrams at its address.
type datagramReceiver struct {
	address string
	count   atomic.Int64
}

// receiveDatagrams receives datagrams in the namespace until the test ends.
func (s testNamespace) receiveDatagrams(t *testing.T) *datagramReceiver {
	t.Helper()
	var connection net.PacketConn
	s.runInside(t, func() (err error) {
		connection, err = net.ListenPacket("udp", netip.AddrPortFrom(s.address, 0).String())
		return err
	})
	t.Cleanup(func() { _ = connection.Close() })
	r := &datagramReceiver{address: connection.LocalAddr().String()}
	go func() {
		for data := make([]byte, 1); ; r.count.Add(1) {
			if _, _, err := connection.ReadFrom(data); err != nil {
				return
			}
		}
	}()
	return r
}

// sendDatagrams sends datagrams for a while, which fails if one is refused, and returns their number.
func (s testNamespace) sendDatagrams(t *testing.T, to string, lasting time.Duration) (sent int64) {
	t.Helper()
	s.runInside(t, func() error {
		c, err := net.Dial("udp", to)
		if err != nil {
			return err
		}
		defer func() { _ = c.Close() }()
		for end := time.Now().Add(lasting); time.Now().Before(end); sent++ {
			if _, err := c.Write([]byte("x")); err != nil {
				return err
			}
			time.Sleep(2 * time.Millisecond)
		}
		return nil
	})
	return sent
}

// newNeighbors returns two network namespaces that are connected by an IP version.
func newNeighbors(t *testing.T, isIPv4 bool) (a, b testNamespace) {
	t.Helper()
	a, others := newTestNamespaces(t, 1)
	b = others[0]
	if !isIPv4 {
		a.address, b.address = a.addIPv6Address(t, "fd00:9::1/64"), b.addIPv6Address(t, "fd00:9::2/64")
	}
	return a, b
}

// forgetNeighbor makes the kernel of the namespace look for a neighbor again.
func (s testNamespace) forgetNeighbor(t *testing.T, address netip.Addr) {
	t.Helper()
	s.runInside(t, func() error {
		link, err := netlink.LinkByName("eth0")
		if err != nil {
			return err
		}
		return netlink.NeighDel(&netlink.Neigh{LinkIndex: link.Attrs().Index, IP: address.AsSlice()})
	})
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
