package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/benchnet/benchnet/internal/agent/calibrate"
	"github.com/benchnet/benchnet/internal/agent/emulate"
	"github.com/benchnet/benchnet/internal/agent/kube"
	"github.com/benchnet/benchnet/internal/network/latency"
	"github.com/benchnet/benchnet/internal/subcommand"
)

func newEmulateCommand(flags *flag.FlagSet) subcommand.Action {
	file := flags.String("config", "", "`file` with the latencies between members")
	member := flags.String("member", "", "`name` of the member in this pod")
	namespace := flags.String("namespace", "", "`namespace` of the network")
	report := flags.String("report", "", "`ConfigMap` to report to when the emulation is active")
	listen := flags.String("listen", ":9102", "`address` to serve /ready and /metrics on")
	digestFile := flags.String("commands-digest-file", "", "`file` with the hexadecimal SHA-256 of the token that requests to the pod's own "+
		"address for /faults must carry; empty to serve none")
	return func(ctx context.Context, _ []string, _ io.Writer) (int, error) {
		pod, uid := os.Getenv("POD_NAME"), os.Getenv("POD_UID")
		if err := subcommand.RequireFlags("config", *file, "member", *member, "namespace", *namespace, "report", *report); err != nil {
			return 0, err
		}
		if pod == "" || uid == "" {
			return 0, subcommand.UsageErrorf("the environment variables POD_NAME and POD_UID must be set")
		}
		text, err := os.ReadFile(*file)
		if err != nil {
			return 0, fmt.Errorf("read the configuration: %w", err)
		}
		parsed, err := latency.ParseConfig(text)
		if err != nil {
			return 0, err
		}
		emulator, err := emulate.New(parsed, *member)
		if err != nil {
			return emulate.ExitCode(err), err
		}
		cluster, err := kube.NewInCluster(*namespace)
		if err != nil {
			return 0, err
		}
		if err := errors.Join(listenAndServe(*listen, emulator.Handler()), serveNetworkFaults(*digestFile, emulator.FaultHandler())); err != nil {
			return 0, err
		}
		return 0, emulator.Run(ctx, emulate.MemberPod{Namespace: cluster, Name: pod, UID: uid, ReportName: *report})
	}
}

// serveNetworkFaults serves faults at the loopback address of the pod, for its agents, if the file with the digest of the token is given.
func serveNetworkFaults(digestFile string, handler http.Handler) error {
	if digestFile == "" {
		return nil
	}
	digest, err := calibrate.ReadTokenDigest(digestFile)
	if err != nil {
		return err
	}
	return listenAndServe(fmt.Sprintf("127.0.0.1:%d", latency.FaultsPort), calibrate.Protect(digest, handler))
}

// Limits of one request to the agent. The longest is a calibration of 60 s.
const (
	readTimeout    = 5 * time.Second
	writeTimeout   = 70 * time.Second
	idleTimeout    = 2 * time.Minute // Longer than the interval of scrapes.
	maxHeaderBytes = 16 << 10
)

// listenAndServe listens on address and serves in the background until the process ends. Without an address it does
// nothing.
func listenAndServe(address string, handler http.Handler) error {
	if address == "" {
		return nil
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return fmt.Errorf("serve HTTP: %w", err)
	}
	server := &http.Server{Handler: handler, ReadTimeout: readTimeout, WriteTimeout: writeTimeout,
		IdleTimeout: idleTimeout, MaxHeaderBytes: maxHeaderBytes}
	go func() { slog.Error("HTTP server ended", "err", server.Serve(listener)) }()
	return nil
}

func newPingCommand(flags *flag.FlagSet) subcommand.Action {
	to := flags.String("to", "", "`HOST:PORT` to connect to")
	count := flags.Int("count", 10, "`number` of connections to open")
	pause := flags.Duration("pause", 20*time.Millisecond, "`time` between them")
	return subcommand.WithoutArguments(func(ctx context.Context, stdout io.Writer) error {
		if err := subcommand.RequireFlags("to", *to); err != nil {
			return err
		}
		if *count < 1 {
			return subcommand.UsageErrorf("--count must be at least 1, not %d", *count)
		}
		all, err := calibrate.RoundTrips(ctx, *to, *count, *pause)
		if err != nil {
			return err
		}
		for _, took := range all {
			fmt.Fprintln(stdout, took.Microseconds())
		}
		return nil
	})
}
