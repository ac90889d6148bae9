package v1alpha1

import "k8s.io/apimachinery/pkg/api/resource"

// SegmentType is the course of the rate within a segment of a profile.
// +kubebuilder:validation:Enum=Constant;Ramp;Steps;Spike;Sine;Replay
type SegmentType string

// The segment types.
const (
	SegmentConstant SegmentType = "Constant"
	SegmentRamp     SegmentType = "Ramp"
	SegmentSteps    SegmentType = "Steps"
	SegmentSpike    SegmentType = "Spike"
	SegmentSine     SegmentType = "Sine"
	SegmentReplay   SegmentType = "Replay"
)

// LoadSegment is a part of the window in which the rate, or the number of clients, follows one rule. It has results of its own.
// +kubebuilder:validation:XValidation:rule="(has(self.ratePerSecond) || has(self.clients)) != (self.type == 'Replay') && (has(self.toRatePerSecond) || has(self.toClients)) != (self.type in ['Constant', 'Replay']) && has(self.steps) == (self.type == 'Steps') && has(self.hold) == (self.type == 'Spike') && has(self.period) == (self.type == 'Sine') && has(self.replay) == (self.type == 'Replay')",message="ratePerSecond must be set unless type is Replay, and toRatePerSecond when, and only when, type is Ramp, Steps, Spike or Sine, or with load.model Closed clients and toClients; steps belongs to type Steps, hold to Spike, period to Sine and replay to Replay, which require them"
type LoadSegment struct {
	// name is unique in the profile. Each level of Steps is a segment of its own, named NAME-1, NAME-2 and so on.
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=32
	// +kubebuilder:validation:Pattern=`^[a-z0-9]([-a-z0-9]*[a-z0-9])?$`
	// +required
	Name string `json:"name"`
	// type is Constant, Ramp (linear), Steps (levels of equal length), Spike (up, hold and down), Sine (a wave around a mean) or Replay (a
	// recorded trace).
	// +unionDiscriminator
	// +required
	Type SegmentType `json:"type"`
	// duration is the length of the segment, at least 5s.
	// +required
	Duration Seconds `json:"duration"`
	// ratePerSecond is the rate of Constant, the first rate of Ramp and Steps, the base of Spike, and the mean of Sine. It may be 0.
	// +optional
	RatePerSecond *resource.Quantity `json:"ratePerSecond,omitempty"`
	// toRatePerSecond is the last rate of Ramp and Steps, and the peak of Spike and Sine, which is at most twice the mean.
	// +optional
	ToRatePerSecond *resource.Quantity `json:"toRatePerSecond,omitempty"`
	// clients is the number of clients of Constant, and the first of Ramp and Steps, with model Closed.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=20000
	// +optional
	Clients *int32 `json:"clients,omitempty"`
	// toClients is the last number of Ramp and Steps.
	// +kubebuilder:validation:Minimum=1
	// +kubebuilder:validation:Maximum=20000
	// +optional
	ToClients *int32 `json:"toClients,omitempty"`
	// steps is the number of levels, both ends included, from 2 to 16. It must divide the duration into whole seconds.
	// +kubebuilder:validation:Minimum=2
	// +kubebuilder:validation:Maximum=16
	// +optional
	Steps *int32 `json:"steps,omitempty"`
	// hold is the time at the peak, in the middle of the segment. The rate rises and falls linearly in the rest.
	// +optional
	Hold *Seconds `json:"hold,omitempty"`
	// period is the period of the wave, at least 10s. The rate begins at the mean and rises. It is linear between points at a distance of a
	// 60th of the period, at least 1s.
	// +optional
	Period *Seconds `json:"period,omitempty"`
	// replay is the recorded trace.
	// +optional
	Replay *LoadReplay `json:"replay,omitempty"`
}

// LoadReplay is a recorded trace of rates.
type LoadReplay struct {
	// csv has a line for each change of the rate: whole seconds since the start of the segment, rising from 0, and operations per
	// second, such as 0,20. A rate holds until the next line, the last one as long as the one before. A header line is skipped.
	// +kubebuilder:validation:MinLength=3
	// +kubebuilder:validation:MaxLength=16384
	// +required
	CSV string `json:"csv"`
	// scale multiplies the rates, above 0, such as "0.5". Default: 1.
	// +kubebuilder:default="1"
	// +optional
	Scale resource.Quantity `json:"scale,omitzero"`
}
