package work

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/benchnet/benchnet/internal/agent/files"
	"github.com/benchnet/benchnet/internal/agent/observe"
	"github.com/benchnet/benchnet/internal/agent/supervise"
	"github.com/benchnet/benchnet/internal/kube/termination"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

// stopGrace is how long JMeter may take to end after the request to stop.
const stopGrace = 30 * time.Second

// runJMeter runs JMeter with a plan that does not implement the protocol. It starts JMeter at the barrier's instant, so
// that JMeter's start-up of some seconds is part of the warm-up, and stops it after the window and the drain.
func (w *Worker) runJMeter(ctx context.Context) (*measurement.WorkerResult, error) {
	if _, err := os.Stat(w.JMeterPlan); err != nil {
		return nil, fmt.Errorf("the JMeter plan: %w", err)
	}
	if err := files.WriteAtomic(w.filePath(protocol.ReadyFile), nil, 0o644); err != nil {
		return nil, err
	}
	window, err := w.passBarrier(ctx)
	if err != nil {
		return nil, err
	}
	if observe.SleepUntil(ctx, window.LoadStart()) != nil {
		return nil, w.exitError(ctx, 1)
	}
	options := supervise.Options{Stdin: supervise.StdinNull, Linger: lingerTimeout, Tail: &w.output}
	jmeter, err := supervise.Start(append(w.Command, w.jmeterArguments()...), options)
	if err != nil {
		return nil, newFailure(supervise.ExitCode(err), "%v", err)
	}
	watching := w.startObserving(ctx, window)
	samples, log := w.followSamples(jmeter.Ended(), window)
	if err := w.awaitJMeter(ctx, jmeter, window, log); err != nil {
		return nil, err
	}
	if err := <-samples; err != nil {
		return nil, err
	}
	result, err := log.Result(w.Index)
	if err != nil {
		return nil, err
	}
	return w.addObservation(window, <-watching, result)
}

// jmeterArguments returns JMeter's arguments for the plan and its sample log. Its properties are the worker's index and
// count, the lengths of the phases, and the worker's share of the load.
func (w *Worker) jmeterArguments() []string {
	arguments := []string{"-n", "-t", w.JMeterPlan, "-l", w.filePath(protocol.SamplesFile),
		fmt.Sprintf("-Jbenchnet.worker=%d", w.Index), fmt.Sprintf("-Jbenchnet.workers=%d", w.Workers),
		fmt.Sprintf("-Jbenchnet.warmUpSeconds=%d", w.Workload.Measure.WarmUpSeconds),
		fmt.Sprintf("-Jbenchnet.windowSeconds=%d", w.Workload.Measure.WindowSeconds)}
	return append(append(arguments, w.loadShare()...), sampleLogArguments()...)
}

// loadShare returns the worker's share of the clients and of the rate as properties. The shares of all workers add up to
// the totals; those of clients differ by at most one.
func (w *Worker) loadShare() []string {
	load := w.Workload.Load
	if load == nil {
		return nil
	}
	clients := int(load.Clients) / w.Workers
	if w.Index < int(load.Clients)%w.Workers {
		clients++
	}
	share := []string{fmt.Sprintf("-Jbenchnet.clients=%d", clients)}
	if rate := load.RatePerSecond / float64(w.Workers); rate > 0 {
		share = append(share, "-Jbenchnet.ratePerSecond="+strconv.FormatFloat(rate, 'f', -1, 64),
			"-Jbenchnet.ratePerMinute="+strconv.FormatFloat(60*rate, 'f', -1, 64))
	}
	if load.MeanRate() > 0 {
		share = append(share, "-Jbenchnet.schedule="+w.jmeterSchedule(load))
	}
	return share
}

