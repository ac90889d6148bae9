package diagnose

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/base64"
	"errors"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/cli/cluster"
	"github.com/benchnet/benchnet/internal/run/boundedjson"
)

// The contents of the network's Secrets.
const (
	password = "correct horse & battery <staple>"
	keyLine  = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASC"
)

func newScheme(t *testing.T) *runtime.Scheme {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := errors.Join(clientgoscheme.AddToScheme(scheme), v1alpha1.AddToScheme(scheme)); err != nil {
		t.Fatal(err)
	}
	return scheme
}

// newObjects returns a network with a pod and a ConfigMap that contain its Secrets' values, another network's pod, and
// the operator.
func newObjects(t *testing.T) []client.Object {
	t.Helper()
	meta := func(name, network string) metav1.ObjectMeta {
		return metav1.ObjectMeta{Namespace: "lab", Name: name, Labels: map[string]string{v1alpha1.LabelNetwork: network}}
	}
	packed, err := boundedjson.Pack(map[string]string{"leak": password}, "result")
	if err != nil {
		t.Fatal(err)
	}
	started := corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{Name: "node", ContainerID: "1", RestartCount: 1}}}
	operator := metav1.ObjectMeta{Namespace: "ops", Name: "operator", Labels: cluster.OperatorLabels}
	return []client.Object{
		&corev1.Secret{ObjectMeta: meta("net-keys", "net"), Data: map[string][]byte{
			"password": []byte(password), "key.pem": []byte("-----BEGIN-----\n" + keyLine + "\n"), "username": []byte("postgres")}},
		&v1alpha1.BenchmarkNetwork{ObjectMeta: metav1.ObjectMeta{Namespace: "lab", Name: "net",
			Annotations: map[string]string{corev1.LastAppliedConfigAnnotation: "applied"}}},
		&v1alpha1.BenchmarkNetwork{ObjectMeta: metav1.ObjectMeta{Namespace: "lab", Name: "other"}},
		&corev1.Pod{ObjectMeta: meta("net-member-0-0", "net"), Status: started, Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "node",
			Env: []corev1.EnvVar{{Name: "PASSWORD", Value: password}, {Name: "USER", Value: "postgres"}}}}}},
		&corev1.Pod{ObjectMeta: meta("other-member-0-0", "other"), Status: started},
		&corev1.ConfigMap{ObjectMeta: meta("net-config", "net"), Data: map[string]string{"node.conf": "key = " + keyLine + "\nurl = jdbc:x?password=" + password},
			BinaryData: map[string][]byte{"result.json.gz": packed}},
		&appsv1.StatefulSet{ObjectMeta: meta("net-member-1", "net")},
		event("started", "Pod", "net-member-0-0", "started with "+password),
		event("deleted-pod", "Pod", "net-member-1-0", "killed"),
		event("admitted", "BenchmarkNetwork", "net", "admitted"),
		event("of-another-network", "Pod", "other-member-0-0", "started"),
		event("of-a-longer-name", "Pod", "net-member-1-other-0", "started"),
		event("of-another-kind", "Job", "net-member-0-0", "started"),
		event("of-another-application", "Deployment", "web", "scaled"),
		&appsv1.Deployment{ObjectMeta: operator, Spec: appsv1.DeploymentSpec{Template: corev1.PodTemplateSpec{
			Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "operator", Image: "registry:5000/operator:0.3.1"}}}}}},
		&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "ops", Name: "operator-1", Labels: cluster.OperatorLabels}, Status: started},
	}
}

// event returns an event of an object.
func event(name, kind, of, message string) *corev1.Event {
	return &corev1.Event{ObjectMeta: metav1.ObjectMeta{Namespace: "lab", Name: name}, InvolvedObject: corev1.ObjectReference{Kind: kind, Name: of}, Message: message}
}

// openLog returns a log with the contents of Secrets.
func openLog(_ context.Context, _, pod string, o *corev1.PodLogOptions) (io.ReadCloser, error) {
	if o.Previous && pod == "operator-1" {
		return nil, errors.New("the log is gone")
	}
	text := "user postgres of " + pod + "\npassword " + password + "\n" + base64.StdEncoding.EncodeToString([]byte(password)) + "\n"
	return io.NopCloser(strings.NewReader(text)), nil
}

