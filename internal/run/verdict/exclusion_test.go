package verdict

import "testing"

func TestHasOnlyExogenousReasons(t *testing.T) {
	for name, test := range map[string]struct {
		codes []ReasonCode
		want  bool
	}{
		"valid":            {nil, false},
		"steal":            {[]ReasonCode{ReasonCPUStolen}, true},
		"host and worker":  {[]ReasonCode{ReasonHostShared, ReasonNodeNotReady, ReasonWorkerThrottled}, true},
		"errors":           {[]ReasonCode{ReasonErrors}, false},
		"out of memory":    {[]ReasonCode{ReasonOutOfMemory, ReasonMemberRestarted}, false},
		"steal and errors": {[]ReasonCode{ReasonCPUStolen, ReasonErrors}, false},
		"not steady":       {[]ReasonCode{ReasonNotSteady}, false},
	} {
		t.Run(name, func(t *testing.T) {
			var v Verdict
			for _, code := range test.codes {
				v.Reasons = append(v.Reasons, Reason{Code: code})
			}
			if got := v.HasOnlyExogenousReasons(); got != test.want {
				t.Errorf("got %v", got)
			}
		})
	}
}
