package controllers_test

import (
	"encoding/base64"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/go-logr/logr/funcr"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/log"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// captureLog has the reconcilers log into the returned slice, at every level that the operator uses. Each line is a JSON object.
func (w *testEnv) captureLog() *[]string {
	lines := &[]string{}
	logger := funcr.NewJSON(func(line string) { *lines = append(*lines, line) }, funcr.Options{Verbosity: 5})
	w.ctx = log.IntoContext(w.ctx, logger)
	return lines
}

// shortStory reduces each line to its message and its object, stage or verdict.
func shortStory(t *testing.T, lines []string) []string {
	t.Helper()
	var story []string
	for _, line := range lines {
		var fields struct{ Msg, Object, Stage, Verdict string }
		must(t, json.Unmarshal([]byte(line), &fields))
		story = append(story, strings.TrimSpace(fields.Msg+" "+fields.Object+fields.Stage+fields.Verdict))
	}
	return story
}

// TestLogTellsWhatHappened follows a network and a run by the log only, and looks for the contents of Secrets in it.
func TestLogTellsWhatHappened(t *testing.T) {
	w := newTestEnv(t)
	lines := w.captureLog()
	must(t, w.createFromYAML(cordaNetwork[:strings.Index(cordaNetwork, "  workloads:")], &v1alpha1.BenchmarkNetwork{}))
	w.bringUp("banks")
	w.completeTwoWorkerRun()

	story := shortStory(t, *lines)
	for _, want := range []string{
		"object created Secret/banks-db-superuser", "object created Job/benchnet-genesis-banks", "stage started Genesis", "stage ready Genesis",
		"object created StatefulSet/banks-member-0", "stage ready Members", "owner references changed BenchmarkRun/extra",
		"object created Job/extra", "run started", "object created ConfigMap/extra-result", "owner references changed BenchmarkRun/extra",
		"object deleted ConfigMap/extra-barrier", "run judged Valid",
	} {
		at := slices.Index(story, want)
		if at < 0 {
			t.Fatalf("the log should continue with %q, but has:\n%s", want, strings.Join(story, "\n"))
		}
		story = story[at+1:]
	}

	all := strings.Join(*lines, "\n")
	var secrets corev1.SecretList
	must(t, w.client.List(w.ctx, &secrets, client.InNamespace(w.namespace)))
	looked := 0
	for _, secret := range secrets.Items {
		for key, value := range secret.Data {
			if len(value) < 8 {
				continue
			}
			looked++
			if strings.Contains(all, string(value)) || strings.Contains(all, base64.StdEncoding.EncodeToString(value)) {
				t.Errorf("the log has the value of %s in Secret %s", key, secret.Name)
			}
		}
	}
	if looked == 0 {
		t.Error("the cluster has no Secrets to search for")
	}
}
