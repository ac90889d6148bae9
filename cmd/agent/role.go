package main

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"sync"

	"github.com/benchnet/benchnet/internal/agent/supervise"
	"github.com/benchnet/benchnet/internal/kube/termination"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/subcommand"
)

// roleFlags define what shows the role of the command in a consensus.
type roleFlags struct{ url, match *string }

func defineRoleFlags(flags *flag.FlagSet) *roleFlags {
	return &roleFlags{
		url: flags.String("role-url", "", "`URL` at which the command reports its role in a consensus: at once, or as Proposer when its turn begins"),
		match: flags.String("role-match", "", "regular `expression` whose groups have the names of roles (Leader, Follower, Proposer), for the answer of "+
			"--role-url; without that, for the lines of the output, of which the last match counts"),
	}
}

// newReader returns the reader of the role; nil without flags.
func (f *roleFlags) newReader() (*roleReader, error) {
	if *f.url+*f.match == "" {
		return nil, nil //nolint:nilnil // Most commands have no role.
	}
	expression, err := regexp.Compile(*f.match)
	if err != nil || !slices.ContainsFunc(expression.SubexpNames(), func(name string) bool { return name != "" }) {
		return nil, subcommand.UsageErrorf("--role-match must be an expression with a group that has the name of a role, not %q", *f.match)
	}
	return &roleReader{url: *f.url, expression: expression}, nil
}

// roleReader reads the role of the command at a URL, or in the lines of its output.
type roleReader struct {
	url        string
	expression *regexp.Regexp

	lock sync.Mutex
	// last is what the output of this start has shown.
	last supervise.ObservedRole
}

// readRole returns the role of the command.
func (r *roleReader) readRole(ctx context.Context) (supervise.ObservedRole, error) {
	if r.url == "" {
		r.lock.Lock()
		defer r.lock.Unlock()
		return r.last, nil
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, r.url, nil)
	if err != nil {
		return supervise.ObservedRole{}, err
	}
	content, err := readContent(request)
	if err != nil {
		return supervise.ObservedRole{}, err
	}
	role, ok := r.findRole(content)
	if !ok {
		return supervise.ObservedRole{}, fmt.Errorf("%s answers %s", r.url, termination.Clean(string(content)))
	}
	return role, nil
}

// findRole returns the role whose group matches, with the text of the group.
func (r *roleReader) findRole(content []byte) (role supervise.ObservedRole, ok bool) {
	for i, group := range r.expression.FindSubmatch(content) {
		if name := r.expression.SubexpNames()[i]; name != "" && group != nil {
			return supervise.ObservedRole{Role: measurement.ConsensusRole(name), Source: termination.Clean(string(group))}, true
		}
	}
	return role, false
}

// newWatchers returns the watcher of an output for a new start of the command, which follows until a line shows another role; none without
// a reader of lines.
func (r *roleReader) newWatchers() []supervise.LineWatcher {
	if r == nil || r.url != "" {
		return nil
	}
	r.keepRole(supervise.ObservedRole{Role: measurement.RoleFollower, Source: "no line since the start"})
	return []supervise.LineWatcher{func(line []byte) bool {
		if role, ok := r.findRole(line); ok {
			r.keepRole(role)
		}
		return true
	}}
}

func (r *roleReader) keepRole(role supervise.ObservedRole) {
	r.lock.Lock()
	defer r.lock.Unlock()
	r.last = role
}
