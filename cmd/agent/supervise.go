package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"log/slog"
	"net/http"
	"os"
	"regexp"
	"slices"
	"sync"
	"time"

	"github.com/benchnet/benchnet/internal/agent/calibrate"
	"github.com/benchnet/benchnet/internal/agent/container"
	"github.com/benchnet/benchnet/internal/agent/files"
	"github.com/benchnet/benchnet/internal/agent/supervise"
	"github.com/benchnet/benchnet/internal/agent/work"
	"github.com/benchnet/benchnet/internal/destination"
	"github.com/benchnet/benchnet/internal/kube/termination"
	"github.com/benchnet/benchnet/internal/subcommand"
)

func newSuperviseCommand(flags *flag.FlagSet) subcommand.Action {
	address := flags.String("metrics-addr", ":9101", "`address` to serve /metrics and /ready on; empty for none")
	commandsAddress := flags.String("commands-addr", "", "`address` to serve /machine, /calibration and /faults on; empty for none. Scrapers must not reach it")
	digestFile := flags.String("commands-digest-file", "", "`file` with the hexadecimal SHA-256 of the token that requests at --commands-addr must carry")
	var patterns repeatedFlag
	flags.Var(&patterns, "ready-pattern", "regular `expression`; a matching line of the standard output creates --ready-file; if repeated, a line for each")
	ready := flags.String("ready-file", "", "`file` that is created when the command is ready; removed at each start")
	exchange := defineExchangeFlags(flags)
	keepStdin := flags.Bool("keep-stdin", false, "keep the command's standard input open, for programs that stop at its end")
	volume := flags.String("volume", "", "`folder` whose file system usage is exported; empty for none")
	counted := defineCounterFlags(flags)
	roles := defineRoleFlags(flags)
	var forwards repeatedFlag
	flags.Var(&forwards, "forward", "`LISTEN=TARGET`: pass connections to the address LISTEN on to TARGET; can be repeated")
	heap := flags.String("heap", "", "`size` of the command's Java heap, for the message of a command that exhausts it")
	messageFile := flags.String("termination-message", "/dev/termination-log", "existing `file` for the reason of a failed command")
	urlVariable := flags.String("jdbc-url-variable", "", "`name` of the environment variable with a JDBC URL, which must not lead to a forbidden destination")
	linger := flags.Duration("linger", 10*time.Second, "maximum wait for processes that the command leaves behind")
	return func(_ context.Context, args []string, _ io.Writer) (int, error) {
		if len(args) == 0 {
			return 0, subcommand.UsageErrorf("no command given after --")
		}
		if err := checkJDBCVariable(*urlVariable); err != nil {
			return supervise.ExitNotRun, err
		}
		answers, answersErr := exchange.newCheck()
		tally, count, countErr := counted.newCounter()
		role, roleErr := roles.newReader()
		if err := errors.Join(answersErr, countErr, roleErr); err != nil {
			return 0, err
		}
		starting := &lastLine{}
		outputs, err := newOutputWatch(patterns, *ready, starting, count, role)
		if err != nil {
			return 0, err
		}
		probed := &readinessHandler{file: *ready, starting: starting, answers: answers}
		if err := listenAndServe(*address, newAgentMux(probed, newMetricsHandler(*volume, tally))); err != nil {
			return supervise.ExitNotRun, err
		}
		faults := &supervise.FaultHandler{Volume: *volume}
		if role != nil {
			faults.ReadRole = role.readRole
		}
		if err := errors.Join(serveCommands(*commandsAddress, *digestFile, *volume, faults), forwardConnections(forwards)); err != nil {
			return supervise.ExitNotRun, err
		}
		options := supervise.Options{Stdin: supervise.StdinNull, NewWatchers: outputs.newWatchers, Tail: &supervise.Tail{}, Linger: *linger}
		if *keepStdin {
			options.Stdin = supervise.StdinHeld
		}
		c, err := supervise.Start(args, options)
		if err != nil {
			return supervise.ExitCode(err), err
		}
		faults.SetCommand(c)
		code := c.Wait()
		writeTerminationMessage(*messageFile, supervise.DescribeExit(code, options.Tail.String(), readEvidence(), *heap), code)
		return code, nil
	}
}

