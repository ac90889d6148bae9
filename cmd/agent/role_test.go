package main

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/benchnet/benchnet/internal/agent/supervise"
	"github.com/benchnet/benchnet/internal/run/measurement"
)

func newTestReader(t *testing.T, url, match string) *roleReader {
	t.Helper()
	r, err := (&roleFlags{&url, &match}).newReader()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestReadRoleAtURL(t *testing.T) {
	const replica = `"value":"(?:(?P<Leader>LEADER)|(?P<Follower>FOLLOWER))"`
	for name, c := range map[string]struct {
		match, answer string
		want          supervise.ObservedRole
		problem       string
	}{
		"leader":          {replica, `{"value":"LEADER","status":200}`, supervise.ObservedRole{Role: measurement.RoleLeader, Source: "LEADER"}, ""},
		"follower":        {replica, `{"value":"FOLLOWER","status":200}`, supervise.ObservedRole{Role: measurement.RoleFollower, Source: "FOLLOWER"}, ""},
		"proposer":        {"(?P<Proposer>{.*})", `{"height":7,"round":0}` + "\n", supervise.ObservedRole{Role: measurement.RoleProposer, Source: `{"height":7,"round":0}`}, ""},
		"another program": {"(?P<Proposer>{.*})", "404 page not found", supervise.ObservedRole{}, " answers 404 page not found"},
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(c.answer)) }))
			defer server.Close()
			got, err := newTestReader(t, server.URL, c.match).readRole(t.Context())
			problem := ""
			if err != nil {
				problem = err.Error()[len(server.URL):]
			}
			if got != c.want || problem != c.problem {
				t.Errorf("the role is %+v, %v", got, err)
			}
		})
	}
}

// TestReadRoleInOutput shows a reader the output of two starts of a replica.
func TestReadRoleInOutput(t *testing.T) {
	r := newTestReader(t, "", `^[0-9:.]+ (?:(?P<Leader>View prepared [0-9]+)|(?P<Follower>(?:Preparing view:|Advancing to view) [0-9]+))`)
	for _, start := range [][]struct {
		line string
		want supervise.ObservedRole
	}{
		{
			{"12:00:00.000 Suspecting 0 on view 0", supervise.ObservedRole{Role: measurement.RoleFollower, Source: "no line since the start"}},
			{"12:00:00.001 Preparing view: 2", supervise.ObservedRole{Role: measurement.RoleFollower, Source: "Preparing view: 2"}},
			{"12:00:00.002 View prepared 2", supervise.ObservedRole{Role: measurement.RoleLeader, Source: "View prepared 2"}},
			{"12:00:00.100 RPS: 17.0", supervise.ObservedRole{Role: measurement.RoleLeader, Source: "View prepared 2"}},
			{"12:00:01.000 Advancing to view 4 from 2, Leader=1", supervise.ObservedRole{Role: measurement.RoleFollower, Source: "Advancing to view 4"}},
			{"12:00:02.000 View prepared 5", supervise.ObservedRole{Role: measurement.RoleLeader, Source: "View prepared 5"}},
		},
		{{"12:00:05.000 Recovery phase started.", supervise.ObservedRole{Role: measurement.RoleFollower, Source: "no line since the start"}}},
	} {
		watchers := r.newWatchers()
		for _, c := range start {
			more := watchers[0]([]byte(c.line))
			if got, err := r.readRole(t.Context()); got != c.want || err != nil || !more {
				t.Errorf("after %q the role is %+v, %v", c.line, got, err)
			}
		}
	}
}
