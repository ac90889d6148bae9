// Package emulate emulates distance between a pod and its peers: it delays, drops or rate-limits packets as
// latency.Config specifies, and follows the peers' pods as they come and go.
//
// It changes the network namespace of its own pod, which needs the capability NET_ADMIN. See docs/regions.md.
package emulate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"log/slog"
	"net/netip"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/benchnet/benchnet/internal/agent/kube"
	"github.com/benchnet/benchnet/internal/network/latency"
	"github.com/benchnet/benchnet/internal/run/measurement"
)

// retryInterval is the pause after a failed request to the API server.
const retryInterval = time.Second

// backend delays packets.
type backend interface {
	mechanismName() latency.Mechanism
	// setPeers replaces the peers and their impairments.
	setPeers(map[netip.Addr]latency.Impairment) error
	// runUntilCancelled processes packets until ctx ends.
	runUntilCancelled(context.Context) error
	// packetCounts returns nil if the kernel handles the packets.
	packetCounts() *packetCounters
}

// Emulator emulates the network of one member, and injects faults of it.
type Emulator struct {
	config *latency.Config
	member string
	// backend is nil if the configuration is empty.
	backend   backend
	ready     atomic.Bool
	peerCount atomic.Int64
	// probe reports whether the pod at an address answers.
	probe func(context.Context, netip.Addr) bool

	// mutex guards the fields below.
	mutex sync.Mutex
	// pods and services are those of the namespace.
	pods, services []*unstructured.Unstructured
	// fault is the one that is injected, or nil.
	fault *networkFault
}

// New prepares the pod's network for emulation by the kernel's netem, or by a user-space queue if the kernel
// lacks netem, and heals a fault that an earlier process left behind. It delays no packets yet. It fails if the member is in no
// region of the network; ExitCode maps the other errors.
func New(config *latency.Config, member string) (*Emulator, error) {
	if _, ok := config.Members[member]; !ok && len(config.Links) > 0 {
		return nil, fmt.Errorf("member %s has no region in network %s", member, config.Network)
	}
	e := &Emulator{config: config, member: member, probe: probeAgent}
	for _, t := range networkFaultTypes {
		if err := e.checkFault(&measurement.Fault{Type: t}); err != nil && config.IsEmpty() { // Else only a fault needs it, which checks again.
			return nil, fmt.Errorf("prepare faults of type %s: %w", t, err)
		}
	}
	if config.IsEmpty() {
		return e, nil
	}
	inKernel, err := newNetemBackend(chooseSegmentSize(config.Links), newNetemQdisc)
	if err == nil {
		e.backend = inKernel
		return e, nil
	}
	if !errors.Is(err, unix.ENOENT) && !errors.Is(err, unix.EOPNOTSUPP) {
		return nil, fmt.Errorf("emulate with netem: %w", err)
	}
	slog.Info("kernel has no netem, emulating in user space", "err", err)
	held, again := newUserSpaceBackend(regionQueue, chooseSegmentSize(config.Links), deriveSeed(config, member))
	if again != nil {
		return nil, fmt.Errorf("emulate in user space, since the kernel has no netem (%s): %w", err.Error(), again)
	}
	e.backend = held
	return e, nil
}

// chooseSegmentSize returns wireSegments if a link loses single packets or has a limited bandwidth.
func chooseSegmentSize(links []latency.RegionLink) segmentSize {
	single := slices.ContainsFunc(links, func(l latency.RegionLink) bool { return l.LossPercent > 0 || l.BitsPerSecond > 0 })
	if single {
		return wireSegments
	}
	return largeSegments
}

// deriveSeed returns a seed that depends only on network and member, so that runs lose the same packets of the
// same traffic.
func deriveSeed(config *latency.Config, member string) uint64 {
	sum := fnv.New64a()
	_, _ = sum.Write([]byte(config.Network + "/" + member)) // A hash accepts every write.
	return sum.Sum64()
}

// ExitCode returns the exit code for an error of New.
func ExitCode(err error) int {
	switch {
	case errors.Is(err, unix.EPERM), errors.Is(err, unix.EACCES):
		return latency.ExitCapabilityMissing
	case errors.Is(err, unix.ENOENT), errors.Is(err, unix.EOPNOTSUPP), errors.Is(err, unix.EPROTONOSUPPORT):
		return latency.ExitKernelLacksSupport
	}
	return 1
}