// checkJDBCVariable returns an error if the variable of that name has the URL of a forbidden destination. An empty name means none.
func checkJDBCVariable(name string) error {
	if name == "" {
		return nil
	}
	if err := destination.CheckJDBC(os.Getenv(name)); err != nil {
		return fmt.Errorf("JDBC URL in %s: %w", name, err)
	}
	return nil
}

// readEvidence returns what the kernel counts of this container; nil without access.
func readEvidence() []container.Metric {
	reader, err := container.Open("/")
	if err != nil {
		return nil
	}
	return reader.ReadEvidence()
}

// writeTerminationMessage writes why a command failed to the existing file from which Kubernetes reads the termination
// message of the container. Without a message, Kubernetes takes the end of the log.
func writeTerminationMessage(file, message string, code int) {
	if code == 0 || message == "" {
		return
	}
	out, err := os.OpenFile(file, os.O_WRONLY|os.O_TRUNC, 0)
	if errors.Is(err, fs.ErrNotExist) {
		return
	}
	if err == nil {
		_, err = out.WriteString(message + "\n")
		err = errors.Join(err, out.Close())
	}
	if err != nil {
		slog.Error("termination message not written", "err", err)
	}
}

// lastLine is the last line that a starting command printed, preferably one that reports an error. It is safe for
// concurrent use.
type lastLine struct {
	sync.Mutex
	line    string
	isError bool
}

// keepLine keeps a line unless the kept one reports an error and this one does not.
func (l *lastLine) keepLine(line []byte) {
	text := string(line[:min(len(line), 4*termination.MaxLine)])
	isError := termination.IsErrorLine(text)
	l.Lock()
	defer l.Unlock()
	if isError || !l.isError {
		l.line, l.isError = text, isError
	}
}

// forgetLine forgets the line.
func (l *lastLine) forgetLine() {
	l.Lock()
	defer l.Unlock()
	l.line, l.isError = "", false
}

// describeNotReady returns why the command is not ready.
func (l *lastLine) describeNotReady() string {
	l.Lock()
	defer l.Unlock()
	if line := termination.Clean(l.line); line != "" {
		return "not ready; the program printed: " + line
	}
	return "not ready; the program has printed nothing"
}

// forwardConnections serves routes in the background until the process ends.
func forwardConnections(routes []string) error {
	for _, text := range routes {
		route, err := supervise.ParseRoute(text)
		if err != nil {
			return subcommand.UsageErrorf("--forward %w", err)
		}
		if _, err := route.Serve(); err != nil {
			return err
		}
	}
	return nil
}

// outputWatch creates a file when each of its patterns has matched a line of the command's standard output. Until then, starting has
// the last line. Counters receive all lines of both outputs.
type outputWatch struct {
	patterns []*regexp.Regexp
	file     string
	starting *lastLine
	counters []supervise.LineWatcher
	// role watches the standard output, unless it is nil.
	role *roleReader
}

// newOutputWatch removes the file, which may be left from an earlier container.
func newOutputWatch(patterns []string, file string, starting *lastLine, counters []supervise.LineWatcher, role *roleReader) (*outputWatch, error) {
	if (len(patterns) == 0) != (file == "") {
		return nil, subcommand.UsageErrorf("--ready-pattern and --ready-file belong together")
	}
	w := &outputWatch{file: file, starting: starting, counters: counters, role: role}
	for _, pattern := range patterns {
		expression, err := regexp.Compile(pattern)
		if err != nil {
			return nil, subcommand.UsageErrorf("--ready-pattern: %w", err)
		}
		w.patterns = append(w.patterns, expression)
	}
	return w, w.markUnready()
}

