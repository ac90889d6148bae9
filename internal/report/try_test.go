package report

import (
	"os"
	"testing"

	"github.com/benchnet/benchnet/internal/results"
)

func TestTry(t *testing.T) {
	c, err := os.ReadFile("testdata/malachite.json.gz")
	if err != nil {
		t.Fatal(err)
	}
	r, err := results.Decode(c)
	if err != nil {
		t.Fatal(err)
	}
	f, _ := os.Create("/work/scratch/report/run.html")
	if err := Run(f, r); err != nil {
		t.Fatal(err)
	}
}
