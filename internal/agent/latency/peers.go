package latency

import (
	"maps"
	"net/netip"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/benchnet/benchnet/internal/network/latency"
)

// Labels by which the operator marks the pods of a network.
const (
	labelNetwork  = "benchnet.dev/network"
	labelMember   = "benchnet.dev/member"
	labelDatabase = "benchnet.dev/database-instance"
	labelRun      = "benchnet.dev/run"
	labelJob      = "batch.kubernetes.io/job-name"
)

// peerFromPod is what a pod is to the members of its network; false if it is none of the kinds.
func peerFromPod(pod *unstructured.Unstructured) (latency.Peer, bool) {
	labels := pod.GetLabels()
	switch {
	case labels[labelMember] != "":
		return latency.Peer{Kind: latency.PeerMember, Name: labels[labelMember]}, true
	case labels[labelRun] != "":
		return latency.Peer{Kind: latency.PeerWorker, Name: labels[labelRun]}, true
	case labels[labelDatabase] != "" && labels[labelJob] == "":
		return latency.Peer{Kind: latency.PeerDatabase, Name: labels[labelDatabase]}, true
	}
	return latency.Peer{}, false
}

// impairmentsByAddress are the ways from a member to the addresses of its peers: those of their pods, and those of the Services that
// stand for pods which are all equally far away. A Service's address is that of the peer as long as packets are in the pod.
func impairmentsByAddress(config *latency.Config, member string, pods, services []*unstructured.Unstructured) map[netip.Addr]latency.Impairment {
	all := map[netip.Addr]latency.Impairment{}
	for _, pod := range pods {
		if way, ok := podImpairment(config, member, pod); ok && !isPodTerminated(pod) {
			for _, a := range podAddresses(pod) {
				all[a] = way
			}
		}
	}
	for _, service := range services {
		if way, ok := commonImpairment(config, member, selectPods(service, pods)); ok {
			for _, a := range serviceAddresses(service) {
				all[a] = way
			}
		}
	}
	return all
}

func podImpairment(config *latency.Config, member string, pod *unstructured.Unstructured) (latency.Impairment, bool) {
	peer, ok := peerFromPod(pod)
	if !ok {
		return latency.Impairment{}, false
	}
	return config.ImpairmentFor(member, peer)
}

// commonImpairment is the way to each of the pods; false if they are not equally far away.
func commonImpairment(config *latency.Config, member string, pods []*unstructured.Unstructured) (latency.Impairment, bool) {
	var ways []latency.Impairment
	for _, pod := range pods {
		peer, ok := peerFromPod(pod)
		if !ok {
			continue
		}
		way, ok := config.ImpairmentFor(member, peer)
		if !ok {
			return latency.Impairment{}, false
		}
		ways = append(ways, way)
	}
	if ways = slices.Compact(ways); len(ways) != 1 {
		return latency.Impairment{}, false
	}
	return ways[0], true
}

// selectPods are the pods behind a service.
func selectPods(service *unstructured.Unstructured, pods []*unstructured.Unstructured) []*unstructured.Unstructured {
	selector, _, _ := unstructured.NestedStringMap(service.Object, "spec", "selector")
	if len(selector) == 0 {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(pods), func(pod *unstructured.Unstructured) bool {
		labels := pod.GetLabels()
		for key, value := range selector {
			if labels[key] != value {
				return true
			}
		}
		return false
	})
}

// isPodTerminated tells whether a pod's address may be another's by now.
func isPodTerminated(pod *unstructured.Unstructured) bool {
	phase, _, _ := unstructured.NestedString(pod.Object, "status", "phase")
	return phase == "Succeeded" || phase == "Failed"
}

func podAddresses(pod *unstructured.Unstructured) []netip.Addr {
	listed, _, _ := unstructured.NestedSlice(pod.Object, "status", "podIPs")
	var texts []string
	for _, l := range listed {
		if fields, ok := l.(map[string]any); ok {
			text, _, _ := unstructured.NestedString(fields, "ip")
			texts = append(texts, text)
		}
	}
	return parseAddresses(texts)
}

func serviceAddresses(service *unstructured.Unstructured) []netip.Addr {
	texts, _, _ := unstructured.NestedStringSlice(service.Object, "spec", "clusterIPs")
	return parseAddresses(texts)
}

// parseAddresses leaves out what is none, such as the None of a headless service.
func parseAddresses(texts []string) []netip.Addr {
	found := map[netip.Addr]bool{}
	for _, text := range texts {
		if a, err := netip.ParseAddr(text); err == nil {
			found[a.Unmap()] = true
		}
	}
	return slices.Collect(maps.Keys(found))
}
