package main

import (
	"cmp"
	"context"
	"flag"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"time"

	"github.com/benchnet/benchnet/internal/agent/calibrate"
	"github.com/benchnet/benchnet/internal/agent/container"
	"github.com/benchnet/benchnet/internal/agent/kube"
	"github.com/benchnet/benchnet/internal/agent/observe"
	"github.com/benchnet/benchnet/internal/agent/work"
	"github.com/benchnet/benchnet/internal/run/protocol"
	"github.com/benchnet/benchnet/internal/subcommand"
)

// reportTimeout bounds the retries of publishing a result.
const reportTimeout = 2 * time.Minute

func newWorkerCommand(flags *flag.FlagSet) subcommand.Action {
	namespace := flags.String("namespace", "", "`namespace` of the ConfigMaps")
	barrierName := flags.String("barrier", "", "`ConfigMap` that will contain the start time")
	reportName := flags.String("report", "", "`ConfigMap` to report to")
	plan := flags.String("plan", "", "`file` with the user's JMeter plan; COMMAND is then JMeter, which gets the arguments to run it")
	address := flags.String("metrics-addr", "", "`address` to serve /metrics on; empty for none")
	tokenFile := flags.String("commands-token-file", "", "`file` with the token of the commands of the network's agents; empty if none is observed")
	stream := flags.String("stream", "", "`URL` of the stream of a member's blocks, which is measured instead of running COMMAND")
	return func(ctx context.Context, args []string, _ io.Writer) (int, error) {
		if err := subcommand.RequireFlags("namespace", *namespace, "barrier", *barrierName, "report", *reportName); err != nil {
			return 0, err
		}
		switch {
		case *stream != "" && (len(args) > 0 || *plan != ""):
			return 0, subcommand.UsageErrorf("--stream takes neither --plan nor a command")
		case *stream == "" && len(args) == 0:
			return 0, subcommand.UsageErrorf("no command given after --")
		}
		w, err := newWorkerFromEnv()
		if err != nil {
			return 0, err
		}
		ready := &readinessHandler{file: filepath.Join(w.Dir, protocol.ReadyFile), starting: &lastLine{}}
		if err := listenAndServe(*address, newAgentMux(ready, newWorkerMetricsHandler(w))); err != nil {
			return 0, err
		}
		if *tokenFile != "" {
			if w.CommandsToken, err = calibrate.ReadToken(*tokenFile); err != nil {
				return 0, err
			}
		}
		cluster, err := kube.NewInCluster(*namespace)
		if err != nil {
			return 0, err
		}
		gate := kube.Barrier{ConfigMaps: cluster.ConfigMaps, Name: *barrierName}
		w.Command, w.JMeterPlan, w.StreamURL = args, *plan, *stream
		w.Barrier = gate.Wait
		w.Pods = kube.FaultPods{Pods: cluster.Pods}
		w.Reporter = &kube.ReportWriter{ConfigMaps: cluster.ConfigMaps, Name: *reportName, Timeout: reportTimeout}
		return w.Run(ctx)
	}
}

// newWorkerFromEnv returns a worker configured by the environment.
func newWorkerFromEnv() (*work.Worker, error) {
	index, err := parseEnvNumber(protocol.WorkerVariable, 0)
	if err != nil {
		return nil, err
	}
	workers, err := parseEnvNumber(protocol.WorkersVariable, index+1)
	if err != nil {
		return nil, err
	}
	workload, err := protocol.ReadWorkloadFile[any](os.Getenv(protocol.WorkloadVariable))
	if err != nil {
		return nil, err
	}
	usage, err := container.Open("/")
	if err != nil {
		return nil, err
	}
	return &work.Worker{
		Dir:   cmp.Or(os.Getenv(protocol.DirVariable), protocol.DefaultDir),
		Index: index, Workers: workers, Workload: workload,
		Scrape: observe.ScrapeHTTP, OwnUsage: usage, Now: time.Now,
	}, nil
}

// parseEnvNumber returns an environment variable as a number. It fails if the number is below least.
func parseEnvNumber(variable string, least int) (int, error) {
	n, err := strconv.Atoi(os.Getenv(variable))
	if err != nil || n < least {
		return 0, subcommand.UsageErrorf("%s is %q, want a number from %d", variable, os.Getenv(variable), least)
	}
	return n, nil
}
