// Package latency puts distance between a pod and its peers: what it sends or receives is delayed, lost or held to a
// bandwidth as emulation.Config says. It follows the peers' pods as they come and go.
//
// It works on the network of the pod that it runs in and needs the capability NET_ADMIN for that. See docs/regions.md.
package latency

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"net/netip"
	"slices"
	"sync/atomic"
	"time"

	"golang.org/x/sys/unix"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/benchnet/benchnet/internal/agent/kube"
	"github.com/benchnet/benchnet/internal/network/latency"
)

// retryInterval is the pause after a request to the API server that failed.
const retryInterval = time.Second

// backend delays packets.
type backend interface {
	mechanismName() latency.Mechanism
	// setPeers replaces the peers, with the way to each.
	setPeers(map[netip.Addr]latency.Impairment) error
	// runUntilCancelled works until the context ends.
	runUntilCancelled(context.Context) error
	// packetCounts is nil where the kernel counts.
	packetCounts() *packetCounters
}

// Emulator is the emulation of one member.
type Emulator struct {
	config    *latency.Config
	member    string
	backend   backend
	ready     atomic.Bool
	peerCount atomic.Int64
	log       func(format string, args ...any)
}

// New takes hold of the pod's network: with the kernel's netem, or where that is not built in, with a queue in user space.
// Nobody is delayed yet.
func New(config *latency.Config, member string, log func(format string, args ...any)) (*Emulator, error) {
	if _, ok := config.Members[member]; !ok && config.Database == nil {
		return nil, fmt.Errorf("member %s is in no region of network %s", member, config.Network)
	}
	e := &Emulator{config: config, member: member, log: log}
	inKernel, err := newNetemBackend(chooseSegmentSize(config), newNetemQdisc)
	if err == nil {
		e.backend = inKernel
		return e, nil
	}
	if !errors.Is(err, unix.ENOENT) && !errors.Is(err, unix.EOPNOTSUPP) {
		return nil, fmt.Errorf("emulate by netem: %w", err)
	}
	log("the kernel has no netem (%v): emulating in user space", err)
	held, again := newUserSpaceBackend(chooseSegmentSize(config), deriveSeed(config, member))
	if again != nil {
		return nil, fmt.Errorf("emulate in user space, since the kernel has no netem (%s): %w", err.Error(), again)
	}
	e.backend = held
	return e, nil
}

// chooseSegmentSize is whole packets where nothing is done to single ones.
func chooseSegmentSize(config *latency.Config) segmentSize {
	single := slices.ContainsFunc(config.Links, func(l latency.RegionLink) bool { return l.LossPercent > 0 || l.BitsPerSecond > 0 })
	if single {
		return wireSegments
	}
	return largeSegments
}

// deriveSeed makes the same member of the same network lose the same packets of the same traffic.
func deriveSeed(config *latency.Config, member string) uint64 {
	sum := fnv.New64a()
	_, _ = sum.Write([]byte(config.Network + "/" + member)) // A hash accepts every write.
	return sum.Sum64()
}

// ExitCode is the exit code for an error of New.
func ExitCode(err error) int {
	switch {
	case errors.Is(err, unix.EPERM), errors.Is(err, unix.EACCES):
		return latency.ExitCapabilityMissing
	case errors.Is(err, unix.ENOENT), errors.Is(err, unix.EOPNOTSUPP), errors.Is(err, unix.EPROTONOSUPPORT):
		return latency.ExitKernelLacksSupport
	}
	return 1
}

// MemberPod is where a member is found and where it reports.
type MemberPod struct {
	Namespace *kube.NamespaceClient
	// Name and PodUID of the member.
	Name, UID string
	// ReportName is the ConfigMap to which every member reports.
	ReportName string
}

// Run emulates until the context ends.
func (e *Emulator) Run(ctx context.Context, at MemberPod) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	work := make(chan error, 1)
	go func() {
		err := e.backend.runUntilCancelled(ctx)
		cancel(err)
		work <- err
	}()
	err := e.followPeers(ctx, at)
	cancel(err)
	return errors.Join(err, <-work)
}

// followPeers sets the peers whenever they change, and reports once all that there are are set and know of this pod.
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
		if err := e.setPeers(impairmentsByAddress(e.config, e.member, present, services.listObjects())); err != nil {
			return err
		}
		if !e.ready.Load() && isPodAddressKnown(present, at.Name) {
			if err := e.reportReady(ctx, at); err != nil {
				return err
			}
		}
	}
}

func (e *Emulator) setPeers(ways map[netip.Addr]latency.Impairment) error {
	if err := e.backend.setPeers(ways); err != nil {
		return err
	}
	if was := e.peerCount.Swap(int64(len(ways))); was != int64(len(ways)) {
		e.log("%d addresses are at a distance", len(ways))
	}
	return nil
}

// isPodAddressKnown tells whether a pod's address can be seen in the API server, by its peers too.
func isPodAddressKnown(pods []*unstructured.Unstructured, name string) bool {
	return slices.ContainsFunc(pods, func(pod *unstructured.Unstructured) bool {
		return pod.GetName() == name && len(podAddresses(pod)) > 0
	})
}

// reportReady tells the operator, and the kubelet by readiness, that the member is at its distance from its peers.
func (e *Emulator) reportReady(ctx context.Context, at MemberPod) error {
	text, err := json.Marshal(latency.SidecarStatus{Pod: at.UID, Mechanism: e.backend.mechanismName()})
	if err != nil {
		return fmt.Errorf("encode the report: %w", err)
	}
	for ctx.Err() == nil {
		_, err := kube.MergePatch(ctx, at.Namespace.ConfigMaps, at.ReportName, map[string]any{"data": map[string]any{e.member: string(text)}})
		if err == nil {
			break
		}
		e.log("report to ConfigMap %s: %v; trying again", at.ReportName, err)
		select {
		case <-ctx.Done():
		case <-time.After(retryInterval):
		}
	}
	e.ready.Store(true)
	e.log("%s emulates the network of %s", e.backend.mechanismName(), e.member)
	return nil
}
