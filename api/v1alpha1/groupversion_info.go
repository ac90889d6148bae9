// Package v1alpha1 holds the kinds of the API group benchnet.dev. A BenchmarkNetwork is a deployed benchmark network of a
// distributed ledger. A BenchmarkRun is one measurement of one workload on such a network. A BenchmarkExperiment is a set of
// runs that answers one question.
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
