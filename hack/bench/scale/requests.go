package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"
)

// requestCounts holds numbers of requests by verb and resource, such as "patch secrets".
type requestCounts map[string]int

// auditEvent holds the fields that are used of a line in the API server's audit log.
type auditEvent struct {
	Stage string `json:"stage"`
	Verb  string `json:"verb"`
	User  struct {
		Username string `json:"username"`
	} `json:"user"`
	ResponseStatus struct {
		Code int `json:"code"`
	} `json:"responseStatus"`
	ObjectRef struct {
		Resource    string `json:"resource"`
		Subresource string `json:"subresource"`
	} `json:"objectRef"`
}

// countRequests counts a user's requests in the API server's audit log, and the objects that they created,
// without events. It ignores discovery, which has no resource, and the lease of leader election, which does not
// depend on networks.
func (p *controlPlane) countRequests(user string) (all requestCounts, created int, err error) {
	file, err := os.Open(p.auditLogPath())
	if err != nil {
		return nil, 0, fmt.Errorf("open the audit log: %w", err)
	}
	defer file.Close()
	all = requestCounts{}
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e auditEvent
		if err := json.Unmarshal(lines.Bytes(), &e); err != nil {
			continue // The last line may be incomplete.
		}
		if e.User.Username != user || e.Stage != "ResponseComplete" || e.ObjectRef.Resource == "" || e.ObjectRef.Resource == "leases" {
			continue
		}
		what := e.Verb + " " + e.ObjectRef.Resource
		if e.ObjectRef.Subresource != "" {
			what += "/" + e.ObjectRef.Subresource
		}
		all[what]++
		if e.ResponseStatus.Code == http.StatusCreated && e.ObjectRef.Resource != "events" {
			created++
		}
	}
	return all, created, lines.Err()
}

// countsSince returns the numbers of requests since before.
func (r requestCounts) countsSince(before requestCounts) requestCounts {
	left := requestCounts{}
	for what, n := range r {
		if n > before[what] {
			left[what] = n - before[what]
		}
	}
	return left
}

// sumAll returns the total number of requests.
func (r requestCounts) sumAll() int {
	n := 0
	for _, count := range r {
		n += count
	}
	return n
}

// sumWithoutCacheFills returns the number of requests without those that fill a cache once, however many
// networks exist.
func (r requestCounts) sumWithoutCacheFills() int {
	n := 0
	for what, count := range r {
		if !isCacheFill(what) {
			n += count
		}
	}
	return n
}

// isCacheFill reports whether a request reads a whole kind to fill a cache. Lists of events do not: the
// operator lists them for one object, to find out why pods could not be created.
func isCacheFill(what string) bool {
	return strings.HasPrefix(what, "watch ") || strings.HasPrefix(what, "list ") && what != "list events"
}

// formatPerNetwork formats the number of requests of each kind per network, the most frequent first.
func (r requestCounts) formatPerNetwork(networks int) string {
	var kinds []string
	for what := range r {
		if !isCacheFill(what) {
			kinds = append(kinds, what)
		}
	}
	slices.SortFunc(kinds, func(a, b string) int {
		if r[a] != r[b] {
			return r[b] - r[a]
		}
		return strings.Compare(a, b)
	})
	parts := make([]string, len(kinds))
	for i, what := range kinds {
		parts[i] = fmt.Sprintf("%.2f %s", float64(r[what])/float64(networks), what)
	}
	return strings.Join(parts, ", ")
}
