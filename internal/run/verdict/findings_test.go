package verdict

import "testing"

// TestVerdictWithFindings checks that a platform's reason makes a run invalid, and that its notes do not.
func TestVerdictWithFindings(t *testing.T) {
	good := Verdict{Reasons: []Reason{}, Notes: []Reason{}}
	if v := good.WithFindings(Interpretation{Notes: []Reason{{Code: "Saturated"}}}); !v.IsValid() || len(v.Notes) != 1 {
		t.Errorf("with a note: %+v", v)
	}
	if v := good.WithFindings(Interpretation{Reasons: []Reason{{Code: "RateDiffers"}}}); v.IsValid() || len(v.Reasons) != 1 {
		t.Errorf("with a reason: %+v", v)
	}
}
