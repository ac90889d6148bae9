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

// requests are counted by verb and resource, such as "patch secrets".
type requests map[string]int

// entry is what is read of a line of the API server's audit log.
type entry struct {
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

// requestsOf counts a user's requests so far in the API server's own audit log, and the objects that it made by them; events are
// none. Discovery has no resource; the lease of a leader has nothing to do with networks.
func (p *plane) requestsOf(user string) (all requests, made int, err error) {
	file, err := os.Open(p.auditLog())
	if err != nil {
		return nil, 0, fmt.Errorf("open the audit log: %w", err)
	}
	defer file.Close()
	all = requests{}
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var e entry
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

// since are the requests that came after those before.
func (r requests) since(before requests) requests {
	left := requests{}
	for what, n := range r {
		if n > before[what] {
			left[what] = n - before[what]
		}
	}
	return left
}

// all of them.
func (r requests) all() int {
	n := 0
	for _, count := range r {
		n += count
	}
	return n
}

// total leaves out what fills a cache once, however many networks there are.
func (r requests) total() int {
	n := 0
	for what, count := range r {
		if !fillsCache(what) {
			n += count
		}
	}
	return n
}

// fillsCache tells reads of a whole kind from the operator's one list that is asked for an object: why pods could not be made.
func fillsCache(what string) bool {
	return strings.HasPrefix(what, "watch ") || strings.HasPrefix(what, "list ") && what != "list events"
}

// perNetwork are the counts of each kind of request, the most frequent first.
func (r requests) perNetwork(networks int) string {
	var kinds []string
	for what := range r {
		if !fillsCache(what) {
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
