// Command manager is the benchnet operator. It reconciles BenchmarkNetworks, BenchmarkRuns and
// BenchmarkExperiments.
package main

import (
	"context"
	"crypto/tls"
	"errors"
	"flag"
	"fmt"
	"math"
	"net/http"
	"os"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/discovery"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/cache"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/healthz"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics"
	"sigs.k8s.io/controller-runtime/pkg/metrics/filters"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	kueue "sigs.k8s.io/kueue/apis/kueue/v1beta2"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/controllers"
	"github.com/benchnet/benchnet/internal/kube/apply"
	kubecache "github.com/benchnet/benchnet/internal/kube/cache"
	"github.com/benchnet/benchnet/internal/kube/pods"
	"github.com/benchnet/benchnet/internal/kube/snapshot"
	internalmetrics "github.com/benchnet/benchnet/internal/metrics"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/network/chart"
	"github.com/benchnet/benchnet/internal/network/networkpolicy"
	"github.com/benchnet/benchnet/internal/platform/registry"
	"github.com/benchnet/benchnet/internal/run/promql"
	"github.com/benchnet/benchnet/internal/selftest"
)

// The linker sets version and commit.
var (
	version = "0.1.0"
	commit  string
)

// managerFlags are the flags of the manager.
type managerFlags struct {
	metricsAddress, probeAddress          string
	metricsSecure, leaderElect            bool
	metricsAuthorization                  bool
	metricsScrapers                       networkpolicy.Scrapers
	apiServerPorts                        networkpolicy.PortList
	imageRegistry, imageVersion           string
	imageOverrides                        keyValueFlag
	pullSecrets                           stringListFlag
	watchedNamespaces, excludedNamespaces stringListFlag
	podTemplateDomains                    stringListFlag
	fixedUserIDs                          controllers.FixedUserIDs
	podConstraints                        pods.Constraints
	networkPolicyMode                     networkpolicy.Mode
	concurrency                           int
	limits                                controllers.Limits
	prometheusURL                         string
	kueueMode                             controllers.KueueMode
	podFaults                             bool
	pprofAddress                          string
	log                                   zap.Options
}

func main() {
	if chart.IsChild() {
		os.Exit(chart.ServeChild())
	}
	command := func() error { return runManager(parseFlags()) }
	if len(os.Args) > 1 && os.Args[1] == "check" {
		command = func() error { return runSelfTest(os.Args[2:]) }
	}
	if err := command(); err != nil {
		fmt.Fprintln(os.Stderr, "manager:", err)
		os.Exit(1)
	}
}