// MemberPod identifies the member's pod and the ConfigMap for its report.
type MemberPod struct {
	Namespace *kube.NamespaceClient
	// Name and UID of the pod.
	Name, UID string
	// ReportName is the ConfigMap to which all members report.
	ReportName string
}

// Run emulates the network until ctx ends or the backend fails.
func (e *Emulator) Run(ctx context.Context, at MemberPod) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	work := make(chan error, 1)
	go func() {
		err := e.runBackend(ctx)
		cancel(err)
		work <- err
	}()
	err := e.followPeers(ctx, at)
	cancel(err)
	return errors.Join(err, <-work)
}

// runBackend processes packets until ctx ends.
func (e *Emulator) runBackend(ctx context.Context) error {
	if e.backend == nil {
		<-ctx.Done()
		return nil
	}
	return e.backend.runUntilCancelled(ctx)
}

// followPeers sets the peers after every change. It reports ready once all present peers are set and the API
// server shows this pod's address, which its peers need.
func (e *Emulator) followPeers(ctx context.Context, at MemberPod) error {
	changes := make(chan struct{}, 1)
	changed := func() {
		select {
		case changes <- struct{}{}:
		default:
		}
	}
	pods, err := startInformer(ctx, at.Namespace, "pods", labelNetwork+"="+e.config.Network, changed)
	if err != nil {
		return err
	}
	services, err := startInformer(ctx, at.Namespace, "services", "", changed)
	if err != nil {
		return err
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-changes:
		}
		if !pods.informer.HasSynced() || !services.informer.HasSynced() {
			time.AfterFunc(100*time.Millisecond, changed)
			continue
		}
		present := pods.listObjects()
		if err := e.setObjects(present, services.listObjects()); err != nil {
			return err
		}
		if !e.ready.Load() && isPodAddressKnown(present, at.Name) {
			if err := e.reportReady(ctx, at); err != nil {
				return err
			}
		}
	}
}

// setObjects applies the impairments, and the fault that is injected, to the peers in the namespace.
func (e *Emulator) setObjects(pods, services []*unstructured.Unstructured) error {
	e.mutex.Lock()
	defer e.mutex.Unlock()
	e.pods, e.services = pods, services
	if err := e.setFaultPeers(); err != nil || e.backend == nil {
		return err
	}
	ways := impairmentsByAddress(func(peer latency.Peer) (latency.Impairment, bool) { return e.config.ImpairmentFor(e.member, peer) }, pods, services)
	if err := e.backend.setPeers(ways); err != nil {
		return err
	}
	if was := e.peerCount.Swap(int64(len(ways))); was != int64(len(ways)) {
		slog.Info("peers changed", "addresses", len(ways))
	}
	return nil
}

// mechanismName returns the mechanism of the backend.
func (e *Emulator) mechanismName() latency.Mechanism {
	if e.backend == nil {
		return latency.NoMechanism
	}
	return e.backend.mechanismName()
}

// isPodAddressKnown reports whether the API server shows an address of the named pod.
func isPodAddressKnown(pods []*unstructured.Unstructured, name string) bool {
	return slices.ContainsFunc(pods, func(pod *unstructured.Unstructured) bool {
		return pod.GetName() == name && len(podAddresses(pod)) > 0
	})
}

// reportReady reports to the operator, and by readiness to the kubelet, that the emulation is in effect. It
// retries until the report is accepted or ctx ends.
func (e *Emulator) reportReady(ctx context.Context, at MemberPod) error {
	text, err := json.Marshal(latency.SidecarStatus{Pod: at.UID, Mechanism: e.mechanismName()})
	if err != nil {
		return fmt.Errorf("encode the report: %w", err)
	}
	for ctx.Err() == nil {
		_, err := kube.MergePatch(ctx, at.Namespace.ConfigMaps, at.ReportName, map[string]any{"data": map[string]any{e.member: string(text)}})
		if err == nil {
			break
		}
		slog.Warn("emulation not reported, retrying", "configMap", at.ReportName, "err", err)
		select {
		case <-ctx.Done():
		case <-time.After(retryInterval):
		}
	}
	e.ready.Store(true)
	slog.Info("emulation ready", "member", e.member, "mechanism", e.mechanismName())
	return nil
}
