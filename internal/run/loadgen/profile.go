package loadgen

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

const (
	// minWavePeriod is the shortest period of a Sine. Its pieces last whole seconds, so a shorter one would be no wave.
	minWavePeriod = 10 * time.Second
	// wavePieces is the number of pieces of a period of a Sine, unless they would last less than a second.
	wavePieces = 60
	// maxTraceRate bounds the rates of a Replay, so that no sum of operations overflows.
	maxTraceRate = 1e9
)

// profileSegment is a segment of the window with its rate.
type profileSegment struct {
	measurement.Segment
	// rates are numbers of clients in a closed load.
	rates []protocol.RatePiece
	index int
}

// SegmentsOf returns the segments of the window: those of the profile, or else, with faults, the baseline before them and the rest. It
// returns nil if the profile or the faults are invalid.
func SegmentsOf(w *v1alpha1.Workload) []measurement.Segment {
	segments, errs := expandProfile(w.Load, nil)
	switch {
	case len(errs) > 0:
		return nil
	case len(segments) == 0:
		return faultSegments(w)
	}
	var all []measurement.Segment
	for _, s := range segments {
		all = append(all, s.Segment)
	}
	return all
}

// OfferedOperations returns the number of operations of an open load that are due in warm-up and window.
func OfferedOperations(load *v1alpha1.Load, m *v1alpha1.Measure) float64 {
	segments, _ := expandProfile(load, nil)
	return convertLoad(load, m, segments).CountDue((m.WarmUp.Duration + m.Window.Duration).Seconds())
}

// profileRates returns the rates of the segments of a profile, with the warm-up at the first rate, or nil without segments.
func profileRates(segments []profileSegment, warmUpSeconds int) []protocol.RatePiece {
	var rates []protocol.RatePiece
	for _, s := range segments {
		rates = append(rates, s.rates...)
	}
	if len(rates) > 0 && warmUpSeconds > 0 {
		first := rates[0].FromPerSecond
		rates = append([]protocol.RatePiece{{Seconds: warmUpSeconds, FromPerSecond: first, ToPerSecond: first}}, rates...)
	}
	return rates
}

// validateProfile rejects a profile that the drivers cannot apply or whose segments cannot be measured apart. The path is that of the
// workload.
func validateProfile(w *v1alpha1.Workload, path *field.Path) field.ErrorList {
	if len(w.Load.Profile) == 0 {
		return nil
	}
	path = path.Child("load", "profile")
	segments, errs := expandProfile(w.Load, path)
	if len(errs) > 0 {
		return errs
	}
	errs = validateClients(w, path)
	names, pieces, offered := map[string]bool{}, 1, 0.0
	for _, s := range segments {
		if names[s.Name] {
			errs = append(errs, field.Invalid(path.Index(s.index).Child("name"), w.Load.Profile[s.index].Name, fmt.Sprintf(
				"makes a second segment named %s: names must be unique, also among the levels of Steps, NAME-1, NAME-2 and so on", s.Name)))
		}
		names[s.Name] = true
		pieces, offered = pieces+len(s.rates), offered+s.OfferedPerSecond+s.Clients
	}
	switch window := int(w.Measure.Window.Seconds()); {
	case len(segments) > measurement.MaxSegments:
		errs = append(errs, field.Invalid(path, len(segments), fmt.Sprintf("segments are too many, at most %d: each level of Steps is one", measurement.MaxSegments)))
	case len(segments)*countKinds(w) > measurement.MaxRecordings:
		errs = append(errs, field.Invalid(path, len(segments)*countKinds(w), fmt.Sprintf(
			"recordings are too many, at most %d: %d segments, each level of Steps as one, times %d kinds of operations of the mix",
			measurement.MaxRecordings, len(segments), countKinds(w))))
	case pieces > protocol.MaxRatePieces:
		errs = append(errs, tooManyPieces(path, pieces))
	case offered == 0:
		errs = append(errs, field.Invalid(path, 0, "operations are planned: at least one rate must be above 0"))
	case profileIntervalSeconds(window, segments) == 0:
		errs = append(errs, field.Invalid(path, w.Measure.Window.Duration.String(), fmt.Sprintf(
			"is a window whose segments have no common interval: durations, also of levels of Steps, must be multiples of one length of at least %ds, such as %ds",
			minInterval(window), minIntervalSeconds*((minInterval(window)+minIntervalSeconds-1)/minIntervalSeconds))))
	}
	return errs
}