func parseFlags() managerFlags {
	o := managerFlags{
		imageOverrides:    keyValueFlag{},
		metricsScrapers:   networkpolicy.DefaultScrapers(),
		networkPolicyMode: networkpolicy.ModeEnforced,
		kueueMode:         controllers.KueueIgnore,
		fixedUserIDs:      controllers.FixedUserIDsAuto,
	}
	flag.StringVar(&o.metricsAddress, "metrics-bind-address", ":8443", "address of the metrics endpoint; 0 disables it")
	flag.BoolVar(&o.metricsSecure, "metrics-secure", true, "serve metrics over TLS, with a self-signed certificate")
	flag.BoolVar(&o.metricsAuthorization, "metrics-authorization", true,
		"with --metrics-secure: serve metrics only to clients that RBAC allows to get /metrics")
	flag.Var(&o.metricsScrapers, "metrics-scrapers", "pods that may read the metrics of networks, as a JSON list of NetworkPolicy peers; []: all pods")
	flag.Var(&o.apiServerPorts, "api-server-ports",
		"ports of the API servers, separated by commas, that networks may call where EndpointSlices of namespace default are not watched; default: 443,6443")
	flag.StringVar(&o.probeAddress, "health-probe-bind-address", ":8081", "address of /healthz and /readyz")
	flag.BoolVar(&o.leaderElect, "leader-elect", false, "use leader election: only one of several managers is active")
	flag.StringVar(&o.imageRegistry, "image-registry", naming.DefaultImageRegistry, "prefix of the project's images")
	flag.StringVar(&o.imageVersion, "image-version", version, "tag of the project's images")
	flag.Var(o.imageOverrides, "image-override", "name=reference that replaces one image; may be repeated")
	flag.Var(&o.pullSecrets, "image-pull-secret", "Secret with which the pods of networks pull images; may be repeated")
	flag.Var(&o.watchedNamespaces, "watch-namespace",
		"namespaces to watch, separated by commas; may be repeated; empty: all; those that cannot be read are not served")
	flag.Var(&o.excludedNamespaces, "exclude-namespace", "namespace that another operator manages; may be repeated")
	flag.Var(&o.podTemplateDomains, "pod-template-domain",
		"domain, with its subdomains, of labels and annotations that networks may give their pods and objects besides harmless ones; may be repeated")
	flag.Var(enumFlag[controllers.FixedUserIDs]{&o.fixedUserIDs,
		[]controllers.FixedUserIDs{controllers.FixedUserIDsAuto, controllers.FixedUserIDsAlways, controllers.FixedUserIDsNever}}, "fixed-user-ids",
		"Always: pods of networks name their users and groups; Never: the cluster assigns them; Auto: Never on OpenShift, else Always")
	flag.Float64Var(&o.podConstraints.MaxLimitRequestRatio, "max-limit-request-ratio", 0,
		"largest ratio of a container's limits to its requests that LimitRanges admit; 0: any")
	flag.Var(enumFlag[networkpolicy.Mode]{&o.networkPolicyMode, []networkpolicy.Mode{networkpolicy.ModeEnforced, networkpolicy.ModeNone}}, "network-policies",
		"Enforced: isolate networks with NetworkPolicies; or None")
	flag.IntVar(&o.concurrency, "max-concurrent-reconciles", 4, "concurrent reconciles of each kind")
	flag.IntVar(&o.limits.MaxNetworks, "max-networks", 0, "maximum number of networks in all namespaces; 0: no limit")
	flag.IntVar(&o.limits.MaxNetworksPerNamespace, "max-networks-per-namespace", 0, "maximum number of networks in each namespace; 0: no limit")
	flag.StringVar(&o.prometheusURL, "prometheus-url", "",
		"URL of the Prometheus that evaluates the query objectives of runs, such as http://prometheus.monitoring:9090; default: none")
	flag.Var(enumFlag[controllers.KueueMode]{&o.kueueMode, []controllers.KueueMode{controllers.KueueHonor, controllers.KueueIgnore}}, "kueue",
		"Honor: networks and experiments labeled for Kueue wait for Kueue, if it is installed, and are exempt from the limits; or Ignore")
	flag.BoolVar(&o.podFaults, "pod-faults", false,
		"let faults of runs delete and evict the pods of their members, which the operator must be allowed to do")
	flag.StringVar(&o.pprofAddress, "pprof-bind-address", "", "address of the unauthenticated pprof endpoint; default: none")
	o.log.BindFlags(flag.CommandLine)
	flag.Parse()
	return o
}

