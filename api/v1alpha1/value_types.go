package v1alpha1

import (
	"encoding/json"
	"fmt"
)

// Switch turns something on or off.
// +kubebuilder:validation:Enum=Enabled;Disabled
type Switch string

// The positions of a switch.
const (
	SwitchEnabled  Switch = "Enabled"
	SwitchDisabled Switch = "Disabled"
)

// Text may be written as a whole number.
// +kubebuilder:validation:Type=""
// +kubebuilder:validation:XIntOrString
// +kubebuilder:validation:MaxLength=1024
type Text string

// UnmarshalJSON accepts a string and a whole number, which it keeps as it is written.
func (t *Text) UnmarshalJSON(data []byte) error {
	var number json.Number
	if data[0] != '"' {
		if err := json.Unmarshal(data, &number); err != nil {
			return fmt.Errorf("must be a string or a whole number: %w", err)
		}
		*t = Text(number)
		return nil
	}
	return json.Unmarshal(data, (*string)(t))
}
