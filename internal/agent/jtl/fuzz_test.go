package jtl

import (
	"testing"

	"github.com/benchnet/benchnet/internal/results"
)

// FuzzRead takes in sample logs as any JMeter plan could write them: one that is read gives a result that the operator takes.
func FuzzRead(f *testing.F) {
	for _, text := range []string{
		"", head, head + ok(0, 50) + ok(2999, 1), head + row(100, 300, "500", "Server Error", "false", "\"expected\""),
		head + "9223372036854775807,9223372036854775807,l,200,OK,t,text,true,,5,0,1,1,null,3,0,0\n",
		head + "-9223372036854775808,9223372036854775807,l,200,OK,t,text,false,,5,0,1,1,null,3,0,0\n",
		head + ok(0, -5) + "\"",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		w, err := read(text, 0)
		if err != nil {
			return
		}
		packed, err := results.EncodeWorker(w)
		if err != nil {
			t.Fatalf("read, but not reported: %v", err)
		}
		if _, err := results.DecodeWorker(packed); err != nil {
			t.Fatalf("reported, but refused: %v", err)
		}
	})
}
