// Package report tells the operator how a worker fares, through a ConfigMap that exists.
package report

import (
	"context"
	"encoding/base64"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/dynamic"

	"github.com/benchnet/benchnet/internal/agent/kube"
	"github.com/benchnet/benchnet/internal/agent/protocol"
)

// Report is the ConfigMap. The verb patch is all that is needed on it.
type Report struct {
	ConfigMaps dynamic.ResourceInterface
	Name       string
	// Patience bounds how long Result and Failure try, and Retry is the pause between; a second by default.
	Patience, Retry time.Duration
}

// Progress publishes progress.json once, without trying again: the next one is soon to come.
func (r *Report) Progress(ctx context.Context, progress string) error {
	return r.put(ctx, "data", protocol.ProgressKey, progress)
}

// Result publishes a worker's encoded result.
func (r *Report) Result(ctx context.Context, compressed []byte) error {
	return r.insist(ctx, "binaryData", protocol.ResultKey, base64.StdEncoding.EncodeToString(compressed))
}

// Failure publishes, in one line, why there is no result.
func (r *Report) Failure(ctx context.Context, line string) error {
	return r.insist(ctx, "data", protocol.FailureKey, line)
}

// insist tries until it succeeds, Patience is over, or the API server says that it never will.
func (r *Report) insist(ctx context.Context, field, key, value string) error {
	ctx, cancel := context.WithTimeout(ctx, r.Patience)
	defer cancel()
	pause := r.Retry
	if pause == 0 {
		pause = time.Second
	}
	for {
		err := r.put(ctx, field, key, value)
		if err == nil || final(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
	}
}

// final errors stay the same however often one tries.
func final(err error) bool {
	return apierrors.IsNotFound(err) || apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) ||
		apierrors.IsRequestEntityTooLargeError(err)
}

func (r *Report) put(ctx context.Context, field, key, value string) error {
	_, err := kube.Merge(ctx, r.ConfigMaps, r.Name, map[string]any{field: map[string]any{key: value}})
	if err != nil {
		return fmt.Errorf("put %s into ConfigMap %s: %w", key, r.Name, err)
	}
	return nil
}
