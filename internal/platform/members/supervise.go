package members

import (
	"github.com/benchnet/benchnet/internal/kube/pods"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

// SuperviseCommand returns the start of a member container's command, which runs the agent as its first
// process. At port the agent serves the container's resource usage and the free space of the volume mounted at
// folder. rest holds further flags, "--" and the member's own command.
func SuperviseCommand(port int32, folder string, rest ...string) []string {
	return append([]string{pods.AgentPath, "supervise", "--metrics-addr", HostPort("", port), "--volume", folder}, rest...)
}

// AgentEndpoint returns the endpoint of the agent that serves a member's container at port.
func AgentEndpoint(m platform.Member, port int32, series ...protocol.ObservedSeries) protocol.ObservedEndpoint {
	return protocol.ObservedEndpoint{Member: m.Name, Role: m.Role, URL: MetricsURL(m, port), Series: series}
}
