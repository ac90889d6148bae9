package v1alpha1

import (
	"encoding/json"
	"time"
)

// Seconds is a duration in whole seconds up to 24h, such as 90s or 1m30s.
// +kubebuilder:validation:Type=string
// +kubebuilder:validation:MaxLength=16
// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]+h)?([0-9]+m)?([0-9]+s)?$') && duration(self) <= duration('24h')",message="must be whole seconds up to 24h, such as 1m30s"
type Seconds struct {
	time.Duration `json:"-"`
}

// Timeout is a duration in whole milliseconds from 1ms to 10m, such as 500ms or 3s.
// +kubebuilder:validation:Type=string
// +kubebuilder:validation:MaxLength=16
// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]+m|[0-9]+(m|[.][0-9]{1,3})?s)+$') && [duration('1ms'), duration(self), duration('10m')].isSorted()",message="must be whole milliseconds from 1ms to 10m, such as 3s"
type Timeout struct {
	time.Duration `json:"-"`
}

// Wait is a duration in whole milliseconds from 1ms to 10m, such as 3s. Unlike a Timeout, it has no rule of its own: one rule of its
// struct checks all waits, which keeps the definition small.
// +kubebuilder:validation:Type=string
// +kubebuilder:validation:MaxLength=16
type Wait struct {
	time.Duration `json:"-"`
}

// Delay is a duration in whole milliseconds up to 10m, which may be none, such as 0s or 500ms.
// +kubebuilder:validation:Type=string
// +kubebuilder:validation:MaxLength=16
// +kubebuilder:validation:XValidation:rule="self.matches('^([0-9]+m|[0-9]+(m|[.][0-9]{1,3})?s)+$') && duration(self) <= duration('10m')",message="must be whole milliseconds from 0s to 10m, such as 500ms"
type Delay struct {
	time.Duration `json:"-"`
}

// Latency is a duration up to 10s in one unit, which may be a fraction, such as 1.5ms.
// +kubebuilder:validation:Type=string
// +kubebuilder:validation:MaxLength=16
// +kubebuilder:validation:XValidation:rule="self.matches('^[0-9]+([.][0-9]+)?(us|µs|ms|s)$') && duration(self) <= duration('10s')",message="must be at most 10s, in one unit of us, ms or s, such as 1.5ms"
type Latency struct {
	time.Duration `json:"-"`
}

// MarshalJSON returns the duration as text.
func (d Seconds) MarshalJSON() ([]byte, error) { return json.Marshal(d.String()) }

// UnmarshalJSON reads the duration from text.
func (d *Seconds) UnmarshalJSON(text []byte) error { return unmarshalDuration(text, &d.Duration) }

// MarshalJSON returns the duration as text.
func (d Timeout) MarshalJSON() ([]byte, error) { return json.Marshal(d.String()) }

// UnmarshalJSON reads the duration from text.
func (d *Timeout) UnmarshalJSON(text []byte) error { return unmarshalDuration(text, &d.Duration) }

// MarshalJSON returns the duration as text.
func (d Wait) MarshalJSON() ([]byte, error) { return json.Marshal(d.String()) }

// UnmarshalJSON reads the duration from text.
func (d *Wait) UnmarshalJSON(text []byte) error { return unmarshalDuration(text, &d.Duration) }

// MarshalJSON returns the duration as text.
func (d Delay) MarshalJSON() ([]byte, error) { return json.Marshal(d.String()) }

// UnmarshalJSON reads the duration from text.
func (d *Delay) UnmarshalJSON(text []byte) error { return unmarshalDuration(text, &d.Duration) }

// MarshalJSON returns the duration as text.
func (d Latency) MarshalJSON() ([]byte, error) { return json.Marshal(d.String()) }

// UnmarshalJSON reads the duration from text.
func (d *Latency) UnmarshalJSON(text []byte) error { return unmarshalDuration(text, &d.Duration) }

func unmarshalDuration(text []byte, into *time.Duration) error {
	var value string
	if err := json.Unmarshal(text, &value); err != nil {
		return err
	}
	parsed, err := time.ParseDuration(value)
	if err == nil {
		*into = parsed
	}
	return err
}
