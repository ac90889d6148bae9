package cluster

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// artifactsVariable names the folder for the artifacts of failed tests.
const artifactsVariable = "BENCHNET_E2E_ARTIFACTS"

func artifactsDir() string {
	if dir := os.Getenv(artifactsVariable); dir != "" {
		return dir
	}
	return filepath.Join(os.TempDir(), "benchnet-e2e")
}

// shownLines is how many lines at the end of the events and of the operator's log go to the test's own log.
const shownLines = 15

// leftoverColumns show why an object may still exist.
const leftoverColumns = "KIND:.kind,NAME:.metadata.name,CREATED:.metadata.creationTimestamp,DELETED:.metadata.deletionTimestamp," +
	"FINALIZERS:.metadata.finalizers,OWNERS:.metadata.ownerReferences[*].uid"

// collectArtifacts writes the objects, events and logs of the namespace and the operator's log to files, and
// logs the end of the events and of the operator's log.
func (n *Namespace) collectArtifacts() {
	n.Helper()
	dir := filepath.Join(artifactsDir(), n.Name)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		n.Logf("make %s: %v", dir, err)
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	here := func(args ...string) []string { return append([]string{"--namespace", n.Name}, args...) }
	n.writeArtifact(ctx, dir, "objects.yaml", here("get", "benchnet,pods,jobs,statefulsets,persistentvolumeclaims,services,configmaps", "--output=yaml"))
	n.writeArtifact(ctx, dir, "describe.txt", here("describe", "benchnet,pods,jobs,persistentvolumeclaims"))
	if all, err := listKinds(ctx); err == nil {
		n.writeArtifact(ctx, dir, "all.txt", here("get", all, "--output=custom-columns="+leftoverColumns))
	}
	n.writeArtifact(ctx, dir, "volumes.yaml", []string{"get", "persistentvolumes", "--output=yaml"})
	events := n.writeArtifact(ctx, dir, "events.txt", here("get", "events", "--sort-by=.lastTimestamp"))
	operator := n.writeArtifact(ctx, dir, "operator.log", []string{"--namespace", OperatorNamespace, "logs", "deployment/" + operatorDeployment, "--tail=5000"})
	pods, _ := runKubectl(ctx, "", here("get", "pods", "--output=name")...)
	for pod := range strings.FieldsSeq(pods) {
		n.writeArtifact(ctx, dir, strings.TrimPrefix(pod, "pod/")+".log", here("logs", pod, "--all-containers", "--prefix"))
	}
	n.Logf("all is in %s\nevents:\n%s\noperator:\n%s", dir, lastLines(events), lastLines(operator))
}

// listKinds returns all namespaced kinds that the cluster serves, in the form that kubectl get accepts.
func listKinds(ctx context.Context) (string, error) {
	names, err := runKubectl(ctx, "", "api-resources", "--namespaced", "--verbs=list", "--output=name")
	return strings.Join(strings.Fields(names), ","), err
}

func (n *Namespace) writeArtifact(ctx context.Context, dir, name string, args []string) string {
	text, err := runKubectl(ctx, "", args...)
	if err != nil {
		text += fmt.Sprintf("\n%v\n", err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
		n.Logf("write artifact: %v", err)
	}
	return text
}

func lastLines(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return strings.Join(lines[max(0, len(lines)-shownLines):], "\n")
}
