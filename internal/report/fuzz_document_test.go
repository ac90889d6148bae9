package report

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"io"
	"strings"
	"testing"

	"github.com/benchnet/benchnet/internal/experiment"
	"github.com/benchnet/benchnet/internal/fuzz"
	"github.com/benchnet/benchnet/internal/run/boundedjson"
	"github.com/benchnet/benchnet/internal/run/document"
)

// FuzzRunDocument puts a value at a place of a stored result and writes the report if the result is still
// valid. Pages and tables must be complete and free of active content.
func FuzzRunDocument(f *testing.F) {
	var documents [][]byte
	var harmless []activeContent
	for _, r := range []*document.RunResult{readRecordedRun(f, "testdata/bottleneck.json.gz"), newFaultyRun(f)} {
		documents, harmless = append(documents, marshalJSON(f, r)), append(harmless, countActiveContent(renderPageOrEmpty(f, r)))
	}
	addSeeds(f)
	f.Fuzz(func(t *testing.T, which bool, place uint16, value string) {
		i := 0
		if which {
			i = 1
		}
		text, err := fuzz.MutateDocument(documents[i], int(place), value)
		if err != nil {
			return
		}
		packed, err := boundedjson.Pack(json.RawMessage(text), "text")
		if err != nil {
			return
		}
		r, err := document.DecodeRunResult(packed)
		if err != nil {
			return
		}
		page := renderPageOrEmpty(t, r)
		if got := countActiveContent(page); got.scripts > harmless[i].scripts || got.images > harmless[i].images || got.frames > harmless[i].frames {
			t.Errorf("the page has %+v, want %+v", got, harmless[i])
		}
		assertCSVParses(t, func(w io.Writer) error { return WriteRunCSV(w, r) })
		for _, write := range []func(io.Writer, *document.RunResult) error{WriteSeriesCSV, WriteBlocksCSV, WriteSegmentsCSV, WriteFaultsCSV,
			WriteOperationsCSV} {
			assertCSVParses(t, func(w io.Writer) error { return write(w, r) })
		}
	})
}

// FuzzExperimentDocument does the same with the results of a grid, of a search, and of variants.
func FuzzExperimentDocument(f *testing.F) {
	grid, runs := newBlockSizeGrid(f)
	variants, _ := newVariantComparison(f)
	documents := [][]byte{marshalJSON(f, newSimulatedSearch()), marshalJSON(f, grid), marshalJSON(f, variants)}
	addSeeds(f)
	f.Fuzz(func(t *testing.T, which bool, place uint16, value string) {
		i := int(place) % 2 * 2
		if which {
			i = 1
		}
		text, err := fuzz.MutateDocument(documents[i], int(place)/2, value)
		if err != nil {
			return
		}
		e := &experiment.Result{}
		if json.Unmarshal(text, e) != nil {
			return
		}
		var page bytes.Buffer
		if err := WriteExperimentPage(&page, e, runs); err != nil {
			t.Fatalf("no page: %v", err)
		}
		if !strings.HasSuffix(strings.TrimSpace(page.String()), "</html>") {
			t.Error("the page has no end")
		}
		assertCSVParses(t, func(w io.Writer) error { return WritePointsCSV(w, e) })
		assertCSVParses(t, func(w io.Writer) error { return WriteRunsCSV(w, e, runs) })
	})
}

func addSeeds(f *testing.F) {
	f.Helper()
	for i, value := range fuzz.HostileValues {
		f.Add(i%2 == 0, uint16(37*i), value)
	}
	for i, value := range []string{"1e308", "-1e308", "5e-324", "NaN", "Inf", "-9223372036854775808", "2147483648", `"1e308"`, `"5e-324"`, `"NaN"`, `"-Inf"`} {
		f.Add(true, uint16(41*i), value)
		f.Add(false, uint16(3*i), value)
	}
}

func marshalJSON(t testing.TB, value any) []byte {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

// renderPageOrEmpty returns the page, or an empty string for a rejected result.
func renderPageOrEmpty(t testing.TB, r *document.RunResult) string {
	t.Helper()
	var page bytes.Buffer
	if err := WriteRunPage(&page, r); err != nil {
		return ""
	}
	if !strings.HasSuffix(strings.TrimSpace(page.String()), "</html>") {
		t.Error("the page has no end")
	}
	return page.String()
}

// assertCSVParses checks that the output is CSV with lines of equal length.
func assertCSVParses(t *testing.T, write func(io.Writer) error) {
	t.Helper()
	var text bytes.Buffer
	if err := write(&text); err != nil {
		t.Fatalf("no table: %v", err)
	}
	if _, err := csv.NewReader(&text).ReadAll(); err != nil {
		t.Errorf("a table that cannot be read: %v", err)
	}
}
