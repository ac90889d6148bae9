package members

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/pods"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/sizing"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

// SuperviseCommand returns the start of a member container's command, which runs the agent as its first
// process. At port the agent serves the container's resource usage and the free space of the volume mounted at
// folder, and at CommandsPort(port) the commands of the network's workers, whose token it checks by the digest that StatefulSet mounts. rest holds
// further flags, "--" and the member's own command.
func SuperviseCommand(port int32, folder string, rest ...string) []string {
	return append([]string{pods.AgentPath, "supervise", "--metrics-addr", HostPort("", port),
		"--commands-addr", HostPort("", CommandsPort(port)), commandsDigestFlag, pods.CommandsDigestFile, "--volume", folder}, rest...)
}

// commandsDigestFlag is the flag of the containers that serve commands.
const commandsDigestFlag = "--commands-digest-file"

// PortNameCommands is the name of the port at which the agent serves commands. Prometheus does not scrape a port of that name,
// and NetworkPolicies do not open it to scrapers.
const PortNameCommands = "commands"

// CommandsPort returns the port of the commands of the agent that serves metrics at port.
func CommandsPort(port int32) int32 { return port + 100 }

// ReadinessCheck returns the command of an exec probe that succeeds when the agent, which serves at port, has created a file. Its
// error, which the kubelet reports in an event, says what the member printed last.
func ReadinessCheck(file string, port int32) []string {
	return []string{pods.AgentPath, "check", "--file", file, "--reason", "http://" + HostPort("127.0.0.1", port) + "/ready"}
}

// ReadyProbe returns a probe that succeeds when the agent of SuperviseCommand finds the member ready. port is the name of the agent's
// port.
func ReadyProbe(port string, periodSeconds, failures int32) *corev1.Probe {
	return &corev1.Probe{PeriodSeconds: periodSeconds, TimeoutSeconds: 10, FailureThreshold: failures, ProbeHandler: corev1.ProbeHandler{
		HTTPGet: &corev1.HTTPGetAction{Path: "/ready", Port: intstr.FromString(port)}}}
}

const (
	// startupTimeoutSeconds is generous: on a host on which many members start, a node took minutes, and validators are ready only
	// when two thirds of them are up.
	startupTimeoutSeconds = 1800
	// maxCommandProbes is the largest number of members that are probed by commands while they start. A command in a container costs
	// the host 65 ms of CPU time, a request over HTTP 4 ms: the commands of 100 validators left them no time to start on 2 cores.
	maxCommandProbes = 16
)

// StartupProbe returns the probe of one of count members that start together. It runs command, whose output the kubelet reports in an
// event, so that users see why a member is not ready. More than maxCommandProbes members are asked for /ready at the named port instead.
func StartupProbe(count int32, port string, command ...string) *corev1.Probe {
	if count > maxCommandProbes {
		return ReadyProbe(port, 5, startupTimeoutSeconds/5)
	}
	return &corev1.Probe{PeriodSeconds: 1, TimeoutSeconds: 10, FailureThreshold: startupTimeoutSeconds,
		ProbeHandler: corev1.ProbeHandler{Exec: &corev1.ExecAction{Command: command}}}
}

// HeapFlags returns the flags of SuperviseCommand for a member that is one JVM.
func HeapFlags(spec *v1alpha1.MembersSpec) []string {
	return []string{"--heap", fmt.Sprintf("%dMi", sizing.MachineOf(spec).HeapMebibytes())}
}

// AgentEndpoint returns the endpoint of the agent that serves a member's container at port.
func AgentEndpoint(m platform.Member, port int32, series ...protocol.ObservedSeries) protocol.ObservedEndpoint {
	return protocol.ObservedEndpoint{Member: m.Name, Role: m.Role, URL: MetricsURL(m, port),
		CommandsURL: "http://" + HostPort(m.Host, CommandsPort(port)), Series: series}
}
