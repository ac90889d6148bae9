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

// requestCounts are counted by verb and resource, such as "patch secrets".
type requestCounts map[string]int

// auditEvent is what is read of a line of the API server's audit log.
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

// countRequests counts a user's requests so far in the API server's own audit log, and the objects that it made by them; events are
// none. Discovery has no resource; the lease of a leader has nothing to do with networks.
func (p *controlPlane) countRequests(user string) (all requestCounts, made int, err error) {
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
			continue // The last line may not be whole yet.
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
			made++
		}
	}
	return all, made, lines.Err()
}

// countsSince are the requests that came after those before.
func (r requestCounts) countsSince(before requestCounts) requestCounts {
	left := requestCounts{}
	for what, n := range r {
		if n > before[what] {
			left[what] = n - before[what]
		}
	}
	return left
}

// sumAll of them.
func (r requestCounts) sumAll() int {
	n := 0
	for _, count := range r {
		n += count
	}
	return n
}

// sumWithoutCacheFills leaves out what fills a cache once, however many networks there are.
func (r requestCounts) sumWithoutCacheFills() int {
	n := 0
	for what, count := range r {
		if !isCacheFill(what) {
			n += count
		}
	}
	return n
}

// isCacheFill tells reads of a whole kind from the operator's one list that is asked for an object: why pods could not be made.
func isCacheFill(what string) bool {
	return strings.HasPrefix(what, "watch ") || strings.HasPrefix(what, "list ") && what != "list events"
}

// formatPerNetwork are the counts of each kind of request, the most frequent first.
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
