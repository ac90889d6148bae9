// Package barrier waits for the instants at which all workers of a run start, and stop.
package barrier

import (
	"context"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
)

// Barrier is a ConfigMap that will hold the instants, each under a key of its own.
type Barrier struct {
	ConfigMaps dynamic.ResourceInterface
	Name       string
	// Retry is the pause after a failed request or a watch that ended; a second by default.
	Retry time.Duration
	// Log is told of problems, which do not end the wait.
	Log func(format string, args ...any)
}

// watchSeconds bounds one watch, so that a connection that died unnoticed costs no more.
const watchSeconds = 60

// Wait returns the instant under a key once the ConfigMap holds it. Nothing but ctx and an instant that is not
// one ends the wait: not an expired watch, not an API server that restarts, not a ConfigMap that does not exist yet.
func (b *Barrier) Wait(ctx context.Context, key string) (time.Time, error) {
	pause := b.Retry
	if pause == 0 {
		pause = time.Second
	}
	for {
		text, err := b.look(ctx, key)
		if text != "" {
			return parse(key, text)
		}
		if err != nil && ctx.Err() == nil {
			b.Log("barrier %s: %v; trying again", b.Name, err)
		}
		select {
		case <-ctx.Done():
			return time.Time{}, fmt.Errorf("wait for barrier %s: %w", b.Name, context.Cause(ctx))
		case <-time.After(pause):
		}
	}
}

func parse(key, text string) (time.Time, error) {
	instant, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return time.Time{}, fmt.Errorf("%s of the barrier: %w", key, err)
	}
	return instant, nil
}

// look watches the ConfigMap until it holds the instant or the watch ends. A watch from no version begins with what there is.
func (b *Barrier) look(ctx context.Context, key string) (string, error) {
	seconds := int64(watchSeconds)
	w, err := b.ConfigMaps.Watch(ctx, metav1.ListOptions{
		FieldSelector:  fields.OneTermEqualSelector("metadata.name", b.Name).String(),
		TimeoutSeconds: &seconds,
	})
	if err != nil {
		return "", err
	}
	defer w.Stop()
	for event := range w.ResultChan() {
		if event.Type == watch.Error {
			return "", fmt.Errorf("watch ended: %w", apierrors.FromObject(event.Object))
		}
		if object, ok := event.Object.(*unstructured.Unstructured); ok && instantIn(object, key) != "" {
			return instantIn(object, key), nil
		}
	}
	return "", nil
}

func instantIn(configMap *unstructured.Unstructured, key string) string {
	text, _, _ := unstructured.NestedString(configMap.Object, "data", key)
	return text
}
