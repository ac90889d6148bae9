package emulation

import (
	"fmt"
	"testing"

	"golang.org/x/sys/unix"

	"github.com/benchnet/benchnet/internal/emulation"
)

// withoutNetAdmin takes the capability from the calling thread.
func withoutNetAdmin() error {
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

func TestWithoutTheCapability(t *testing.T) {
	_, others := spaces(t, 1)
	for name, take := range map[emulation.Mechanism]func() error{
		emulation.Netem:     func() error { _, err := newNetem(wholePieces, netemLeaf); return err },
		emulation.UserSpace: func() error { _, err := newUserSpace(wholePieces, 1); return err },
	} {
		var got error
		others[0].do(t, func() error {
			if err := withoutNetAdmin(); err != nil {
				return err
			}
			got = take()
			return nil
		})
		if got == nil || Cause(got) != emulation.ExitCapabilityMissing {
			t.Errorf("%s: %v, exit code %d; want %d", name, got, Cause(got), emulation.ExitCapabilityMissing)
		}
	}
}
