// Package latency describes the latency between the members of a network: the built-in round-trip times between
// regions, and the configuration file of each member's latency sidecar (agent emulate).
//
// The operator and the agent share it, so it imports the libraries of neither.
package latency

import (
	"encoding/json"
	"fmt"
	"time"
)

// ConfigFileName is the key of the configuration in its ConfigMap.
const ConfigFileName = "emulation.json"

// SidecarContainer is the name of the sidecar in a member's pod.
const SidecarContainer = "emulation"

// FaultsPort is the port of the sidecar's network faults, at the loopback address of its pod.
const FaultsPort = 9202

// Mechanism is how a member's sidecar delays packets.
type Mechanism string

// The mechanisms.
const (
	// Netem is the kernel's network emulator, applied to the packets that a member sends.
	Netem Mechanism = "Netem"
	// UserSpace holds back received packets in the sidecar process, for kernels without netem.
	UserSpace Mechanism = "UserSpace"
	// NoMechanism is that of a sidecar that emulates no latency.
	NoMechanism Mechanism = "None"
)

// Exit codes of a sidecar that cannot work. Its termination message says more.
const (
	ExitCapabilityMissing  = 3
	ExitKernelLacksSupport = 4
)

// SidecarStatus is what a sidecar reports when its member's latency is in effect. The status ConfigMap holds it
// as JSON, one key per member.
type SidecarStatus struct {
	// Pod is the UID of the pod that reports.
	Pod string `json:"pod"`
	// Mechanism is the mechanism in use.
	Mechanism Mechanism `json:"mechanism"`
}

// Config is the configuration of a network's latency emulation, the same for all members.
type Config struct {
	// Network is the name of the network.
	Network string `json:"network"`
	// Members maps the name of each member to its region.
	Members map[string]string `json:"members,omitempty"`
	// Runs maps the name of each run to the region of its load workers.
	Runs map[string]string `json:"runs,omitempty"`
	// Links are the links between regions, each pair once.
	Links []RegionLink `json:"links,omitempty"`
	// Database is the link between a member and its database, or nil.
	Database *Link `json:"database,omitempty"`
}

// IsEmpty reports whether the configuration emulates no latency: the sidecar only injects faults.
func (c *Config) IsEmpty() bool { return len(c.Links) == 0 && c.Database == nil }

// RegionLink is the link between two regions, or within one.
type RegionLink struct {
	Between [2]string `json:"between"`
	Link
}

// Link describes a link in both directions.
type Link struct {
	RoundTripMicros int64 `json:"roundTripMicros"`
	// JitterMicros is the greatest deviation of a round trip, above or below.
	JitterMicros int64 `json:"jitterMicros,omitempty"`
	// LossPercent is the percentage of lost packets, each way.
	LossPercent float64 `json:"lossPercent,omitempty"`
	// BitsPerSecond is the bandwidth each way; 0 means unlimited.
	BitsPerSecond int64 `json:"bitsPerSecond,omitempty"`
}

// Impairment is what one side does to the packets from or to one peer.
type Impairment struct {
	Delay, Jitter time.Duration
	// Loss is the probability that a packet is lost.
	Loss float64
	// BitsPerSecond is the bandwidth; 0 means unlimited.
	BitsPerSecond int64
}

// PeerKind is the kind of a peer.
type PeerKind string

// The kinds of peers.
const (
	PeerMember   PeerKind = "Member"
	PeerDatabase PeerKind = "Database"
	PeerWorker   PeerKind = "Worker"
)

// Peer is the pod at the other end: a member by its name, a database, or a load worker by the name of its run.
type Peer struct {
	Kind PeerKind
	Name string
}

// ParseConfig parses a configuration.
func ParseConfig(text []byte) (*Config, error) {
	var c Config
	if err := json.Unmarshal(text, &c); err != nil {
		return nil, fmt.Errorf("parse the emulation's configuration: %w", err)
	}
	return &c, nil
}

// ImpairmentFor returns how a member's sidecar impairs the packets of a peer, and false if it does not. Between
// members, each side applies half of the round trip. Databases and workers have no sidecar, so the member
// applies all of it.
func (c *Config) ImpairmentFor(member string, peer Peer) (Impairment, bool) {
	switch peer.Kind {
	case PeerMember:
		link, ok := c.linkBetween(c.Members[member], c.Members[peer.Name])
		return link.halfRoundTrip(), ok && peer.Name != member
	case PeerWorker:
		link, ok := c.linkBetween(c.Members[member], c.Runs[peer.Name])
		return link.FullRoundTrip(), ok
	case PeerDatabase:
		if c.Database == nil {
			return Impairment{}, false
		}
		return c.Database.FullRoundTrip(), true
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
	w := l.FullRoundTrip()
	w.Delay /= 2
	w.Jitter /= 2
	return w
}

// FullRoundTrip returns the impairment of one side that applies all of the link.
func (l Link) FullRoundTrip() Impairment {
	return Impairment{
		Delay:         time.Duration(l.RoundTripMicros) * time.Microsecond,
		Jitter:        time.Duration(l.JitterMicros) * time.Microsecond,
		Loss:          l.LossPercent / 100,
		BitsPerSecond: l.BitsPerSecond,
	}
}
