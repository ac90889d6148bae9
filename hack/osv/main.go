// Command osv compares the packages of CycloneDX documents with a local copy of the OSV database (https://osv.dev). It lists known
// vulnerabilities, and for each ecosystem how many packages it checked, or that it could not check them.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
)

// options are the command line.
type options struct {
	database string // directory with ECOSYSTEM/all.zip or ECOSYSTEM/*.json, as https://osv.dev exports them
	accepted string // file with accepted vulnerabilities
	required bool   // packages that cannot be checked are a failure
	sboms    []string
}

func main() {
	var o options
	flag.StringVar(&o.database, "database", "", "directory with an OSV database: ECOSYSTEM/all.zip or ECOSYSTEM/*.json")
	flag.StringVar(&o.accepted, "accepted", "", "file with accepted vulnerabilities: an ID and the reason on each line")
	flag.BoolVar(&o.required, "required", false, "fail if packages cannot be checked")
	flag.Parse()
	o.sboms = flag.Args()
	passed, err := scan(os.Stdout, o)
	if err != nil {
		fmt.Fprintln(os.Stderr, "osv:", err)
		os.Exit(2)
	}
	if !passed {
		os.Exit(1)
	}
}

// scan writes what it finds to out. It passes if no package has a vulnerability that is not accepted and, where that is required,
// all packages were checked.
func scan(out io.Writer, o options) (passed bool, err error) {
	accepted, err := readAccepted(o.accepted)
	if err != nil {
		return false, err
	}
	installed, err := readInventory(o.sboms)
	if err != nil {
		return false, err
	}
	passed = true
	var summary strings.Builder
	for _, ecosystem := range installed.ecosystems() {
		packages := installed[ecosystem]
		advisories, err := loadAdvisories(o.database, ecosystem)
		if err != nil {
			return false, err
		}
		if advisories == nil {
			fmt.Fprintf(&summary, "%s: NOT CHECKED: %d packages, no advisories in %s\n", ecosystem, len(packages), o.database)
			passed = passed && !o.required
			continue
		}
		vulnerable := writeFindings(out, packages, advisories, accepted)
		fmt.Fprintf(&summary, "%s: %d packages checked with %d advisories, the newest of %s: %d vulnerable\n",
			ecosystem, len(packages), advisories.count, advisories.newest.Format("2006-01-02"), vulnerable)
		passed = passed && vulnerable == 0
	}
	fmt.Fprint(out, summary.String())
	return passed, nil
}

// writeFindings lists the vulnerabilities of the packages and returns how many packages have one that is not accepted.
func writeFindings(out io.Writer, packages []*component, advisories *advisoryIndex, accepted map[string]string) (vulnerable int) {
	for _, c := range packages {
		affected := false
		for _, v := range advisories.affecting(c) {
			line := fmt.Sprintf("%s %s: %s (https://osv.dev/%s), in %s", c.name(), c.Version, v.GetSummary(), v.GetId(), strings.Join(c.sboms, ", "))
			if reason, ok := reasonToAccept(accepted, v); ok {
				fmt.Fprintf(out, "accepted: %s: %s\n", line, reason)
				continue
			}
			fmt.Fprintf(out, "VULNERABLE: %s\n", line)
			affected = true
		}
		if affected {
			vulnerable++
		}
	}
	return vulnerable
}
