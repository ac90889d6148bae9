package kube_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/benchnet/benchnet/internal/agent/kube"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

var startInstant = time.Date(2026, 11, 21, 3, 4, 5, 678900000, time.UTC)

// newBarrier returns a barrier with the rights that a worker has.
func newBarrier(t *testing.T, name string) *kube.Barrier {
	t.Helper()
	cluster := newClientWithRights(t, "configmaps", []string{name}, []string{"get", "list", "watch"}, nil)
	return &kube.Barrier{ConfigMaps: cluster.ConfigMaps, Name: name, RetryInterval: 200 * time.Millisecond}
}

// releaseBarrier publishes the start, as the operator does.
func releaseBarrier(t *testing.T, name, start string) {
	t.Helper()
	retryUntilSuccess(t, "release", func(ctx context.Context) error {
		patch := []byte(`{"data":{"start":"` + start + `"}}`)
		_, err := apiClients(t).CoreV1().ConfigMaps(namespace).Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{})
		return err
	})
}

type waitResult struct {
	start time.Time
	err   error
}

// startWaiting waits at the barrier in the background and returns once it has been watching for a while.
func startWaiting(t *testing.T, b *kube.Barrier) <-chan waitResult {
	t.Helper()
	done := make(chan waitResult, 1)
	go func() {
		start, err := b.Wait(t.Context(), protocol.StartKey)
		done <- waitResult{start, err}
	}()
	select {
	case early := <-done:
		t.Fatalf("did not wait: %v", early)
	case <-time.After(500 * time.Millisecond):
	}
	return done
}

func assertReleased(t *testing.T, done <-chan waitResult) {
	t.Helper()
	select {
	case got := <-done:
		if got.err != nil || !got.start.Equal(startInstant) {
			t.Errorf("got %v, %v", got.start, got.err)
		}
	case <-time.After(5 * time.Minute):
		t.Error("still waiting")
	}
}

func TestBarrierReleasedWhileWatched(t *testing.T) {
	createConfigMap(t, "bar-watched", nil)
	done := startWaiting(t, newBarrier(t, "bar-watched"))
	releaseBarrier(t, "bar-watched", startInstant.Format(time.RFC3339Nano))
	assertReleased(t, done)
}

