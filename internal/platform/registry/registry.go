// Package registry is the only place that lists all platforms.
package registry

import (
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/cometbft"
	"github.com/benchnet/benchnet/internal/platform/corda"
	"github.com/benchnet/benchnet/internal/platform/emerald"
	"github.com/benchnet/benchnet/internal/platform/jpaxos"
	"github.com/benchnet/benchnet/internal/platform/malachite"
)

// New returns a registry of all platforms.
func New() platform.Registry {
	return platform.Registry{corda.New(), jpaxos.New(), malachite.New(), malachite.NewEVM(), emerald.New(), cometbft.New()}
}
