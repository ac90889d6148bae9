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

	"github.com/benchnet/benchnet/internal/agent/kube"
)

var completeAnnotation = kube.Annotation{Key: "benchnet.dev/complete", Value: "true"}

func createSecret(t *testing.T, name string) {
	t.Helper()
	object := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"of": "the-operator"}}}
	if _, err := apiClients(t).CoreV1().Secrets(namespace).Create(t.Context(), object, metav1.CreateOptions{FieldManager: "operator"}); err != nil {
		t.Fatal(err)
	}
}

func getSecret(t *testing.T, name string) *corev1.Secret {
	t.Helper()
	object, err := apiClients(t).CoreV1().Secrets(namespace).Get(t.Context(), name, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return object
}

// writeFolder writes files to a new folder and returns its path relative to the publishers' root, /.
func writeFolder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return strings.TrimPrefix(dir, "/")
}

// newPublisher returns a publisher that may only patch the named Secrets.
func newPublisher(t *testing.T, wrap func(*rest.Config), names ...string) *kube.Publisher {
	t.Helper()
	return &kube.Publisher{Secrets: newClientWithRights(t, "secrets", names, []string{"patch"}, wrap).Secrets, Complete: completeAnnotation, Root: "/"}
}

func hasData(s *corev1.Secret, want map[string]string) bool {
	return maps.EqualFunc(s.Data, want, func(a []byte, b string) bool { return string(a) == b })
}

func TestPublishNeedsOnlyPatch(t *testing.T) {
	createSecret(t, "pub-a")
	createSecret(t, "pub-b")
	a, b := map[string]string{"nodeInfo-1": "x", "network-parameters": "\x00\xff"}, map[string]string{"keys.jks": "y"}
	sources := []kube.SecretSource{{Secret: "pub-a", Folder: writeFolder(t, a)}, {Secret: "pub-b", Folder: writeFolder(t, b)}}
	outcome, err := newPublisher(t, nil, "pub-a", "pub-b").Publish(t.Context(), sources)
	if err != nil || outcome != kube.Published {
		t.Fatalf("%s, %v", outcome, err)
	}
	for name, want := range map[string]map[string]string{"pub-a": a, "pub-b": b} {
		got := getSecret(t, name)
		if !hasData(got, want) || got.Annotations[completeAnnotation.Key] != completeAnnotation.Value || got.Labels["of"] != "the-operator" {
			t.Errorf("%s holds %q with annotations %v, labels %v", name, got.Data, got.Annotations, got.Labels)
		}
	}
}

func TestCompleteSecretsAreKept(t *testing.T) {
	createSecret(t, "kept")
	p := newPublisher(t, nil, "kept")
	first := map[string]string{"key": "in use"}
	for i, want := range []kube.Outcome{kube.Published, kube.AlreadyComplete} {
		source := writeFolder(t, []map[string]string{first, {"key": "another"}}[i])
		if got, err := p.Publish(t.Context(), []kube.SecretSource{{Secret: "kept", Folder: source}}); err != nil || got != want {
			t.Fatalf("call %d: %s, %v; want %s", i, got, err, want)
		}
	}
	if got := getSecret(t, "kept"); !hasData(got, first) {
		t.Errorf("a complete Secret was overwritten: %q", got.Data)
	}
}

func TestPublishCreatesNoSecret(t *testing.T) {
	createSecret(t, "there")
	sources := []kube.SecretSource{{Secret: "there", Folder: writeFolder(t, map[string]string{"a": "1"})}, {Secret: "not-there", Folder: writeFolder(t, map[string]string{"a": "1"})}}
	// With the create verb as well, so that the error is not due to missing rights.
	p := &kube.Publisher{Secrets: newClientWithRights(t, "secrets", nil, []string{"*"}, nil).Secrets, Complete: completeAnnotation, Root: "/"}
	if _, err := p.Publish(t.Context(), sources); !apierrors.IsNotFound(err) || !strings.Contains(err.Error(), "not-there") {
		t.Errorf("error %v", err)
	}
	if got := getSecret(t, "there"); len(got.Data) > 0 || len(got.Annotations) > 0 {
		t.Errorf("the Secret that exists was changed: %q %v", got.Data, got.Annotations)
	}
}

// beforeRequest calls a function once, before the first request with a content type.
type beforeRequest struct {
	contentType string
	callback    func()
	next        http.RoundTripper
}

func (b *beforeRequest) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Header.Get("Content-Type") == b.contentType && b.callback != nil {
		b.callback()
		b.callback = nil
	}
	return b.next.RoundTrip(r)
}

