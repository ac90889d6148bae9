package controllers

import (
	"time"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/internal/apply"
	"github.com/benchnet/benchnet/internal/images"
	"github.com/benchnet/benchnet/internal/observe"
	"github.com/benchnet/benchnet/internal/platform"
)

// Dependencies are what every reconciler works with.
type Dependencies struct {
	Client client.Client
	// Direct reads objects that the cache does not hold, the user's own among them.
	Direct    client.Reader
	Platforms *platform.Registry
	Images    images.Catalogue
	Writer    *apply.Writer
	Reader    *observe.Reader
	Events    Events
	// KubeVersion of the cluster: charts may ask for it, results record it.
	KubeVersion string
	// Now is the clock.
	Now func() time.Time
}
