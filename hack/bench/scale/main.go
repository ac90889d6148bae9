// Command scale measures the operator at a hundred times the size of the demo: a real API server, real
// controllers, and KWOK nodes, on which pods become ready without a kubelet. It compares the operator with
// kubectl apply and helm install of the same objects on the same control plane. hack/bench/scale/run builds and
// starts it; docs/performance.md explains the numbers.
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

// options are the options of a measurement.
type options struct {
	// parts are the names of the parts to measure.
	parts                                  []string
	assets, manager, kwok, helm, outputDir string
	// networks is the number of networks in the large measurement, members the size of each, and perNamespace
	// how many share a namespace.
	networks, members, perNamespace int
	// comparedNetworks is how many networks operator, kubectl and helm each create for the comparison.
	comparedNetworks int
	// largeMembers is the number of members of the one large network.
	largeMembers int
	// restDuration is how long the operator is observed while nothing changes.
	restDuration time.Duration
	// timeout is the longest wait for anything.
	timeout time.Duration
}

func main() {
	ctrl.SetLogger(logr.Discard())
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	o, err := parseFlags()
	if err == nil {
		err = run(ctx, o)
	}
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "scale:", err)
		os.Exit(1)
	}
}

func parseFlags() (options, error) {
	var o options
	flag.StringVar(&o.assets, "assets", "", "folder of etcd, kube-apiserver and the others (hack/cluster/assets prints it)")
	flag.StringVar(&o.manager, "manager", "", "the operator's binary")
	flag.StringVar(&o.kwok, "kwok", "", "kwok's binary")
	flag.StringVar(&o.helm, "helm", "", "helm's binary")
	flag.StringVar(&o.outputDir, "out", "", "folder for results, logs and profiles; default: a new one")
	flag.IntVar(&o.networks, "networks", 1000, "networks of the large measurement")
	flag.IntVar(&o.members, "members", 4, "members of each of them")
	flag.IntVar(&o.perNamespace, "per-namespace", 20, "networks in a namespace")
	flag.IntVar(&o.comparedNetworks, "compared", 50, "networks that operator, kubectl and helm bring about in turn")
	flag.IntVar(&o.largeMembers, "large", 1000, "members of the one large network")
	flag.DurationVar(&o.restDuration, "rest", time.Minute, "how long the operator is watched at rest")
	flag.DurationVar(&o.timeout, "patience", 20*time.Minute, "longest wait for anything")
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
	if min(o.networks, o.members, o.perNamespace, o.comparedNetworks, o.largeMembers) < 1 {
		return o, errors.New("--networks, --members, --per-namespace, --compared and --large must be at least 1; name the PARTs to leave out others")
	}
	return o, nil
}

func run(ctx context.Context, o options) (err error) {
	if o.outputDir == "" {
		if o.outputDir, err = os.MkdirTemp("", "benchnet-scale."); err != nil {
			return fmt.Errorf("create the folder of results: %w", err)
		}
	}
	// The path becomes a flag of the started programs.
	if o.outputDir, err = filepath.Abs(o.outputDir); err != nil {
		return fmt.Errorf("find the folder of results: %w", err)
	}
	if err := os.MkdirAll(o.outputDir, 0o755); err != nil {
		return fmt.Errorf("create %s: %w", o.outputDir, err)
	}
	plane, err := startControlPlane(ctx, o)
	defer func() { err = errors.Join(err, plane.stopAll()) }()
	if err != nil {
		return err
	}
	report := newResultTable(o)
	// The report includes what was measured before a failure.
	err = measureParts(ctx, o, plane, report)
	return errors.Join(err, report.writeFile(filepath.Join(o.outputDir, "results.md")))
}

// The parts, in the order in which they are measured.
const (
	partBaselines = "baselines"
	partNetworks  = "networks"
	partRest      = "rest"
	partLarge     = "large"
)

var allParts = []string{partBaselines, partNetworks, partRest, partLarge}

// measureParts measures the parts in order. The baselines run before the operator starts. The operator is
// measured at rest with all existing networks.
func measureParts(ctx context.Context, o options, plane *controlPlane, report *resultTable) error {
	baselines := slices.Contains(o.parts, partBaselines)
	if baselines {
		if err := measureBaselines(ctx, o, plane, report); err != nil {
			return err
		}
	}
	operator, err := startOperator(ctx, o, plane)
	if err != nil {
		return err
	}
	if baselines {
		work := networkBatch{prefix: "few", networks: o.comparedNetworks, members: o.members, perNamespace: o.perNamespace}
		if err := measureNetworks(ctx, plane, operator, report, work); err != nil {
			return err
		}
	}
	if slices.Contains(o.parts, partNetworks) {
		work := networkBatch{prefix: "many", networks: o.networks, members: o.members, perNamespace: o.perNamespace}
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
		return measureNetworks(ctx, plane, operator, report, networkBatch{prefix: "large", networks: 1, members: o.largeMembers, perNamespace: 1})
	}
	return nil
}
