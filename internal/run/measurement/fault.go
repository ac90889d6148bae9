package measurement

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// FaultType is the kind of a declared fault.
type FaultType string

// The types of faults.
const (
	// FaultKill kills all processes of the container except the agent, which starts the command again after the duration.
	FaultKill FaultType = "Kill"
	// FaultPause stops all processes of the container except the agent for the duration.
	FaultPause FaultType = "Pause"
	// FaultPartition drops the packets between the pod of the container and other members for the duration.
	FaultPartition FaultType = "Partition"
	// FaultLink impairs the packets between the pod of the container and other members for the duration.
	FaultLink FaultType = "Link"
	// FaultPressure takes CPU or memory of the container for the duration.
	FaultPressure FaultType = "Pressure"
	// FaultFillDisk fills the volume of the container for the duration.
	FaultFillDisk FaultType = "FillDisk"
	// FaultSlowDatabase stops the processes of the container for a part of each second of the duration.
	FaultSlowDatabase FaultType = "SlowDatabase"
	// FaultEvict evicts the pod of the container.
	FaultEvict FaultType = "Evict"
)

// KillScope is what a fault of type Kill ends; empty means the processes.
type KillScope string

// The scopes beyond the processes.
const (
	// KillContainer ends the agent, too.
	KillContainer KillScope = "Container"
	// KillPod deletes the pod of the container.
	KillPod KillScope = "Pod"
)

// ConsensusRole is the role of a member in a consensus at one time.
type ConsensusRole string

// The roles in a consensus.
const (
	RoleLeader   ConsensusRole = "Leader"
	RoleFollower ConsensusRole = "Follower"
	// RoleProposer is the role of a member that proposes in turn, while its turn lasts. The fault begins with its next turn.
	RoleProposer ConsensusRole = "Proposer"
)

// MaxTurnWait is how long a fault waits for the turn of a proposer.
const MaxTurnWait = 10 * time.Second

// FaultDirection is the direction of the packets that a fault of the network hits; empty means both.
type FaultDirection string

// The directions.
const (
	DirectionToTarget   FaultDirection = "ToTarget"
	DirectionFromTarget FaultDirection = "FromTarget"
)

// IsOtherSide reports whether a member, by its name, is on the other side of a partition or of links than the targets.
func (f *Fault) IsOtherSide(member string) bool {
	if f.From != "" {
		return slices.Contains(strings.Split(f.From, ","), member)
	}
	return !slices.Contains(strings.Split(f.Targets, ","), member)
}

// MaxFaults bounds the faults of a run, each of one container.
const MaxFaults = 64

// Fault is a declared fault of one container.
type Fault struct {
	// Name is the name of the fault in the workload. A fault of several containers has one Fault for each.
	Name string    `json:"name"`
	Type FaultType `json:"type"`
	// Member is the name of the observed container.
	Member string `json:"member"`
	// Kind is the kind of the container; empty means a member.
	Kind MemberKind `json:"kind,omitempty"`
	// Kill is what a fault of type Kill ends, and Pod the name of the pod that a fault ends.
	Kill KillScope `json:"kill,omitempty"`
	Pod  string    `json:"pod,omitempty"`
	// Role, unless empty, is the role that the container must have when the fault begins; the fault leaves out the others.
	Role ConsensusRole `json:"role,omitempty"`
	// Targets and From are the two sides of a partition or of links, as names of members that commas separate. Targets are the members
	// that the fault hits together; an empty From means all others.
	Targets string `json:"targets,omitempty"`
	From    string `json:"from,omitempty"`
	// Direction is that of the packets of a partition or of links.
	Direction FaultDirection `json:"direction,omitempty"`
	// Link, Pressure, FillDisk and SlowDatabase say how strong a fault of their type is.
	Link         LinkFault         `json:"link,omitzero"`
	Pressure     PressureFault     `json:"pressure,omitzero"`
	FillDisk     FillDiskFault     `json:"fillDisk,omitzero"`
	SlowDatabase SlowDatabaseFault `json:"slowDatabase,omitzero"`
	// AtSeconds is when the fault begins, in seconds of the window, and DurationSeconds how long it lasts.
	AtSeconds       int `json:"atSeconds"`
	DurationSeconds int `json:"durationSeconds"`
}

// EndsPod reports whether the fault ends the pod of the container.
func (f *Fault) EndsPod() bool { return f.Type == FaultEvict || f.Kill == KillPod }

// EndsAgent reports whether the fault ends the agent of the container; Kubernetes then starts another.
func (f *Fault) EndsAgent() bool { return f.EndsPod() || f.Kill == KillContainer }

// LinkFault is what a fault adds to connections. It has the fields of latency.Link.
type LinkFault struct {
	RoundTripMicros int64   `json:"roundTripMicros,omitempty"`
	JitterMicros    int64   `json:"jitterMicros,omitempty"`
	LossPercent     float64 `json:"lossPercent,omitempty"`
	BitsPerSecond   int64   `json:"bitsPerSecond,omitempty"`
}

// PressureFault is what a fault takes of a container's limits: a percentage of its CPU, and its memory but for the headroom in bytes. A
// resource of 0 is left alone.
type PressureFault struct {
	CPUPercent          int   `json:"cpuPercent,omitempty"`
	MemoryHeadroomBytes int64 `json:"memoryHeadroomBytes,omitempty"`
}

// FillDiskFault is what a fault leaves free in a volume, and the size that the claim of the volume asked for; 0 without a claim.
type FillDiskFault struct {
	LeaveFreeBytes int64 `json:"leaveFreeBytes,omitempty"`
	ClaimBytes     int64 `json:"claimBytes,omitempty"`
}