// TestSecretDeletedDuringPublish checks that a Secret that is deleted or replaced during the publication gets
// no data and is not recreated.
func TestSecretDeletedDuringPublish(t *testing.T) {
	for name, again := range map[string]bool{"gone": false, "replaced": true} {
		createSecret(t, name)
		cluster := newClientWithRights(t, "secrets", nil, []string{"*"}, func(c *rest.Config) {
			c.Wrap(func(next http.RoundTripper) http.RoundTripper {
				return &beforeRequest{"application/apply-patch+yaml", func() {
					if err := apiClients(t).CoreV1().Secrets(namespace).Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil {
						t.Error(err)
					}
					if again {
						createSecret(t, name)
					}
				}, next}
			})
		})
		p := &kube.Publisher{Secrets: cluster.Secrets, Complete: completeAnnotation, Root: "/"}
		if _, err := p.Publish(t.Context(), []kube.SecretSource{{Secret: name, Folder: writeFolder(t, map[string]string{"a": "1"})}}); err == nil {
			t.Errorf("%s: published", name)
		}
		got, err := apiClients(t).CoreV1().Secrets(namespace).Get(t.Context(), name, metav1.GetOptions{})
		if again != (err == nil) || len(got.Data) > 0 {
			t.Errorf("%s: now holds %q, %v", name, got.Data, err)
		}
	}
}

// requestLimit passes a number of writes and fails all later ones before they reach the API server.
type requestLimit struct {
	remaining int
	next      http.RoundTripper
}

func (f *requestLimit) RoundTrip(r *http.Request) (*http.Response, error) {
	if f.remaining--; f.remaining < 0 {
		return nil, errors.New("killed")
	}
	return f.next.RoundTrip(r)
}

// TestPublishInterruptedAnywhere interrupts a publication before each of its requests: it never appears
// complete, and the next publication, with other files, leaves exactly those.
func TestPublishInterruptedAnywhere(t *testing.T) {
	names := []string{"int-a", "int-b"}
	for requests := 0; ; requests++ {
		for _, name := range names {
			_ = apiClients(t).CoreV1().Secrets(namespace).Delete(t.Context(), name, metav1.DeleteOptions{})
			createSecret(t, name)
		}
		first := writeFolder(t, map[string]string{"nodeInfo-old": "old", "both": "old"})
		sources := []kube.SecretSource{{Secret: names[0], Folder: first}, {Secret: names[1], Folder: first}}
		interrupted := newPublisher(t, func(c *rest.Config) {
			c.Wrap(func(next http.RoundTripper) http.RoundTripper { return &requestLimit{requests, next} })
		}, names...)
		if _, err := interrupted.Publish(t.Context(), sources); err == nil {
			if requests != 4*len(names) {
				t.Errorf("a publication took %d requests, want %d", requests, 4*len(names))
			}
			return
		}
		marked := slices.DeleteFunc(slices.Clone(names), func(name string) bool {
			return getSecret(t, name).Annotations[completeAnnotation.Key] == ""
		})
		if len(marked) == len(names) {
			t.Fatalf("interrupted after %d requests, all are marked as complete", requests)
		}
		second := map[string]string{"nodeInfo-new": "new", "both": "new"}
		for i := range sources {
			sources[i].Folder = writeFolder(t, second)
		}
		if outcome, err := newPublisher(t, nil, names...).Publish(t.Context(), sources); err != nil || outcome != kube.Published {
			t.Fatalf("second publication after %d requests: %s, %v", requests, outcome, err)
		}
		for _, name := range names {
			if got := getSecret(t, name); !hasData(got, second) || got.Annotations[completeAnnotation.Key] != completeAnnotation.Value {
				t.Errorf("interrupted after %d requests, %s then holds %q", requests, name, got.Data)
			}
		}
	}
}

func TestPublishRefuses(t *testing.T) {
	createSecret(t, "refusing")
	p := newPublisher(t, nil, "refusing")
	for want, dir := range map[string]string{
		"is empty": writeFolder(t, nil), "a b cannot be a key": writeFolder(t, map[string]string{"a b": "x"}), "no such file": "no/such",
	} {
		if _, err := p.Publish(t.Context(), []kube.SecretSource{{Secret: "refusing", Folder: dir}}); err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "refusing") {
			t.Errorf("error %v, want %q", err, want)
		}
	}
	if _, err := p.Publish(t.Context(), nil); err == nil {
		t.Error("a publication of nothing succeeds")
	}
}
