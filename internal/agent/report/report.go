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
	"github.com/benchnet/benchnet/internal/run/protocol"
)

// Writer is the ConfigMap. The verb patch is all that is needed on it.
type Writer struct {
	ConfigMaps dynamic.ResourceInterface
	Name       string
	// Timeout bounds how long Result and Failure try, and Retry is the pause between; a second by default.
	Timeout, RetryInterval time.Duration
}

// WriteProgress publishes progress.json once, without trying again: the next one is soon to come.
func (r *Writer) WriteProgress(ctx context.Context, progress string) error {
	return r.putKey(ctx, "data", protocol.ProgressKey, progress)
}

// WriteResult publishes a worker's encoded result.
func (r *Writer) WriteResult(ctx context.Context, compressed []byte) error {
	return r.putUntilAccepted(ctx, "binaryData", protocol.ResultKey, base64.StdEncoding.EncodeToString(compressed))
}

// WriteFailure publishes, in one line, why there is no result.
func (r *Writer) WriteFailure(ctx context.Context, line string) error {
	return r.putUntilAccepted(ctx, "data", protocol.FailureKey, line)
}

// putUntilAccepted tries until it succeeds, Patience is over, or the API server says that it never will.
func (r *Writer) putUntilAccepted(ctx context.Context, field, key, value string) error {
	ctx, cancel := context.WithTimeout(ctx, r.Timeout)
	defer cancel()
	pause := r.RetryInterval
	if pause == 0 {
		pause = time.Second
	}
	for {
		err := r.putKey(ctx, field, key, value)
		if err == nil || isFinalError(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(pause):
		}
	}
}

// isFinalError errors stay the same however often one tries.
func isFinalError(err error) bool {
	return apierrors.IsNotFound(err) || apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) ||
		apierrors.IsRequestEntityTooLargeError(err)
}

func (r *Writer) putKey(ctx context.Context, field, key, value string) error {
	_, err := kube.MergePatch(ctx, r.ConfigMaps, r.Name, map[string]any{field: map[string]any{key: value}})
	if err != nil {
		return fmt.Errorf("put %s into ConfigMap %s: %w", key, r.Name, err)
	}
	return nil
}