// readArchive returns the files of an archive by name.
func readArchive(t *testing.T, archive io.Reader) map[string]string {
	t.Helper()
	zip, err := gzip.NewReader(archive)
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for reader := tar.NewReader(zip); ; {
		header, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return files
		}
		if err != nil {
			t.Fatal(err)
		}
		content, err := io.ReadAll(reader)
		if err != nil {
			t.Fatal(err)
		}
		files[header.Name] = string(content)
	}
}

func collect(t *testing.T, reader client.Reader) (files map[string]string, problems []string) {
	t.Helper()
	c := &Collector{Reader: reader, OpenLog: openLog, Versions: "plugin 0.1.0\n", Now: time.Unix(0, 0)}
	var archive bytes.Buffer
	problems, err := c.Collect(t.Context(), Subject{Namespace: "lab", Networks: []string{"net"}}, "d", &archive)
	if err != nil {
		t.Fatal(err)
	}
	return readArchive(t, &archive), problems
}

// TestArchiveHasNoSecrets checks that neither Secrets nor their values in other objects and logs are in the archive.
func TestArchiveHasNoSecrets(t *testing.T) {
	files, problems := collect(t, fake.NewClientBuilder().WithScheme(newScheme(t)).WithObjects(newObjects(t)...).Build())
	encoded := base64.StdEncoding.EncodeToString([]byte(password))
	for name, content := range files {
		for _, text := range []string{"kind: Secret\n", "correct horse", "staple", keyLine, encoded, "last-applied"} {
			if strings.Contains(content, text) {
				t.Errorf("%s contains %q:\n%s", name, text, content)
			}
		}
	}
	want := []string{
		"d/logs/net-member-0-0/node.log", "d/logs/net-member-0-0/node.previous.log", "d/objects/benchmarknetwork/net.yaml",
		"d/objects/configmap/net-config.yaml", "d/objects/configmap/net-config/result.json", "d/objects/event/admitted.yaml",
		"d/objects/event/deleted-pod.yaml", "d/objects/event/started.yaml", "d/objects/pod/net-member-0-0.yaml", "d/objects/statefulset/net-member-1.yaml",
		"d/operator/deployment/operator.yaml", "d/operator/logs/operator-1/node.log",
		"d/operator/pod/operator-1.yaml", "d/problems.txt", "d/versions.txt",
	}
	if got := slices.Sorted(maps.Keys(files)); !slices.Equal(got, want) {
		t.Errorf("files\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	for name, text := range map[string]string{
		"d/logs/net-member-0-0/node.log": "user postgres of net-member-0-0\npassword " + redacted + "\n" + redacted + "\n",
		"d/versions.txt":                 "operator   0.3.1 (Deployment ops/operator)",
		"d/problems.txt":                 "cannot read log operator/logs/operator-1/node.previous.log: the log is gone",
	} {
		if !strings.Contains(files[name], text) {
			t.Errorf("%s has no %q:\n%s", name, text, files[name])
		}
	}
	if len(problems) != 1 {
		t.Errorf("problems: %q", problems)
	}
}

// TestUnreadableKindsAreReported checks that missing permissions do not prevent an archive.
func TestUnreadableKindsAreReported(t *testing.T) {
	forbidden := interceptor.Funcs{List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, options ...client.ListOption) error {
		kind := list.GetObjectKind().GroupVersionKind().Kind
		if _, ok := list.(*corev1.SecretList); ok || kind == "NodeList" {
			return errors.New("forbidden")
		}
		return c.List(ctx, list, options...)
	}}
	files, problems := collect(t, fake.NewClientBuilder().WithScheme(newScheme(t)).WithObjects(newObjects(t)...).WithInterceptorFuncs(forbidden).Build())
	for _, want := range []string{"cannot read Secrets, so logs and objects were not searched for their content: forbidden", "cannot read Node objects: forbidden"} {
		if !slices.Contains(problems, want) || !strings.Contains(files["d/problems.txt"], want) {
			t.Errorf("no %q in %q", want, problems)
		}
	}
	if files["d/objects/pod/net-member-0-0.yaml"] == "" {
		t.Error("the pod is missing")
	}
}
