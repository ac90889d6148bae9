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
	"time"

	"github.com/benchnet/benchnet/internal/results"
)

// Options for JMeter, so that its sample log is one that Read reads.
func Options() []string {
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

// Window is the time that is measured.
type Window struct {
	Start   time.Time
	Seconds int
}

// transactionMessage opens the message of a row that sums up other rows (a Transaction Controller's).
const transactionMessage = "Number of samples in transaction"

// ledgerReason says why the ledger is not compared with a plan's samples.
const ledgerReason = "the load is a JMeter plan, whose samples say nothing of transactions"

// maxExample bounds an example of an error, in characters.
const maxExample = 200

// columns that are read; all are needed.
var columns = []string{"timeStamp", "elapsed", "responseCode", "responseMessage", "success", "failureMessage"}

// Read counts the samples that fall into the window. Rows that sum up a transaction are passed over, because
// its samples have rows of their own. A last row that is cut off, as JMeter leaves it when it is stopped, is passed over too.
func Read(log io.Reader, worker int, window Window) (*results.Worker, error) {
	rows := csv.NewReader(log)
	header, err := rows.Read()
	if errors.Is(err, io.EOF) {
		return nil, errors.New("the sample log is empty")
	}
	if err != nil {
		return nil, fmt.Errorf("read the head of the sample log: %w", err)
	}
	places, err := locate(header)
	if err != nil {
		return nil, err
	}
	t := newTally(worker, window)
	for {
		row, err := rows.Read()
		if errors.Is(err, io.EOF) {
			return t.result()
		}
		if err != nil {
			if _, next := rows.Read(); errors.Is(next, io.EOF) {
				return t.result()
			}
			return nil, fmt.Errorf("read the sample log: %w", err)
		}
		if err := t.add(places, row); err != nil {
			line, _ := rows.FieldPos(0)
			return nil, fmt.Errorf("line %d of the sample log: %w", line, err)
		}
	}
}

// locate finds the columns by their names.
func locate(header []string) (map[string]int, error) {
	places := map[string]int{}
	for _, name := range columns {
		i := slices.Index(header, name)
		if i < 0 {
			return nil, fmt.Errorf("the sample log has no column %s, only %s", name, strings.Join(header, ","))
		}
		places[name] = i
	}
	return places, nil
}

// tally collects the result.
type tally struct {
	worker    results.Worker
	histogram *results.Histogram
	start     int64
	errors    map[string]*results.ErrorCount
}

func newTally(worker int, w Window) *tally {
	return &tally{
		worker: results.Worker{
			Worker: worker, StartMillis: w.Start.UnixMilli(), WindowSeconds: w.Seconds,
			CompletedPerSecond: make([]int64, w.Seconds), FailedPerSecond: make([]int64, w.Seconds),
			Ledger: &results.Ledger{Reason: ledgerReason},
		},
		histogram: results.NewHistogram(), start: w.Start.UnixMilli(), errors: map[string]*results.ErrorCount{},
	}
}

func (t *tally) add(places map[string]int, row []string) error {
	field := func(name string) string { return row[places[name]] }
	if strings.HasPrefix(field("responseMessage"), transactionMessage) {
		return nil
	}
	began, err1 := strconv.ParseInt(field("timeStamp"), 10, 64)
	elapsed, err2 := strconv.ParseInt(field("elapsed"), 10, 64)
	success, err3 := strconv.ParseBool(field("success"))
	if err := errors.Join(err1, err2, err3); err != nil {
		return err
	}
	perSecond := t.worker.FailedPerSecond
	if success {
		perSecond = t.worker.CompletedPerSecond
	}
	if second, inside := t.second(began + elapsed); inside {
		perSecond[second]++
	}
	if _, inside := t.second(began); !inside {
		return nil
	}
	if success {
		return t.histogram.Record(elapsed * 1000)
	}
	t.fail(field("responseCode"), cmp.Or(field("failureMessage"), field("responseMessage")))
	return nil
}

// second of the window in which an instant, in epoch milliseconds, lies.
func (t *tally) second(millis int64) (int64, bool) {
	if millis < t.start {
		return 0, false
	}
	second := (millis - t.start) / 1000
	return second, second < int64(t.worker.WindowSeconds)
}

func (t *tally) fail(code, message string) {
	kind := strings.TrimPrefix(cmp.Or(code, "failed assertion"), "Non HTTP response code: ")
	known := t.errors[kind]
	if known == nil {
		known = &results.ErrorCount{Kind: kind, Example: shorten(message)}
		t.errors[kind] = known
	}
	known.Count++
}

func shorten(message string) string {
	if characters := []rune(message); len(characters) > maxExample {
		return string(characters[:maxExample])
	}
	return message
}

func (t *tally) result() (*results.Worker, error) {
	encoded, err := t.histogram.Encode()
	if err != nil {
		return nil, err
	}
	w := t.worker
	w.Histogram = encoded
	for _, e := range t.errors {
		w.Errors = append(w.Errors, *e)
	}
	slices.SortFunc(w.Errors, func(a, b results.ErrorCount) int { return cmp.Compare(a.Kind, b.Kind) })
	return &w, nil
}