// runSelfTest checks from inside the cluster whether the operator works; helm test runs it.
func runSelfTest(arguments []string) error {
	flags := flag.NewFlagSet("check", flag.ExitOnError)
	namespace := flags.String("namespace", "default", "namespace in which the operator may create networks")
	readiness := flags.String("readiness", "http://localhost:8081/readyz", "URL of the operator's readiness endpoint")
	_ = flags.Parse(arguments) // ExitOnError exits on an error.
	ctrl.SetLogger(zap.New())
	config, kube, err := connectToAPIServer()
	if err != nil {
		return err
	}
	c, err := client.New(config, client.Options{Scheme: newScheme()})
	if err != nil {
		return fmt.Errorf("create the client: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctrl.SetupSignalHandler(), time.Minute)
	defer cancel()
	i := selftest.Runner{Client: c, Discovery: kube, Namespace: *namespace, ReadinessURL: *readiness}
	return i.Run(ctx, os.Stdout)
}

// connectToAPIServer returns the configuration of the API server and a discovery client. GetConfig disables
// client-side rate limiting: API priority and fairness limits requests, and does it better.
func connectToAPIServer() (*rest.Config, *discovery.DiscoveryClient, error) {
	config, err := ctrl.GetConfig()
	if err != nil {
		return nil, nil, fmt.Errorf("load the client configuration: %w", err)
	}
	kube, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, nil, fmt.Errorf("create the discovery client: %w", err)
	}
	return config, kube, nil
}

// gcPercent is the default of GOGC: how much garbage, in percent of the live heap, triggers a collection. The
// operator holds all objects of all networks and is mostly idle, so memory matters more than CPU time.
const gcPercent = 50

// operatorMemoryLimit returns the part of the pod's limit (GOMEMLIMIT) that remains besides the processes that
// render charts, but at least half of it. Without a limit it returns the argument.
func operatorMemoryLimit(pod int64) int64 {
	if pod == math.MaxInt64 {
		return pod
	}
	return max(pod-chart.MaxChildMemory, pod/2)
}

func runManager(o managerFlags) error {
	if o.limits.MaxNetworks < 0 || o.limits.MaxNetworksPerNamespace < 0 {
		return errors.New("--max-networks and --max-networks-per-namespace must not be negative; 0 is no limit")
	}
	if ratio := o.podConstraints.MaxLimitRequestRatio; ratio != 0 && !(ratio >= 1) {
		return errors.New("--max-limit-request-ratio must be at least 1, or 0 for any")
	}
	ctrl.SetLogger(zap.New(zap.UseFlagOptions(&o.log)))
	if os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
	debug.SetMemoryLimit(operatorMemoryLimit(debug.SetMemoryLimit(-1)))
	config, kube, err := connectToAPIServer()
	if err != nil {
		return err
	}
	server, err := kube.ServerVersion()
	if err != nil {
		return fmt.Errorf("get the API server's version: %w", err)
	}
	found, err := controllers.DetectKueue(o.kueueMode, kube)
	if err != nil {
		return err
	}
	if o.podConstraints.AssignedUserIDs, err = controllers.DetectAssignedUserIDs(o.fixedUserIDs, kube); err != nil {
		return err
	}
	ctx := ctrl.SetupSignalHandler()
	namespaces, err := o.selectNamespaces(ctx, config, found)
	if err != nil {
		return err
	}
	mgr, err := ctrl.NewManager(config, o.buildManagerOptions(found))
	if err != nil {
		return fmt.Errorf("create the manager: %w", err)
	}
	if err := o.setUpManager(mgr, server.GitVersion, found); err != nil {
		return err
	}
	if err := addNamespaceMonitor(mgr, namespaces); err != nil {
		return err
	}
	return mgr.Start(ctx)
}

// selectNamespaces restricts the watched namespaces to those that the operator can read, and returns the monitor of the
// others.
func (o *managerFlags) selectNamespaces(ctx context.Context, config *rest.Config, found controllers.KueueMode) (*controllers.NamespaceMonitor, error) {
	scheme := newScheme()
	c, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		return nil, fmt.Errorf("create the client: %w", err)
	}
	m, err := controllers.NewNamespaceMonitor(ctx, c, scheme, controllers.CacheScope{WatchedNamespaces: o.watchedNamespaces, Kueue: found})
	if err != nil {
		return nil, err
	}
	o.watchedNamespaces = m.Served(o.watchedNamespaces)
	return m, nil
}

// addNamespaceMonitor starts the monitor with the manager. /readyz?verbose lists each namespace that is not served. Such a
// namespace does not make the operator unready, since it serves the others.
func addNamespaceMonitor(mgr ctrl.Manager, m *controllers.NamespaceMonitor) error {
	m.RecordWith(mgr.GetEventRecorder(v1alpha1.ManagedBy))
	if err := mgr.Add(m); err != nil {
		return fmt.Errorf("add the monitor of namespaces: %w", err)
	}
	for _, namespace := range m.NotServed() {
		if err := mgr.AddReadyzCheck("namespace-not-served:"+namespace, healthz.Ping); err != nil {
			return fmt.Errorf("add the readiness check of namespace %s: %w", namespace, err)
		}
	}
	return nil
}

