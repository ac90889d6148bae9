package work

import (
	"context"
	"fmt"
	"os"
	"syscall"
	"time"

	"github.com/benchnet/benchnet/internal/agent/files"
	"github.com/benchnet/benchnet/internal/agent/jtl"
	"github.com/benchnet/benchnet/internal/agent/process"
	"github.com/benchnet/benchnet/internal/agent/protocol"
	"github.com/benchnet/benchnet/internal/results"
)

// stopGrace is how long JMeter gets to end after SIGTERM.
const stopGrace = 30 * time.Second

// runPlan runs JMeter with a plan that knows nothing of the protocol: it is started at the instant of the barrier
// (its own start-up, seconds, belongs into the warm-up) and stopped when the window and the drain are over.
func (w *Worker) runPlan(ctx context.Context) (*results.Worker, error) {
	if _, err := os.Stat(w.Plan); err != nil {
		return nil, fmt.Errorf("the JMeter plan: %w", err)
	}
	if err := files.Write(w.path(protocol.ReadyFile), nil, 0o644); err != nil {
		return nil, err
	}
	start, err := w.release(ctx)
	if err != nil {
		return nil, err
	}
	select {
	case <-ctx.Done():
		return nil, w.ended(ctx, 1)
	case <-time.After(time.Until(start)):
	}
	jmeter, err := process.Start(append(w.Command, w.planArguments()...), process.Options{Stdin: process.StdinNull, Linger: linger})
	if err != nil {
		return nil, failed(process.ExitCode(err), "%v", err)
	}
	watching := w.watch(ctx, start)
	if err := w.await(ctx, jmeter, start); err != nil {
		return nil, err
	}
	result, err := w.readSamples(start)
	if err != nil {
		return nil, err
	}
	w.add(<-watching, result)
	return result, nil
}

// planArguments tell JMeter what to run and how to log it, and the plan which worker of how many it is.
func (w *Worker) planArguments() []string {
	arguments := []string{"-n", "-t", w.Plan, "-l", w.path(protocol.SamplesFile),
		fmt.Sprintf("-Jbenchnet.worker=%d", w.Index), fmt.Sprintf("-Jbenchnet.workers=%d", w.Workers)}
	return append(arguments, jtl.Options()...)
}

// await waits for the plan's end, or ends it when its time is over. A plan that ends by itself must have
// lasted to the end of the window, because what is measured is counted over the whole of it.
func (w *Worker) await(ctx context.Context, jmeter *process.Command, start time.Time) error {
	windowEnd := w.Workload.Measure.WindowEnd(start)
	over := windowEnd.Add(time.Duration(w.Workload.Measure.DrainSeconds) * time.Second)
	select {
	case <-jmeter.Ended():
		early := time.Until(windowEnd)
		code := jmeter.Wait()
		switch {
		case ctx.Err() != nil || code != 0:
			return w.ended(ctx, code)
		case early > 0:
			return failed(1, "the plan ended %s before the window did: let it run longer, or measure for a shorter time", early.Round(time.Second))
		}
		return nil
	case <-ctx.Done():
		jmeter.Wait()
		return w.ended(ctx, 1)
	case <-time.After(time.Until(over)):
		stop(jmeter)
		return nil
	}
}

func stop(command *process.Command) {
	command.Signal(syscall.SIGTERM)
	select {
	case <-command.Ended():
	case <-time.After(stopGrace):
		command.Signal(syscall.SIGKILL)
	}
	command.Wait()
}

func (w *Worker) readSamples(start time.Time) (*results.Worker, error) {
	log, err := os.Open(w.path(protocol.SamplesFile))
	if err != nil {
		return nil, fmt.Errorf("the plan's sample log: %w", err)
	}
	defer log.Close()
	m := w.Workload.Measure
	return jtl.Read(log, w.Index, jtl.Window{Start: m.WindowStart(start), Seconds: m.WindowSeconds})
}
