package driver

import (
	"fmt"
	"maps"
	"path"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/agent/protocol"
	"github.com/benchnet/benchnet/internal/names"
	"github.com/benchnet/benchnet/internal/pods"
)

// Paths in a worker's pod.
const (
	workloadPath = "/etc/benchnet/workload/workload.json"
)

// The agent in a worker's pod tells Prometheus what the worker uses.
const (
	portAgent     = 9101
	portNameAgent = "agent"
)

// job has one pod per worker. A worker that dies ends the run: a second try would measure something else.
func job(run *v1alpha1.BenchmarkRun, d Driver, agentImage string) *batchv1.Job {
	w := run.Spec.Workload
	podLabels := map[string]string{}
	maps.Copy(podLabels, d.Labels)
	maps.Copy(podLabels, Labels(run))
	podLabels[v1alpha1.LabelNetwork] = run.Spec.NetworkName
	return &batchv1.Job{ObjectMeta: meta(run, run.Name), Spec: batchv1.JobSpec{
		Completions:    new(w.Workers.Count),
		Parallelism:    new(w.Workers.Count),
		CompletionMode: new(batchv1.IndexedCompletion),
		BackoffLimit:   new(int32(0)),
		Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: podLabels},
			Spec:       pod(run, d, agentImage),
		},
	}}
}

// podBudget is the time for one worker from when its pod has a node: waiting for a node does not count. A worker that is early waits for
// the others, which may have no node for as long as the run waits for one.
func podBudget(run *v1alpha1.BenchmarkRun) time.Duration {
	measure := &run.Spec.Workload.Measure
	budget := SetUpBudget + measure.WarmUp.Duration + measure.Window.Duration + measure.Drain.Duration + 2*time.Minute
	if within := run.Spec.NetworkReadyWithin; within != nil {
		budget += within.Duration
	}
	return budget
}

func pod(run *v1alpha1.BenchmarkRun, d Driver, agentImage string) corev1.PodSpec {
	return corev1.PodSpec{
		ActiveDeadlineSeconds:        new(int64(podBudget(run).Seconds())),
		RestartPolicy:                corev1.RestartPolicyNever,
		ServiceAccountName:           run.Name,
		AutomountServiceAccountToken: new(true),
		EnableServiceLinks:           new(false),
		NodeSelector:                 run.Spec.Workload.Workers.NodeSelector,
		SecurityContext:              pods.Security(),
		InitContainers:               append([]corev1.Container{pods.InstallAgent(agentImage)}, d.Init...),
		Containers:                   []corev1.Container{worker(run, d)},
		Volumes:                      append(volumes(run), d.Volumes...),
	}
}

func worker(run *v1alpha1.BenchmarkRun, d Driver) corev1.Container {
	command := []string{pods.Agent, "work", "--metrics-addr", fmt.Sprintf(":%d", portAgent), "--namespace", run.Namespace,
		"--barrier", names.Barrier(run.Name), "--report", names.ReportPrefix(run.Name) + "$(" + protocol.WorkerVariable + ")"}
	switch {
	case d.Plan != "":
		command = append(command, "--plan", d.Plan)
	case d.Stream != "":
		command = append(command, "--stream", d.Stream)
	}
	if len(d.Command) > 0 {
		command = append(append(command, "--"), d.Command...)
	}
	w := run.Spec.Workload.Workers
	size := corev1.ResourceList{corev1.ResourceCPU: w.Cores, corev1.ResourceMemory: w.Memory}
	return corev1.Container{
		Name:    "worker",
		Image:   d.Image,
		Command: command,
		Env:     append(environment(run), d.Env...),
		// A load generator that has to wait for a core measures itself, not the network; it still must fit beside it.
		Resources: corev1.ResourceRequirements{Limits: size,
			Requests: corev1.ResourceList{corev1.ResourceMemory: w.Memory, corev1.ResourceCPU: tenth(w.Cores)}},
		Ports:                    []corev1.ContainerPort{{Name: portNameAgent, ContainerPort: portAgent, Protocol: corev1.ProtocolTCP}},
		VolumeMounts:             append(mounts(run), d.Mounts...),
		SecurityContext:          pods.Restricted(),
		TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError,
		ReadinessProbe: &corev1.Probe{PeriodSeconds: 1, TimeoutSeconds: 5, FailureThreshold: 3, ProbeHandler: corev1.ProbeHandler{
			Exec: &corev1.ExecAction{Command: []string{pods.Agent, "check", "--file", path.Join(protocol.DefaultDir, protocol.ReadyFile)}}}},
	}
}

func environment(run *v1alpha1.BenchmarkRun) []corev1.EnvVar {
	index := &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{
		APIVersion: "v1", FieldPath: "metadata.annotations['" + batchv1.JobCompletionIndexAnnotation + "']"}}
	return []corev1.EnvVar{
		{Name: protocol.WorkerVariable, ValueFrom: index},
		{Name: protocol.WorkersVariable, Value: decimal(run.Spec.Workload.Workers.Count)},
		{Name: protocol.DirVariable, Value: protocol.DefaultDir},
		{Name: protocol.WorkloadVariable, Value: workloadPath},
	}
}

func mounts(run *v1alpha1.BenchmarkRun) []corev1.VolumeMount {
	exchange := corev1.VolumeMount{Name: "exchange", MountPath: protocol.DefaultDir}
	if keepsSamples(run) {
		exchange.SubPathExpr = "worker-$(" + protocol.WorkerVariable + ")"
	}
	return []corev1.VolumeMount{
		exchange,
		{Name: pods.AgentVolume, MountPath: pods.AgentDir, ReadOnly: true},
		{Name: "workload", MountPath: path.Dir(workloadPath), ReadOnly: true},
		{Name: "tmp", MountPath: "/tmp"},
	}
}

// volumes of a worker. The directory in which driver and agent exchange files, JMeter's sample log among them, is a
// volume that outlives the pod where the log is kept.
func volumes(run *v1alpha1.BenchmarkRun) []corev1.Volume {
	empty := corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}
	exchange := empty
	if keepsSamples(run) {
		exchange = corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: names.Samples(run.Name)}}
	}
	workload := corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{
		LocalObjectReference: corev1.LocalObjectReference{Name: names.Workload(run.Name)}}}
	return []corev1.Volume{{Name: "exchange", VolumeSource: exchange}, {Name: "agent", VolumeSource: empty},
		{Name: "workload", VolumeSource: workload}, {Name: "tmp", VolumeSource: empty}}
}

func keepsSamples(run *v1alpha1.BenchmarkRun) bool {
	return run.Spec.Workload.JTL == v1alpha1.RetentionKeep
}
