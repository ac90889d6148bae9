package kube_test

import (
	"errors"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/benchnet/benchnet/internal/agent/publish"
)

var complete = publish.Annotation{Key: "benchnet.dev/complete", Value: "true"}

func secret(t *testing.T, name string) {
	t.Helper()
	object := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"of": "the-operator"}}}
	if _, err := api.clients.CoreV1().Secrets(namespace).Create(t.Context(), object, metav1.CreateOptions{FieldManager: "operator"}); err != nil {
		t.Fatal(err)
	}
}

func getSecret(t *testing.T, name string) *corev1.Secret {
	t.Helper()
	object, err := api.clients.CoreV1().Secrets(namespace).Get(t.Context(), name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return object
}

// folder holds files of the given content; it is relative to the file system's root, which is the publishers' own.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return strings.TrimPrefix(dir, "/")
}

// publisher has no right but to patch the Secrets of these names.
func publisher(t *testing.T, wrap func(*rest.Config), names ...string) *publish.Publisher {
	t.Helper()
	return &publish.Publisher{Secrets: as(t, "secrets", names, []string{"patch"}, wrap).Secrets, Complete: complete, Root: "/"}
}

func holds(s *corev1.Secret, want map[string]string) bool {
	return maps.EqualFunc(s.Data, want, func(a []byte, b string) bool { return string(a) == b })
}

func TestPublishWithPatchAlone(t *testing.T) {
	secret(t, "pub-a")
	secret(t, "pub-b")
	a, b := map[string]string{"nodeInfo-1": "x", "network-parameters": "\x00\xff"}, map[string]string{"keys.jks": "y"}
	sources := []publish.Source{{Secret: "pub-a", Folder: folder(t, a)}, {Secret: "pub-b", Folder: folder(t, b)}}
	outcome, err := publisher(t, nil, "pub-a", "pub-b").Publish(t.Context(), sources)
	if err != nil || outcome != publish.Published {
		t.Fatalf("%s, %v", outcome, err)
	}
	for name, want := range map[string]map[string]string{"pub-a": a, "pub-b": b} {
		got := getSecret(t, name)
		if !holds(got, want) || got.Annotations[complete.Key] != complete.Value || got.Labels["of"] != "the-operator" {
			t.Errorf("%s holds %q with annotations %v, labels %v", name, got.Data, got.Annotations, got.Labels)
		}
	}
}

func TestCompleteSecretsAreKept(t *testing.T) {
	secret(t, "kept")
	p := publisher(t, nil, "kept")
	first := map[string]string{"key": "in use"}
	for i, want := range []publish.Outcome{publish.Published, publish.AlreadyComplete} {
		source := folder(t, []map[string]string{first, {"key": "another"}}[i])
		if got, err := p.Publish(t.Context(), []publish.Source{{Secret: "kept", Folder: source}}); err != nil || got != want {
			t.Fatalf("call %d: %s, %v; want %s", i, got, err, want)
		}
	}
	if got := getSecret(t, "kept"); !holds(got, first) {
		t.Errorf("complete material was overwritten: %q", got.Data)
	}
}

func TestNothingIsCreated(t *testing.T) {
	secret(t, "there")
	sources := []publish.Source{{Secret: "there", Folder: folder(t, map[string]string{"a": "1"})}, {Secret: "not-there", Folder: folder(t, map[string]string{"a": "1"})}}
	// With the right to create as well, so that the answer is not due to missing rights.
	p := &publish.Publisher{Secrets: as(t, "secrets", nil, []string{"*"}, nil).Secrets, Complete: complete, Root: "/"}
	if _, err := p.Publish(t.Context(), sources); !apierrors.IsNotFound(err) || !strings.Contains(err.Error(), "not-there") {
		t.Errorf("error %v", err)
	}
	if got := getSecret(t, "there"); len(got.Data) > 0 || len(got.Annotations) > 0 {
		t.Errorf("the Secret that exists was changed: %q %v", got.Data, got.Annotations)
	}
}

// before calls a function once, before the first request of a content type goes out.
type before struct {
	contentType string
	do          func()
	next        http.RoundTripper
}

