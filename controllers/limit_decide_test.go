package controllers

import (
	"errors"
	"slices"
	"strconv"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// TestLimitsDecide writes units as namespace/name/number of networks, in the order of their creation.
func TestLimitsDecide(t *testing.T) {
	for name, c := range map[string]struct {
		limits           Limits
		holding, waiting string
		admitted         string
		never            string
	}{
		"first come, first served":              {Limits{MaxNetworks: 2}, "", "x/a/1 x/b/1 x/c/1", "x/a x/b", ""},
		"an admitted network remains admitted":  {Limits{MaxNetworks: 2}, "x/z/1", "x/a/1 x/b/1", "x/a", ""},
		"more admitted than the limit":          {Limits{MaxNetworks: 1}, "x/y/1 x/z/1", "x/a/1", "", ""},
		"a comparison is admitted as a whole":   {Limits{MaxNetworks: 3}, "", "x/a/2 x/b/2", "x/a", ""},
		"no later network overtakes":            {Limits{MaxNetworks: 2}, "x/z/1", "x/a/2 x/b/1", "", ""},
		"a unit above the limit delays none":    {Limits{MaxNetworks: 2}, "", "x/a/3 x/b/1", "x/b", "x/a"},
		"limits of each namespace":              {Limits{MaxNetworksPerNamespace: 1}, "x/z/1", "x/a/1 y/b/1 y/c/1", "y/b", ""},
		"a full namespace blocks no other":      {Limits{MaxNetworks: 3, MaxNetworksPerNamespace: 2}, "x/z/1", "x/a/2 y/b/2", "y/b", ""},
		"no network overtakes in its namespace": {Limits{MaxNetworksPerNamespace: 2}, "x/z/1", "x/a/2 x/b/1 y/c/1", "y/c", ""},
	} {
		t.Run(name, func(t *testing.T) {
			var units []*admissionUnit
			for _, text := range strings.Fields(c.holding) {
				u := parseUnit(text)
				u.waitingNetworks = nil
				units = append(units, u)
			}
			for i, text := range strings.Fields(c.waiting) {
				u := parseUnit(text)
				u.sortKey = strconv.Itoa(i)
				units = append([]*admissionUnit{u}, units...)
			}
			var admitted, never []string
			for network, d := range c.limits.decideAdmissions(units) {
				switch {
				case d.Admitted:
					admitted = append(admitted, network.String())
				case d.Unsatisfiable:
					never = append(never, network.String())
				}
			}
			slices.Sort(admitted)
			if got := strings.Join(admitted, " "); got != c.admitted || strings.Join(never, " ") != c.never {
				t.Errorf("admitted are %q and never %q, want %q and %q", got, never, c.admitted, c.never)
			}
		})
	}
}

// parseUnit parses namespace/name/size.
func parseUnit(text string) *admissionUnit {
	parts := strings.Split(text, "/")
	return &admissionUnit{namespace: parts[0], size: int(parts[2][0] - '0'), waitingNetworks: []types.NamespacedName{{Namespace: parts[0], Name: parts[1]}}}
}

// TestLaggingCacheAdmitsNoSecondNetwork has a cache that never shows the admission of b, and shows the older a
// late.
func TestLaggingCacheAdmitsNoSecondNetwork(t *testing.T) {
	a, b := networkCreatedAt("a", 1), networkCreatedAt("b", 2)
	limiter := newLimiterOfOne(t, b)
	if d, err := limiter.decideAdmission(t.Context(), b); err != nil || !d.Admitted {
		t.Fatalf("b should be admitted: %+v, %v", d, err)
	}
	if err := limiter.Client.Create(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	if d, err := limiter.decideAdmission(t.Context(), a); err != nil || d.Admitted {
		t.Errorf("b uses the whole limit, but a is admitted: %+v, %v", d, err)
	}
}

// TestDecisionUsesReadVersion: the cache has a newer version of a network than the pass that needs the
// decision. Without a decision, the status would report that there is no limit.
func TestDecisionUsesReadVersion(t *testing.T) {
	for name, c := range map[string]struct {
		change   func(*v1alpha1.BenchmarkNetwork)
		admitted bool
	}{
		"admitted": {func(n *v1alpha1.BenchmarkNetwork) {
			n.Status.Conditions = []metav1.Condition{{Type: v1alpha1.ConditionAdmitted, Status: metav1.ConditionTrue}}
		}, true},
		"being deleted": {func(n *v1alpha1.BenchmarkNetwork) {
			n.DeletionTimestamp, n.Finalizers = new(metav1.Unix(9, 0)), []string{teardownFinalizer}
		}, true},
		"deleted": {func(n *v1alpha1.BenchmarkNetwork) { n.Name, n.UID = "another", "another" }, false},
	} {
		t.Run(name, func(t *testing.T) {
			network := networkCreatedAt("a", 1)
			newer := network.DeepCopy()
			c.change(newer)
			d, err := newLimiterOfOne(t, newer).decideAdmission(t.Context(), network)
			if d.Admitted != c.admitted || (err == nil) != c.admitted {
				t.Errorf("the decision is %+v, %v, want admitted: %v", d, err, c.admitted)
			}
		})
	}
}

func networkCreatedAt(name string, seconds int64) *v1alpha1.BenchmarkNetwork {
	return &v1alpha1.BenchmarkNetwork{ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "x", UID: types.UID(name), CreationTimestamp: metav1.Unix(seconds, 0)}}
}

// newLimiterOfOne returns a limiter with one place and a cache that holds these objects.
func newLimiterOfOne(t *testing.T, cached ...client.Object) *Limiter {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), v1alpha1.AddToScheme(scheme)); err != nil {
		t.Fatal(err)
	}
	c := fake.NewClientBuilder().WithScheme(scheme).WithObjects(cached...).Build()
	return &Limiter{Dependencies: Dependencies{Client: c, Limits: Limits{MaxNetworks: 1}}}
}