// jmeterSchedule returns the worker's share of an open load as the schedule of JMeter's Open Model Thread Group.
func (w *Worker) jmeterSchedule(load *protocol.OfferedLoad) string {
	arrivals, rates := "even_arrivals", load.Rates
	if load.Arrivals == protocol.ArrivalsPoisson {
		arrivals = "random_arrivals"
	}
	if len(rates) == 0 {
		rates = []protocol.RatePiece{{Seconds: w.Workload.Measure.WarmUpSeconds + w.Workload.Measure.WindowSeconds,
			FromPerSecond: load.RatePerSecond, ToPerSecond: load.RatePerSecond}}
	}
	share := func(rate float64) string { return strconv.FormatFloat(rate/float64(w.Workers), 'f', -1, 64) }
	var schedule []string
	for _, p := range rates {
		schedule = append(schedule, fmt.Sprintf("rate(%s/sec) %s(%d sec) rate(%s/sec)", share(p.FromPerSecond), arrivals, p.Seconds, share(p.ToPerSecond)))
	}
	return strings.Join(schedule, " ")
}

// awaitJMeter reports progress until the plan ends, and stops JMeter after the drain. A plan that ends by
// itself before the end of the window is an error, because the result covers the whole window.
func (w *Worker) awaitJMeter(ctx context.Context, jmeter *supervise.Command, window *protocol.Window, log *sampleLog) error {
	ticks := time.NewTicker(time.Second)
	defer ticks.Stop()
	progress := ""
	for nextReport := time.Now(); ; {
		select {
		case <-jmeter.Ended():
			return w.checkJMeterExit(ctx, jmeter.Wait(), window)
		case <-ctx.Done():
			jmeter.Wait()
			return w.exitError(ctx, 1)
		case now := <-ticks.C:
			if !now.Before(window.DrainEnd()) {
				return w.stopJMeter(ctx, jmeter)
			}
			if err := w.writeProgress(now, window, 0, log.PerSecond(elapsedSeconds(now, window)), log.Totals()); err != nil {
				return err
			}
			if !now.Before(nextReport) {
				progress, nextReport = w.reportProgress(ctx, progress), now.Add(progressInterval)
			}
		}
	}
}

func (w *Worker) checkJMeterExit(ctx context.Context, code int, window *protocol.Window) error {
	early := time.Until(window.To())
	switch {
	case ctx.Err() != nil || code != 0:
		return w.exitError(ctx, code)
	case early > 0 && termination.IsErrorLine(termination.LastErrorLine(w.output.String())):
		return newFailure(1, "the plan ended %s before the end of the window%s", early.Round(time.Second), w.exitCause(1))
	case early > 0:
		return newFailure(1, "the plan ended %s before the end of the window: let it run longer or shorten the window", early.Round(time.Second))
	}
	return nil
}

// stopJMeter asks JMeter to record the samples in flight and to end. It fails if JMeter does not, because those
// samples are then unknown.
func (w *Worker) stopJMeter(ctx context.Context, jmeter *supervise.Command) error {
	if err := files.WriteAtomic(w.filePath(protocol.StopPlanFile), nil, 0o644); err != nil {
		return err
	}
	select {
	case <-jmeter.Ended():
	case <-time.After(stopGrace):
		jmeter.Signal(syscall.SIGKILL)
		jmeter.Wait()
		return newFailure(1, "JMeter did not end within %s after the drain, so the samples in flight are unknown", stopGrace)
	}
	if code := jmeter.Wait(); code != 0 {
		return w.exitError(ctx, code)
	}
	return nil
}

// followSamples reads JMeter's sample log while JMeter writes it. The channel receives the error of the reader
// at the end.
func (w *Worker) followSamples(ended <-chan struct{}, window *protocol.Window) (<-chan error, *sampleLog) {
	log, read := newSampleLog(window), make(chan error, 1)
	go func() {
		text, err := followFile(w.filePath(protocol.SamplesFile), ended)
		if err != nil {
			read <- fmt.Errorf("the plan's sample log: %w", err)
			return
		}
		defer text.Close()
		read <- log.Read(text)
	}()
	return read, log
}
