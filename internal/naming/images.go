package naming

import "cmp"

// DefaultImageRegistry is the registry of the project's own images.
const DefaultImageRegistry = "ghcr.io/benchnet"

// ImageCatalogue resolves image references.
type ImageCatalogue struct {
	// Registry is the prefix of the project's own images, such as ghcr.io/benchnet.
	Registry string
	// Version is the tag of the project's own images.
	Version string
	// Overrides are full references by image name.
	Overrides map[string]string
	// PullSecrets are the names of the Secrets with which pods pull their images. Each namespace with networks
	// has them.
	PullSecrets []string
}

// WithVersion returns the catalogue with another version of the project's images; an empty version changes nothing.
func (c ImageCatalogue) WithVersion(version string) ImageCatalogue {
	c.Version = cmp.Or(version, c.Version)
	return c
}

// Image returns the reference of the named image. The variant is the version of the contained software, or
// empty.
func (c ImageCatalogue) Image(name, variant string) string {
	if ref, ok := c.Overrides[name]; ok && ref != "" {
		return ref
	}
	ref := c.Registry + "/" + name + ":" + c.Version
	if variant != "" {
		ref += "-" + variant
	}
	return ref
}
