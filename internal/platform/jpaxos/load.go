package jpaxos

import (
	"cmp"
	"path"

	corev1 "k8s.io/api/core/v1"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/kube/pods"
	"github.com/benchnet/benchnet/internal/naming"
	"github.com/benchnet/benchnet/internal/platform"
	"github.com/benchnet/benchnet/internal/platform/members"
	"github.com/benchnet/benchnet/internal/run/loadgen"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

const (
	// driverImage contains only the jar in driverImageDir. It is copied to driverDir and run with the Java of
	// the user's image.
	driverImage    = "jpaxos-client"
	driverImageDir = "/opt/driver"
	driverDir      = "/run/benchnet-driver"
	driverJar      = driverDir + "/jpaxos-client.jar"
	driverClass    = "dev.benchnet.driver.jpaxos.Drive"
	volumeDriver   = "driver"
)

// executedSeries is the name of the series of requests per second that a replica executes, from its own log.
const executedSeries = "executedRequests"

// defaultRequestBytes is the size of the payload of a request if the workload sets none.
const defaultRequestBytes = 128

// operation is the operation in workload.json.
type operation struct {
	RequestBytes int32                     `json:"requestBytes,omitempty"`
	Content      v1alpha1.JPaxosContent    `json:"content"`
	Mix          []v1alpha1.JPaxosMixEntry `json:"mix,omitempty"`
}

func buildOperation(w *v1alpha1.JPaxosWorkload) operation {
	op := operation{Content: w.Content, Mix: w.Mix}
	if len(w.Mix) == 0 {
		op.RequestBytes = cmp.Or(w.RequestBytes, defaultRequestBytes)
	}
	return op
}

// meanRequestBytes returns the mean size of the payload of a request.
func meanRequestBytes(w *v1alpha1.JPaxosWorkload) float64 {
	bytes, weights := float64(cmp.Or(w.RequestBytes, defaultRequestBytes)), 1.0
	if len(w.Mix) > 0 {
		bytes, weights = 0, 0
	}
	for _, e := range w.Mix {
		bytes += float64(e.RequestBytes) * float64(e.Weight)
		weights += float64(e.Weight)
	}
	return bytes / weights
}

// BuildDriver returns the project's client, run in the user's image so that it uses the client library of the
// replicas' version.
func (JPaxos) BuildDriver(in platform.Input, topology platform.Topology, workload *v1alpha1.Workload) (loadgen.Driver, error) {
	orders := loadgen.NewWorkloadFile(workload)
	orders.Unit = "requests"
	orders.Operation = buildOperation(workload.JPaxos)
	for _, m := range topology.Members {
		orders.Targets = append(orders.Targets, protocol.Target{Name: m.Name, Address: members.HostPort(m.Host, portClient)})
		orders.Observe = append(orders.Observe, members.AgentEndpoint(m, portAgent,
			protocol.ObservedSeries{Name: executedSeries, Unit: "requests/s", Metric: executedMetric, Kind: protocol.SeriesCounter}))
	}
	p := in.Network.Spec.Platform.JPaxos
	// Replicas and clients have the same configuration, so any replica's ConfigMap works.
	config := pods.ConfigMapVolume(volumeConfig, naming.Member(in.Network.Name, topology.Members[0].Name))
	return loadgen.Driver{
		Image: p.Image,
		// The other half of the memory is for the clients' stacks and connections.
		Command: pods.EscapeExpansions("java", "-XX:MaxRAMPercentage=50.0", "-XX:+ExitOnOutOfMemoryError",
			"-Dlogback.configurationFile="+path.Join(configDir, fileLogback),
			"-cp", driverJar+":"+p.ClassPath, driverClass, "--properties", path.Join(configDir, fileProperties)),
		Init:     []corev1.Container{pods.CopyFilesContainer("driver", in.Images.Image(driverImage, ""), driverImageDir, volumeDriver, driverDir)},
		Mounts:   []corev1.VolumeMount{pods.ReadOnlyMount(volumeDriver, driverDir), pods.ReadOnlyMount(volumeConfig, configDir)},
		Volumes:  []corev1.Volume{pods.EmptyDirVolume(volumeDriver), config},
		Workload: orders,
	}, nil
}
