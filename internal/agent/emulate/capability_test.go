package emulate

import (
	"fmt"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/benchnet/benchnet/internal/network/latency"
)

// dropNetAdmin drops the capability NET_ADMIN from the calling thread.
func dropNetAdmin() error {
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var data [2]unix.CapUserData
	if err := unix.Capget(&header, &data[0]); err != nil {
		return fmt.Errorf("read capabilities: %w", err)
	}
	data[0].Effective &^= 1 << unix.CAP_NET_ADMIN
	data[0].Permitted &^= 1 << unix.CAP_NET_ADMIN
	data[0].Inheritable &^= 1 << unix.CAP_NET_ADMIN
	if err := unix.Capset(&header, &data[0]); err != nil {
		return fmt.Errorf("drop NET_ADMIN: %w", err)
	}
	return nil
}

func TestMissingCapability(t *testing.T) {
	_, others := newTestNamespaces(t, 1)
	for name, take := range map[latency.Mechanism]func() error{
		latency.Netem:     func() error { _, err := newNetemBackend(largeSegments, newNetemQdisc); return err },
		latency.UserSpace: func() error { _, err := newUserSpaceBackend(regionQueue, largeSegments, 1); return err },
	} {
		var got error
		others[0].runInside(t, func() error {
			if err := dropNetAdmin(); err != nil {
				return err
			}
			got = take()
			return nil
		})
		if got == nil || ExitCode(got) != latency.ExitCapabilityMissing {
			t.Errorf("%s: %v, exit code %d; want %d", name, got, ExitCode(got), latency.ExitCapabilityMissing)
		}
	}
}
