// Command osv compares the packages of CycloneDX documents with a local copy of the OSV database
// (https://osv.dev). It lists known vulnerabilities, and for each ecosystem how many packages it checked, or
// that it could not check them.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
)

// options are the command-line options.
type options struct {
	database string   // directory with ECOSYSTEM/all.zip or ECOSYSTEM/*.json, as https://osv.dev exports them
	accepted string   // file with accepted vulnerabilities and components
	project  []string // package URLs; they and those below them are the project's own components
	required bool     // packages that cannot be checked and are not accepted are a failure
	sboms    []string
}

func main() {
	var o options
	flag.StringVar(&o.database, "database", "", "directory with an OSV database: ECOSYSTEM/all.zip or ECOSYSTEM/*.json")
	flag.StringVar(&o.accepted, "accepted", "", "file with what is accepted: the ID of a vulnerability or a package URL, and the reason, on each line")
	flag.Func("project", "package URL of the project's own components, which are left out (repeatable)", func(packageURL string) error {
		o.project = append(o.project, packageURL)
		return nil
	})
	flag.BoolVar(&o.required, "required", false, "fail if packages cannot be checked")
	flag.Parse()
	o.sboms = flag.Args()
	passed, err := scanPackages(os.Stdout, o)
	if err != nil {
		fmt.Fprintln(os.Stderr, "osv:", err)
		os.Exit(2)
	}
	if !passed {
		os.Exit(1)
	}
}

// scanPackages writes its findings to out. It passes if no package has an unaccepted vulnerability and, with
// required, all packages were checked.
func scanPackages(out io.Writer, o options) (passed bool, err error) {
	accepted, err := readAcceptedReasons(o.accepted)
	if err != nil {
		return false, err
	}
	installed, err := readPackages(o.sboms, o.project)
	if err != nil {
		return false, err
	}
	passed = true
	var summary strings.Builder
	for _, ecosystem := range installed.ecosystemNames() {
		packages := installed.byEcosystem[ecosystem]
		advisories, err := loadAdvisories(o.database, ecosystem)
		if err != nil {
			return false, err
		}
		if advisories == nil {
			unchecked := writeUnchecked(&summary, ecosystem, packages, accepted)
			passed = passed && (unchecked == 0 || !o.required)
			continue
		}
		vulnerable := writeFindings(out, packages, advisories, accepted)
		fmt.Fprintf(&summary, "%s: %d packages checked with %d advisories%s: %d vulnerable\n",
			ecosystem, len(packages), advisories.count, advisories.formatNewestDate(), vulnerable)
		passed = passed && vulnerable == 0
	}
	fmt.Fprintf(out, "%s%d components of the project itself left out\n", summary.String(), installed.projectCount)
	return passed, nil
}

// writeUnchecked lists packages without advisories and returns how many of them are not accepted.
func writeUnchecked(out io.Writer, ecosystem string, packages []*component, accepted map[string]string) (unchecked int) {
	var list strings.Builder
	for _, c := range packages {
		line := fmt.Sprintf("%s, version %q, in %s", c.unversionedURL(), c.Version, strings.Join(c.sboms, ", "))
		if reason, ok := accepted[c.unversionedURL()]; ok {
			fmt.Fprintf(out, "accepted without a check: %s: %s\n", line, reason)
			continue
		}
		fmt.Fprintf(&list, "  %s\n", line)
		unchecked++
	}
	if unchecked > 0 {
		fmt.Fprintf(out, "%s: NOT CHECKED: %d packages, the database has no advisories for them:\n%s", ecosystem, unchecked, list.String())
	}
	return unchecked
}

// writeFindings lists the vulnerabilities of the packages and returns how many packages have an unaccepted one.
func writeFindings(out io.Writer, packages []*component, advisories *advisoryIndex, accepted map[string]string) (vulnerable int) {
	for _, c := range packages {
		affected := false
		for _, identity := range advisories.possibleComponents(c) {
			affected = writeAdvisories(out, identity, advisories, accepted) || affected
		}
		if affected {
			vulnerable++
		}
	}
	return vulnerable
}

// writeAdvisories lists the vulnerabilities of a package and reports whether one of them is not accepted.
func writeAdvisories(out io.Writer, c *component, advisories *advisoryIndex, accepted map[string]string) (vulnerable bool) {
	for _, v := range advisories.advisoriesFor(c) {
		line := fmt.Sprintf("%s %s: %s (https://osv.dev/%s), in %s", c.displayName(), c.Version, v.GetSummary(), v.GetId(), strings.Join(c.sboms, ", "))
		if c.groupGuessed {
			line += ", if that group is the artifact's (the SBOM does not say)"
		}
		if reason, ok := reasonToAccept(accepted, v); ok {
			fmt.Fprintf(out, "accepted: %s: %s\n", line, reason)
			continue
		}
		fmt.Fprintf(out, "VULNERABLE: %s\n", line)
		vulnerable = true
	}
	return vulnerable
}
