package objectives

import (
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

func TestJudgeQueries(t *testing.T) {
	atMost := v1alpha1.QueryObjective{Name: "queue", Max: new(resource.MustParse("500m"))}
	atLeast := v1alpha1.QueryObjective{Name: "queue", Min: new(resource.MustParse("-1"))}
	between := v1alpha1.QueryObjective{Name: "queue", Min: new(resource.MustParse("1")), Max: new(resource.MustParse("2"))}
	for name, c := range map[string]struct {
		objective v1alpha1.QueryObjective
		answer    QueryAnswer
		reasons   []verdict.ReasonCode
		outcome   string
		says      string
	}{
		"at the limit":            {atMost, QueryAnswer{Value: 0.5}, nil, "Passed", "queue is 0.5, must be at most 500m"},
		"beyond":                  {atMost, QueryAnswer{Value: 0.51}, nil, "Failed", "queue is 0.51, must be at most 500m"},
		"negative":                {atLeast, QueryAnswer{Value: -1.5}, nil, "Failed", "queue is -1.5, must be at least -1"},
		"above min":               {atLeast, QueryAnswer{}, nil, "Passed", "queue is 0"},
		"between":                 {between, QueryAnswer{Value: 1.5}, nil, "Passed", "must be from 1 to 2"},
		"below both":              {between, QueryAnswer{Value: 0.5}, nil, "Failed", "must be from 1 to 2"},
		"without a value":         {atMost, QueryAnswer{Problem: "there is no sample"}, nil, "Undecided", "queue is unknown: there is no sample"},
		"invalid by the host":     {atMost, QueryAnswer{Value: 9}, []verdict.ReasonCode{verdict.ReasonCPUStolen}, "Undecided", "invalid: CPUStolen"},
		"beyond, by the system":   {atMost, QueryAnswer{Value: 9}, []verdict.ReasonCode{verdict.ReasonMemberRestarted}, "Failed", "queue is 9"},
		"within, invalid by both": {atMost, QueryAnswer{}, []verdict.ReasonCode{verdict.ReasonErrors}, "Undecided", "invalid: Errors"},
	} {
		t.Run(name, func(t *testing.T) {
			var judged verdict.Verdict
			for _, code := range c.reasons {
				judged.Reasons = append(judged.Reasons, verdict.Reason{Code: code})
			}
			got := JudgeQueries([]v1alpha1.QueryObjective{c.objective}, []QueryAnswer{c.answer}, judged)
			if len(got) != 1 || got[0].Metric != "queue" || got[0].Outcome != c.outcome || !strings.Contains(got[0].Message, c.says) {
				t.Fatalf("got %+v, want %s with %q", got, c.outcome, c.says)
			}
			if value := got[0].Query.Value; (value == nil) != (c.answer.Problem != "") || value != nil && *value != c.answer.Value {
				t.Errorf("the value is %v", value)
			}
		})
	}
}
