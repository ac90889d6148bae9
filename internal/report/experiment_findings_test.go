package report

import (
	"slices"
	"testing"

	"github.com/benchnet/benchnet/internal/experiment"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

// TestRepeatedFindingsAreOneLine checks the reasons of an experiment's banner.
func TestRepeatedFindingsAreOneLine(t *testing.T) {
	overloaded := func(point, message string) experiment.Run {
		return experiment.Run{Name: "e-" + point + "-r1", Point: point, Verdict: experiment.RunInvalid,
			Codes: []verdict.ReasonCode{verdict.ReasonOfferedNotAchieved}, Reasons: []string{message}}
	}
	failed := func(name, point, message string) experiment.Run {
		return experiment.Run{Name: name, Point: point, Verdict: experiment.RunFailed, Reasons: []string{message}}
	}
	users := func(name, value string) experiment.Point {
		return experiment.Point{Name: name, Parameters: []experiment.Parameter{{Name: "users", Value: value}}}
	}
	valid := experiment.Run{Name: "e-p01-r1", Point: "p01", Verdict: experiment.RunValid}
	points := []experiment.Point{users("p01", "5"), users("p02", "10"), users("p03", "20")}
	tests := map[string]struct {
		runs []experiment.Run
		note map[verdict.ReasonCode]int
		want []bannerReason
	}{
		"all valid": {runs: []experiment.Run{valid}},
		"one run keeps its message": {
			runs: []experiment.Run{valid, overloaded("p02", "grew by 3")},
			want: []bannerReason{{"OfferedNotAchieved", "e-p02-r1", "grew by 3"}},
		},
		"several messages of one code": {
			runs: []experiment.Run{valid, overloaded("p02", "grew by 3"), overloaded("p03", "grew by 9"), overloaded("p03", "grew by 8")},
			want: []bannerReason{{"OfferedNotAchieved", "3 of 4 runs:", "did not keep up with the offered rate (users 10, 20)"}},
		},
		"every point": {
			runs: []experiment.Run{overloaded("p01", "a"), overloaded("p02", "b"), overloaded("p03", "c")},
			want: []bannerReason{{"OfferedNotAchieved", "3 of 3 runs:", "did not keep up with the offered rate (every point)"}},
		},
		"failed runs by message": {
			runs: []experiment.Run{failed("a", "p02", "no worker"), failed("b", "p02", "no worker"), failed("c", "p03", "no image")},
			want: []bannerReason{{"Failed", "2 of 3 runs:", "no worker (users 10)"}, {"Failed", "c", "no image"}},
		},
		"a shortened document has codes only": {
			runs: []experiment.Run{valid, {Name: "a", Point: "p02", Verdict: experiment.RunInvalid, Codes: []verdict.ReasonCode{verdict.ReasonOutOfMemory}}},
			want: []bannerReason{{"OutOfMemory", "a", ""}},
		},
		"notes of several points": {
			runs: []experiment.Run{valid, valid, valid, valid},
			note: map[verdict.ReasonCode]int{verdict.ReasonFewSamples: 2},
			want: []bannerReason{{"FewSamples", "4 of 4 runs:", "had too few samples for some percentiles (users 10, 20)"}},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			e := &experiment.Result{Runs: test.runs, Points: slices.Clone(points)}
			e.Points[1].Notes, e.Points[2].Notes = test.note, test.note
			if got := experimentBanner(e).Reasons; !slices.Equal(got, test.want) {
				t.Errorf("got  %q\nwant %q", got, test.want)
			}
		})
	}
}
