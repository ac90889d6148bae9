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

	"github.com/benchnet/benchnet/internal/agent/barrier"
	"github.com/benchnet/benchnet/internal/agent/kube"
	"github.com/benchnet/benchnet/internal/agent/protocol"
	"github.com/benchnet/benchnet/internal/agent/report"
)

var instant = time.Date(2026, 11, 21, 3, 4, 5, 678900000, time.UTC)

// gate is a barrier, with the rights that a worker has on it.
func gate(t *testing.T, name string) *barrier.Barrier {
	t.Helper()
	cluster := as(t, "configmaps", []string{name}, []string{"get", "list", "watch"}, nil)
	return &barrier.Barrier{ConfigMaps: cluster.ConfigMaps, Name: name, Retry: 200 * time.Millisecond, Log: t.Logf}
}

// release opens a barrier, as the operator does.
func release(t *testing.T, name, start string) {
	t.Helper()
	eventually(t, "release", func(ctx context.Context) error {
		patch := []byte(`{"data":{"start":"` + start + `"}}`)
		_, err := api.clients.CoreV1().ConfigMaps(namespace).Patch(ctx, name, types.MergePatchType, patch, metav1.PatchOptions{})
		return err
	})
}

type waited struct {
	start time.Time
	err   error
}

// waiting waits at the barrier in the background, long enough to be watching.
func waiting(t *testing.T, b *barrier.Barrier) <-chan waited {
	t.Helper()
	done := make(chan waited, 1)
	go func() {
		start, err := b.Wait(t.Context(), protocol.StartKey)
		done <- waited{start, err}
	}()
	select {
	case early := <-done:
		t.Fatalf("did not wait: %v", early)
	case <-time.After(500 * time.Millisecond):
	}
	return done
}

func passes(t *testing.T, done <-chan waited) {
	t.Helper()
	select {
	case got := <-done:
		if got.err != nil || !got.start.Equal(instant) {
			t.Errorf("got %v, %v", got.start, got.err)
		}
	case <-time.After(5 * time.Minute):
		t.Error("still waiting")
	}
}

func TestBarrierOpensWhileWatched(t *testing.T) {
	configMap(t, "bar-watched", nil)
	done := waiting(t, gate(t, "bar-watched"))
	release(t, "bar-watched", instant.Format(time.RFC3339Nano))
	passes(t, done)
}

// A barrier that holds the start already is waited at for the stop.
func TestBarrierStops(t *testing.T) {
	configMap(t, "bar-stop", map[string]string{"start": instant.Add(-time.Minute).Format(time.RFC3339Nano)})
	done := make(chan waited, 1)
	go func() {
		stop, err := gate(t, "bar-stop").Wait(t.Context(), protocol.StopKey)
		done <- waited{stop, err}
	}()
	time.Sleep(500 * time.Millisecond)
	patch := []byte(`{"data":{"stop":"` + instant.Format(time.RFC3339Nano) + `"}}`)
	if _, err := api.clients.CoreV1().ConfigMaps(namespace).Patch(t.Context(), "bar-stop", types.MergePatchType, patch, metav1.PatchOptions{}); err != nil {
		t.Fatal(err)
	}
	passes(t, done)
}

func TestBarrierIsOpenAlready(t *testing.T) {
	configMap(t, "bar-open", map[string]string{"start": instant.Format(time.RFC3339Nano)})
	start, err := gate(t, "bar-open").Wait(t.Context(), protocol.StartKey)
	if err != nil || !start.Equal(instant) {
		t.Errorf("got %v, %v", start, err)
	}
}

func TestBarrierIsMadeLater(t *testing.T) {
	done := waiting(t, gate(t, "bar-later"))
	configMap(t, "bar-later", nil)
	release(t, "bar-later", instant.Format(time.RFC3339Nano))
	passes(t, done)
}

func TestBarrierSurvivesARestartOfTheAPIServer(t *testing.T) {
	configMap(t, "bar-restart", nil)
	done := waiting(t, gate(t, "bar-restart"))
	restartAPI(t, func() { time.Sleep(500 * time.Millisecond) })
	release(t, "bar-restart", instant.Format(time.RFC3339Nano))
	passes(t, done)
}

func TestBarrierThatIsNoInstant(t *testing.T) {
	configMap(t, "bar-wrong", map[string]string{"start": "soon"})
	if _, err := gate(t, "bar-wrong").Wait(t.Context(), protocol.StartKey); err == nil || !strings.Contains(err.Error(), `"soon"`) {
		t.Errorf("error %v", err)
	}
}

func TestBarrierEndsWithItsContext(t *testing.T) {
	configMap(t, "bar-ended", nil)
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if _, err := gate(t, "bar-ended").Wait(ctx, protocol.StopKey); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error %v", err)
	}
}

// patience of a report that cannot be written.
const patience = 5 * time.Minute

// reporter has no right but to patch its report.
func reporter(t *testing.T, name string) *report.Report {
	t.Helper()
	cluster := as(t, "configmaps", []string{name}, []string{"patch"}, nil)
	return &report.Report{ConfigMaps: cluster.ConfigMaps, Name: name, Patience: patience, Retry: 50 * time.Millisecond}
}

func reported(t *testing.T, name string) *corev1.ConfigMap {
	t.Helper()
	var object *corev1.ConfigMap
	eventually(t, "read the report", func(ctx context.Context) (err error) {
		object, err = api.clients.CoreV1().ConfigMaps(namespace).Get(ctx, name, metav1.GetOptions{})
		return err
	})
	return object
}

func TestReport(t *testing.T) {
	configMap(t, "rep", nil)
	r := reporter(t, "rep")
	packed := string([]byte{0x1f, 0x8b, 0xff, 0x00})
	if err := errors.Join(r.Progress(t.Context(), "{1}"), r.Progress(t.Context(), "{2}"), r.Result(t.Context(), []byte(packed)), r.Failure(t.Context(), "none")); err != nil {
		t.Fatal(err)
	}
	got := reported(t, "rep")
	if got.Data["progress.json"] != "{2}" || string(got.BinaryData["result.json.gz"]) != packed || got.Data["failure"] != "none" {
		t.Errorf("got %q, %q", got.Data, got.BinaryData)
	}
}

func TestReportOutlastsARestartOfTheAPIServer(t *testing.T) {
	configMap(t, "rep-restart", nil)
	r := reporter(t, "rep-restart")
	done := make(chan error, 1)
	restartAPI(t, func() {
		go func() { done <- r.Result(t.Context(), []byte("x")) }()
		time.Sleep(500 * time.Millisecond)
	})
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if got := reported(t, "rep-restart"); string(got.BinaryData["result.json.gz"]) != "x" {
		t.Errorf("got %q", got.BinaryData)
	}
}

func TestReportGivesUpOnWhatIsFinal(t *testing.T) {
	began := time.Now()
	if err := reporter(t, "rep-none").Result(t.Context(), []byte("x")); !apierrors.IsNotFound(err) {
		t.Errorf("error %v", err)
	}
	configMap(t, "rep-large", nil)
	if err := reporter(t, "rep-large").Result(t.Context(), make([]byte, 1<<20+1)); err == nil {
		t.Error("a result that is too large is taken")
	}
	if took := time.Since(began); took >= patience {
		t.Errorf("took %v, as if it were tried again", took)
	}
}

func TestOutsideOfACluster(t *testing.T) {
	t.Setenv("KUBERNETES_SERVICE_HOST", "")
	if _, err := kube.InCluster(namespace); err == nil || !strings.Contains(err.Error(), "find the API server") {
		t.Errorf("error %v", err)
	}
}
