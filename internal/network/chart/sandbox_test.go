package chart

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/benchnet/benchnet/internal/network/database"
)

// openFileCommand makes the test binary a restricted process that tries to open a file.
const openFileCommand = "open-file"

func TestMain(m *testing.M) {
	switch {
	case IsChild():
		os.Exit(ServeChild())
	case len(os.Args) == 2 && os.Args[1] == openFileCommand:
		time.AfterFunc(time.Minute, func() { os.Exit(1) })
		if err := restrictProcess(); err != nil {
			fmt.Println(err)
		}
		_, err := os.Open("/proc/self/statm")
		fmt.Println(err)
		os.Exit(0)
	}
	os.Exit(m.Run())
}

const serviceTemplate = `
apiVersion: v1
kind: Service
metadata: {name: {{ .Values.fullnameOverride }}}
spec: {selector: {app: mine}, ports: [{port: 5432}]}
`

// packChart returns a packed chart with one template.
func packChart(t *testing.T, template string) []byte {
	t.Helper()
	var out bytes.Buffer
	zip := gzip.NewWriter(&out)
	archive := tar.NewWriter(zip)
	for name, content := range map[string]string{"Chart.yaml": "{apiVersion: v2, name: mine, version: 1.0.0}", "templates/a.yaml": template} {
		header := &tar.Header{Name: "mine/" + name, Mode: 0o644, Size: int64(len(content)), Typeflag: tar.TypeReg}
		if err := archive.WriteHeader(header); err != nil {
			t.Fatal(err)
		}
		if _, err := archive.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(archive.Close(), zip.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// newSource returns a chart with one template; loads counts how often it is loaded.
func newSource(t *testing.T, namespace, template string, loads *atomic.Int32) Source {
	archive := packChart(t, template)
	return Source{Namespace: namespace, Version: template, Load: func(context.Context) ([]byte, error) {
		if loads != nil {
			loads.Add(1)
		}
		return archive, nil
	}}
}

func newRenderer(t *testing.T) *Renderer {
	t.Helper()
	r, err := NewRenderer(time.Now)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// renderUntilDone calls Render until the chart is rendered.
func renderUntilDone(t *testing.T, r *Renderer, s Source, request database.RenderRequest) ([][]*unstructured.Unstructured, error) {
	t.Helper()
	for {
		objects, err := r.Render(t.Context(), s, request)
		if !errors.Is(err, ErrPending) {
			return objects, err
		}
		select {
		case <-t.Context().Done():
			t.Fatal("the chart is never rendered")
		case <-time.After(5 * time.Millisecond):
		}
	}
}

func newRequest(instances ...string) database.RenderRequest {
	return database.RenderRequest{Namespace: "bench", Instances: instances}
}

func TestRenderOnce(t *testing.T) {
	r, loads := newRenderer(t), &atomic.Int32{}
	s := newSource(t, "bench", serviceTemplate, loads)
	for range 2 {
		objects, err := renderUntilDone(t, r, s, newRequest("net-db-0", "net-db-1"))
		if err != nil {
			t.Fatal(err)
		}
		if len(objects) != 2 || objects[1][0].GetName() != "net-db-1" {
			t.Errorf("got %v", objects)
		}
	}
	if loads.Load() != 1 {
		t.Errorf("the chart was read %d times, want once", loads.Load())
	}
	if _, err := renderUntilDone(t, r, s, newRequest("other-db")); err != nil || loads.Load() != 2 {
		t.Errorf("another request: %v, the chart was read %d times", err, loads.Load())
	}
}

// TestHostileCharts renders charts that would block or crash the operator if it rendered them in its own
// process.
func TestHostileCharts(t *testing.T) {
	const generous = 5 * time.Minute // These charts reach a limit other than the time.
	for name, tc := range map[string]struct {
		template string
		timeout  time.Duration
		want     string
		limit    bool
	}{
		"loop":        {"{{ range until 1000000 }}{{ range until 1000000 }}{{ end }}{{ end }}", time.Second, "takes longer than 1s", true},
		"memory":      {"{{ repeat 1000000000 \"a\" }}", generous, "needs more than 64 MiB of memory", true},
		"much memory": {"{{ $l := list }}{{ range until 100000000 }}{{ $l = append $l (repeat 1000 \"a\") }}{{ end }}", generous, "needs more than 64 MiB of memory", true},
		"output": {serviceTemplate + "{{ range until 60 }}---\napiVersion: v1\nkind: ConfigMap\nmetadata: {name: net-db-{{ . }}}\ndata: {a: {{ repeat 100000 \"a\" }}}\n{{ end }}",
			generous, "creates more than 2 MiB of objects", true},
		// It depends on the garbage collector whether the stack limit or the memory limit is reached first.
		"template in itself": {`{{ define "a" }}{{ template "a" . }}{{ end }}{{ template "a" . }}`, generous, "recurses too deeply|needs more than 64 MiB of memory", true},
		"number as an item":  {strings.Replace(serviceTemplate, "{port: 5432}", "5432", 1), generous, "Service net-db: ", false},
		"number as a spec":   {"apiVersion: apps/v1\nkind: StatefulSet\nmetadata: {name: net-db}\nspec: 5", generous, "StatefulSet net-db: ", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := newRenderer(t)
			r.timeout = tc.timeout
			_, err := renderUntilDone(t, r, newSource(t, "bench", tc.template, nil), newRequest("net-db"))
			if err == nil || !regexp.MustCompile(tc.want).MatchString(err.Error()) || errors.Is(err, ErrLimitExceeded) != tc.limit {
				t.Fatalf("got %v (limit %t), want …%s…", err, errors.Is(err, ErrLimitExceeded), tc.want)
			}
			if len(err.Error()) > maxErrorLength {
				t.Errorf("the refusal has %d bytes", len(err.Error()))
			}
		})
	}
}

// TestMemoryOfChild measures a child at its limits: two children must fit into 512 MiB beside the operator.
func TestMemoryOfChild(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, template := range map[string]string{
		"one allocation":       `{{ repeat 1000000000 "a" }}`,
		"one that just fits":   `{{ $a := repeat 60000000 "a" }}{{ range until 1000000 }}{{ repeat 1000 "a" }}{{ end }}`,
		"many allocations":     `{{ $l := list }}{{ range until 4000 }}{{ $l = append $l (repeat 100000 "a") }}{{ end }}`,
		"output of a template": `{{ range until 100000 }}{{ repeat 10000 "a" }}{{ end }}`,
	} {
		t.Run(name, func(t *testing.T) {
			input, err := json.Marshal(childRequest{Archive: packChart(t, template), Request: newRequest("net-db"), Deadline: renderTimeout})
			if err != nil {
				t.Fatal(err)
			}
			child := exec.CommandContext(t.Context(), program, ChildCommand)
			child.Env, child.Stdin = []string{}, bytes.NewReader(input)
			if err := child.Run(); err == nil {
				t.Error("the chart was rendered")
			}
			const most = 150 << 10
			if used := child.ProcessState.SysUsage().(*syscall.Rusage).Maxrss; used > most {
				t.Errorf("the child used %d MiB", used>>10)
			} else {
				t.Logf("%d MiB", used>>10)
			}
		})
	}
}

// TestHostileTenants renders endless charts of four tenants, and then an ordinary chart of a fifth tenant.
func TestHostileTenants(t *testing.T) {
	r := newRenderer(t)
	r.timeout = 4 * time.Second
	for n := range 4 {
		endless := newSource(t, fmt.Sprintf("hostile-%d", n), "{{ range until 1000000 }}{{ range until 1000000 }}{{ end }}{{ end }}", nil)
		for m := range 10 { // Only one of them starts.
			if _, err := r.Render(t.Context(), endless, newRequest(fmt.Sprintf("net-db-%d", m))); !errors.Is(err, ErrPending) {
				t.Fatal(err)
			}
		}
	}
	r.mu.Lock()
	if len(r.renderingNamespaces) != 4 {
		t.Errorf("%d charts wait or are rendered, want one of each namespace", len(r.renderingNamespaces))
	}
	r.mu.Unlock()
	for len(r.slots) < maxChildren { // The endless charts occupy all slots.
		time.Sleep(time.Millisecond)
	}
	if _, err := renderUntilDone(t, r, newSource(t, "bench", serviceTemplate, nil), newRequest("net-db")); err != nil {
		t.Error(err)
	}
}

// TestRefusalExpires checks that a refusal because of the chart's content is kept, and that one because of a
// limit is retried.
func TestRefusalExpires(t *testing.T) {
	now := time.Now()
	for name, tc := range map[string]struct {
		template string
		again    bool
	}{
		"content": {"kind: Nothing", false},
		"limit":   {"{{ repeat 1000000000 \"a\" }}", true},
	} {
		t.Run(name, func(t *testing.T) {
			r, loads := newRenderer(t), &atomic.Int32{}
			after := time.Duration(0)
			r.now = func() time.Time { return now.Add(after) }
			s := newSource(t, "bench", tc.template, loads)
			for _, after = range []time.Duration{0, retryAfterLimit - time.Second} {
				if _, err := renderUntilDone(t, r, s, newRequest("net-db")); err == nil || loads.Load() != 1 {
					t.Fatalf("after %s: %v, read %d times", after, err, loads.Load())
				}
			}
			after = retryAfterLimit
			if _, err := r.Render(t.Context(), s, newRequest("net-db")); errors.Is(err, ErrPending) != tc.again {
				t.Errorf("after %s: %v", after, err)
			}
		})
	}
}

// TestConfinedProcessOpensNothing checks that a restricted process cannot open a file.
func TestConfinedProcessOpensNothing(t *testing.T) {
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), program, openFileCommand).CombinedOutput()
	if err != nil || !strings.Contains(string(out), "too many open files") {
		t.Errorf("a confined process opened a file: %v: %s", err, out)
	}
}

func TestCacheIsFair(t *testing.T) {
	c := outcomeCache{limit: 20 * entrySize}
	c.putEntry(&cacheEntry{key: "small", namespace: "a"})
	for n := range 100 {
		c.putEntry(&cacheEntry{key: fmt.Sprint(n), namespace: "b", output: make([]byte, entrySize)})
	}
	if c.getEntry("small", time.Time{}) == nil {
		t.Error("the large namespace pushed out the small one")
	}
	if c.getEntry("99", time.Time{}) == nil || c.getEntry("0", time.Time{}) != nil {
		t.Error("the namespace should keep its last entries")
	}
}
