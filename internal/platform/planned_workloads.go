package platform

import (
	"encoding/json"
	"fmt"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// DataSummarizer is a platform whose volumes have space for the data of the network's workloads.
type DataSummarizer interface {
	// SummarizeWorkloads returns few short workloads that leave as much data on a member as those of the spec.
	SummarizeWorkloads(spec *v1alpha1.BenchmarkNetworkSpec) []v1alpha1.Workload
}

// RecordPlannedWorkloads records on a network, as a summary, the workloads that its experiment plans to run on it. The size of the
// summary does not depend on their number, since the operator's cache omits long annotations.
func RecordPlannedWorkloads(p Platform, network *v1alpha1.BenchmarkNetwork, planned []v1alpha1.Workload) error {
	summarizer, ok := p.(DataSummarizer)
	if !ok {
		return nil
	}
	text, err := json.Marshal(summarizer.SummarizeWorkloads(&withWorkloads(network, planned).Spec))
	if err != nil {
		return fmt.Errorf("summarize the planned workloads: %w", err)
	}
	metav1.SetMetaDataAnnotation(&network.ObjectMeta, v1alpha1.AnnotationPlannedWorkloads, string(text))
	return nil
}

// WithPlannedWorkloads returns the network as if it listed the planned workloads that are recorded on it. It ignores an invalid
// record: volumes keep the sizes with which they were created.
func WithPlannedWorkloads(network *v1alpha1.BenchmarkNetwork) *v1alpha1.BenchmarkNetwork {
	var planned []v1alpha1.Workload
	if json.Unmarshal([]byte(network.Annotations[v1alpha1.AnnotationPlannedWorkloads]), &planned) != nil {
		planned = nil
	}
	return withWorkloads(network, planned)
}

func withWorkloads(network *v1alpha1.BenchmarkNetwork, added []v1alpha1.Workload) *v1alpha1.BenchmarkNetwork {
	sized := *network
	sized.Spec.Workloads = slices.Clone(sized.Spec.Workloads)
	for _, w := range added {
		sized.Spec.Workloads = append(sized.Spec.Workloads, v1alpha1.NetworkWorkload{Workload: w})
	}
	return &sized
}