// validateClients rejects clients of segments that some worker or the load does not have, and with which nothing compares. The path is that
// of the profile.
func validateClients(w *v1alpha1.Workload, path *field.Path) field.ErrorList {
	var errs field.ErrorList
	for i := range w.Load.Profile {
		s, path := &w.Load.Profile[i], path.Index(i)
		for _, c := range []struct {
			name    string
			clients *int32
		}{{"clients", s.Clients}, {"toClients", s.ToClients}} {
			if n := c.clients; n != nil && (*n < w.Workers.Count || *n > w.Load.Clients) {
				errs = append(errs, field.Invalid(path.Child(c.name), *n, fmt.Sprintf(
					"must be from workers.count (%d) to load.clients (%d)", w.Workers.Count, w.Load.Clients)))
			}
		}
		switch {
		case s.Clients != nil && w.Type == v1alpha1.WorkloadJMeter:
			errs = append(errs, field.Forbidden(path.Child("clients"), "cannot be set with type JMeter: the threads are the plan's"))
		case s.Clients != nil && len(w.Faults) > 0:
			errs = append(errs, field.Forbidden(path.Child("clients"), "cannot be set with faults: without a rate, other clients make the baseline another one"))
		}
	}
	return errs
}

// countKinds returns the number of kinds of operations that the drivers measure separately; 1 without a mix.
func countKinds(w *v1alpha1.Workload) int {
	switch {
	case w.Corda != nil:
		return max(1, len(w.Corda.Mix))
	case w.JPaxos != nil:
		return max(1, len(w.JPaxos.Mix))
	case w.EVM != nil:
		kinds := map[v1alpha1.EVMTransactionKind]bool{}
		for i := range w.EVM.Mix {
			kinds[w.EVM.Mix[i].Kind] = true
		}
		return max(1, len(kinds))
	}
	return 1
}

func tooManyPieces(path *field.Path, pieces int) *field.Error {
	return field.Invalid(path, pieces, fmt.Sprintf("pieces of linear rates are too many, at most %d: use longer periods, or traces with fewer lines",
		protocol.MaxRatePieces))
}

// profileIntervalSeconds returns the length of the intervals of a window with segments, each of which has whole intervals, or 0 if there
// is none.
func profileIntervalSeconds(window int, segments []profileSegment) int {
	common := 0
	for _, s := range segments {
		for a := s.Seconds; a != 0; {
			common, a = a, common%a
		}
	}
	return findInterval(window, common, common)
}

// expandProfile returns the segments of a profile. Those with errors are left out. The path is that of the profile.
func expandProfile(load *v1alpha1.Load, path *field.Path) ([]profileSegment, field.ErrorList) {
	if load == nil {
		return nil, nil
	}
	var all []profileSegment
	var errs field.ErrorList
	from := 0
	for i := range load.Profile {
		s := &load.Profile[i]
		segments, problem := expandSegment(s, path.Index(i))
		if problem != nil {
			errs = append(errs, problem)
			continue
		}
		for _, one := range segments {
			operations := 0.0
			for _, p := range one.rates {
				one.Seconds += p.Seconds
				operations += p.Operations(float64(p.Seconds))
			}
			one.index, one.FromSeconds, one.OfferedPerSecond = i, from, operations/float64(one.Seconds)
			if s.Clients != nil {
				one.Clients, one.OfferedPerSecond = one.OfferedPerSecond, 0
			}
			from += one.Seconds
			all = append(all, one)
		}
	}
	return all, errs
}

