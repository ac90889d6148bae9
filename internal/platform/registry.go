package platform

import (
	"fmt"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// Registry holds the platforms in the order of their registration.
type Registry struct {
	platforms []Platform
}

// NewRegistry returns a registry of the given platforms. It panics if two of them have the same type, which is
// a programming error.
func NewRegistry(platforms ...Platform) *Registry {
	seen := map[v1alpha1.PlatformType]bool{}
	for _, p := range platforms {
		if seen[p.Type()] {
			panic(fmt.Sprintf("platform %s is registered twice", p.Type()))
		}
		seen[p.Type()] = true
	}
	return &Registry{platforms: platforms}
}

// Platforms returns the platforms in the order of their registration.
func (r *Registry) Platforms() []Platform { return r.platforms }

// Get returns the platform of the given type, or an error that lists the known types.
func (r *Registry) Get(t v1alpha1.PlatformType) (Platform, error) {
	known := make([]v1alpha1.PlatformType, 0, len(r.platforms))
	for _, p := range r.platforms {
		if p.Type() == t {
			return p, nil
		}
		known = append(known, p.Type())
	}
	return nil, fmt.Errorf("spec.platform.type: %q is not a platform of this operator; it knows %v", t, known)
}
