package work

import (
	"cmp"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

// sampleLogArguments returns the arguments that make JMeter write a sample log that sampleLog can read.
func sampleLogArguments() []string {
	return []string{
		"-Jjmeter.save.saveservice.output_format=csv",
		"-Jjmeter.save.saveservice.print_field_names=true",
		"-Jjmeter.save.saveservice.default_delimiter=,",
		"-Jjmeter.save.saveservice.timestamp_format=ms",
		"-Jjmeter.save.saveservice.time=true",
		"-Jjmeter.save.saveservice.timestamp=true",
		"-Jjmeter.save.saveservice.label=true",
		"-Jjmeter.save.saveservice.successful=true",
		"-Jjmeter.save.saveservice.response_code=true",
		"-Jjmeter.save.saveservice.response_message=true",
		"-Jjmeter.save.saveservice.assertion_results_failure_message=true",
		"-Jjmeter.save.saveservice.autoflush=true",
	}
}

// ledgerReason explains why the result holds no ledger comparison.
const ledgerReason = "the load is a JMeter plan, whose samples do not identify transactions"

// maxElapsedMillis bounds the time of a sample, which is out of range long before, so that it fits a duration.
const maxElapsedMillis = 1_000_000_000

// requiredColumns are the columns that sampleLog reads.
var requiredColumns = []string{"timeStamp", "elapsed", "label", "responseCode", "responseMessage", "success", "failureMessage"}

// sampleLog reads a sample log while JMeter writes it. It is safe for concurrent use.
type sampleLog struct {
	lock        sync.Mutex
	window      *protocol.Window
	tally       *measurement.RequestRecorder
	totals      *protocol.LoadTotals
	columnIndex map[string]int
}

// newSampleLog returns a sampleLog that counts the samples in window.
func newSampleLog(window *protocol.Window) *sampleLog {
	return &sampleLog{window: window, tally: measurement.NewRequestRecorder(window.MaxSeconds(), window.IntervalSeconds()), totals: protocol.NewLoadTotals()}
}

// Read reads a whole log, whose rows are the requests. A sample that ends after the drain, or that was in flight when the
// plan was stopped, is unfinished. Read skips a truncated last row, which JMeter leaves when it is stopped. It fails on an
// empty log, a missing column or a bad row.
func (l *sampleLog) Read(text io.Reader) error {
	rows := csv.NewReader(text)
	header, err := rows.Read()
	if errors.Is(err, io.EOF) {
		return errors.New("the sample log is empty")
	}
	if err != nil {
		return fmt.Errorf("read the header of the sample log: %w", err)
	}
	if l.columnIndex, err = findColumns(header); err != nil {
		return err
	}
	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			if _, next := rows.Read(); errors.Is(next, io.EOF) {
				return nil
			}
			return fmt.Errorf("read the sample log: %w", err)
		}
		if err := l.addRow(row); err != nil {
			line, _ := rows.FieldPos(0)
			return fmt.Errorf("line %d of the sample log: %w", line, err)
		}
	}
}

// findColumns returns the index of each required column, or an error if one is missing.
func findColumns(header []string) (map[string]int, error) {
	places := map[string]int{}
	for _, name := range requiredColumns {
		i := slices.Index(header, name)
		if i < 0 {
			return nil, fmt.Errorf("the sample log has no column %s, only %s", name, strings.Join(header, ","))
		}
		places[name] = i
	}
	return places, nil
}

func (l *sampleLog) addRow(row []string) error {
	field := func(name string) string { return row[l.columnIndex[name]] }
	began, err1 := strconv.ParseInt(field("timeStamp"), 10, 64)
	elapsed, err2 := strconv.ParseInt(field("elapsed"), 10, 64)
	success, err3 := strconv.ParseBool(field("success"))
	if err := errors.Join(err1, err2, err3); err != nil {
		return err
	}
	of, took := time.UnixMilli(began).Sub(l.window.From()), time.Duration(min(max(elapsed, -maxElapsedMillis), maxElapsedMillis))*time.Millisecond
	code := field("responseCode")
	unfinished := code == measurement.Unfinished || of+took > l.window.DrainEnd().Sub(l.window.From())
	l.lock.Lock()
	defer l.lock.Unlock()
	l.tally.RecordLabel(of, field("label"), unfinished || !success)
	if unfinished {
		l.tally.RecordError(of, 1, measurement.Unfinished, "")
		l.totals.AddFailed(measurement.Unfinished, 1)
		return nil
	}
	if success {
		l.tally.RecordCompleted(of+took, 1)
		l.tally.RecordLatencySum(of+took, took)
		l.tally.RecordLatency(of, took)
		l.totals.AddCompleted(took)
		return nil
	}
	l.tally.RecordFailed(of+took, 1)
	kind := strings.TrimPrefix(cmp.Or(code, "failed assertion"), "Non HTTP response code: ")
	l.tally.RecordError(of, 1, kind, cmp.Or(field("failureMessage"), field("responseMessage")))
	l.totals.AddFailed(kind, 1)
	return nil
}

// PerSecond returns the successes of the first seconds of the window, as far as the log has been read.
func (l *sampleLog) PerSecond(seconds int) measurement.PerSecond {
	l.lock.Lock()
	defer l.lock.Unlock()
	return l.tally.PerSecond(seconds)
}

// Totals returns what has ended since the start of the load, as far as the log has been read.
func (l *sampleLog) Totals() *protocol.LoadTotals {
	l.lock.Lock()
	defer l.lock.Unlock()
	return l.totals.Clone()
}

// Result returns the worker's result for the window, as far as the log has been read.
func (l *sampleLog) Result(worker int) (*measurement.WorkerResult, error) {
	l.lock.Lock()
	defer l.lock.Unlock()
	w := &measurement.WorkerResult{Worker: worker, StartMillis: l.window.From().UnixMilli(), Ledger: &measurement.Ledger{Reason: ledgerReason}}
	return w, l.tally.FillResult(w)
}
