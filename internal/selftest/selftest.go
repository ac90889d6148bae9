// Package selftest checks, with the rights of a user of the cluster, that benchnet is installed and works. It
// creates nothing. `helm test` runs it in a pod of the operator's image.
package selftest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/discovery"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/httpclient"
)

// Runner checks an installation.
type Runner struct {
	// Client uses an account that may create networks. The checks only do dry runs.
	Client client.Client
	// Discovery lists the kinds that the API server serves. A CRD is listed once it is established.
	Discovery discovery.ServerResourcesInterface
	// Namespace is a namespace in which the account may create networks.
	Namespace string
	// ReadinessURL is the URL of the operator's /readyz.
	ReadinessURL string
}

// Run makes all checks, writes one line for each, and fails if any check fails.
func (i *Runner) Run(ctx context.Context, out io.Writer) error {
	failed := 0
	for _, point := range []struct {
		name  string
		check func(context.Context) error
	}{
		{"the API server serves all kinds of " + v1alpha1.GroupVersion.String(), i.checkServedKinds},
		{"a network is accepted in namespace " + i.Namespace + ", with defaults", i.checkNetworkAccepted},
		{"a network without its platform is rejected with the name of the field", i.checkNetworkRejected},
		{"the operator is ready", i.checkOperatorReady},
	} {
		if err := point.check(ctx); err != nil {
			failed++
			fmt.Fprintf(out, "FAILED  %s: %v\n", point.name, err)
			continue
		}
		fmt.Fprintf(out, "ok      %s\n", point.name)
	}
	if failed > 0 {
		return fmt.Errorf("%d checks failed", failed)
	}
	return nil
}

// requiredKinds are the kinds of a complete installation.
var requiredKinds = []string{"BenchmarkNetwork", "BenchmarkRun", "BenchmarkExperiment"}

func (i *Runner) checkServedKinds(context.Context) error {
	list, err := i.Discovery.ServerResourcesForGroupVersion(v1alpha1.GroupVersion.String())
	if err != nil {
		return fmt.Errorf("list its kinds (are the CRDs installed?): %w", err)
	}
	for _, kind := range requiredKinds {
		if !slices.ContainsFunc(list.APIResources, func(r metav1.APIResource) bool { return r.Kind == kind }) {
			return fmt.Errorf("%s is missing: do the CRDs belong to this version?", kind)
		}
	}
	return nil
}

// newTestNetwork returns a small network for dry runs.
func (i *Runner) newTestNetwork() *v1alpha1.BenchmarkNetwork {
	return &v1alpha1.BenchmarkNetwork{
		ObjectMeta: metav1.ObjectMeta{GenerateName: "inspection-", Namespace: i.Namespace},
		Spec: v1alpha1.BenchmarkNetworkSpec{
			NetworkTemplate: v1alpha1.NetworkTemplate{Platform: v1alpha1.PlatformSpec{Type: v1alpha1.PlatformMalachite, Malachite: &v1alpha1.MalachitePlatform{}},
				Members: v1alpha1.MembersSpec{Count: 2}},
		},
	}
}

func (i *Runner) checkNetworkAccepted(ctx context.Context) error {
	network := i.newTestNetwork()
	if err := i.Client.Create(ctx, network, client.DryRunAll); err != nil {
		return fmt.Errorf("dry run: %w", err)
	}
	if network.Spec.Members.Size == "" || network.Status.ObservedGeneration != -1 {
		return fmt.Errorf("the API server does not set defaults: size %q, observedGeneration %d", network.Spec.Members.Size, network.Status.ObservedGeneration)
	}
	return nil
}

// platformField is the field that the rejection must name.
const platformField = "platform.malachite"

func (i *Runner) checkNetworkRejected(ctx context.Context) error {
	network := i.newTestNetwork()
	network.Spec.Platform.Malachite = nil
	err := i.Client.Create(ctx, network, client.DryRunAll)
	switch {
	case err == nil:
		return fmt.Errorf("it was accepted: the CRD lacks validation rules")
	case !apierrors.IsInvalid(err):
		return fmt.Errorf("dry run: %w", err)
	case !strings.Contains(err.Error(), platformField):
		return fmt.Errorf("the rejection does not name %s: %w", platformField, err)
	}
	return nil
}

// Limits of checkOperatorReady.
const (
	readinessTimeout  = 30 * time.Second
	connectionTimeout = 3 * time.Second
	connectionPause   = 200 * time.Millisecond
)

// checkOperatorReady connects again while it gets no response. A connection to a Service that the node has not set up
// yet never succeeds, but a later one does.
func (i *Runner) checkOperatorReady(ctx context.Context) error {
	var notReady, unreachable error
	err := wait.PollUntilContextTimeout(ctx, connectionPause, readinessTimeout, true, func(ctx context.Context) (bool, error) {
		notReady, unreachable = getReadiness(ctx, i.ReadinessURL)
		return unreachable == nil, nil
	})
	if err != nil {
		return errors.Join(unreachable, err)
	}
	return notReady
}

// getReadiness returns what the endpoint at url reports, and an error if it does not respond.
func getReadiness(ctx context.Context, url string) (notReady, unreachable error) {
	ctx, cancel := context.WithTimeout(ctx, connectionTimeout)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return fmt.Errorf("ask %s: %w", url, err), nil
	}
	client := &http.Client{CheckRedirect: httpclient.RefuseRedirects}
	response, err := client.Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, 1<<10))
	if err != nil {
		return nil, fmt.Errorf("read the response of %s: %w", url, err)
	}
	if response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s says %s: %s", url, response.Status, strings.TrimSpace(string(body))), nil
	}
	return nil, nil
}
