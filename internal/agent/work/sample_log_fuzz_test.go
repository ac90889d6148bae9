package work

import (
	"testing"

	"github.com/benchnet/benchnet/internal/run/measurement"
)

// FuzzReadSampleLog reads arbitrary sample logs of a JMeter plan: an accepted log gives a result that the operator accepts.
func FuzzReadSampleLog(f *testing.F) {
	for _, text := range []string{
		"", csvHeader, csvHeader + successRow(0, 50) + successRow(2999, 1), csvHeader + sampleRow(100, 300, "500", "Server Error", "false", "\"expected\""),
		csvHeader + "9223372036854775807,9223372036854775807,l,200,OK,t,text,true,,5,0,1,1,null,3,0,0\n",
		csvHeader + "-9223372036854775808,9223372036854775807,l,200,OK,t,text,false,,5,0,1,1,null,3,0,0\n",
		csvHeader + successRow(0, -5) + "\"",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		w, err := readSampleLog(text, 0)
		if err != nil {
			return
		}
		packed, err := measurement.EncodeWorkerResult(w)
		if err != nil {
			t.Fatalf("read, but not reported: %v", err)
		}
		if _, err := measurement.DecodeWorkerResult(packed); err != nil {
			t.Fatalf("reported, but refused: %v", err)
		}
	})
}