// SlowDatabaseFault is how long a fault stops a database in each second.
type SlowDatabaseFault struct {
	PauseMicros int64 `json:"pauseMicros,omitempty"`
}

// Describe returns what the fault does, such as "Link: 100 ms longer, 1 % lost".
func (f *Fault) Describe() string {
	var parts []string
	add := func(value float64, layout string) {
		if value != 0 {
			parts = append(parts, fmt.Sprintf(layout, value))
		}
	}
	add(float64(f.Link.RoundTripMicros)/1000, "%g ms longer")
	add(float64(f.Link.JitterMicros)/1000, "± %g ms")
	add(f.Link.LossPercent, "%g %% lost")
	add(float64(f.Link.BitsPerSecond)/1e6, "%g Mbit/s")
	add(float64(f.Pressure.CPUPercent), "%g %% of the CPU limit")
	add(float64(f.Pressure.MemoryHeadroomBytes)/(1<<20), "%g MiB of memory left")
	add(float64(f.FillDisk.LeaveFreeBytes)/(1<<20), "%g MiB left free")
	add(float64(f.SlowDatabase.PauseMicros)/1000, "stopped for %g ms of each second")
	text := string(f.Type)
	if f.Kill != "" {
		text += " of the " + strings.ToLower(string(f.Kill))
	}
	if len(parts) > 0 {
		text += ": " + strings.Join(parts, ", ")
	}
	if f.From != "" {
		text += " from " + strings.ReplaceAll(f.From, ",", ", ")
	}
	if f.Direction != "" {
		text += fmt.Sprintf(" (%s only)", f.Direction)
	}
	return text
}

// Bracket holds an instant: it lies between From and To, in seconds.
type Bracket struct {
	FromSeconds float64 `json:"fromSeconds"`
	ToSeconds   float64 `json:"toSeconds"`
}

// FaultEffect is what an agent observed of a fault of its container.
type FaultEffect struct {
	// Injected and Healed are the instants of the system calls; nil if they did not happen. An agent counts their seconds from the
	// request, a result from the start of the window.
	Injected *Bracket `json:"injected,omitempty"`
	Healed   *Bracket `json:"healed,omitempty"`
	// Before, During and After are the evidence, each in one line.
	Before string `json:"before,omitempty"`
	During string `json:"during,omitempty"`
	After  string `json:"after,omitempty"`
	// PodBefore and PodAfter are the UIDs of the pod that the fault ended and of the one in its place.
	PodBefore string `json:"podBefore,omitempty"`
	PodAfter  string `json:"podAfter,omitempty"`
	// Instance identifies the agent that a fault ends, and Started is when it began. A result has neither.
	Instance string   `json:"instance,omitempty"`
	Started  *Bracket `json:"started,omitempty"`
	// Skipped says in one line why the fault left out the container: it had another role, or none that could be read.
	Skipped string `json:"skipped,omitempty"`
	// Problem says in one line why the fault is not proved; empty if the evidence is complete.
	Problem string `json:"problem,omitempty"`
}

// IsProved reports whether the evidence is complete.
func (e *FaultEffect) IsProved() bool { return e.Problem == "" && e.Injected != nil && e.Healed != nil }

// FaultRecord is a declared fault with its effect.
type FaultRecord struct {
	Fault
	FaultEffect
}

// CompleteFaults replaces the reported faults by the declared ones, in their order, without the skipped ones. Of a fault that no worker
// reported, nothing is proved.
func (m *Measurement) CompleteFaults(declared []Fault) {
	reported := map[Fault]FaultEffect{}
	for _, r := range m.Faults {
		for _, text := range []*string{&r.Before, &r.During, &r.After, &r.PodBefore, &r.PodAfter, &r.Skipped, &r.Problem} {
			*text = truncateText(*text)
		}
		reported[r.Fault] = r.FaultEffect
	}
	m.Faults = nil
	for _, f := range declared {
		effect, ok := reported[f]
		switch {
		case !ok:
			effect.Problem = "no worker reported it"
		case effect.Skipped == "" && effect.Problem == "" && (effect.Injected == nil || effect.Healed == nil):
			effect.Problem = "its agent reported no times"
		}
		m.Faults = append(m.Faults, FaultRecord{f, effect})
	}
	m.resolveRoles()
}

// resolveRoles drops the containers that a fault skipped. If a fault found no container of its role, or several leaders, none of its
// containers is proved.
func (m *Measurement) resolveRoles() {
	found, of := map[string]int{}, map[string]int{}
	for _, f := range m.Faults {
		of[f.Name]++
		if f.Skipped == "" {
			found[f.Name]++
		}
	}
	m.Faults = slices.DeleteFunc(m.Faults, func(f FaultRecord) bool { return f.Skipped != "" && found[f.Name] > 0 })
	for i := range m.Faults {
		f := &m.Faults[i]
		if n := found[f.Name]; f.Problem == "" && (n == 0 || n > 1 && f.Role == RoleLeader) {
			f.Problem = fmt.Sprintf("%d of %d members had the role %s at that time", n, of[f.Name], f.Role)
		}
	}
}

// FirstFaultSeconds returns when the first fault was due, in seconds of the window, and whether there is any.
func (m *Measurement) FirstFaultSeconds() (seconds int, ok bool) {
	for i, f := range m.Faults {
		if i == 0 || f.AtSeconds < seconds {
			seconds = f.AtSeconds
		}
	}
	return seconds, len(m.Faults) > 0
}
