package cache

import (
	"testing"

	corev1 "k8s.io/api/core/v1"
	toolscache "k8s.io/client-go/tools/cache"
)

// TestMeterFollowsTheCache sends the events of an informer. After the deletion nothing may be counted.
func TestMeterFollowsTheCache(t *testing.T) {
	m := NewMeter(nil, nil)
	small := &corev1.ConfigMap{Data: map[string]string{"key": "v"}}
	large := &corev1.ConfigMap{Data: map[string]string{"key": longText(100)}}
	h := m.newHandler("ConfigMap")
	h.OnAdd(small, false)
	one := m.Usage()["ConfigMap"]
	h.OnUpdate(small, large)
	if got := m.Usage()["ConfigMap"]; one.Objects != 1 || one.Bytes == 0 || got.Objects != 1 || got.Bytes < one.Bytes+6000 {
		t.Errorf("after the creation %+v, after 6400 bytes more %+v", one, got)
	}
	h.OnDelete(toolscache.DeletedFinalStateUnknown{Obj: large})
	if got := m.Usage()["ConfigMap"]; got != (Usage{}) {
		t.Errorf("after the deletion %+v", got)
	}
}
