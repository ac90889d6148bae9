package corda

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/benchnet/benchnet/internal/platform"
)

// platformVersions maps the minor number of a release of Corda 4 to its platform version (R3, Versioning). Later releases
// count as the last one: nodes accept a network of older platform versions.
var platformVersions = map[int]int{3: 5, 4: 6, 5: 7, 6: 8, 7: 9, 8: 10, 9: 11, 10: 12, 11: 13, 12: 140}

// versionRange is the range of releases of Corda 4 that support something, as minor numbers.
type versionRange struct {
	first int
	// last is 0 if all later releases are expected to support it.
	last int
}

// What not every release supports.
var (
	// projectImages are the releases of which the project has images of node and driver.
	projectImages = versionRange{first: 3, last: 10}
	// projectCorDapps are the releases that run the project's CorDapps: 4.12 needs CorDapps compiled for Java 17 and
	// Kotlin 1.9 (R3, upgrade guide).
	projectCorDapps = versionRange{first: 3, last: 11}
	// notaryServices are the releases whose schema exists before a node starts, so that the tables of a notary service
	// can be created for all its replicas.
	notaryServices = versionRange{first: 6}
	// keyVersions are the releases that support a key of node.conf, with its subtree. All support the others.
	keyVersions = map[string]versionRange{
		"flowExternalOperationThreadPoolSize": {first: 4},
		"telemetry":                           {first: 10},
	}
)

func (r versionRange) contains(version string) bool {
	minor := minorOf(version)
	return minor >= r.first && (r.last == 0 || minor <= r.last)
}

// String returns the range as in "4.3 to 4.10" and "4.6 or later".
func (r versionRange) String() string {
	if r.last == 0 {
		return formatVersion(r.first) + " or later"
	}
	return formatVersion(r.first) + " to " + formatVersion(r.last)
}

// minorOf returns the minor number of a version, such as 10 for 4.10, and 0 for an invalid version.
func minorOf(version string) int {
	text, found := strings.CutPrefix(version, "4.")
	minor, err := strconv.Atoi(text)
	if !found || err != nil {
		return 0
	}
	return minor
}

func formatVersion(minor int) string { return fmt.Sprintf("4.%d", minor) }

// platformVersionOf returns the platform version of a release, or that of the last one known before it.
func platformVersionOf(version string) int {
	minor := minorOf(version)
	for platformVersions[minor] == 0 && minor > 0 {
		minor--
	}
	return platformVersions[minor]
}

// lowestVersion returns the lowest release that a node of the network runs.
func lowestVersion(t platform.Topology) string {
	return slices.MinFunc(t.Members, func(a, b platform.Member) int {
		return minorOf(a.Spec.Platform.Corda.Version) - minorOf(b.Spec.Platform.Corda.Version)
	}).Spec.Platform.Corda.Version
}

// driverVersion returns the release of the RPC client: the lowest one of the network, since a node rejects newer clients, and at
// most the last one of the project.
func driverVersion(t platform.Topology) string {
	return formatVersion(min(minorOf(lowestVersion(t)), projectImages.last))
}
