// Package all lists the platforms. It is the one place that does.
package all

import (
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/corda"
	"github.com/benchnet/benchnet/internal/platform/emerald"
	"github.com/benchnet/benchnet/internal/platform/jpaxos"
	"github.com/benchnet/benchnet/internal/platform/malachite"
)

// Registry of all platforms.
func Registry() *platform.Registry {
	return platform.NewRegistry(corda.New(), jpaxos.New(), malachite.New(), emerald.New())
}
