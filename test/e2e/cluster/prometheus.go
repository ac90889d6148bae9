package cluster

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/prometheus/client_golang/api"
	promv1 "github.com/prometheus/client_golang/api/prometheus/v1"
	"github.com/prometheus/common/model"
	"k8s.io/client-go/rest"
	ctrl "sigs.k8s.io/controller-runtime"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// prometheusPath is the path through the API server to the Prometheus of hack/monitoring/up.
const prometheusPath = "/api/v1/namespaces/benchnet-monitoring/services/prometheus:9090/proxy"

// Prometheus is a client of the Prometheus that hack/monitoring/up installed.
type Prometheus struct {
	*Namespace
	api promv1.API
}

// ConnectPrometheus returns a client for the cluster's Prometheus, which must be installed.
func (n *Namespace) ConnectPrometheus() Prometheus {
	n.Helper()
	config, err := ctrl.GetConfig()
	if err != nil {
		n.Fatalf("no cluster: %v", err)
	}
	transport, err := rest.TransportFor(config)
	if err != nil {
		n.Fatalf("reach the API server: %v", err)
	}
	client, err := api.NewClient(api.Config{Address: strings.TrimSuffix(config.Host, "/") + prometheusPath, RoundTripper: transport})
	if err != nil {
		n.Fatalf("client of Prometheus: %v", err)
	}
	p := Prometheus{Namespace: n, api: promv1.NewAPI(client)}
	if _, err := p.api.Buildinfo(n.Context()); err != nil {
		n.Fatalf("Prometheus does not answer: %v; hack/monitoring/up installs it", err)
	}
	return p
}

// Query returns the current result of an expression, which is empty if there is no data.
func (p Prometheus) Query(expression string) model.Vector {
	p.Helper()
	value, err := retryRequest(func() (model.Value, error) {
		value, warnings, err := p.api.Query(p.Context(), expression, time.Now())
		if len(warnings) > 0 {
			p.Logf("query %s: %v", expression, warnings)
		}
		return value, err
	})
	if err != nil {
		p.Fatalf("query %s: %v", expression, err)
	}
	vector, ok := value.(model.Vector)
	if !ok {
		p.Fatalf("query %s gives a %s, want a vector", expression, value.Type())
	}
	return vector
}

// QueryRange returns the result of an expression between two instants.
func (p Prometheus) QueryRange(expression string, from, to time.Time, step time.Duration) model.Matrix {
	p.Helper()
	value, err := retryRequest(func() (model.Value, error) {
		value, _, err := p.api.QueryRange(p.Context(), expression, promv1.Range{Start: from, End: to, Step: step})
		return value, err
	})
	if err != nil {
		p.Fatalf("query %s from %s to %s: %v", expression, from, to, err)
	}
	matrix, ok := value.(model.Matrix)
	if !ok {
		p.Fatalf("query %s gives a %s, want a matrix", expression, value.Type())
	}
	return matrix
}

// ListTargets returns the active targets with the given labels.
func (p Prometheus) ListTargets(labels model.LabelSet) []promv1.ActiveTarget {
	p.Helper()
	all, err := retryRequest(func() (promv1.TargetsResult, error) { return p.api.Targets(p.Context()) })
	if err != nil {
		p.Fatalf("targets of Prometheus: %v", err)
	}
	return slices.DeleteFunc(all.Active, func(t promv1.ActiveTarget) bool {
		for name, want := range labels {
			if t.Labels[name] != want {
				return true
			}
		}
		return false
	})
}

// servesOpenMetrics reports whether a target uses the OpenMetrics format. In that format, a counter's metadata
// lacks the suffix _total of its series.
func servesOpenMetrics(target map[string]string) bool {
	switch target["endpoint"] {
	case "jmx":
		return true
	case "metrics": // The port name of the PostgreSQL exporter, which does not use it, is the same.
		return target["platform"] == string(v1alpha1.PlatformMalachite) && target["member"] != ""
	}
	return false
}

// MetricKinds returns the kinds of the metrics of targets with the given labels, by series name: counter,
// gauge, histogram, summary or untyped.
func (p Prometheus) MetricKinds(labels model.LabelSet) map[string]string {
	p.Helper()
	all, err := retryRequest(func() ([]promv1.MetricMetadata, error) {
		return p.api.TargetsMetadata(p.Context(), labels.String(), "", "")
	})
	if err != nil {
		p.Fatalf("metadata of the targets %s: %v", labels, err)
	}
	kinds := map[string]string{}
	for _, m := range all {
		name, kind := m.Metric, string(m.Type)
		if kind == "counter" && !strings.HasSuffix(name, "_total") && servesOpenMetrics(m.Target) {
			name += "_total"
		}
		if kind == "unknown" {
			kind = "untyped"
		}
		kinds[name] = kind
	}
	return kinds
}

// WaitTargetsUp waits until the targets with these labels are exactly the wanted ones and all are up, and
// returns them. A target is identified by its pod and port name: banks-member-0/jmx.
func (p Prometheus) WaitTargetsUp(labels model.LabelSet, wanted ...string) []promv1.ActiveTarget {
	p.Helper()
	slices.Sort(wanted)
	var targets []promv1.ActiveTarget
	p.Wait(fmt.Sprintf("all %d targets of %s are up", len(wanted), labels), func() (bool, string) {
		targets = p.ListTargets(labels)
		found := map[string]string{}
		for _, t := range targets {
			if t.Health != promv1.HealthGood {
				found[targetName(t)] = fmt.Sprintf("%s %s", t.Health, t.LastError)
			} else {
				found[targetName(t)] = ""
			}
		}
		names := slices.Sorted(maps.Keys(found))
		for _, name := range names {
			if found[name] != "" {
				return false, name + " is " + found[name]
			}
		}
		return slices.Equal(names, wanted), fmt.Sprintf("there are %v, want %v", names, wanted)
	})
	for _, t := range targets {
		p.Logf("target %s is up: %s, %s", targetName(t), t.ScrapeURL, t.Labels)
	}
	return targets
}

func targetName(t promv1.ActiveTarget) string {
	return string(t.Labels["pod"]) + "/" + string(t.Labels["endpoint"])
}
