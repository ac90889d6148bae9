package v1alpha1

// Phase is the state of a network, a run or an experiment in one word. It is for display; conditions decide.
type Phase string

// The phases.
const (
	PhasePending      Phase = "Pending"
	PhaseQueued       Phase = "Queued"
	PhaseProvisioning Phase = "Provisioning"
	PhaseResetting    Phase = "Resetting"
	PhaseDegraded     Phase = "Degraded"
	PhaseReady        Phase = "Ready"
	PhasePreparing    Phase = "Preparing"
	PhaseWarmUp       Phase = "WarmUp"
	PhaseMeasuring    Phase = "Measuring"
	PhaseDraining     Phase = "Draining"
	PhaseRunning      Phase = "Running"
	PhasePaused       Phase = "Paused"
	PhaseFinished     Phase = "Finished"
	PhaseComplete     Phase = "Complete"
	PhaseFailed       Phase = "Failed"
	PhaseCancelling   Phase = "Cancelling"
	PhaseCancelled    Phase = "Cancelled"
	PhaseDeleting     Phase = "Deleting"
)

// ComponentState is the state of a stage, a member or a database of a network.
type ComponentState string

// The states.
const (
	StateWaiting    ComponentState = "Waiting"
	StateInProgress ComponentState = "InProgress"
	StateStarting   ComponentState = "Starting"
	StateReady      ComponentState = "Ready"
	StateFailed     ComponentState = "Failed"
	// StateExternal is the state of a database outside the network.
	StateExternal ComponentState = "External"
)