// markUnready makes the command unready. Without a file, there is none to remove.
func (w *outputWatch) markUnready() error {
	w.starting.forgetLine()
	if err := os.Remove(w.file); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("remove the ready file: %w", err)
	}
	return nil
}

// newWatchers makes the command unready and returns watchers for a new start.
func (w *outputWatch) newWatchers() (stdout, stderr []supervise.LineWatcher, err error) {
	unmatched := len(w.patterns)
	for _, pattern := range w.patterns {
		stdout = append(stdout, supervise.WatchFirstMatch(pattern, func() {
			if unmatched--; unmatched > 0 {
				return
			}
			if err := files.WriteAtomic(w.file, nil, 0o644); err != nil {
				slog.Error("ready file not created", "err", err)
			}
		}))
	}
	stdout = append(stdout, func(line []byte) bool {
		w.starting.keepLine(line)
		return unmatched > 0
	})
	return slices.Concat(stdout, w.counters, w.role.newWatchers()), slices.Clone(w.counters), w.markUnready()
}

// newAgentMux returns a handler of the metrics and the readiness of the command, which scrapers may reach.
func newAgentMux(ready, metrics http.Handler) *http.ServeMux {
	mux := http.NewServeMux()
	mux.Handle("GET /metrics", metrics)
	mux.Handle("GET /ready", ready)
	return mux
}

// serveCommands serves the commands of load workers in the background. It fails without the digest of a token.
func serveCommands(address, digestFile, volume string, faults http.Handler) error {
	if address == "" {
		return nil
	}
	if digestFile == "" {
		return subcommand.UsageErrorf("--commands-addr needs --commands-digest-file")
	}
	digest, err := calibrate.ReadTokenDigest(digestFile)
	if err != nil {
		return err
	}
	return listenAndServe(address, calibrate.NewHandler(digest, volume, faults))
}

// metricsHandler serves the usage of this container, its host, volume and JVMs, and the counter.
type metricsHandler struct {
	// reader reads the container's usage. If that is not available, readerErr is set and each scrape fails with
	// it, but the command runs all the same.
	reader    container.Reader
	readerErr error
	// volume is a folder on the volume, or empty.
	volume  string
	threads *container.ThreadSampler
	// counter counts lines of the output, or is nil.
	counter *container.SharedCounter
	// worker is the load worker of the container, or nil.
	worker *work.Worker
	// now returns the time of the host.
	now func() time.Time
}

func newMetricsHandler(volume string, counter *container.SharedCounter) metricsHandler {
	reader, err := container.Open("/")
	return metricsHandler{reader: reader, readerErr: err, volume: volume, threads: &container.ThreadSampler{Root: "/"}, counter: counter,
		now: time.Now}
}

// newWorkerMetricsHandler returns a handler that also serves the load of a worker.
func newWorkerMetricsHandler(worker *work.Worker) metricsHandler {
	handler := newMetricsHandler("", nil)
	handler.worker = worker
	return handler
}

// ServeHTTP answers a scrape.
func (t metricsHandler) ServeHTTP(w http.ResponseWriter, _ *http.Request) {
	used, err := container.Usage{}, t.readerErr
	if err == nil {
		used, err = t.reader.Read()
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	metrics := slices.Concat(used.Metrics(), t.reader.ReadEvidence(), container.ReadJVMs("/"), t.threads.Read(t.now()))
	if t.counter != nil {
		metrics = append(metrics, t.counter.Metric())
	}
	// The host comes last, because it holds the time of the response.
	metrics = append(metrics, container.HostReader{Root: "/", Volume: t.volume, Now: t.now}.Read()...)
	w.Header().Set("Content-Type", container.ContentType)
	// An error means that the scraper disconnected.
	if t.worker != nil {
		_ = t.worker.WriteLoadMetrics(w, t.now())
	}
	_ = container.WriteMetrics(w, metrics...)
}
