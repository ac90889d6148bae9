package main

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/CycloneDX/cyclonedx-go"
	"github.com/google/osv-scalibr/extractor"
	dpkgmetadata "github.com/google/osv-scalibr/extractor/filesystem/os/dpkg/metadata"
	cdxmetadata "github.com/google/osv-scalibr/extractor/filesystem/sbom/cdx/metadata"
	"github.com/google/osv-scalibr/purl"
	purlecosystem "github.com/google/osv-scalibr/purl/ecosystem"
	"github.com/package-url/packageurl-go"
)

// component is one version of a package, with the names of the documents that list it.
type component struct {
	*extractor.Package
	purl         purl.PackageURL
	groupGuessed bool // a Maven component whose group syft derived from the file's name or manifest
	sboms        []string
}

// displayName returns the name of the package for people.
func (c *component) displayName() string {
	return c.purl.Type + " " + strings.Trim(c.purl.Namespace+"/"+c.purl.Name, "/")
}

// unversionedURL returns the package URL without version and qualifiers.
func (c *component) unversionedURL() string {
	return "pkg:" + c.purl.Type + "/" + strings.Trim(c.purl.Namespace+"/"+c.purl.Name, "/")
}

// withGroup returns the component under another Maven group, which is a guess too.
func (c *component) withGroup(group string) *component {
	p := c.purl
	p.Namespace = group
	return &component{purl: p, Package: newPackage(&p), groupGuessed: c.groupGuessed, sboms: c.sboms}
}

// packageSet holds the packages of all documents by OSV ecosystem, such as Go or Debian.
type packageSet struct {
	byEcosystem  map[string][]*component
	projectCount int // number of components of the project, which are in no ecosystem
}

func (i *packageSet) ecosystemNames() []string { return slices.Sorted(maps.Keys(i.byEcosystem)) }

// readPackages reads CycloneDX documents. A package in several of them occurs once. Components at or below one
// of the project's package URLs are only counted.
func readPackages(paths, projectURLs []string) (*packageSet, error) {
	if len(paths) == 0 {
		return nil, errors.New("no SBOM is named")
	}
	known := map[string]*component{}
	for _, file := range paths {
		components, err := readSBOM(file)
		if err != nil {
			return nil, fmt.Errorf("read %s: %w", file, err)
		}
		document := strings.TrimSuffix(filepath.Base(file), ".json")
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
	all := &packageSet{byEcosystem: map[string][]*component{}}
	for _, c := range slices.SortedFunc(maps.Values(known), func(a, b *component) int { return cmp.Compare(a.purl.String(), b.purl.String()) }) {
		if isBelow(c.unversionedURL(), projectURLs) {
			all.projectCount++
			continue
		}
		all.byEcosystem[ecosystemOf(c)] = append(all.byEcosystem[ecosystemOf(c)], c)
	}
	return all, nil
}

// isBelow reports whether a package URL is one of the parents or begins with one and a slash.
func isBelow(packageURL string, parents []string) bool {
	return slices.ContainsFunc(parents, func(parent string) bool {
		return packageURL == parent || strings.HasPrefix(packageURL, parent+"/")
	})
}

// ecosystemOf returns the OSV ecosystem of a package. Packages without an OSV ecosystem or without a version
// are listed under names that no database has.
func ecosystemOf(c *component) string {
	ecosystem := string(c.Ecosystem().Ecosystem)
	if ecosystem == "" {
		ecosystem = "type " + c.purl.Type
	}
	if c.Version == "" || c.Version == "(devel)" || c.Version == "UNKNOWN" {
		return ecosystem + " without a version"
	}
	return ecosystem
}

// readSBOM returns the components of a document. It omits files and the operating system; packages of the
// latter are components themselves.
func readSBOM(file string) ([]*component, error) {
	reader, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer reader.Close()
	var bom cyclonedx.BOM
	if err := cyclonedx.NewBOMDecoder(reader, cyclonedx.BOMFileFormatJSON).Decode(&bom); err != nil {
		return nil, err
	}
	return collectComponents(bom.Components)
}

// collectComponents returns the components of a list and those within them.
func collectComponents(list *[]cyclonedx.Component) ([]*component, error) {
	if list == nil {
		return nil, nil
	}
	var all []*component
	for _, entry := range *list {
		if entry.Type != cyclonedx.ComponentTypeFile && entry.Type != cyclonedx.ComponentTypeOS {
			c, err := newComponent(&entry)
			if err != nil {
				return nil, err
			}
			all = append(all, c)
		}
		inner, err := collectComponents(entry.Components)
		if err != nil {
			return nil, err
		}
		all = append(all, inner...)
	}
	return all, nil
}

func newComponent(entry *cyclonedx.Component) (*component, error) {
	p := purl.PackageURL{Type: string(entry.Type), Namespace: entry.Group, Name: entry.Name, Version: entry.Version}
	if entry.PackageURL != "" {
		var err error
		if p, err = purl.FromString(entry.PackageURL); err != nil {
			return nil, fmt.Errorf("package URL %q: %w", entry.PackageURL, err)
		}
	}
	if p.Type == purl.TypeGolang && strings.EqualFold(strings.Trim(p.Namespace+"/"+p.Name, "/"), entry.Name) {
		// A package URL has the path of a Go module in lower case. Advisories use the spelling of the
		// component's name.
		namespace, name := path.Split(entry.Name)
		p.Namespace, p.Name = strings.TrimSuffix(namespace, "/"), name
	}
	c := &component{purl: p, Package: newPackage(&p)}
	switch p.Type {
	case purl.TypeDebian:
		useSourcePackage(c)
	case purl.TypeMaven:
		// Syft takes the field group from a POM. The group of the package URL may be a guess, such as the artifact's name.
		c.groupGuessed = entry.Group == ""
	}
	return c, nil
}

func newPackage(p *purl.PackageURL) *extractor.Package {
	return &extractor.Package{Name: p.Name, Version: p.Version, PURLType: p.Type, Metadata: &cdxmetadata.Metadata{PURL: p}}
}

// useSourcePackage sets the name and version of the source package, which advisories of distributions use. It
// reads them from the qualifiers that syft writes: distro=debian-12 and upstream=NAME or NAME@VERSION.
func useSourcePackage(c *component) {
	qualifiers := packageurl.Qualifiers(c.purl.Qualifiers).Map()
	release := purlecosystem.FromPURL(&c.purl).Suffix // such as 12 or, for Ubuntu, 22.04:LTS
	source, version, _ := strings.Cut(qualifiers["upstream"], "@")
	c.Version = cmp.Or(version, c.Version)
	c.Metadata = &dpkgmetadata.Metadata{PackageName: c.Name, SourceName: cmp.Or(source, c.Name), OSID: c.purl.Namespace, OSVersionID: release}
}

// possibleNames returns the names that an advisory may use for the package. How OSV joins namespace and name
// depends on the ecosystem.
func (c *component) possibleNames() []string {
	if debian, ok := c.Metadata.(*dpkgmetadata.Metadata); ok {
		return []string{debian.SourceName}
	}
	if c.purl.Namespace == "" {
		return []string{c.Name}
	}
	return []string{c.purl.Namespace + "/" + c.Name, c.purl.Namespace + ":" + c.Name}
}
