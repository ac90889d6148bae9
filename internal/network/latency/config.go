// Package latency says how far the members of a network are apart: the built-in round-trip times between regions, and
// the file by which the operator tells each member's emulation sidecar (agent emulate) who is how far away.
//
// It is shared by operator and agent, and imports neither's libraries.
package latency

import (
	"encoding/json"
	"fmt"
	"time"
)

// ConfigFileName of the configuration in its ConfigMap.
const ConfigFileName = "emulation.json"

// SidecarContainer is the name of the container in a member's pod.
const SidecarContainer = "emulation"

// Mechanism by which a member's sidecar delays packets.
type Mechanism string

// The mechanisms.
const (
	// Netem is the kernel's own network emulator, on what a member sends.
	Netem Mechanism = "Netem"
	// UserSpace holds what a member receives in the sidecar, for kernels without netem.
	UserSpace Mechanism = "UserSpace"
)

// Exit codes of a sidecar that cannot work; its last words say more.
const (
	ExitCapabilityMissing  = 3
	ExitKernelLacksSupport = 4
)

// SidecarStatus is what a sidecar tells once its member is as far from its peers as it shall be: one key per member in the
// report's ConfigMap, as JSON.
type SidecarStatus struct {
	// Pod is the UID of the pod that reports.
	Pod string `json:"pod"`
	// Mechanism in use.
	Mechanism Mechanism `json:"mechanism"`
}

// Config is the whole of a network's emulation, the same for all of its members.
type Config struct {
	// Network is its name.
	Network string `json:"network"`
	// Members by name, with their region.
	Members map[string]string `json:"members,omitempty"`
	// Runs by name, with the region of their load workers.
	Runs map[string]string `json:"runs,omitempty"`
	// Links between regions, each pair once.
	Links []RegionLink `json:"links,omitempty"`
	// PeerDatabase is the way between a member and its database, or nil.
	Database *Link `json:"database,omitempty"`
}

// RegionLink is the way between two regions, or within one.
type RegionLink struct {
	Between [2]string `json:"between"`
	Link
}

// Link is a way there and back.
type Link struct {
	RoundTripMicros int64 `json:"roundTripMicros"`
	// JitterMicros is the greatest deviation of a round trip, to either side.
	JitterMicros int64 `json:"jitterMicros,omitempty"`
	// LossPercent of the packets, each way.
	LossPercent float64 `json:"lossPercent,omitempty"`
	// BitsPerSecond each way; 0 is unlimited.
	BitsPerSecond int64 `json:"bitsPerSecond,omitempty"`
}

// Impairment is what one side does to the packets from or to one peer.
type Impairment struct {
	Delay, Jitter time.Duration
	// Loss is the probability that a packet is lost.
	Loss float64
	// BitsPerSecond; 0 is unlimited.
	BitsPerSecond int64
}

// PeerKind of a peer.
type PeerKind string

// The kinds of peers.
const (
	PeerMember   PeerKind = "Member"
	PeerDatabase PeerKind = "Database"
	PeerWorker   PeerKind = "Worker"
)

// Peer is a pod at the other end: a member by its name, a database, or a load worker by its run.
type Peer struct {
	Kind PeerKind
	Name string
}

// ParseConfig reads a configuration.
func ParseConfig(text []byte) (*Config, error) {
	var c Config
	if err := json.Unmarshal(text, &c); err != nil {
		return nil, fmt.Errorf("parse the emulation's configuration: %w", err)
	}
	return &c, nil
}

// ImpairmentFor is what the sidecar of a member does to the packets of a peer; false if nothing. Between members each side has one
// half of the round trip. Databases and workers have no sidecar: the member does it all.
func (c *Config) ImpairmentFor(member string, peer Peer) (Impairment, bool) {
	switch peer.Kind {
	case PeerMember:
		link, ok := c.linkBetween(c.Members[member], c.Members[peer.Name])
		return link.halfRoundTrip(), ok && peer.Name != member
	case PeerWorker:
		link, ok := c.linkBetween(c.Members[member], c.Runs[peer.Name])
		return link.fullRoundTrip(), ok
	case PeerDatabase:
		if c.Database == nil {
			return Impairment{}, false
		}
		return c.Database.fullRoundTrip(), true
	}
	return Impairment{}, false
}

func (c *Config) linkBetween(a, b string) (Link, bool) {
	for _, l := range c.Links {
		if l.Between == [2]string{a, b} || l.Between == [2]string{b, a} {
			return l.Link, true
		}
	}
	return Link{}, false
}

func (l Link) halfRoundTrip() Impairment {
	w := l.fullRoundTrip()
	w.Delay /= 2
	w.Jitter /= 2
	return w
}

func (l Link) fullRoundTrip() Impairment {
	return Impairment{
		Delay:         time.Duration(l.RoundTripMicros) * time.Microsecond,
		Jitter:        time.Duration(l.JitterMicros) * time.Microsecond,
		Loss:          l.LossPercent / 100,
		BitsPerSecond: l.BitsPerSecond,
	}
}