// expandSegment returns the segments of the results, of which Steps has several, with names and rates.
func expandSegment(s *v1alpha1.LoadSegment, path *field.Path) ([]profileSegment, *field.Error) {
	seconds := int(s.Duration.Seconds())
	if seconds < minIntervalSeconds {
		return nil, field.Invalid(path.Child("duration"), s.Duration.Duration.String(), fmt.Sprintf("must be at least %ds", minIntervalSeconds))
	}
	from, problem := readRate(s.RatePerSecond, path.Child("ratePerSecond"))
	if problem != nil {
		return nil, problem
	}
	to, problem := readRate(s.ToRatePerSecond, path.Child("toRatePerSecond"))
	if problem != nil {
		return nil, problem
	}
	if s.Clients != nil {
		from, to = float64(*s.Clients), float64(ptr.Deref(s.ToClients, 0))
	}
	one := profileSegment{Segment: measurement.Segment{Name: s.Name}}
	switch s.Type {
	case v1alpha1.SegmentRamp:
		one.rates = []protocol.RatePiece{{Seconds: seconds, FromPerSecond: from, ToPerSecond: to}}
	case v1alpha1.SegmentSteps:
		return expandSteps(s, seconds, from, to, path)
	case v1alpha1.SegmentSpike:
		one.rates, problem = spikeRates(seconds, wholeSeconds(s.Hold), from, to, path)
	case v1alpha1.SegmentSine:
		one.rates, problem = sineRates(seconds, wholeSeconds(s.Period), from, to, path)
	case v1alpha1.SegmentReplay:
		one.rates, problem = replayRates(ptr.Deref(s.Replay, v1alpha1.LoadReplay{}), seconds, path.Child("replay"))
	default:
		one.Constant = true
		one.rates = []protocol.RatePiece{{Seconds: seconds, FromPerSecond: from, ToPerSecond: from}}
	}
	return []profileSegment{one}, problem
}

// wholeSeconds returns a duration in seconds. A missing one is 0: variants of experiments are expanded before the API server rejects them.
func wholeSeconds(d *v1alpha1.Seconds) int { return int(ptr.Deref(d, v1alpha1.Seconds{}).Seconds()) }

func readRate(q *resource.Quantity, path *field.Path) (float64, *field.Error) {
	switch {
	case q == nil:
		return 0, nil
	case q.Sign() < 0:
		return 0, field.Invalid(path, q.String(), "must be at least 0, such as 20 or 500m")
	}
	return q.AsApproximateFloat64(), nil
}

func expandSteps(s *v1alpha1.LoadSegment, seconds int, from, to float64, path *field.Path) ([]profileSegment, *field.Error) {
	steps := int(ptr.Deref(s.Steps, 0))
	if steps < 2 || seconds%steps != 0 || seconds/steps < minIntervalSeconds {
		return nil, field.Invalid(path.Child("steps"), steps, fmt.Sprintf("must divide the duration of %ds into levels of whole seconds, each at least %ds",
			seconds, minIntervalSeconds))
	}
	var levels []profileSegment
	for i := range steps {
		rate := from + (to-from)*float64(i)/float64(steps-1)
		if s.Clients != nil {
			rate = math.Round(rate)
		}
		levels = append(levels, profileSegment{
			Segment: measurement.Segment{Name: fmt.Sprint(s.Name, "-", i+1), Constant: true},
			rates:   []protocol.RatePiece{{Seconds: seconds / steps, FromPerSecond: rate, ToPerSecond: rate}},
		})
	}
	return levels, nil
}

func spikeRates(seconds, hold int, base, peak float64, path *field.Path) ([]protocol.RatePiece, *field.Error) {
	up := (seconds - hold) / 2
	if up < 1 {
		return nil, field.Invalid(path.Child("hold"), fmt.Sprintf("%ds", hold), fmt.Sprintf("must leave at least 2s of the duration of %ds to rise and fall",
			seconds))
	}
	rates := []protocol.RatePiece{{Seconds: up, FromPerSecond: base, ToPerSecond: peak}}
	if hold > 0 {
		rates = append(rates, protocol.RatePiece{Seconds: hold, FromPerSecond: peak, ToPerSecond: peak})
	}
	return append(rates, protocol.RatePiece{Seconds: seconds - up - hold, FromPerSecond: peak, ToPerSecond: base}), nil
}

func sineRates(seconds, period int, mean, peak float64, path *field.Path) ([]protocol.RatePiece, *field.Error) {
	step := max(1, period/wavePieces)
	switch {
	case peak > 2*mean:
		return nil, field.Invalid(path.Child("toRatePerSecond"), peak, fmt.Sprintf("would make the rate negative: at most twice ratePerSecond, %g", 2*mean))
	case period < int(minWavePeriod.Seconds()) || period > seconds:
		return nil, field.Invalid(path.Child("period"), fmt.Sprintf("%ds", period), fmt.Sprintf("must be from %s to the duration, %ds", minWavePeriod, seconds))
	case seconds/step > protocol.MaxRatePieces:
		return nil, tooManyPieces(path.Child("period"), seconds/step)
	}
	rateAt := func(second int) float64 {
		return max(0, mean+(peak-mean)*math.Sin(2*math.Pi*float64(second)/float64(period)))
	}
	var rates []protocol.RatePiece
	for second := 0; second < seconds; {
		next := min(seconds, second+step)
		rates = append(rates, protocol.RatePiece{Seconds: next - second, FromPerSecond: rateAt(second), ToPerSecond: rateAt(next)})
		second = next
	}
	return rates, nil
}

