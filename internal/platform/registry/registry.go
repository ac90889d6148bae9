// Package registry lists the platforms. It is the one place that does.
package registry

import (
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/corda"
	"github.com/benchnet/benchnet/internal/platform/emerald"
	"github.com/benchnet/benchnet/internal/platform/jpaxos"
	"github.com/benchnet/benchnet/internal/platform/malachite"
)

// New of all platforms.
func New() *platform.Registry {
	return platform.NewRegistry(corda.New(), jpaxos.New(), malachite.New(), emerald.New())
}
