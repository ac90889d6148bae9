package chart

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"time"
)

const (
	// maxOutputBytes bounds the JSON of the objects of one chart, over all its instances.
	maxOutputBytes = 2 << 20
	// maxStderrBytes is how much of a child's standard error is kept.
	maxStderrBytes = 4096
	// pipeWaitDelay is how long to wait for the pipes of a child that was killed.
	pipeWaitDelay = time.Second
)

// ErrLimitExceeded reports that a chart exceeded the limit on time, memory or output.
var ErrLimitExceeded = errors.New("rendering the chart")

// runChild renders a chart in a child process of the program and returns the response as JSON. It fails with
// ErrLimitExceeded, or with another error if the child cannot be started.
func runChild(ctx context.Context, program string, o childRequest) ([]byte, error) {
	input, err := json.Marshal(o)
	if err != nil {
		return nil, fmt.Errorf("encode the request: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, o.Deadline)
	defer cancel()
	output, trace := &boundedBuffer{limit: maxOutputBytes}, &boundedBuffer{limit: maxStderrBytes}
	child := exec.CommandContext(ctx, program, ChildCommand)
	child.Dir, child.Env = "/", []string{}
	child.Stdin, child.Stdout, child.Stderr = bytes.NewReader(input), output, trace
	child.WaitDelay = pipeWaitDelay
	err = child.Run()
	switch {
	case err == nil && !output.overflowed:
		return output.content.Bytes(), nil
	case output.overflowed:
		return nil, fmt.Errorf("%w creates more than %d MiB of objects", ErrLimitExceeded, maxOutputBytes>>20)
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, fmt.Errorf("%w takes longer than %s", ErrLimitExceeded, o.Deadline)
	case strings.Contains(trace.content.String(), "stack overflow"):
		return nil, fmt.Errorf("%w recurses too deeply", ErrLimitExceeded)
	case strings.Contains(trace.content.String(), "allocate memory"), strings.Contains(trace.content.String(), "out of memory"):
		return nil, fmt.Errorf("%w needs more than %d MiB of memory", ErrLimitExceeded, memoryLimit>>20)
	case child.ProcessState != nil:
		first, _, _ := strings.Cut(trace.content.String(), "\n")
		return nil, fmt.Errorf("%w ended early: %w: %s", ErrLimitExceeded, err, first)
	}
	return nil, fmt.Errorf("start a process that renders the chart: %w", err)
}

// boundedBuffer keeps the first bytes up to its limit and drops the rest.
type boundedBuffer struct {
	content    bytes.Buffer
	limit      int
	overflowed bool
}

// Write implements io.Writer.
func (b *boundedBuffer) Write(p []byte) (int, error) {
	free := b.limit - b.content.Len()
	b.overflowed = b.overflowed || len(p) > free
	b.content.Write(p[:min(len(p), free)])
	return len(p), nil
}
