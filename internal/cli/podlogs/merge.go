package podlogs

import (
	"bufio"
	"container/heap"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// Opener opens the log of a container.
type Opener func(ctx context.Context, pod string, options *corev1.PodLogOptions) (io.ReadCloser, error)

// Printer reads logs and prints their lines.
type Printer struct {
	Open Opener
	// Options are the options of all logs. Their container, follow and timestamps are set for each log.
	Options corev1.PodLogOptions
	// ShowTimestamps keeps the timestamp of each line.
	ShowTimestamps bool
	Out, ErrOut    io.Writer
}

// PrintMerged prints the present lines of all sources in the order of their timestamps. It reports a log that cannot
// be opened on ErrOut and prints the others.
func (p *Printer) PrintMerged(ctx context.Context, sources []Source) error {
	var queue lineQueue
	defer func() {
		for _, c := range queue {
			c.log.Close()
		}
	}()
	for _, source := range sources {
		log, err := p.openLog(ctx, source, p.Options)
		if err == nil {
			queue = append(queue, &cursor{source: source, log: log, lines: bufio.NewReader(log)})
		} else if ctx.Err() == nil {
			fmt.Fprintf(p.ErrOut, "warning: log of %s/%s: %s\n", source.Pod, source.Container, err)
		}
	}
	// A cursor before its first line has no time, so it precedes all others.
	heap.Init(&queue)
	for len(queue) > 0 && ctx.Err() == nil {
		first := queue[0]
		if err := p.printLine(first.source, first.line); err != nil {
			return err
		}
		switch err := first.readLine(); {
		case err == nil:
			heap.Fix(&queue, 0)
		case errors.Is(err, io.EOF):
			first.log.Close()
			heap.Pop(&queue)
		default:
			return fmt.Errorf("log of %s/%s: %w", first.source.Pod, first.source.Container, err)
		}
	}
	return ctx.Err()
}

func (p *Printer) openLog(ctx context.Context, source Source, options corev1.PodLogOptions) (io.ReadCloser, error) {
	options.Container, options.Timestamps = source.Container, true
	return p.Open(ctx, source.Pod, &options)
}

// printLine prints a line that begins with a timestamp. An empty line is that of a log that has not been read.
func (p *Printer) printLine(source Source, line string) error {
	if line == "" {
		return nil
	}
	if _, text, ok := strings.Cut(line, " "); ok && !p.ShowTimestamps {
		line = text
	}
	_, err := fmt.Fprintln(p.Out, source.linePrefix()+strings.TrimRight(line, "\r\n"))
	return err
}

// cursor is the current line of a log.
type cursor struct {
	source Source
	log    io.ReadCloser
	lines  *bufio.Reader
	line   string
	at     time.Time
}

// readLine reads the next line. A line without a timestamp keeps the time of the previous line. It returns io.EOF at the
// end of the log.
func (c *cursor) readLine() error {
	line, err := c.lines.ReadString('\n')
	if line == "" && err != nil {
		return err
	}
	c.line = line
	stamp, _, _ := strings.Cut(line, " ")
	if at, err := time.Parse(time.RFC3339Nano, strings.TrimSpace(stamp)); err == nil {
		c.at = at
	}
	return nil
}

// lineQueue is a heap of logs by the time of their current lines.
type lineQueue []*cursor

func (q lineQueue) Len() int { return len(q) }

func (q lineQueue) Less(i, j int) bool { return q[i].at.Before(q[j].at) }

func (q lineQueue) Swap(i, j int) { q[i], q[j] = q[j], q[i] }

// Push appends a cursor.
func (q *lineQueue) Push(x any) { *q = append(*q, x.(*cursor)) }

// Pop removes the last cursor.
func (q *lineQueue) Pop() any {
	last := (*q)[len(*q)-1]
	*q = (*q)[:len(*q)-1]
	return last
}
