// Package jtl makes a worker's result from the sample log (JTL, as CSV) of a JMeter plan of the user's own.
package jtl

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

	"github.com/benchnet/benchnet/internal/run/protocol"
	"github.com/benchnet/benchnet/internal/run/results"
)

// JMeterArguments for JMeter, so that its sample log is one that Read reads.
func JMeterArguments() []string {
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

// transactionMessage opens the message of a row that sums up other rows (a Transaction Controller's).
const transactionMessage = "Number of samples in transaction"

// ledgerReason says why the ledger is not compared with a plan's samples.
const ledgerReason = "the load is a JMeter plan, whose samples say nothing of transactions"

// requiredColumns that are read; all are needed.
var requiredColumns = []string{"timeStamp", "elapsed", "responseCode", "responseMessage", "success", "failureMessage"}

// SampleLog is a sample log that is read while JMeter writes it. It is safe for use by several goroutines.
type SampleLog struct {
	lock        sync.Mutex
	start       time.Time
	tally       *results.RequestRecorder
	columnIndex map[string]int
}

// NewSampleLog counts the samples that fall into a window.
func NewSampleLog(window *protocol.Window) *SampleLog {
	return &SampleLog{start: window.From(), tally: results.NewRequestRecorder(window.MaxSeconds(), window.IntervalSeconds())}
}

// Read takes in a whole log, to its end. Rows that sum up a transaction are passed over, because its samples have rows of their own.
// A last row that is cut off, as JMeter leaves it when it is stopped, is passed over too.
func (l *SampleLog) Read(text io.Reader) error {
	rows := csv.NewReader(text)
	header, err := rows.Read()
	if errors.Is(err, io.EOF) {
		return errors.New("the sample log is empty")
	}
	if err != nil {
		return fmt.Errorf("read the head of the sample log: %w", err)
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

// findColumns finds the columns by their names.
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

func (l *SampleLog) addRow(row []string) error {
	field := func(name string) string { return row[l.columnIndex[name]] }
	if strings.HasPrefix(field("responseMessage"), transactionMessage) {
		return nil
	}
	began, err1 := strconv.ParseInt(field("timeStamp"), 10, 64)
	elapsed, err2 := strconv.ParseInt(field("elapsed"), 10, 64)
	success, err3 := strconv.ParseBool(field("success"))
	if err := errors.Join(err1, err2, err3); err != nil {
		return err
	}
	of, took := time.UnixMilli(began).Sub(l.start), time.Duration(elapsed)*time.Millisecond
	l.lock.Lock()
	defer l.lock.Unlock()
	if success {
		l.tally.RecordCompleted(of+took, 1)
		l.tally.RecordLatency(of, took)
		return nil
	}
	l.tally.RecordFailed(of+took, 1)
	kind := strings.TrimPrefix(cmp.Or(field("responseCode"), "failed assertion"), "Non HTTP response code: ")
	l.tally.RecordError(of, 1, kind, cmp.Or(field("failureMessage"), field("responseMessage")))
	return nil
}

// Completions are the successes of each of the first seconds of the window, as far as the log was read.
func (l *SampleLog) Completions(seconds int) []int64 {
	l.lock.Lock()
	defer l.lock.Unlock()
	return l.tally.CompletedPerSecond(seconds)
}

// Result is what the window held, as far as the log was read.
func (l *SampleLog) Result(worker int) (*results.WorkerResult, error) {
	l.lock.Lock()
	defer l.lock.Unlock()
	w := &results.WorkerResult{Worker: worker, StartMillis: l.start.UnixMilli(), Ledger: &results.Ledger{Reason: ledgerReason}}
	return w, l.tally.FillResult(w)
}
