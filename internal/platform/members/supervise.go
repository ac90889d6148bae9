package members

import (
	"github.com/benchnet/benchnet/internal/kube/pods"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/run/loadgen"
)

// SuperviseCommand begins the command of a member's container: the agent as its first process, which serves at port what the container
// uses and the room on the volume that is mounted at folder. What follows are further flags, "--" and the member's own command.
func SuperviseCommand(port int32, folder string, rest ...string) []string {
	return append([]string{pods.AgentPath, "supervise", "--metrics-addr", HostPort("", port), "--volume", folder}, rest...)
}

// AgentEndpoint is the agent of a member's container at port.
func AgentEndpoint(m platform.Member, port int32, series ...loadgen.ObservedSeries) loadgen.ObservedEndpoint {
	return loadgen.ObservedEndpoint{Member: m.Name, Role: m.Role, URL: MetricsURL(m, port), Series: series}
}
