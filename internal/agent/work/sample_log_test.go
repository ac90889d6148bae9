package work

import (
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

// csvHeader is the header of JMeter 5.6.3 with its defaults.
const csvHeader = "timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,failureMessage,bytes,sentBytes,grpThreads,allThreads,URL,Latency,IdleTime,Connect\n"

var testWindow = protocol.MeasureTimes{WindowSeconds: 3, DrainSeconds: 4000}.NewWindow(time.UnixMilli(1_000_000))

// readSampleLog returns the result of a whole log.
func readSampleLog(log string, worker int) (*measurement.WorkerResult, error) {
	l := newSampleLog(testWindow)
	if err := l.Read(strings.NewReader(log)); err != nil {
		return nil, err
	}
	return l.Result(worker)
}

func TestTotals(t *testing.T) {
	l := newSampleLog(testWindow)
	if err := l.Read(strings.NewReader(csvHeader + successRow(-500, 400) + successRow(0, 50) + sampleRow(100, 300, "500", "Server Error", "false", ""))); err != nil {
		t.Fatal(err)
	}
	if got := l.Totals(); got.Completed() != 2 || got.LatencySumMicros != 450_000 || got.Errors["500"] != 1 {
		t.Errorf("totals %+v, want two successes and a failure", got)
	}
}

// sampleRow returns a sample that began at an offset in milliseconds from the start of the window.
func sampleRow(offset, elapsed int, code, message, success, failure string) string {
	return fmt.Sprintf("%d,%d,Pay,%s,%s,T 1-1,text,%s,%s,5,0,1,1,null,3,0,0\n", 1_000_000+offset, elapsed, code, message, success, failure)
}

func successRow(offset, elapsed int) string {
	return sampleRow(offset, elapsed, "200", "OK", "true", "")
}

func TestReadSampleLog(t *testing.T) {
	log := csvHeader +
		successRow(-500, 400) + // before the window
		successRow(-100, 200) + // completes in it, but began before
		successRow(0, 50) + successRow(1999, 1) + successRow(2000, 100) +
		successRow(2900, 200) + // began in it, completes after
		successRow(3000, 10) + // after it
		sampleRow(100, 300, "500", "Server Error", "false", "\"expected, but not found\"") +
		sampleRow(200, 10, "Non HTTP response code: java.net.ConnectException", "refused", "false", "") +
		sampleRow(300, 10, "500", "again", "false", "") +
		sampleRow(2999, 10, "", "", "false", "too slow") +
		"1001000,5,Pay,20" // cut off
	w, err := readSampleLog(log, 7)
	if err != nil {
		t.Fatal(err)
	}
	for name, pair := range map[string][2]any{
		"worker":    {w.Worker, 7},
		"start":     {w.StartMillis, int64(1_000_000)},
		"completed": {w.CompletedPerSecond, []int64{2, 0, 2}},
		"failed":    {w.FailedPerSecond, []int64{3, 0, 0}},
		"errors": {w.Errors, []measurement.ErrorCount{
			{Kind: "500", Count: 2, Example: "expected, but not found"}, {Kind: "failed assertion", Count: 1, Example: "too slow"},
			{Kind: "java.net.ConnectException", Count: 1, Example: "refused"}}},
		"labels": {w.Labels, []measurement.LabelCount{{Label: "Pay", Requests: 8, Errors: 4}}},
		"ledger": {w.Ledger.Checked, false},
	} {
		if !reflect.DeepEqual(pair[0], pair[1]) {
			t.Errorf("%s: %v, want %v", name, pair[0], pair[1])
		}
	}
	m, err := measurement.Merge([]measurement.WorkerResult{*w})
	if err != nil {
		t.Fatal(err)
	}
	if s := m.Summarize(); s.Requests != 8 || s.Errors != 4 || s.Latency.Max < 200 || s.Latency.Max > 200.2 {
		t.Errorf("summary %+v; want 8 requests, 4 errors, at most 200 ms", s)
	}
}

// TestReadCountsUnfinishedSamples reads the log of the scenario drivers/testdata/stalled-service.json: the driver
// records the samples in flight when the plan is stopped, after a drain of 1 s. A sample may end between the drain and
// the stop.
func TestReadCountsUnfinishedSamples(t *testing.T) {
	var scenario struct {
		Answered int
		Expected struct{ Planned, Completed, Unfinished int64 }
	}
	content, err := os.ReadFile("../../../drivers/testdata/stalled-service.json")
	if err == nil {
		err = json.Unmarshal(content, &scenario)
	}
	if err != nil {
		t.Fatal(err)
	}
	log := csvHeader + sampleRow(-500, 4600, "Unfinished", "in flight", "false", "")
	for i := range int(scenario.Expected.Planned) {
		switch at := 10 * i; {
		case i < scenario.Answered:
			log += successRow(at, 1)
		case i%2 == 0:
			log += successRow(at, 4010-at)
		default:
			log += sampleRow(at, 4100-at, "Unfinished", "in flight", "false", "")
		}
	}
	l := newSampleLog(protocol.MeasureTimes{WindowSeconds: 3, DrainSeconds: 1}.NewWindow(testWindow.From()))
	if err := l.Read(strings.NewReader(log)); err != nil {
		t.Fatal(err)
	}
	w, err := l.Result(0)
	if err != nil {
		t.Fatal(err)
	}
	m, err := measurement.Merge([]measurement.WorkerResult{*w})
	if err != nil {
		t.Fatal(err)
	}
	want := []measurement.ErrorCount{{Kind: measurement.Unfinished, Count: scenario.Expected.Unfinished}}
	if m.Histogram.Count() != scenario.Expected.Completed || !reflect.DeepEqual(m.Errors, want) {
		t.Errorf("%d completed, errors %v; want %d and %v", m.Histogram.Count(), m.Errors, scenario.Expected.Completed, want)
	}
}

func TestReadSampleLogRefuses(t *testing.T) {
	for want, log := range map[string]string{
		"is empty":                  "",
		"no column success":         "timeStamp,elapsed,label,responseCode,responseMessage\n",
		"line 2 of the sample log":  csvHeader + sampleRow(0, 1, "200", "OK", "perhaps", "") + successRow(1, 1),
		"wrong number of fields":    csvHeader + "1,2\n" + successRow(1, 1),
		"strconv.ParseInt: parsing": csvHeader + strings.Replace(successRow(0, 1), "1000000", "2026/11/21", 1),
	} {
		if _, err := readSampleLog(log, 0); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}

func TestErrorExamplesAreTruncated(t *testing.T) {
	w, err := readSampleLog(csvHeader+sampleRow(0, 1, "500", "x", "false", strings.Repeat("é", 300)), 0)
	if err != nil {
		t.Fatal(err)
	}
	if n := len([]rune(w.Errors[0].Example)); n != 200 {
		t.Errorf("example of %d characters", n)
	}
}

func TestReadCountsLatenciesOutOfRange(t *testing.T) {
	w, err := readSampleLog(csvHeader+successRow(0, -1)+successRow(0, 3_600_000)+successRow(0, 3_600_001)+successRow(1, 3_600_001), 0)
	if err != nil {
		t.Fatal(err)
	}
	if want := (measurement.OutOfRange{Negative: 1, TooLong: 2}); w.OutOfRange != want {
		t.Errorf("out of range are %+v, want %+v", w.OutOfRange, want)
	}
}
