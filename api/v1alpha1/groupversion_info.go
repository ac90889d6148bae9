// Package v1alpha1 holds the kinds of the group benchnet.dev: BenchmarkNetwork, one deployed benchmark network of a
// distributed ledger, BenchmarkRun, one measured window of one workload on such a network, and BenchmarkExperiment, many
// runs with one question.
//
// +kubebuilder:object:generate=true
// +groupName=benchnet.dev
package v1alpha1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
)

// GroupVersion is the group and version of every kind in this package.
var GroupVersion = schema.GroupVersion{Group: "benchnet.dev", Version: "v1alpha1"}

var schemeBuilder = runtime.NewSchemeBuilder(func(s *runtime.Scheme) error {
	s.AddKnownTypes(GroupVersion,
		&BenchmarkNetwork{}, &BenchmarkNetworkList{},
		&BenchmarkRun{}, &BenchmarkRunList{},
		&BenchmarkExperiment{}, &BenchmarkExperimentList{},
	)
	metav1.AddToGroupVersion(s, GroupVersion)
	return nil
})

// AddToScheme registers the kinds of this package.
var AddToScheme = schemeBuilder.AddToScheme