// newWriter returns a Writer that records events.
func newWriter(mgr ctrl.Manager) *apply.Writer {
	w := apply.NewWriter(mgr.GetClient(), mgr.GetAPIReader(), mgr.GetScheme())
	w.Recorder = mgr.GetEventRecorder(v1alpha1.ManagedBy)
	return w
}

// setUpManager registers the reconcilers, the metrics and the health checks.
func (o managerFlags) setUpManager(mgr ctrl.Manager, kubeVersion string, found controllers.KueueMode) error {
	if err := controllers.IndexRunsByNetwork(context.Background(), mgr.GetFieldIndexer()); err != nil {
		return err
	}
	charts, err := chart.NewRenderer(time.Now)
	if err != nil {
		return err
	}
	dependencies := controllers.Dependencies{
		Client:             mgr.GetClient(),
		APIReader:          mgr.GetAPIReader(),
		Platforms:          registry.New(),
		Images:             o.imageCatalogue(),
		Writer:             newWriter(mgr),
		SnapshotReader:     snapshot.NewReader(mgr.GetClient(), mgr.GetScheme()),
		ChartRenderer:      charts,
		Recorder:           mgr.GetEventRecorder(v1alpha1.ManagedBy),
		KubeVersion:        kubeVersion,
		Commit:             commit,
		NetworkPolicyMode:  o.networkPolicyMode,
		MetricsScrapers:    o.metricsScrapers,
		WatchAPIServers:    len(o.watchedNamespaces) == 0 && o.networkPolicyMode == networkpolicy.ModeEnforced,
		APIServerPorts:     o.apiServerPorts,
		PodTemplateDomains: o.podTemplateDomains,
		PodConstraints:     o.podConstraints,
		Kueue:              found,
		PodFaults:          o.podFaults,
		Limits:             o.limits,
		Now:                time.Now,
	}
	if o.prometheusURL != "" {
		if dependencies.Queries, err = promql.NewEvaluator(o.prometheusURL); err != nil {
			return fmt.Errorf("--prometheus-url %q: %w", o.prometheusURL, err)
		}
	}
	networks := &controllers.NetworkReconciler{Dependencies: dependencies}
	if o.limits != (controllers.Limits{}) {
		networks.Limiter = &controllers.Limiter{Dependencies: dependencies}
	}
	if err := networks.SetupWithManager(mgr, o.concurrency); err != nil {
		return fmt.Errorf("set up the network controller: %w", err)
	}
	if err := (&controllers.RunReconciler{Dependencies: dependencies}).SetupWithManager(mgr, o.concurrency); err != nil {
		return fmt.Errorf("set up the run controller: %w", err)
	}
	experiments := &controllers.ExperimentReconciler{Dependencies: dependencies}
	if err := experiments.SetupWithManager(mgr, o.concurrency); err != nil {
		return fmt.Errorf("set up the experiment controller: %w", err)
	}
	meter := kubecache.NewMeter(mgr.GetCache(), mgr.GetScheme(), controllers.WatchedKinds(dependencies.Kueue)...)
	if err := mgr.Add(meter); err != nil {
		return fmt.Errorf("add the meter of the cache: %w", err)
	}
	collector := &internalmetrics.Collector{Reader: mgr.GetClient(), Elected: mgr.Elected(), Version: version, CacheUsage: meter.Usage}
	if err := metrics.Registry.Register(collector); err != nil {
		return fmt.Errorf("register the operator's metrics: %w", err)
	}
	if err := mgr.Add(kubecache.NewMemoryReleaser()); err != nil {
		return fmt.Errorf("add the memory releaser: %w", err)
	}
	return addHealthChecks(mgr)
}

