package sandbox

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
	// maxOutput in bytes of the objects of one chart, over all its instances.
	maxOutput = 2 << 20
	// maxTrace in bytes is kept of what a child writes to its standard error.
	maxTrace = 4096
	// afterKill is how long to wait for the pipes of a child that was killed.
	afterKill = time.Second
)

// ErrLimit reports that a chart exceeded the limit on time, memory or output.
var ErrLimit = errors.New("rendering the chart")

// runChild renders a chart in a child process of the program, and returns the answer as JSON. It fails with ErrLimit, or if the child
// cannot be started.
func runChild(ctx context.Context, program string, o order) ([]byte, error) {
	input, err := json.Marshal(o)
	if err != nil {
		return nil, fmt.Errorf("encode the order: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, o.Deadline)
	defer cancel()
	output, trace := &boundedBuffer{limit: maxOutput}, &boundedBuffer{limit: maxTrace}
	child := exec.CommandContext(ctx, program, Command)
	child.Dir, child.Env = "/", []string{}
	child.Stdin, child.Stdout, child.Stderr = bytes.NewReader(input), output, trace
	child.WaitDelay = afterKill
	err = child.Run()
	switch {
	case err == nil && !output.full:
		return output.kept.Bytes(), nil
	case output.full:
		return nil, fmt.Errorf("%w makes more than %d MiB of objects", ErrLimit, maxOutput>>20)
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return nil, fmt.Errorf("%w takes longer than %s", ErrLimit, o.Deadline)
	case strings.Contains(trace.kept.String(), "stack overflow"):
		return nil, fmt.Errorf("%w recurses too deeply", ErrLimit)
	case strings.Contains(trace.kept.String(), "allocate memory"), strings.Contains(trace.kept.String(), "out of memory"):
		return nil, fmt.Errorf("%w needs more than %d MiB of memory", ErrLimit, memoryLimit>>20)
	case child.ProcessState != nil:
		first, _, _ := strings.Cut(trace.kept.String(), "\n")
		return nil, fmt.Errorf("%w ended early: %w: %s", ErrLimit, err, first)
	}
	return nil, fmt.Errorf("start a process that renders the chart: %w", err)
}

// boundedBuffer keeps what fits and drops the rest.
type boundedBuffer struct {
	kept  bytes.Buffer
	limit int
	full  bool
}

// Write implements io.Writer.
func (b *boundedBuffer) Write(p []byte) (int, error) {
	free := b.limit - b.kept.Len()
	b.full = b.full || len(p) > free
	b.kept.Write(p[:min(len(p), free)])
	return len(p), nil
}