// replayRates returns the rates of a trace, each of which holds until the next line. The path is that of the replay.
func replayRates(replay v1alpha1.LoadReplay, seconds int, path *field.Path) ([]protocol.RatePiece, *field.Error) {
	if replay.Scale.Sign() <= 0 {
		return nil, field.Invalid(path.Child("scale"), replay.Scale.String(), "must be above 0, such as 0.5")
	}
	path = path.Child("csv")
	var rates []protocol.RatePiece
	lines, last := csv.NewReader(strings.NewReader(strings.TrimPrefix(replay.CSV, "\ufeff"))), 0
	lines.FieldsPerRecord, lines.TrimLeadingSpace = 2, true
	for n := 1; ; n++ {
		fields, err := lines.Read()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, field.Invalid(path, strings.Join(fields, ","), err.Error()+": "+wantedTraceLine)
		}
		if n == 1 && isHeader(fields) {
			continue
		}
		second, rate, err := parseTraceLine(fields)
		problem := checkTraceSecond(second, last, seconds, len(rates) == 0)
		if err != nil {
			problem = wantedTraceLine
		}
		if problem != "" {
			line, _ := lines.FieldPos(0)
			return nil, field.Invalid(path, strings.Join(fields, ","), fmt.Sprintf("line %d: %s", line, problem))
		}
		if len(rates) > 0 {
			rates[len(rates)-1].Seconds = second - last
		}
		if second < seconds { // A line at the end only ends the line before.
			rate *= replay.Scale.AsApproximateFloat64()
			rates = append(rates, protocol.RatePiece{FromPerSecond: rate, ToPerSecond: rate})
		}
		last = second
	}
	return endTrace(rates, last, seconds, path)
}

const wantedTraceLine = "want whole seconds, a comma and a rate from 0 to 1e9, such as 10,25.5"

// isHeader reports whether a line does not begin with a number.
func isHeader(fields []string) bool {
	_, err := strconv.ParseFloat(strings.TrimSpace(fields[0]), 64)
	return err != nil
}

func parseTraceLine(fields []string) (second int, rate float64, err error) {
	second, err = strconv.Atoi(strings.TrimSpace(fields[0]))
	rate, rateErr := strconv.ParseFloat(strings.TrimSpace(fields[1]), 64)
	if rateErr == nil && !(rate >= 0 && rate <= maxTraceRate) {
		rateErr = strconv.ErrRange
	}
	return second, rate, cmp.Or(err, rateErr)
}

// checkTraceSecond returns what is wrong with the second of a line, or nothing. last is the second of the line before, unless the line is
// the first, and seconds is the length of the segment.
func checkTraceSecond(second, last, seconds int, first bool) string {
	switch {
	case first && second != 0:
		return "the trace must begin with second 0"
	case !first && second <= last:
		return fmt.Sprintf("second %d is not above %d of the line before", second, last)
	case second > seconds:
		return fmt.Sprintf("second %d is after the end of the segment, which lasts %ds", second, seconds)
	}
	return ""
}

// endTrace lets the last rate hold as long as the one before, and one alone for the whole segment.
func endTrace(rates []protocol.RatePiece, last, seconds int, path *field.Path) ([]protocol.RatePiece, *field.Error) {
	n := len(rates)
	switch {
	case n == 0:
		return nil, field.Invalid(path, "", "has no rates: "+wantedTraceLine)
	case n == 1 && rates[0].Seconds == 0:
		rates[0].Seconds = seconds
	case last < seconds:
		rates[n-1].Seconds = rates[n-2].Seconds
		if end := last + rates[n-1].Seconds; end != seconds {
			return nil, field.Invalid(path, end, fmt.Sprintf("is the second at which the trace ends, but the segment lasts %ds: "+
				"make the duration %ds, or add the line %d,0 to end the last rate", seconds, end, seconds))
		}
	}
	return rates, nil
}
