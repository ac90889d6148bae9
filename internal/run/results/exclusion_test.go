package results

import "testing"

func TestHasOnlyExogenousReasons(t *testing.T) {
	for name, test := range map[string]struct {
		codes []ReasonCode
		want  bool
	}{
		"valid":            {nil, false},
		"steal":            {[]ReasonCode{CPUStolen}, true},
		"host and worker":  {[]ReasonCode{HostShared, NodeNotReady, WorkerThrottled}, true},
		"errors":           {[]ReasonCode{Errors}, false},
		"out of memory":    {[]ReasonCode{OutOfMemory, MemberRestarted}, false},
		"steal and errors": {[]ReasonCode{CPUStolen, Errors}, false},
		"not steady":       {[]ReasonCode{NotSteady}, false},
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
