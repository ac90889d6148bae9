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
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/go-logr/logr"
	ctrl "sigs.k8s.io/controller-runtime"
)

// options of a measurement.
type options struct {
	// parts that are measured, by name.
	parts                            []string
	assets, manager, kwok, helm, out string
	// networks of the large measurement, of so many members each, and how many of them are in a namespace.
	networks, members, perNamespace int
	// compared is how many networks are brought about by each of operator, kubectl and helm, side by side.
	compared int
	// large is the number of members of the one large network.
	large int
	// rest is how long the operator is watched when nothing changes.
	rest time.Duration
	// patience is the longest wait for anything.
	patience time.Duration
}

func main() {
	ctrl.SetLogger(logr.Discard())
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	o, err := parse()
	if err == nil {
		err = run(ctx, o)
	}
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "scale:", err)
		os.Exit(1)
	}
}

func parse() (options, error) {
	var o options
	flag.StringVar(&o.assets, "assets", "", "folder of etcd, kube-apiserver and the others (hack/cluster/assets prints it)")
	flag.StringVar(&o.manager, "manager", "", "the operator's binary")
	flag.StringVar(&o.kwok, "kwok", "", "kwok's binary")
	flag.StringVar(&o.helm, "helm", "", "helm's binary")
	flag.StringVar(&o.out, "out", "", "folder for results, logs and profiles; default: a new one")
	flag.IntVar(&o.networks, "networks", 1000, "networks of the large measurement")
	flag.IntVar(&o.members, "members", 4, "members of each of them")
	flag.IntVar(&o.perNamespace, "per-namespace", 20, "networks in a namespace")
	flag.IntVar(&o.compared, "compared", 50, "networks that operator, kubectl and helm bring about in turn")
	flag.IntVar(&o.large, "large", 1000, "members of the one large network")
	flag.DurationVar(&o.rest, "rest", time.Minute, "how long the operator is watched at rest")
	flag.DurationVar(&o.patience, "patience", 20*time.Minute, "longest wait for anything")
	flag.Parse()
	o.parts = flag.Args()
	if len(o.parts) == 0 {
		o.parts = allParts
	}
	for _, name := range o.parts {
		if !slices.Contains(allParts, name) {
			return o, fmt.Errorf("part %q: there are %s", name, strings.Join(allParts, ", "))
		}
	}
	if min(o.networks, o.members, o.perNamespace, o.compared, o.large) < 1 {
		return o, errors.New("--networks, --members, --per-namespace, --compared and --large must be at least 1; name the PARTs to leave out others")
	}
	return o, nil
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
	// What was measured before a failure is told all the same.
	err = measure(ctx, o, plane, report)
	return errors.Join(err, report.write(filepath.Join(o.out, "results.md")))
}

// The parts, in the order in which they are measured.
const (
	partRivals   = "rivals"
	partNetworks = "networks"
	partRest     = "rest"
	partLarge    = "large"
)

var allParts = []string{partRivals, partNetworks, partRest, partLarge}

// measure takes the parts in turn. The rivals come before the operator is there; it rests with all networks there are.
func measure(ctx context.Context, o options, plane *plane, report *report) error {
	rivals := slices.Contains(o.parts, partRivals)
	if rivals {
		if err := measureRivals(ctx, o, plane, report); err != nil {
			return err
		}
	}
	operator, err := startOperator(ctx, o, plane)
	if err != nil {
		return err
	}
	if rivals {
		work := workload{prefix: "few", networks: o.compared, members: o.members, perNamespace: o.perNamespace}
		if err := measureNetworks(ctx, plane, operator, report, work); err != nil {
			return err
		}
	}
	if slices.Contains(o.parts, partNetworks) {
		work := workload{prefix: "many", networks: o.networks, members: o.members, perNamespace: o.perNamespace}
		if err := measureNetworks(ctx, plane, operator, report, work); err != nil {
			return err
		}
	}
	if slices.Contains(o.parts, partRest) {
		if err := measureRest(ctx, o, plane, operator, report); err != nil {
			return err
		}
	}
	if slices.Contains(o.parts, partLarge) {
		return measureNetworks(ctx, plane, operator, report, workload{prefix: "large", networks: 1, members: o.large, perNamespace: 1})
	}
	return nil
}
