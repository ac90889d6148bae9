package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// networkBatch is a number of networks of equal size.
type networkBatch struct {
	prefix                          string
	networks, members, perNamespace int
}

func (w networkBatch) namespaceCount() int { return (w.networks + w.perNamespace - 1) / w.perNamespace }

func (w networkBatch) namespaceName(network int) string {
	return fmt.Sprintf("%s-%03d", w.prefix, network/w.perNamespace)
}

func (w networkBatch) networkName(network int) string {
	return fmt.Sprintf("%s-%04d", w.prefix, network)
}

// labelBench is the label of the networks of one measurement.
const labelBench = "bench"

// buildNetwork returns a network of the platform whose pods need the fewest resources, because the operator is
// measured.
func (w networkBatch) buildNetwork(i int) *v1alpha1.BenchmarkNetwork {
	peers := v1alpha1.Peers{Type: v1alpha1.PeersFullMesh}
	if w.members > 100 {
		peers.Type = v1alpha1.PeersDiscovery
	}
	quantity := func(text string) *resource.Quantity { return new(resource.MustParse(text)) }
	return &v1alpha1.BenchmarkNetwork{
		ObjectMeta: metav1.ObjectMeta{Name: w.networkName(i), Namespace: w.namespaceName(i), Labels: map[string]string{labelBench: w.prefix}},
		Spec: v1alpha1.BenchmarkNetworkSpec{
			NetworkTemplate: v1alpha1.NetworkTemplate{Platform: v1alpha1.PlatformSpec{Type: v1alpha1.PlatformMalachite, Malachite: &v1alpha1.MalachitePlatform{
				BlockSize: resource.MustParse("1Ki"), KeptBlocks: 200, Peers: peers}},
				Members: v1alpha1.MembersSpec{Count: int32(w.members), Cores: quantity("100m"), Memory: quantity("300Mi"),
					Reservation: v1alpha1.ReservationMinimal, Storage: v1alpha1.Storage{Type: v1alpha1.StorageEphemeral}}},
		},
	}
}

func (p *controlPlane) createNamespaces(ctx context.Context, w networkBatch) error {
	for i := range w.namespaceCount() {
		namespace := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: w.namespaceName(i * w.perNamespace)}}
		if err := p.client.Create(ctx, namespace); err != nil {
			return fmt.Errorf("create namespace %s: %w", namespace.Name, err)
		}
	}
	return nil
}

// measureNetworks creates networks with the operator and reports time and resource usage.
func measureNetworks(ctx context.Context, p *controlPlane, o *operatorProcess, report *resultTable, w networkBatch) error {
	if err := p.createNamespaces(ctx, w); err != nil {
		return err
	}
	before, err := p.sampleOperator(ctx, o)
	if err != nil {
		return err
	}
	fmt.Fprintf(os.Stderr, "%d networks of %d members by the operator\n", w.networks, w.members)
	profiled := make(chan error, 1)
	go func() { profiled <- o.saveProfile(ctx, "profile", w.prefix+"-cpu", 20) }()
	started := time.Now()
	waits, err := p.createAndAwaitReady(ctx, w)
	if err != nil {
		return err
	}
	took := time.Since(started)
	// Wait for what follows the last network's Ready: its events and the watch event of its status.
	time.Sleep(3 * time.Second)
	after, err := p.sampleOperator(ctx, o)
	if err != nil {
		return err
	}
	report.addNetworks(w, took, waits, before, after)
	return errors.Join(<-profiled, o.saveProfile(ctx, "heap", w.prefix+"-heap", 0))
}

// operatorSample is a sample of the operator's resource usage and requests.
type operatorSample struct {
	usage          resourceUsage
	reconcileTimes reconcileTimes
	requests       requestCounts
	createdObjects int
	cpu            cpuTimes
}

