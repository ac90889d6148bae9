package progress

import (
	"context"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"

	"github.com/benchnet/benchnet/internal/cli/cluster"
)

// pollInterval is the time between two polls.
const pollInterval = time.Second

// retryTimeout is how long requests may keep failing before Follow returns their error.
const retryTimeout = time.Minute

// Follow shows the targets until all have ended and returns their outcome. It fails if ctx ends, on a permanent
// error, or if requests fail for retryTimeout.
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

// isPermanentError reports whether a retry cannot help: the object or its kind does not exist, or access is denied.
func isPermanentError(err error) bool {
	return apierrors.IsNotFound(err) || apierrors.IsForbidden(err) || apierrors.IsUnauthorized(err) || meta.IsNoMatchError(err)
}

// pollTargets reads and shows all targets once and returns their combined outcome.
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

// appendUnreported appends the texts that were not reported yet. A run can be reported both directly and by its
// network.
func appendUnreported(all, texts []string, reported map[string]bool) []string {
	for _, text := range texts {
		if !reported[text] {
			reported[text] = true
			all = append(all, text)
		}
	}
	return all
}