func addHealthChecks(mgr ctrl.Manager) error {
	if err := mgr.AddHealthzCheck("ping", healthz.Ping); err != nil {
		return fmt.Errorf("add the health check: %w", err)
	}
	if err := mgr.AddReadyzCheck("caches", newCacheSyncChecker(mgr.GetCache())); err != nil {
		return fmt.Errorf("add the readiness check: %w", err)
	}
	return nil
}

func (o managerFlags) imageCatalogue() naming.ImageCatalogue {
	return naming.ImageCatalogue{Registry: o.imageRegistry, Version: o.imageVersion, Overrides: o.imageOverrides, PullSecrets: o.pullSecrets}
}

// cacheSyncTimeout is how long a readiness probe waits for the caches to sync.
const cacheSyncTimeout = 500 * time.Millisecond

// newCacheSyncChecker returns a readiness check that passes once the caches are synced. An operator that lacks
// a right never becomes ready. A replica that is not the leader has no informers and is ready to take over.
func newCacheSyncChecker(caches cache.Cache) healthz.Checker {
	return func(request *http.Request) error {
		ctx, cancel := context.WithTimeout(request.Context(), cacheSyncTimeout)
		defer cancel()
		if !caches.WaitForCacheSync(ctx) {
			return errors.New("the caches are not synced yet")
		}
		return nil
	}
}

func (o managerFlags) buildManagerOptions(found controllers.KueueMode) ctrl.Options {
	served := metricsserver.Options{BindAddress: o.metricsAddress, SecureServing: o.metricsSecure,
		TLSOpts: []func(*tls.Config){func(c *tls.Config) { c.NextProtos = []string{"http/1.1"} }}}
	if o.metricsSecure && o.metricsAuthorization {
		served.FilterProvider = filters.WithAuthenticationAndAuthorization
	}
	return ctrl.Options{
		Scheme:                        newScheme(),
		Metrics:                       served,
		HealthProbeBindAddress:        o.probeAddress,
		LeaderElection:                o.leaderElect,
		LeaderElectionID:              "benchnet.dev",
		LeaderElectionReleaseOnCancel: true,
		Cache: controllers.CacheScope{
			WatchedNamespaces:  o.watchedNamespaces,
			ExcludedNamespaces: o.excludedNamespaces,
			Kueue:              found,
		}.Options(),
		PprofBindAddress: o.pprofAddress,
	}
}

func newScheme() *runtime.Scheme {
	s := runtime.NewScheme()
	utilruntime.Must(clientgoscheme.AddToScheme(s))
	utilruntime.Must(v1alpha1.AddToScheme(s))
	utilruntime.Must(kueue.AddToScheme(s))
	return s
}

// enumFlag is a flag whose value is one of the allowed words.
type enumFlag[T ~string] struct {
	value   *T
	allowed []T
}

// String returns the value. Package flag also calls it on a zero enumFlag, for which it returns an empty
// string.
func (c enumFlag[T]) String() string {
	if c.value == nil {
		return ""
	}
	return string(*c.value)
}

func (c enumFlag[T]) Set(text string) error {
	if !slices.Contains(c.allowed, T(text)) {
		return fmt.Errorf("it must be one of %q", c.allowed)
	}
	*c.value = T(text)
	return nil
}

// keyValueFlag is a repeatable flag of the form name=value.
type keyValueFlag map[string]string

func (p keyValueFlag) String() string { return fmt.Sprint(map[string]string(p)) }

func (p keyValueFlag) Set(text string) error {
	name, value, ok := strings.Cut(text, "=")
	if !ok || name == "" || value == "" {
		return fmt.Errorf("%q is not name=reference", text)
	}
	p[name] = value
	return nil
}

// stringListFlag is a repeatable flag with comma-separated words. It ignores empty words, since an environment
// variable in an argument may be empty.
type stringListFlag []string

func (l *stringListFlag) String() string { return strings.Join(*l, ",") }

func (l *stringListFlag) Set(text string) error {
	*l = append(*l, strings.FieldsFunc(text, func(r rune) bool { return r == ',' })...)
	return nil
}
