package progress

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/benchnet/benchnet/internal/cli/cluster"
)

// pollInterval between two looks at the cluster.
const pollInterval = time.Second

// retryTimeout with an API server that does not answer, or answers that it cannot.
const retryTimeout = time.Minute

// Follow shows the targets until all have ended, or the context has.
func Follow(ctx context.Context, c *cluster.Connection, targets []cluster.Target, screen Screen) (Outcome, error) {
	defer screen.Close()
	tick := time.NewTicker(pollInterval)
	defer tick.Stop()
	seen := time.Now()
	for {
		outcome, err := pollTargets(ctx, c, targets, screen)
		switch {
		case ctx.Err() != nil:
			return Outcome{}, ctx.Err()
		case err == nil:
			seen = time.Now()
		case isPermanentError(err) || time.Since(seen) > retryTimeout:
			return Outcome{}, err
		}
		if outcome.Ended {
			return outcome, nil
		}
		select {
		case <-ctx.Done():
			return Outcome{}, ctx.Err()
		case <-tick.C:
		}
	}
}

// isPermanentError tells that asking again will not help: the server has answered, and what was asked for is not there or not ours to see.
func isPermanentError(err error) bool {
	return apierrors.IsNotFound(err) || apierrors.IsForbidden(err) || apierrors.IsUnauthorized(err) || meta.IsNoMatchError(err)
}

// pollTargets once at all targets.
func pollTargets(ctx context.Context, c *cluster.Connection, targets []cluster.Target, screen Screen) (Outcome, error) {
	all := Outcome{Ended: true}
	var lines []Line
	seen := map[string]bool{}
	reported := map[string]bool{}
	for _, target := range targets {
		state, err := ReadState(ctx, c, target)
		if err != nil {
			return Outcome{}, err
		}
		for _, line := range BuildLines(state, time.Now()) {
			if !seen[line.Name] {
				seen[line.Name] = true
				lines = append(lines, line)
			}
		}
		judged := JudgeState(state)
		all.Ended = all.Ended && judged.Ended
		all.Failures = appendUnreported(all.Failures, judged.Failures, reported)
		all.FailedChecks = appendUnreported(all.FailedChecks, judged.FailedChecks, reported)
	}
	screen.Show(lines)
	return all, nil
}

// appendUnreported leaves out what was reported: a run is seen by itself and on its network.
func appendUnreported(all, texts []string, reported map[string]bool) []string {
	for _, text := range texts {
		if !reported[text] {
			reported[text] = true
			all = append(all, text)
		}
	}
	return all
}
