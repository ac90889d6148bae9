package kube

import (
	"cmp"
	"context"
	"encoding/base64"
	"fmt"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/dynamic"

	"github.com/benchnet/benchnet/internal/run/protocol"
)

// ReportWriter writes to the ConfigMap. It needs only the patch verb.
type ReportWriter struct {
	ConfigMaps dynamic.ResourceInterface
	Name       string
	// Timeout bounds the attempts of WriteResult and WriteFailure. RetryInterval is the pause between attempts;
	// one second by default.
	Timeout, RetryInterval time.Duration
}

// WriteProgress publishes the content of progress.json. It does not retry, because the next update follows soon.
func (r *ReportWriter) WriteProgress(ctx context.Context, progress string) error {
	return r.putKey(ctx, "data", protocol.ProgressKey, progress)
}

// WriteResult publishes a worker's encoded result, retrying until Timeout.
func (r *ReportWriter) WriteResult(ctx context.Context, compressed []byte) error {
	return r.putUntilAccepted(ctx, "binaryData", protocol.ResultKey, base64.StdEncoding.EncodeToString(compressed))
}

// WriteFailure publishes a one-line reason for the missing result, retrying until Timeout.
func (r *ReportWriter) WriteFailure(ctx context.Context, line string) error {
	return r.putUntilAccepted(ctx, "data", protocol.FailureKey, line)
}

// putUntilAccepted retries until the write succeeds, Timeout expires or the API server returns a permanent error.
func (r *ReportWriter) putUntilAccepted(ctx context.Context, field, key, value string) error {
	ctx, cancel := context.WithTimeout(ctx, r.Timeout)
	defer cancel()
	for {
		err := r.putKey(ctx, field, key, value)
		if err == nil || isFinalError(err) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(cmp.Or(r.RetryInterval, time.Second)):
		}
	}
}

// isFinalError reports whether a retry of the same request cannot succeed.
func isFinalError(err error) bool {
	return apierrors.IsNotFound(err) || apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) ||
		apierrors.IsRequestEntityTooLargeError(err)
}

func (r *ReportWriter) putKey(ctx context.Context, field, key, value string) error {
	_, err := MergePatch(ctx, r.ConfigMaps, r.Name, map[string]any{field: map[string]any{key: value}})
	if err != nil {
		return fmt.Errorf("put %s into ConfigMap %s: %w", key, r.Name, err)
	}
	return nil
}
