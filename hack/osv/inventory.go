package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/CycloneDX/cyclonedx-go"
	"github.com/google/osv-scalibr/extractor"
	dpkgmetadata "github.com/google/osv-scalibr/extractor/filesystem/os/dpkg/metadata"
	cdxmetadata "github.com/google/osv-scalibr/extractor/filesystem/sbom/cdx/metadata"
	"github.com/google/osv-scalibr/purl"
	"github.com/package-url/packageurl-go"
)

// component is one version of a package, with the names of the documents that list it.
type component struct {
	*extractor.Package
	purl  purl.PackageURL
	sboms []string
}

// name returns the name by which people know the package.
func (c *component) name() string {
	return c.purl.Type + " " + strings.Trim(c.purl.Namespace+"/"+c.purl.Name, "/")
}

// inventory holds the packages of all documents by OSV ecosystem, such as Go or Debian.
type inventory map[string][]*component

func (i inventory) ecosystems() []string { return slices.Sorted(maps.Keys(i)) }

// readInventory reads CycloneDX documents. A package that several of them list is in the inventory once.
func readInventory(paths []string) (inventory, error) {
	if len(paths) == 0 {
		return nil, errors.New("no SBOM is named")
	}
	known := map[string]*component{}
	for _, path := range paths {
		components, err := readSBOM(path)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", path, err)
		}
		document := strings.TrimSuffix(filepath.Base(path), ".json")
		for _, c := range components {
			first, ok := known[c.purl.String()]
			if !ok {
				known[c.purl.String()], first = c, c
			}
			if !slices.Contains(first.sboms, document) {
				first.sboms = append(first.sboms, document)
			}
		}
	}
	all := inventory{}
	for _, c := range slices.SortedFunc(maps.Values(known), func(a, b *component) int { return cmp.Compare(a.purl.String(), b.purl.String()) }) {
		all[ecosystemOf(c)] = append(all[ecosystemOf(c)], c)
	}
	return all, nil
}

// ecosystemOf returns the OSV ecosystem of a package. Packages that OSV has no ecosystem for, or that have no version, are listed
// under names that no database has.
func ecosystemOf(c *component) string {
	ecosystem := string(c.Ecosystem().Ecosystem)
	if ecosystem == "" {
		ecosystem = "type " + c.purl.Type
	}
	// Code of this repository, for the most part.
	if c.Version == "" || c.Version == "(devel)" || c.Version == "UNKNOWN" {
		return ecosystem + " without a version"
	}
	return ecosystem
}

// readSBOM returns the components of a document that have a package URL.
func readSBOM(path string) ([]*component, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var bom cyclonedx.BOM
	if err := cyclonedx.NewBOMDecoder(file, cyclonedx.BOMFileFormatJSON).Decode(&bom); err != nil {
		return nil, err
	}
	return components(bom.Components)
}

// components returns the components of a list and those within them.
func components(list *[]cyclonedx.Component) ([]*component, error) {
	if list == nil {
		return nil, nil
	}
	var all []*component
	for _, entry := range *list {
		if entry.PackageURL != "" {
			c, err := newComponent(entry.PackageURL)
			if err != nil {
				return nil, err
			}
			all = append(all, c)
		}
		inner, err := components(entry.Components)
		if err != nil {
			return nil, err
		}
		all = append(all, inner...)
	}
	return all, nil
}

func newComponent(packageURL string) (*component, error) {
	p, err := purl.FromString(packageURL)
	if err != nil {
		return nil, fmt.Errorf("package URL %q: %w", packageURL, err)
	}
	c := &component{purl: p, Package: &extractor.Package{Name: p.Name, Version: p.Version, PURLType: p.Type, Metadata: &cdxmetadata.Metadata{PURL: &p}}}
	if p.Type == purl.TypeDebian {
		useSourcePackage(c)
	}
	return c, nil
}

// useSourcePackage takes the source package's name and version, which advisories of distributions have, from the qualifiers that
// syft writes: distro=debian-12 and upstream=NAME or NAME@VERSION.
func useSourcePackage(c *component) {
	qualifiers := packageurl.Qualifiers(c.purl.Qualifiers).Map()
	_, release, _ := strings.Cut(qualifiers["distro"], "-")
	source, version, _ := strings.Cut(qualifiers["upstream"], "@")
	c.Version = cmp.Or(version, c.Version)
	c.Metadata = &dpkgmetadata.Metadata{PackageName: c.Name, SourceName: cmp.Or(source, c.Name), OSID: c.purl.Namespace, OSVersionID: release}
}

// possibleNames returns the names that an advisory may give the package; OSV joins namespace and name by its ecosystem's custom.
func (c *component) possibleNames() []string {
	if debian, ok := c.Metadata.(*dpkgmetadata.Metadata); ok {
		return []string{debian.SourceName}
	}
	if c.purl.Namespace == "" {
		return []string{c.Name}
	}
	return []string{c.purl.Namespace + "/" + c.Name, c.purl.Namespace + ":" + c.Name}
}
