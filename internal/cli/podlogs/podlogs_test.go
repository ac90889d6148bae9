package podlogs

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/benchnet/benchnet/internal/naming"
)

// newPod returns a pod whose containers have started. The first is the first of its containers, and the proxy starts
// before.
func newPod(name, role string, containers ...string) corev1.Pod {
	pod := corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{naming.LabelComponent: role}},
		Spec:   corev1.PodSpec{InitContainers: []corev1.Container{{Name: "proxy"}}},
		Status: corev1.PodStatus{InitContainerStatuses: []corev1.ContainerStatus{{Name: "proxy", ContainerID: "1"}}}}
	for _, container := range containers {
		pod.Spec.Containers = append(pod.Spec.Containers, corev1.Container{Name: container})
		pod.Status.ContainerStatuses = append(pod.Status.ContainerStatuses, corev1.ContainerStatus{Name: container, ContainerID: "1"})
	}
	return pod
}

func TestFindSources(t *testing.T) {
	annotated := newPod("b", "worker", "agent", "driver")
	annotated.Annotations = map[string]string{defaultContainerAnnotation: "driver"}
	waiting := newPod("c", "member", "node")
	waiting.Status.ContainerStatuses[0].ContainerID = ""
	pods := []corev1.Pod{waiting, annotated, newPod("a", "member", "node", "exporter")}
	for _, test := range []struct {
		name      string
		selection Selection
		want      string
	}{
		{"default containers that have started", Selection{}, "a/node b/driver"},
		{"one role", Selection{Role: "worker"}, "b/driver"},
		{"one container", Selection{Container: "exporter"}, "a/exporter"},
		{"all containers", Selection{Role: "member", AllContainers: true}, "a/proxy a/node a/exporter c/proxy"},
		{"no such role", Selection{Role: "notary"}, `no pod has the role "notary"; there are: member, worker`},
		{"no such container", Selection{Role: "worker", Container: "node"}, `no pod has a container "node"; there are: agent, driver, proxy`},
	} {
		t.Run(test.name, func(t *testing.T) {
			sources, err := test.selection.FindSources(pods)
			var words []string
			for _, s := range sources {
				words = append(words, s.Pod+"/"+s.Container)
			}
			got := strings.Join(words, " ")
			if err != nil {
				got = err.Error()
			}
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// openTexts returns an opener for texts by pod. A pod without a text has no log.
func openTexts(texts map[string]string) Opener {
	return func(_ context.Context, pod string, o *corev1.PodLogOptions) (io.ReadCloser, error) {
		text, ok := texts[pod]
		if !ok || !o.Timestamps || o.Container != "node" {
			return nil, errors.New("no log")
		}
		return io.NopCloser(strings.NewReader(text)), nil
	}
}

func TestPrintMerged(t *testing.T) {
	// The kubelet omits trailing zeros of the seconds, so that timestamps do not sort as text.
	texts := map[string]string{
		"a": "2026-01-01T00:00:01Z a1\n2026-01-01T00:00:03.5Z a2\ncontinued\n2026-01-01T00:00:09Z a3",
		"b": "2026-01-01T00:00:01.2Z b1\n2026-01-01T01:00:04+01:00 b2\n",
		"c": "",
	}
	sources := []Source{{Pod: "a", Container: "node"}, {Pod: "b", Container: "node"}, {Pod: "c", Container: "node"}, {Pod: "d", Container: "node"}}
	var out, errOut bytes.Buffer
	p := &Printer{Open: openTexts(texts), Out: &out, ErrOut: &errOut}
	if err := p.PrintMerged(t.Context(), sources); err != nil {
		t.Fatal(err)
	}
	want := "[pod/a/node] a1\n[pod/b/node] b1\n[pod/a/node] a2\n[pod/a/node] continued\n[pod/b/node] b2\n[pod/a/node] a3\n"
	if out.String() != want {
		t.Errorf("got\n%swant\n%s", out.String(), want)
	}
	if got := errOut.String(); got != "warning: log of d/node: no log\n" {
		t.Errorf("warnings: %q", got)
	}
	out.Reset()
	p.ShowTimestamps = true
	if err := p.PrintMerged(t.Context(), sources[1:2]); err != nil || !strings.HasPrefix(out.String(), "[pod/b/node] 2026-01-01T00:00:01.2Z b1\n") {
		t.Errorf("%v: got\n%s", err, out.String())
	}
}

// TestFollow follows a pod that restarts and one that starts later, until the target has ended.
func TestFollow(t *testing.T) {
	texts := map[string]string{"a": "2026-01-01T00:00:01Z a1\n", "b": "2026-01-01T00:00:01Z b1\n"}
	tails := make(chan bool, len(texts)+1)
	open := func(ctx context.Context, pod string, o *corev1.PodLogOptions) (io.ReadCloser, error) {
		tails <- o.TailLines != nil
		return openTexts(texts)(ctx, pod, o)
	}
	a := Source{Pod: "a", Container: "node", ID: "1"}
	restarted := Source{Pod: "a", Container: "node", ID: "2"}
	b := Source{Pod: "b", Container: "node", ID: "1"}
	lists := [][]Source{{a}, {a}, {restarted}, {restarted, b}}
	ticks := make(chan time.Time, len(lists))
	for range lists[1:] {
		ticks <- time.Time{}
	}
	var out bytes.Buffer
	tail := int64(10)
	p := &Printer{Open: open, Options: corev1.PodLogOptions{TailLines: &tail}, Out: &out, ErrOut: io.Discard}
	err := p.Follow(t.Context(), ticks, func(context.Context) ([]Source, bool, error) {
		first := lists[0]
		lists = lists[1:]
		return first, len(lists) == 0, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if strings.Count(out.String(), "[pod/a/node] a1\n") != 2 || strings.Count(out.String(), "[pod/b/node] b1\n") != 1 {
		t.Errorf("got\n%s", out.String())
	}
	close(tails)
	limited := 0
	for tail := range tails {
		if tail {
			limited++
		}
	}
	if limited != 1 {
		t.Errorf("%d logs have a limit of lines, want only that of the first list", limited)
	}
}

func TestFollowEndsWithContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	reader, writer := io.Pipe()
	open := func(ctx context.Context, _ string, _ *corev1.PodLogOptions) (io.ReadCloser, error) {
		context.AfterFunc(ctx, func() { writer.CloseWithError(ctx.Err()) })
		cancel()
		return reader, nil
	}
	p := &Printer{Open: open, Out: io.Discard, ErrOut: io.Discard}
	err := p.Follow(ctx, nil, func(context.Context) ([]Source, bool, error) { return []Source{{Pod: "a"}}, false, nil })
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