func (b *before) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Header.Get("Content-Type") == b.contentType && b.do != nil {
		b.do()
		b.do = nil
	}
	return b.next.RoundTrip(r)
}

// A Secret that goes, or is replaced, while the publication runs gets nothing, and is not made anew.
func TestSecretThatGoesInBetween(t *testing.T) {
	for name, again := range map[string]bool{"gone": false, "replaced": true} {
		secret(t, name)
		cluster := as(t, "secrets", nil, []string{"*"}, func(c *rest.Config) {
			c.Wrap(func(next http.RoundTripper) http.RoundTripper {
				return &before{"application/apply-patch+yaml", func() {
					if err := api.clients.CoreV1().Secrets(namespace).Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil {
						t.Error(err)
					}
					if again {
						secret(t, name)
					}
				}, next}
			})
		})
		p := &publish.Publisher{Secrets: cluster.Secrets, Complete: complete, Root: "/"}
		if _, err := p.Publish(t.Context(), []publish.Source{{Secret: name, Folder: folder(t, map[string]string{"a": "1"})}}); err == nil {
			t.Errorf("%s: published", name)
		}
		got, err := api.clients.CoreV1().Secrets(namespace).Get(t.Context(), name, metav1.GetOptions{})
		if again != (err == nil) || len(got.Data) > 0 {
			t.Errorf("%s: now holds %q, %v", name, got.Data, err)
		}
	}
}

// failAfter lets so many writes through and fails all others before they reach the API server.
type failAfter struct {
	left int
	next http.RoundTripper
}

func (f *failAfter) RoundTrip(r *http.Request) (*http.Response, error) {
	if f.left--; f.left < 0 {
		return nil, errors.New("killed")
	}
	return f.next.RoundTrip(r)
}

// Killed before any of its requests, a publication is never seen as complete, and the next one, with other
// files, leaves exactly those.
func TestPublishInterruptedAnywhere(t *testing.T) {
	names := []string{"int-a", "int-b"}
	for requests := 0; ; requests++ {
		for _, name := range names {
			_ = api.clients.CoreV1().Secrets(namespace).Delete(t.Context(), name, metav1.DeleteOptions{})
			secret(t, name)
		}
		first := folder(t, map[string]string{"nodeInfo-old": "old", "both": "old"})
		sources := []publish.Source{{Secret: names[0], Folder: first}, {Secret: names[1], Folder: first}}
		interrupted := publisher(t, func(c *rest.Config) {
			c.Wrap(func(next http.RoundTripper) http.RoundTripper { return &failAfter{requests, next} })
		}, names...)
		if _, err := interrupted.Publish(t.Context(), sources); err == nil {
			if requests != 4*len(names) {
				t.Errorf("a publication took %d requests, want %d", requests, 4*len(names))
			}
			return
		}
		marked := slices.DeleteFunc(slices.Clone(names), func(name string) bool {
			return getSecret(t, name).Annotations[complete.Key] == ""
		})
		if len(marked) == len(names) {
			t.Fatalf("interrupted after %d requests, all are marked as complete", requests)
		}
		second := map[string]string{"nodeInfo-new": "new", "both": "new"}
		for i := range sources {
			sources[i].Folder = folder(t, second)
		}
		if outcome, err := publisher(t, nil, names...).Publish(t.Context(), sources); err != nil || outcome != publish.Published {
			t.Fatalf("second publication after %d requests: %s, %v", requests, outcome, err)
		}
		for _, name := range names {
			if got := getSecret(t, name); !holds(got, second) || got.Annotations[complete.Key] != complete.Value {
				t.Errorf("interrupted after %d requests, %s then holds %q", requests, name, got.Data)
			}
		}
	}
}

func TestPublishRefuses(t *testing.T) {
	secret(t, "refusing")
	p := publisher(t, nil, "refusing")
	for want, dir := range map[string]string{
		"is empty": folder(t, nil), "a b cannot be a key": folder(t, map[string]string{"a b": "x"}), "no such file": "no/such",
	} {
		if _, err := p.Publish(t.Context(), []publish.Source{{Secret: "refusing", Folder: dir}}); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "refusing") {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if _, err := p.Publish(t.Context(), nil); err == nil {
		t.Error("a publication of nothing succeeds")
	}
}