func (p *controlPlane) sampleOperator(ctx context.Context, o *operatorProcess) (seen operatorSample, err error) {
	if seen.usage, err = o.readUsage(); err != nil {
		return seen, err
	}
	if seen.cpu, err = readCPUTimes(); err != nil {
		return seen, err
	}
	if seen.reconcileTimes, err = o.readReconcileTimes(ctx); err != nil {
		return seen, err
	}
	seen.requests, seen.createdObjects, err = p.countRequests("operator")
	return seen, err
}

// createAndAwaitReady creates the networks, eight at a time, and returns the time of each until Ready, the
// shortest first.
func (p *controlPlane) createAndAwaitReady(ctx context.Context, w networkBatch) ([]time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, p.timeout)
	defer cancel()
	watcher, err := p.client.Watch(ctx, &v1alpha1.BenchmarkNetworkList{}, client.MatchingLabels{labelBench: w.prefix})
	if err != nil {
		return nil, fmt.Errorf("watch networks: %w", err)
	}
	defer watcher.Stop()
	var asked sync.Map
	problems := make(chan error, 8)
	for worker := range 8 {
		go func() {
			for i := worker; i < w.networks; i += 8 {
				asked.Store(w.networkName(i), time.Now())
				if err := p.client.Create(ctx, w.buildNetwork(i)); err != nil {
					problems <- fmt.Errorf("create network %s: %w", w.networkName(i), err)
					return
				}
			}
		}()
	}
	waits := map[string]time.Duration{}
	for len(waits) < w.networks {
		select {
		case err := <-problems:
			return nil, err
		case event, open := <-watcher.ResultChan():
			network, ok := event.Object.(*v1alpha1.BenchmarkNetwork)
			if !open || !ok {
				return nil, fmt.Errorf("%d of %d networks were ready within %s", len(waits), w.networks, p.timeout)
			}
			begun, _ := asked.Load(network.Name)
			if _, known := waits[network.Name]; !known && meta.IsStatusConditionTrue(network.Status.Conditions, v1alpha1.ConditionReady) {
				waits[network.Name] = time.Since(begun.(time.Time))
			}
		}
	}
	var all []time.Duration
	for _, wait := range waits {
		all = append(all, wait)
	}
	slices.Sort(all)
	return all, nil
}

// settleTime is how long an idle operator waits before it counts as at rest. Go runs a garbage collection in an
// idle program every two minutes, and the operator checks once a minute whether it can release memory.
const settleTime = 5 * time.Minute

// scrapeInterval is the default interval at which Prometheus scrapes the operator. At rest, scrapes are most of
// the operator's work.
const scrapeInterval = 30 * time.Second

// measureRest measures the operator while it is only scraped.
func measureRest(ctx context.Context, o options, p *controlPlane, op *operatorProcess, report *resultTable) error {
	fmt.Fprintf(os.Stderr, "the operator comes to rest, %s\n", settleTime)
	if err := op.scrapeDuring(ctx, settleTime); err != nil {
		return err
	}
	before, err := p.sampleOperator(ctx, op)
	if err != nil {
		return err
	}
	if err := op.scrapeDuring(ctx, o.restDuration); err != nil {
		return err
	}
	after, err := p.sampleOperator(ctx, op)
	if err != nil {
		return err
	}
	var networks v1alpha1.BenchmarkNetworkList
	if err := p.client.List(ctx, &networks); err != nil {
		return fmt.Errorf("list networks: %w", err)
	}
	report.addRest(o, len(networks.Items), before, after)
	return op.saveProfile(ctx, "heap?gc=1", "rest-heap", 0)
}

// scrapeDuring scrapes the metrics for some time, as Prometheus does.
func (o *operatorProcess) scrapeDuring(ctx context.Context, during time.Duration) error {
	for end := time.Now().Add(during); time.Now().Before(end); time.Sleep(min(scrapeInterval, time.Until(end))) {
		if _, err := o.readReconcileTimes(ctx); err != nil {
			return err
		}
	}
	return nil
}
