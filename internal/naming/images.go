// Package naming resolves the project's images by name, so that nothing floats: a tag is the project's version, and
// the version of what is inside where there are several.
package naming

import "cmp"

// DefaultImageRegistry of the project's own images.
const DefaultImageRegistry = "ghcr.io/benchnet"

// ImageCatalogue resolves image references.
type ImageCatalogue struct {
	// Registry is the prefix of the project's own images, such as ghcr.io/benchnet.
	Registry string
	// Version is the tag of the project's own images.
	Version string
	// Overrides by image name replace the whole reference.
	Overrides map[string]string
	// PullSecrets are names of Secrets with which pods pull their images; each namespace with networks has them.
	PullSecrets []string
}

// CorDappsImage is the image with the project's own CorDapps, which a spec may name without registry and tag.
const CorDappsImage = "cordapps"

// Resolve returns the reference for an image that a spec names. CorDappsImage without registry and tag is the project's own, in the
// catalogue's registry and version; every other reference is returned unchanged.
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

// Image is the reference of the named image; variant is the version of what is inside, or empty.
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
