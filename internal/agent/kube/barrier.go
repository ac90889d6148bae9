package kube

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/dynamic"
)

// Barrier waits for instants in a ConfigMap, which holds each under its own key.
type Barrier struct {
	ConfigMaps dynamic.ResourceInterface
	Name       string
	// RetryInterval is the pause after a failed request or an expired watch; one second by default.
	RetryInterval time.Duration
}

// watchTimeoutSeconds bounds one watch, so that a silently broken connection delays the barrier by no more than this.
const watchTimeoutSeconds = 60

// Wait returns the instant under key once the ConfigMap holds it. It fails only if ctx ends or the value is not
// an RFC 3339 time. Expired watches, API server restarts and a missing ConfigMap are retried.
func (b *Barrier) Wait(ctx context.Context, key string) (time.Time, error) {
	for {
		text, err := b.watchForKey(ctx, key)
		if text != "" {
			return parseInstant(key, text)
		}
		if err != nil && ctx.Err() == nil {
			slog.Warn("watch of the barrier ended, retrying", "configMap", b.Name, "err", err)
		}
		select {
		case <-ctx.Done():
			return time.Time{}, fmt.Errorf("wait for barrier %s: %w", b.Name, context.Cause(ctx))
		case <-time.After(cmp.Or(b.RetryInterval, time.Second)):
		}
	}
}

func parseInstant(key, text string) (time.Time, error) {
	instant, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return time.Time{}, fmt.Errorf("%s of the barrier: %w", key, err)
	}
	return instant, nil
}

// watchForKey watches the ConfigMap until it holds key or the watch ends. The watch has no resource version, so
// it starts with an event for the existing object.
func (b *Barrier) watchForKey(ctx context.Context, key string) (string, error) {
	w, err := b.ConfigMaps.Watch(ctx, metav1.ListOptions{
		FieldSelector:  fields.OneTermEqualSelector("metadata.name", b.Name).String(),
		TimeoutSeconds: new(int64(watchTimeoutSeconds)),
	})
	if err != nil {
		return "", err
	}
	defer w.Stop()
	for event := range w.ResultChan() {
		if event.Type == watch.Error {
			return "", fmt.Errorf("watch ended: %w", apierrors.FromObject(event.Object))
		}
		if object, ok := event.Object.(*unstructured.Unstructured); ok {
			if text, _, _ := unstructured.NestedString(object.Object, "data", key); text != "" {
				return text, nil
			}
		}
	}
	return "", nil
}
