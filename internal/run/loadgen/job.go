package loadgen

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strconv"
	"time"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/pods"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

// workloadPath is the path of the workload file in a worker's pod.
const workloadPath = "/etc/benchnet/workload/workload.json"

// portAgent is the port at which the agent in a worker's pod serves the worker's resource usage as metrics.
const portAgent = 9101

// PortName is the name of that port.
const PortName = "agent"

// buildJob returns the Job with one pod per worker. A failed worker ends the run, because a retry would
// measure something else.
func buildJob(run *v1alpha1.BenchmarkRun, d Driver, agentImage string) *batchv1.Job {
	w := run.Spec.Workload
	podLabels := naming.RunLabels(run.Name)
	maps.Copy(podLabels, d.Labels)
	podLabels[v1alpha1.LabelNetwork] = run.Spec.NetworkName
	return &batchv1.Job{ObjectMeta: runObjectMeta(run, naming.WorkerJob(run.Name)), Spec: batchv1.JobSpec{
		Completions:    new(w.Workers.Count),
		Parallelism:    new(w.Workers.Count),
		CompletionMode: new(batchv1.IndexedCompletion),
		BackoffLimit:   new(int32(0)),
		Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: podLabels},
			Spec:       buildPodSpec(run, d, agentImage),
		},
	}}
}

// podDeadline limits the duration of one worker. It counts from when the pod is scheduled, so waiting for a
// node does not count. A worker that is early waits for the others, which may wait for a node as long as the
// run permits.
func podDeadline(run *v1alpha1.BenchmarkRun) time.Duration {
	measure := &run.Spec.Workload.Measure
	budget := SetUpTimeout + measure.CalibrationDuration() + measure.WarmUp.Duration + measure.Window.Duration + measure.Drain.Duration + 2*time.Minute
	if within := run.Spec.StartTimeout; within != nil {
		budget += within.Duration
	}
	return budget
}

func buildPodSpec(run *v1alpha1.BenchmarkRun, d Driver, agentImage string) corev1.PodSpec {
	pod := corev1.PodSpec{
		Affinity:                     buildAffinity(run),
		ActiveDeadlineSeconds:        new(int64(podDeadline(run).Seconds())),
		RestartPolicy:                corev1.RestartPolicyNever,
		ServiceAccountName:           naming.RunAccount(run.Name),
		AutomountServiceAccountToken: new(true),
		EnableServiceLinks:           new(false),
		SecurityContext:              pods.PodSecurityContext(),
		InitContainers:               append([]corev1.Container{pods.AgentInstallContainer(agentImage)}, d.Init...),
		Containers:                   []corev1.Container{workerContainer(run, d)},
		Volumes:                      append(workerVolumes(run), d.Volumes...),
	}
	pods.MountCommandsKey(&pod, naming.CommandsSecret(run.Spec.NetworkName), pods.CommandsTokenKey, func(*corev1.Container) bool { return sendsCommands(d) })
	return pod
}

// sendsCommands reports whether workers send commands to agents of the network.
func sendsCommands(d Driver) bool {
	return slices.ContainsFunc(d.Workload.Observe, func(o protocol.ObservedEndpoint) bool { return o.CommandsURL != "" })
}

// buildAffinity keeps the worker off the hosts of the network's pods, which are those without the label of a run. It
// returns nil if there are no constraints.
func buildAffinity(run *v1alpha1.BenchmarkRun) *corev1.Affinity {
	apart := pods.BuildSpread(run.Spec.Workload.Workers.Separation, &metav1.LabelSelector{
		MatchLabels:      map[string]string{v1alpha1.LabelNetwork: run.Spec.NetworkName},
		MatchExpressions: []metav1.LabelSelectorRequirement{{Key: v1alpha1.LabelRun, Operator: metav1.LabelSelectorOpDoesNotExist}},
	})
	if apart == nil {
		return nil
	}
	return &corev1.Affinity{PodAntiAffinity: apart}
}

