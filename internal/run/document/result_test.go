package document

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/benchnet/benchnet/internal/run/boundedjson"
	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/measurement/measurementtest"
	"github.com/benchnet/benchnet/internal/run/verdict"
)

func TestResultRoundTrip(t *testing.T) {
	w := measurementtest.NewWorkerResult(t, 0, 10, 20)
	w.Members = []measurement.MemberUsage{{Member: "m", CPUSeconds: measurement.Series{0.25, 0.5}, MemoryBytes: measurement.Series{1 << 30, 1 << 31}}}
	w.Operations = []measurement.OperationCounts{{Name: "Transfer", Completed: 2, Histogram: w.Histogram}, {Name: "Mint",
		Histogram: measurementtest.NewWorkerResult(t, 0).Histogram}}
	w.Data = measurement.DataFile{SHA256: strings.Repeat("0f", 32), Rows: 3}
	m := measurementtest.MergeWorkers(t, w)
	r, err := NewRunResult(m, verdict.Interpretation{}, verdict.Judge(m, verdict.RunObservations{ExpectedWorkers: 1}, verdict.DefaultTolerances()))
	if err != nil {
		t.Fatal(err)
	}
	r.Run = RunIdentity{Namespace: "n", Name: "run"}
	r.Times.Start, r.Times.End = m.Start.Add(-30*time.Second), m.Start.Add(time.Minute)
	r.Workload = json.RawMessage(`{"measure":{"windowSeconds":2}}`)
	r.Environment.Images = []ImageInfo{{Role: "corda", Digest: "sha256:1"}}
	packed, err := EncodeRunResult(r)
	if err != nil {
		t.Fatal(err)
	}
	got, err := DecodeRunResult(packed)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got, r) || got.Data != w.Data || len(got.Operations) != 2 || got.Operations[0].Share != 1 {
		t.Errorf("got  %+v\nwant %+v", got, r)
	}
	h, err := got.DecodeHistogram()
	if err != nil || h.Count() != 2 {
		t.Errorf("histogram of %v values, %v", h, err)
	}
}

func TestDecodeRejectsInvalidDocuments(t *testing.T) {
	zip := func(text string) []byte {
		var b bytes.Buffer
		z := gzip.NewWriter(&b)
		_, _ = z.Write([]byte(text))
		_ = z.Close()
		return b.Bytes()
	}
	const head = `{"apiVersion":"benchnet.dev/v1alpha1","kind":"RunResult","schemaVersion":1,`
	for want, input := range map[string][]byte{
		"unpack:":       []byte("\x1f\x8bplain"),
		"parse:":        zip("{"),
		"invalid":       []byte("plain"),
		"schema 2":      zip(`{"apiVersion":"benchnet.dev/v1alpha1","kind":"RunResult","schemaVersion":2}`),
		"failed":        zip(head + `"series":{"completedPerSecond":[1,2],"failedPerSecond":[0]}}`),
		"negative":      zip(head + `"times":{"windowSeconds":-1}}`),
		"at most 64":    zip(head + `"faults":[` + strings.Repeat("{},", 64) + `{}]}`),
		"at most 32":    zip(head + `"segments":[` + strings.Repeat("{},", 32) + `{}]}`),
		"at most 8":     zip(head + `"operations":[` + strings.Repeat("{},", 8) + `{}]}`),
		`is "v1" "Pod"`: zip(`{"apiVersion":"v1","kind":"Pod"}`),
		"more than":     zip(strings.Repeat(" ", boundedjson.MaxDecodedBytes+1)),
	} {
		if _, err := DecodeRunResult(input); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
