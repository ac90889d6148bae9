package podlogs

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
)

// Follow prints the lines of all sources as they arrive. It calls list at every tick, so that it also follows pods
// and containers that start later. It ends when list returns done and all logs have ended, or with ctx.
func (p *Printer) Follow(ctx context.Context, ticks <-chan time.Time, list func(context.Context) (sources []Source, done bool, err error)) error {
	ctx, cancel := context.WithCancel(ctx)
	var streams sync.WaitGroup
	defer streams.Wait()
	defer cancel()
	lines, started := make(chan followedLine), map[Source]bool{}
	options, open := p.Options, 0
	sources, done, err := list(ctx)
	for {
		if err != nil {
			return err
		}
		for _, source := range sources {
			if !started[source] {
				started[source] = true
				open++
				own := options
				streams.Go(func() { p.followSource(ctx, source, own, lines) })
			}
		}
		sources, options.TailLines = nil, nil // A container that starts later is followed from its beginning.
		if done && open == 0 {
			return nil
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-ticks:
			sources, done, err = list(ctx)
		case line := <-lines:
			if line.end {
				open--
			}
			err = p.printFollowed(line)
		}
	}
}

// followedLine is a line of a log, or its end.
type followedLine struct {
	source Source
	text   string
	end    bool
	err    error
}

// followSource sends the lines of a log, and then its end.
func (p *Printer) followSource(ctx context.Context, source Source, options corev1.PodLogOptions, lines chan<- followedLine) {
	send := func(line followedLine) bool {
		select {
		case lines <- line:
			return true
		case <-ctx.Done():
			return false
		}
	}
	options.Follow = true
	log, err := p.openLog(ctx, source, options)
	if err != nil {
		send(followedLine{source: source, end: true, err: err})
		return
	}
	defer log.Close()
	for reader := bufio.NewReader(log); ; {
		text, err := reader.ReadString('\n')
		if text != "" && !send(followedLine{source: source, text: text}) {
			return
		}
		if err != nil {
			send(followedLine{source: source, end: true, err: err})
			return
		}
	}
}

// printFollowed prints a line, or reports a log that ended early on ErrOut.
func (p *Printer) printFollowed(line followedLine) error {
	if !line.end {
		return p.printLine(line.source, line.text)
	}
	if !errors.Is(line.err, io.EOF) {
		fmt.Fprintf(p.ErrOut, "warning: log of %s/%s: %s\n", line.source.Pod, line.source.Container, line.err)
	}
	return nil
}
