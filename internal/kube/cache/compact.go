package cache

import (
	"hash/maphash"
	"sync"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Compactor makes the objects of a cache small: it trims them, and has equal labels, owners and resources, which the objects of a
// network share, be there once. What comes out of it must not be changed in place; what is read from a cache is a copy.
type Compactor struct {
	mutex      sync.Mutex
	seed       maphash.Seed
	labels     internPool[map[string]string]
	owners     internPool[[]metav1.OwnerReference]
	containers internPool[[]corev1.Container]
	texts      internPool[string]
}

// NewCompactor has seen nothing yet.
func NewCompactor() *Compactor { return &Compactor{seed: maphash.MakeSeed()} }

// Compact is a cache's transform.
func (c *Compactor) Compact(object any) (any, error) {
	Trim(object)
	o, ok := object.(metav1.Object)
	if !ok {
		return object, nil
	}
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

// internLabels are labels of texts that others have too.
func (c *Compactor) internLabels(labels map[string]string) map[string]string {
	own := make(map[string]string, len(labels))
	for k, v := range labels {
		own[c.internText(k)] = c.internText(v)
	}
	return own
}

// hashLabels is the same in whatever order a map has them.
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
		_, _ = h.WriteString(text) // It returns no error, ever.
		_ = h.WriteByte(0)
	}
	return h.Sum64()
}

// maxPoolSize is how many values a pool knows before it forgets all: those of networks that are gone must not stay for good.
const maxPoolSize = 1 << 15

// internPool has one of equal values, by their hash.
type internPool[V any] struct{ values map[uint64]V }

// internValue is the value that is known, or this one, as it is to be kept, if none is; of two that have the same hash and differ the first
// is known.
func (p *internPool[V]) internValue(hash uint64, value V, keep func(V) V) V {
	if known, ok := p.values[hash]; ok {
		if equality.Semantic.DeepEqual(known, value) {
			return known
		}
		return value
	}
	if p.values == nil || len(p.values) >= maxPoolSize {
		p.values = map[uint64]V{}
	}
	value = keep(value)
	p.values[hash] = value
	return value
}

// keepAsIs keeps a value as it is.
func keepAsIs[V any](value V) V { return value }