func workerContainer(run *v1alpha1.BenchmarkRun, d Driver) corev1.Container {
	command := []string{pods.AgentPath, "work", "--metrics-addr", fmt.Sprintf(":%d", portAgent), "--namespace", run.Namespace,
		"--barrier", naming.BarrierConfigMap(run.Name), "--report", naming.WorkerReportPrefix(run.Name) + "$(" + protocol.WorkerVariable + ")"}
	switch {
	case d.Plan != "":
		command = append(command, "--plan", d.Plan)
	case d.Stream != "":
		command = append(command, "--stream", d.Stream)
	}
	if sendsCommands(d) {
		command = append(command, "--commands-token-file", pods.CommandsTokenFile)
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
		Env:     append(workerEnv(run), d.Env...),
		// A load generator without enough CPU measures itself instead of the network, but it must still be
		// schedulable beside the network.
		Resources: corev1.ResourceRequirements{Limits: size,
			Requests: corev1.ResourceList{corev1.ResourceMemory: w.Memory,
				corev1.ResourceCPU: *resource.NewMilliQuantity(max(1, w.Cores.MilliValue()/10), resource.DecimalSI)}},
		Ports:                    []corev1.ContainerPort{{Name: PortName, ContainerPort: portAgent, Protocol: corev1.ProtocolTCP}},
		VolumeMounts:             append(workerMounts(), d.Mounts...),
		SecurityContext:          pods.RestrictedSecurityContext(),
		TerminationMessagePolicy: corev1.TerminationMessageFallbackToLogsOnError,
		// A command would cost the worker's host 65 ms of CPU time each second, also in the window.
		ReadinessProbe: &corev1.Probe{PeriodSeconds: 1, TimeoutSeconds: 5, FailureThreshold: 3, ProbeHandler: corev1.ProbeHandler{
			HTTPGet: &corev1.HTTPGetAction{Path: "/ready", Port: intstr.FromString(PortName)}}},
	}
}

func workerEnv(run *v1alpha1.BenchmarkRun) []corev1.EnvVar {
	index := &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{
		APIVersion: "v1", FieldPath: "metadata.annotations['" + batchv1.JobCompletionIndexAnnotation + "']"}}
	return []corev1.EnvVar{
		{Name: protocol.WorkerVariable, ValueFrom: index},
		{Name: protocol.WorkersVariable, Value: strconv.Itoa(int(run.Spec.Workload.Workers.Count))},
		{Name: protocol.DirVariable, Value: protocol.DefaultDir},
		{Name: protocol.WorkloadVariable, Value: workloadPath},
	}
}

func workerMounts() []corev1.VolumeMount {
	return []corev1.VolumeMount{
		{Name: "exchange", MountPath: protocol.DefaultDir},
		{Name: pods.AgentVolumeName, MountPath: pods.AgentDir, ReadOnly: true},
		{Name: "workload", MountPath: path.Dir(workloadPath), ReadOnly: true},
		{Name: "tmp", MountPath: "/tmp"},
	}
}

// workerVolumes returns the volumes of a worker. The directory that driver and agent share, which holds
// JMeter's sample log, is a claim of its own pod if the log is kept. It goes with the pod, which remains with the run.
func workerVolumes(run *v1alpha1.BenchmarkRun) []corev1.Volume {
	empty := corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}
	exchange := empty
	if run.Spec.Workload.SampleLogRetention == v1alpha1.RetentionRetain {
		exchange = corev1.VolumeSource{Ephemeral: &corev1.EphemeralVolumeSource{VolumeClaimTemplate: &corev1.PersistentVolumeClaimTemplate{
			ObjectMeta: metav1.ObjectMeta{Labels: naming.RunLabels(run.Name)},
			Spec: corev1.PersistentVolumeClaimSpec{
				AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
				Resources:   corev1.VolumeResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("2Gi")}},
			}}}}
	}
	workload := corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{
		LocalObjectReference: corev1.LocalObjectReference{Name: naming.WorkloadConfigMap(run.Name)}}}
	return []corev1.Volume{{Name: "exchange", VolumeSource: exchange}, {Name: "agent", VolumeSource: empty},
		{Name: "workload", VolumeSource: workload}, {Name: "tmp", VolumeSource: empty}}
}
