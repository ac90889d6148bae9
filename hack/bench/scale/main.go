// Command scale measures the operator at a hundred times the demo's size: a real API server, real controllers, and KWOK's nodes,
// on which pods become ready without a kubelet. What is measured runs beside kubectl apply and helm install of the same objects,
// on the same control plane. hack/bench/scale/run builds and starts it; docs/performance.md explains the numbers.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"

	"github.com/go-logr/logr"
	ctrl "sigs.k8s.io/controller-runtime"
)

// options of a measurement.
type options struct {
	assets, manager, kwok, helm, out string
	// networks of the large measurement, of so many members each, and how many of them are in a namespace.
	networks, members, perNamespace int
	// compared is how many networks are brought about by each of operator, kubectl and helm, side by side.
	compared int
	// large is the number of members of the one large network; 0 leaves it out.
	large int
	// rest is how long the operator is watched when nothing changes.
	rest time.Duration
	// patience is the longest wait for anything.
	patience time.Duration
}

func main() {
	ctrl.SetLogger(logr.Discard())
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, parse())
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "scale:", err)
		os.Exit(1)
	}
}

func parse() options {
	var o options
	flag.StringVar(&o.assets, "assets", "", "folder of etcd, kube-apiserver and the others (hack/cluster/assets prints it)")
	flag.StringVar(&o.manager, "manager", "", "the operator's binary")
	flag.StringVar(&o.kwok, "kwok", "", "kwok's binary")
	flag.StringVar(&o.helm, "helm", "", "helm's binary")
	flag.StringVar(&o.out, "out", "", "folder for results, logs and profiles; default: a new one")
	flag.IntVar(&o.networks, "networks", 1000, "networks of the large measurement")
	flag.IntVar(&o.members, "members", 4, "members of each of them")
	flag.IntVar(&o.perNamespace, "per-namespace", 20, "networks in a namespace")
	flag.IntVar(&o.compared, "compared", 50, "networks that operator, kubectl and helm bring about in turn; 0: none")
	flag.IntVar(&o.large, "large", 1000, "members of the one large network; 0: none")
	flag.DurationVar(&o.rest, "rest", 30*time.Second, "how long the operator is watched at rest")
	flag.DurationVar(&o.patience, "patience", 20*time.Minute, "longest wait for anything")
	flag.Parse()
	return o
}

func run(ctx context.Context, o options) (err error) {
	if o.out == "" {
		if o.out, err = os.MkdirTemp("", "benchnet-scale."); err != nil {
			return fmt.Errorf("make the folder of results: %w", err)
		}
	}
	// The programs that are started have it as a part of their flags.
	if o.out, err = filepath.Abs(o.out); err != nil {
		return fmt.Errorf("find the folder of results: %w", err)
	}
	if err := os.MkdirAll(o.out, 0o755); err != nil {
		return fmt.Errorf("make %s: %w", o.out, err)
	}
	plane, err := startPlane(ctx, o)
	defer func() { err = errors.Join(err, plane.stop()) }()
	if err != nil {
		return err
	}
	report := newReport(o)
	if err := measure(ctx, o, plane, report); err != nil {
		return err
	}
	return report.write(filepath.Join(o.out, "results.md"))
}

// measure takes the parts in turn: the rivals before the operator is there, then the operator, small, many, large, at rest.
func measure(ctx context.Context, o options, plane *plane, report *report) error {
	if o.compared > 0 {
		if err := measureRivals(ctx, o, plane, report); err != nil {
			return err
		}
	}
	operator, err := startOperator(ctx, o, plane)
	if err != nil {
		return err
	}
	if o.compared > 0 {
		work := workload{prefix: "few", networks: o.compared, members: o.members, perNamespace: o.perNamespace}
		if err := measureNetworks(ctx, plane, operator, report, work); err != nil {
			return err
		}
	}
	if o.networks > 0 {
		work := workload{prefix: "many", networks: o.networks, members: o.members, perNamespace: o.perNamespace}
		if err := measureNetworks(ctx, plane, operator, report, work); err != nil {
			return err
		}
		if err := measureRest(ctx, o, plane, operator, report); err != nil {
			return err
		}
	}
	if o.large > 0 {
		return measureNetworks(ctx, plane, operator, report, workload{prefix: "large", networks: 1, members: o.large, perNamespace: 1})
	}
	return nil
}
