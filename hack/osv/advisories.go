package main

import (
	"archive/zip"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/osv-scalibr/enricher/vulnmatch/osvlocal"
	"github.com/ossf/osv-schema/bindings/go/osvschema"
	"google.golang.org/protobuf/encoding/protojson"
)

// advisoryIndex holds the advisories of one ecosystem by the names of the packages that they affect.
type advisoryIndex struct {
	count            int
	newest           time.Time // latest modification time of all advisories
	byName           map[string][]*osvschema.Vulnerability
	groupsByArtifact map[string][]string // Maven groups that have an artifact of this name
}

// loadAdvisories reads the advisories of an ecosystem, from all.zip or from single files. It returns nil if
// neither exists, also for an empty directory, which a failed download leaves.
func loadAdvisories(directory, ecosystem string) (*advisoryIndex, error) {
	archive, err := zip.OpenReader(filepath.Join(directory, ecosystem, "all.zip"))
	switch {
	case err == nil:
		defer archive.Close()
		return readAdvisories(archive, ecosystem)
	case errors.Is(err, fs.ErrNotExist):
		a, err := readAdvisories(os.DirFS(filepath.Join(directory, ecosystem)), ecosystem)
		if err != nil || a.count == 0 {
			return nil, err
		}
		return a, nil
	}
	return nil, fmt.Errorf("open the advisories of %s: %w", ecosystem, err)
}

func readAdvisories(files fs.FS, ecosystem string) (*advisoryIndex, error) {
	paths, err := fs.Glob(files, "*.json")
	if err != nil {
		return nil, err
	}
	a := &advisoryIndex{byName: map[string][]*osvschema.Vulnerability{}, groupsByArtifact: map[string][]string{}}
	for _, file := range paths {
		text, err := fs.ReadFile(files, file)
		if err != nil {
			return nil, fmt.Errorf("read the advisories of %s: %w", ecosystem, err)
		}
		v := &osvschema.Vulnerability{}
		if err := (protojson.UnmarshalOptions{DiscardUnknown: true}).Unmarshal(text, v); err != nil {
			return nil, fmt.Errorf("parse %s: %w", path.Join(ecosystem, file), err)
		}
		a.addAdvisory(v)
	}
	return a, nil
}

func (a *advisoryIndex) addAdvisory(v *osvschema.Vulnerability) {
	a.count++
	if modified := v.GetModified().AsTime(); modified.After(a.newest) {
		a.newest = modified
	}
	for _, affected := range v.GetAffected() {
		// The matcher ignores all ranges after one of commits, so an advisory that lists commits first would affect no version.
		affected.Ranges = slices.DeleteFunc(affected.GetRanges(), func(r *osvschema.Range) bool { return r.GetType() == osvschema.Range_GIT })
		name := affected.GetPackage().GetName()
		if !slices.Contains(a.byName[name], v) {
			a.byName[name] = append(a.byName[name], v)
		}
		group, artifact, isMaven := strings.Cut(name, ":")
		if isMaven && !slices.Contains(a.groupsByArtifact[artifact], group) {
			a.groupsByArtifact[artifact] = append(a.groupsByArtifact[artifact], group)
		}
	}
}

// formatNewestDate returns the date of the newest change, or an empty string without advisories.
func (a *advisoryIndex) formatNewestDate() string {
	if a.count == 0 {
		return ""
	}
	return ", the newest of " + a.newest.Format("2006-01-02")
}

// possibleComponents returns the component itself or, if its group is a guess, one component for each group that has such an artifact.
func (a *advisoryIndex) possibleComponents(c *component) []*component {
	if !c.groupGuessed {
		return []*component{c}
	}
	var possible []*component
	for _, group := range a.groupsByArtifact[c.Name] {
		possible = append(possible, c.withGroup(group))
	}
	return possible
}

// advisoriesFor returns the advisories that affect this version of a package.
func (a *advisoryIndex) advisoriesFor(c *component) []*osvschema.Vulnerability {
	var candidates []*osvschema.Vulnerability
	for _, name := range c.possibleNames() {
		candidates = append(candidates, a.byName[name]...)
	}
	return osvlocal.VulnerabilitiesAffectingPackage(candidates, c.Package)
}

// readAcceptedReasons reads the file of accepted findings. Each line has the ID of a vulnerability, or the
// package URL of a component that cannot be checked, and the reason. Comments begin with #.
func readAcceptedReasons(file string) (map[string]string, error) {
	accepted := map[string]string{}
	if file == "" {
		return accepted, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("read what is accepted: %w", err)
	}
	for line := range strings.Lines(string(text)) {
		id, reason, _ := strings.Cut(strings.TrimSpace(line), " ")
		if id == "" || strings.HasPrefix(id, "#") {
			continue
		}
		if reason == "" {
			return nil, fmt.Errorf("%s: %s has no reason", file, id)
		}
		accepted[id] = strings.TrimSpace(reason)
	}
	return accepted, nil
}

// reasonToAccept returns the reason for accepting an advisory, by its ID or one of its aliases.
func reasonToAccept(accepted map[string]string, v *osvschema.Vulnerability) (string, bool) {
	for _, id := range append([]string{v.GetId()}, v.GetAliases()...) {
		if reason, ok := accepted[id]; ok {
			return reason, true
		}
	}
	return "", false
}
