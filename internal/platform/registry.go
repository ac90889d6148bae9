package platform

import (
	"fmt"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// Registry lists the platforms of an operator, one of each type.
type Registry []Platform

// Get returns the platform of the given type, or an error that lists the known types.
func (r Registry) Get(t v1alpha1.PlatformType) (Platform, error) {
	known := make([]v1alpha1.PlatformType, 0, len(r))
	for _, p := range r {
		if p.Type() == t {
			return p, nil
		}
		known = append(known, p.Type())
	}
	return nil, fmt.Errorf("spec.platform.type: %q is not a platform of this operator; it knows %v", t, known)
}
