package cache

import (
	"hash/maphash"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/benchnet/benchnet/internal/kube/kinds"
)

// Compactor reduces the size of cached objects. It trims them and shares equal labels, owner references and
// containers, which the objects of a network have in common. Cached objects must not be changed in place; reads
// from a cache return copies.
type Compactor struct {
	mutex      sync.Mutex
	seed       maphash.Seed
	labels     internPool[map[string]string]
	owners     internPool[[]metav1.OwnerReference]
	containers internPool[[]corev1.Container]
	texts      internPool[string]
}

// NewCompactor returns a Compactor with empty pools.
func NewCompactor() *Compactor { return &Compactor{seed: maphash.MakeSeed()} }

// Compact is the transform function of a cache. It never fails.
func (c *Compactor) Compact(object any) (any, error) {
	o, ok := object.(metav1.Object)
	if !ok {
		return object, nil
	}
	if kinds.IsForeign(o) {
		kinds.StripForeign(o)
	}
	kinds.Trim(object)
	c.mutex.Lock()
	defer c.mutex.Unlock()
	o.SetNamespace(c.internText(o.GetNamespace()))
	if labels := o.GetLabels(); len(labels) > 0 {
		o.SetLabels(c.labels.internValue(c.hashLabels(labels), labels, c.internLabels))
	}
	if owners := o.GetOwnerReferences(); len(owners) == 1 {
		o.SetOwnerReferences(c.owners.internValue(maphash.String(c.seed, string(owners[0].UID)), owners, keepAsIs))
	}
	if pod, ok := object.(*corev1.Pod); ok {
		c.compactPod(pod)
	}
	return object, nil
}

func (c *Compactor) compactPod(pod *corev1.Pod) {
	var key uint64
	for _, container := range pod.Spec.Containers {
		r := container.Resources
		key += c.hashTexts(container.Name, r.Limits.Cpu().String(), r.Limits.Memory().String(), r.Requests.Cpu().String(), r.Requests.Memory().String())
	}
	pod.Spec.Containers = c.containers.internValue(key, pod.Spec.Containers, keepAsIs)
	for i := range pod.Status.ContainerStatuses {
		s := &pod.Status.ContainerStatuses[i]
		s.Image, s.ImageID = c.internText(s.Image), c.internText(s.ImageID)
	}
}

func (c *Compactor) internText(text string) string {
	return c.texts.internValue(maphash.String(c.seed, text), text, keepAsIs)
}

// internLabels returns a copy of the labels with interned keys and values.
func (c *Compactor) internLabels(labels map[string]string) map[string]string {
	own := make(map[string]string, len(labels))
	for k, v := range labels {
		own[c.internText(k)] = c.internText(v)
	}
	return own
}

// hashLabels returns a hash that does not depend on the order of the map.
func (c *Compactor) hashLabels(labels map[string]string) uint64 {
	var sum uint64
	for k, v := range labels {
		sum += c.hashTexts(k, v)
	}
	return sum
}

func (c *Compactor) hashTexts(texts ...string) uint64 {
	var h maphash.Hash
	h.SetSeed(c.seed)
	for _, text := range texts {
		_, _ = h.WriteString(text) // It never returns an error.
		_ = h.WriteByte(0)
	}
	return h.Sum64()
}

// Limits of a pool. It is emptied at the limit, so that values of deleted networks are not retained.
const (
	maxPoolSize  = 1 << 15
	maxPoolBytes = 8 << 20
)

// internPool holds one of several equal values, by their hash.
type internPool[V any] struct {
	values map[uint64]V
	bytes  int
}

// internValue returns the pooled value that equals the given one. If there is none, it pools and returns
// keep(value). Of two different values with the same hash, only the first is pooled.
func (p *internPool[V]) internValue(hash uint64, value V, keep func(V) V) V {
	if known, ok := p.values[hash]; ok {
		if equality.Semantic.DeepEqual(known, value) {
			return known
		}
		return value
	}
	value = keep(value)
	size := kinds.Size(value)
	if p.values == nil || len(p.values) >= maxPoolSize || p.bytes+size > maxPoolBytes {
		p.values, p.bytes = map[uint64]V{}, 0
	}
	p.values[hash] = value
	p.bytes += size
	return value
}

func keepAsIs[V any](value V) V { return value }
