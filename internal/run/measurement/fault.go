package measurement

// FaultType is the kind of a declared fault.
type FaultType string

// The types of faults.
const (
	// FaultKill kills all processes of the container except the agent, which starts the command again after the duration.
	FaultKill FaultType = "Kill"
	// FaultPause stops all processes of the container except the agent for the duration.
	FaultPause FaultType = "Pause"
)

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
	// AtSeconds is when the fault begins, in seconds of the window, and DurationSeconds how long it lasts.
	AtSeconds       int `json:"atSeconds"`
	DurationSeconds int `json:"durationSeconds"`
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
	// Problem says in one line why the fault is not proved; empty if the evidence is complete.
	Problem string `json:"problem,omitempty"`
}

// FaultRecord is a declared fault with its effect.
type FaultRecord struct {
	Fault
	FaultEffect
}
