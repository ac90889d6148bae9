package delivery

import (
	"net/netip"
	"os"
	"syscall"
	"testing"

	"github.com/benchnet/benchnet/internal/destination"
)

// TestMain permits connections to the loopback address, where the tests' servers listen.
func TestMain(m *testing.M) {
	checkDestination = func(network, address string, c syscall.RawConn) error {
		if target, err := netip.ParseAddrPort(address); err == nil && target.Addr().IsLoopback() {
			return nil
		}
		return destination.Control(network, address, c)
	}
	os.Exit(m.Run())
}
