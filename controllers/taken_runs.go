package controllers

import (
	"context"
	"fmt"
	"strings"

	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/snapshot"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/network/plan"
)

// readTakenRuns returns who has the runs of the network's workloads that have none yet, by the name of the run: a run that the
// network did not create, or an older network with a workload whose run has the same name. Of two such networks the younger
// is refused at once, not when its workload is due.
func (r *NetworkReconciler) readTakenRuns(ctx context.Context, pass *networkPass) (map[string]string, error) {
	taken, own := map[string]string{}, indexOwnRuns(pass)
	missing := map[string]bool{}
	for _, w := range pass.network.Spec.Workloads {
		name := naming.WorkloadRun(pass.network.Name, w.Name)
		if own[name] != nil {
			continue
		}
		missing[name] = true
		run := &v1alpha1.BenchmarkRun{}
		err := r.Client.Get(ctx, client.ObjectKey{Namespace: pass.network.Namespace, Name: name}, run, client.UnsafeDisableDeepCopy)
		switch {
		case err == nil && !plan.IsNetworkRun(pass.network, run):
			taken[name] = fmt.Sprintf("BenchmarkRun %s exists and does not belong to this network; it may be retained from an earlier one: delete it, or", name)
		case client.IgnoreNotFound(err) != nil:
			return nil, fmt.Errorf("get run %s: %w", name, err)
		}
	}
	if len(missing) == 0 {
		return taken, nil
	}
	var networks v1alpha1.BenchmarkNetworkList
	if err := r.Client.List(ctx, &networks, client.InNamespace(pass.network.Namespace), client.UnsafeDisableDeepCopy); err != nil {
		return nil, fmt.Errorf("list networks: %w", err)
	}
	for i := range networks.Items {
		other := &networks.Items[i]
		related := strings.HasPrefix(other.Name, pass.network.Name+"-") || strings.HasPrefix(pass.network.Name, other.Name+"-")
		if !related || !snapshot.IsOlder(other, pass.network) {
			continue
		}
		for _, w := range other.Spec.Workloads {
			if name := naming.WorkloadRun(other.Name, w.Name); missing[name] && taken[name] == "" {
				taken[name] = fmt.Sprintf("BenchmarkRun %s is that of workload %s of BenchmarkNetwork %s: delete that network, or", name, w.Name, other.Name)
			}
		}
	}
	return taken, nil
}
