package main

import (
	"context"
	"flag"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"github.com/benchnet/benchnet/internal/kube/termination"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/subcommand"
)

// roleFlags define where the command reports its role in a consensus.
type roleFlags struct{ url, match *string }

func defineRoleFlags(flags *flag.FlagSet) *roleFlags {
	return &roleFlags{
		url:   flags.String("role-url", "", "`URL` at which the command reports its role in a consensus; empty for none"),
		match: flags.String("role-match", "", "regular `expression` with one group, which is LEADER or FOLLOWER, for the answer of --role-url"),
	}
}

// newReader returns a function that reads the role; nil without a URL.
func (f *roleFlags) newReader() (func(context.Context) (measurement.ConsensusRole, error), error) {
	if *f.url == "" {
		return nil, nil //nolint:nilnil // Most commands have no role.
	}
	expression, err := regexp.Compile(*f.match)
	if err != nil || expression.NumSubexp() != 1 {
		return nil, subcommand.UsageErrorf("--role-url needs --role-match, an expression with one group, not %q", *f.match)
	}
	return func(ctx context.Context) (measurement.ConsensusRole, error) {
		request, err := http.NewRequestWithContext(ctx, http.MethodGet, *f.url, nil)
		if err != nil {
			return "", err
		}
		content, err := readContent(request)
		if err != nil {
			return "", err
		}
		if found := expression.FindSubmatch(content); found != nil {
			for _, role := range []measurement.ConsensusRole{measurement.RoleLeader, measurement.RoleFollower} {
				if strings.EqualFold(string(found[1]), string(role)) {
					return role, nil
				}
			}
		}
		return "", fmt.Errorf("%s answers %s", *f.url, termination.Clean(string(content)))
	}, nil
}