// TestBarrierWaitForStop waits for the stop at a barrier that already holds the start.
func TestBarrierWaitForStop(t *testing.T) {
	createConfigMap(t, "bar-stop", map[string]string{"start": startInstant.Add(-time.Minute).Format(time.RFC3339Nano)})
	done := make(chan waitResult, 1)
	go func() {
		stop, err := newBarrier(t, "bar-stop").Wait(t.Context(), protocol.StopKey)
		done <- waitResult{stop, err}
	}()
	time.Sleep(500 * time.Millisecond)
	patch := []byte(`{"data":{"stop":"` + startInstant.Format(time.RFC3339Nano) + `"}}`)
	if _, err := apiClients(t).CoreV1().ConfigMaps(namespace).Patch(t.Context(), "bar-stop", types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	assertReleased(t, done)
}

func TestBarrierAlreadyReleased(t *testing.T) {
	createConfigMap(t, "bar-open", map[string]string{"start": startInstant.Format(time.RFC3339Nano)})
	start, err := newBarrier(t, "bar-open").Wait(t.Context(), protocol.StartKey)
	if err != nil || !start.Equal(startInstant) {
		t.Errorf("got %v, %v", start, err)
	}
}

func TestBarrierCreatedLater(t *testing.T) {
	done := startWaiting(t, newBarrier(t, "bar-later"))
	createConfigMap(t, "bar-later", nil)
	releaseBarrier(t, "bar-later", startInstant.Format(time.RFC3339Nano))
	assertReleased(t, done)
}

func TestBarrierSurvivesAPIServerRestart(t *testing.T) {
	createConfigMap(t, "bar-restart", nil)
	done := startWaiting(t, newBarrier(t, "bar-restart"))
	restartAPIServer(t, func() { time.Sleep(500 * time.Millisecond) })
	releaseBarrier(t, "bar-restart", startInstant.Format(time.RFC3339Nano))
	assertReleased(t, done)
}

func TestBarrierWithInvalidInstant(t *testing.T) {
	createConfigMap(t, "bar-wrong", map[string]string{"start": "soon"})
	if _, err := newBarrier(t, "bar-wrong").Wait(t.Context(), protocol.StartKey); err == nil || !strings.Contains(err.Error(), `"soon"`) {
		t.Errorf("error %v", err)
	}
}

func TestBarrierWaitCancelled(t *testing.T) {
	createConfigMap(t, "bar-ended", nil)
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if _, err := newBarrier(t, "bar-ended").Wait(ctx, protocol.StopKey); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
}

// reportTimeout bounds the attempts to write a report.
const reportTimeout = 5 * time.Minute

// newReportWriter returns a writer that may only patch its report.
func newReportWriter(t *testing.T, name string) *kube.ReportWriter {
	t.Helper()
	cluster := newClientWithRights(t, "configmaps", []string{name}, []string{"patch"}, nil)
	return &kube.ReportWriter{ConfigMaps: cluster.ConfigMaps, Name: name, Timeout: reportTimeout, RetryInterval: 50 * time.Millisecond}
}

func getReport(t *testing.T, name string) *corev1.ConfigMap {
	t.Helper()
	var object *corev1.ConfigMap
	retryUntilSuccess(t, "read the report", func(ctx context.Context) (err error) {
		object, err = apiClients(t).CoreV1().ConfigMaps(namespace).Get(ctx, name, metav1.GetOptions{})
		return err
	})
	return object
}

func TestReport(t *testing.T) {
	createConfigMap(t, "rep", nil)
	r := newReportWriter(t, "rep")
	packed := string([]byte{0x1f, 0x8b, 0xff, 0x00})
	if err := errors.Join(r.WriteProgress(t.Context(), "{1}"), r.WriteProgress(t.Context(), "{2}"), r.WriteResult(t.Context(), []byte(packed)), r.WriteFailure(t.Context(), "none")); err != nil {
		t.Fatal(err)
	}
	got := getReport(t, "rep")
	if got.Data["progress.json"] != "{2}" || string(got.BinaryData["result.json.gz"]) != packed || got.Data["failure"] != "none" {
		t.Errorf("got %q, %q", got.Data, got.BinaryData)
	}
}

func TestReportSurvivesAPIServerRestart(t *testing.T) {
	createConfigMap(t, "rep-restart", nil)
	r := newReportWriter(t, "rep-restart")
	done := make(chan error, 1)
	restartAPIServer(t, func() {
		go func() { done <- r.WriteResult(t.Context(), []byte("x")) }()
		time.Sleep(500 * time.Millisecond)
	})
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if got := getReport(t, "rep-restart"); string(got.BinaryData["result.json.gz"]) != "x" {
		t.Errorf("got %q", got.BinaryData)
	}
}

func TestReportStopsOnFinalError(t *testing.T) {
	began := time.Now()
	if err := newReportWriter(t, "rep-none").WriteResult(t.Context(), []byte("x")); !apierrors.IsNotFound(err) {
		t.Errorf("error %v", err)
	}
	createConfigMap(t, "rep-large", nil)
	if err := newReportWriter(t, "rep-large").WriteResult(t.Context(), make([]byte, 1<<20+1)); err == nil {
		t.Error("a result that is too large is taken")
	}
	if took := time.Since(began); took >= reportTimeout {
		t.Errorf("took %v, as if it were tried again", took)
	}
}

func TestNewOutsideCluster(t *testing.T) {
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	if _, err := kube.NewInCluster(namespace); err == nil || !strings.Contains(err.Error(), "load the client configuration") {
		t.Errorf("error %v", err)
	}
}
