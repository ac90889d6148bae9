package emulate

import (
	"maps"
	"net/netip"
	"slices"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/benchnet/benchnet/internal/network/latency"
)

// Labels of the pods of a network.
const (
	labelNetwork  = "benchnet.dev/network"
	labelMember   = "benchnet.dev/member"
	labelDatabase = "benchnet.dev/database-instance"
	labelRun      = "benchnet.dev/run"
	labelJob      = "batch.kubernetes.io/job-name"
)

// peerFromPod returns the peer that a pod is to the members of its network, or false if it is no such pod.
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

// impairFunc returns what a sidecar does to the packets of a peer, or false for nothing.
type impairFunc func(latency.Peer) (latency.Impairment, bool)

// impairmentsByAddress returns the impairments of the addresses of the peers' pods and Services. It includes a Service only if all its
// pods have the same impairment. Inside the pod, packets to a Service still carry the Service's address.
func impairmentsByAddress(impair impairFunc, pods, services []*unstructured.Unstructured) map[netip.Addr]latency.Impairment {
	all := map[netip.Addr]latency.Impairment{}
	for _, pod := range pods {
		if peer, ok := peerFromPod(pod); ok && !isPodTerminated(pod) {
			if way, ok := impair(peer); ok {
				for _, a := range podAddresses(pod) {
					all[a] = way
				}
			}
		}
	}
	for _, service := range services {
		if way, ok := commonImpairment(impair, selectPods(service, pods)); ok {
			for _, a := range serviceAddresses(service) {
				all[a] = way
			}
		}
	}
	return all
}

// commonImpairment returns the impairment that all pods share, or false if they differ or one has none.
func commonImpairment(impair impairFunc, pods []*unstructured.Unstructured) (latency.Impairment, bool) {
	var ways []latency.Impairment
	for _, pod := range pods {
		peer, ok := peerFromPod(pod)
		if !ok {
			continue
		}
		way, ok := impair(peer)
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

// isPodTerminated reports whether a pod has ended, so that its address may be reused.
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

// parseAddresses returns the valid addresses and omits others, such as the None of a headless Service.
func parseAddresses(texts []string) []netip.Addr {
	found := map[netip.Addr]bool{}
	for _, text := range texts {
		if a, err := netip.ParseAddr(text); err == nil {
			found[a.Unmap()] = true
		}
	}
	return slices.Collect(maps.Keys(found))
}
