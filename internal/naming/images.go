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

// CorDappsImage is the name of the image with the project's own CorDapps. A spec may give it without registry
// and tag.
const CorDappsImage = "cordapps"

// Resolve returns the reference of an image that a spec names. CorDappsImage without registry and tag resolves
// to the catalogue's registry and version; every other reference is returned unchanged.
func (c ImageCatalogue) Resolve(reference string) string {
	if reference == CorDappsImage {
		return c.Image(CorDappsImage, "")
	}
	return reference
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
