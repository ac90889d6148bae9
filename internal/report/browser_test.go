//go:build browser

package report

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"image/png"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/cdproto/log"
	"github.com/chromedp/cdproto/network"
	"github.com/chromedp/cdproto/runtime"
	"github.com/chromedp/chromedp"

	"github.com/benchnet/benchnet/internal/run/measurement"
)

var updatePictures = flag.Bool("update", false, "rewrite the pictures of the documentation")

// browserReports returns the reports for the browser, with words that must be visible on each.
func browserReports(t *testing.T) map[string]struct {
	write func(io.Writer) error
	says  []string
} {
	grid, runs := newBlockSizeGrid(t)
	search, hostile := newSimulatedSearch(), newHostileRun(t)
	ways, ofWays := newVariantComparison(t)
	return map[string]struct {
		write func(io.Writer) error
		says  []string
	}{
		"run": {
			func(w io.Writer) error { return WriteRunPage(w, readRecordedRun(t, "testdata/malachite.json.gz")) },
			[]string{"blocks-a", "13.4 blocks/s", "44.4 ms", "806 completed", "Valid, with notes", "FewSamples", "9e364eaf87e0cdb7", "kubectl benchnet bundle brun/blocks-a"},
		},
		"bottleneck": {
			func(w io.Writer) error { return WriteRunPage(w, readRecordedRun(t, "testdata/bottleneck.json.gz")) },
			[]string{"four-blocks", "Bottleneck: benchnet host CPU 100 %", "HostSaturated", "Disk space", "Zero throughout the window, where known: disk read, disk write."},
		},
		"experiment": {
			func(w io.Writer) error { return WriteExperimentPage(w, grid, runs) },
			[]string{"block-size", "24 runs at 6 points", "Highest throughput", "128Ki", "whole", "kubectl benchnet bundle bexp/block-size"},
		},
		"variants": {
			func(w io.Writer) error { return WriteExperimentPage(w, ways, ofWays) },
			[]string{"1 gate undecided", "no worker was ready in time", "8 valid, 1 invalid, 1 failed", "member-0 was restarted"},
		},
		"crowd": {
			func(w io.Writer) error { return WriteRunPage(w, newCrowdedRun(t)) },
			[]string{"crowd", "3 min"},
		},
		"profile": {
			func(w io.Writer) error { return WriteRunPage(w, newProfiledRun(t)) },
			[]string{"Segments", "climb", "20–60"},
		},
		"faults": {
			func(w io.Writer) error { return WriteRunPage(w, newFaultyRun(t)) },
			[]string{"Faults", "kill-notary", "30.00–30.01", "ended by signal 9", "> 30", "process 9 was not stopped"},
		},
		"search": {
			func(w io.Writer) error { return WriteExperimentPage(w, search, nil) },
			[]string{"a load of 16 is the highest", "23 of 24 runs are valid", "member-0 was restarted"},
		},
		"hostile": {
			func(w io.Writer) error { return WriteRunPage(w, hostile) },
			[]string{hostileName},
		},
	}
}

// TestInABrowser opens every report as a user would, on a screen and on a phone, in light and dark mode.
func TestInABrowser(t *testing.T) {
	browser := newBrowser(t)
	for name, r := range browserReports(t) {
		file := filepath.Join(t.TempDir(), name+".html")
		var text bytes.Buffer
		if err := r.write(&text); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, text.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
		if text.Len() > 3<<20 {
			t.Errorf("%s has %d bytes", name, text.Len())
		}
		for _, width := range []int64{1280, 390} {
			for _, scheme := range []string{"light", "dark"} {
				t.Run(fmt.Sprintf("%s/%d/%s", name, width, scheme), func(t *testing.T) {
					visitPage(browser, t, file, width, scheme, r.says)
				})
			}
		}
	}
}

// TestInABrowserZooms moves the pointer over a chart, zooms by dragging, and back.
func TestInABrowserZooms(t *testing.T) {
	ctx, end := chromedp.NewContext(newBrowser(t))
	defer end()
	file := filepath.Join(t.TempDir(), "run.html")
	var text bytes.Buffer
	run := readRecordedRun(t, "testdata/malachite.json.gz")
	run.Series.LatencyIntervals = &measurement.LatencyIntervals{IntervalSeconds: 10, P50: measurement.Series{20, 21, 22, 23, 22, 21}}
	if err := WriteRunPage(&text, run); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile("testdata/pointer.js")
	if err != nil {
		t.Fatal(err)
	}
	_, reducedMotion := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-reduced-motion", Value: "reduce"}},
	})
	if err := errors.Join(reducedMotion, chromedp.Do(ctx, chromedp.EmulateViewport(1280, 900), chromedp.Navigate("file://"+file))); err != nil {
		t.Fatal(err)
	}
	got, err := chromedp.Run(ctx, chromedp.Evaluate[struct {
		Hover, Zoomed, ZoomedHover, Reset, TicksBefore, TicksZoomed string
		OtherButton, AfterCancel, Touched, Left                     string
		LatencyHover, LatencyZoomed, LatencyTicks, LatencyReset     string
		Selecting, Cancelled, CrosshairOffset                       float64
		CurveBefore, CurveAfter, CurveReset                         float64
		Animations                                                  int
	}](string(script), func(p *runtime.EvaluateParams) { p.AwaitPromise = new(true) }))
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(got.Hover, "Second of the window: 30") || !strings.Contains(got.Hover, "completed: ") || math.Abs(got.CrosshairOffset) > 3 {
		t.Errorf("in the middle of the window the values are %q, and the crosshair is %v px from it", got.Hover, got.CrosshairOffset)
	}
	if !regexp.MustCompile(`^Second of the window: 1(4\.9|5) to 30; show all$`).MatchString(got.Zoomed) || !strings.HasPrefix(got.ZoomedHover, "Second of the window: 2") || !strings.Contains(got.ZoomedHover, "completed: ") {
		t.Errorf("after the zoom to the second quarter: %q, near its middle %q", got.Zoomed, got.ZoomedHover)
	}
	if got.TicksBefore == got.TicksZoomed || got.CurveAfter < 3.5*got.CurveBefore || got.CurveReset != got.CurveBefore || got.Reset != "" {
		t.Errorf("zoom and reset: %+v", got)
	}
	if got.OtherButton != "" || got.Selecting == 0 || got.Cancelled != 0 || got.AfterCancel != "" || got.Touched != got.Zoomed || got.Left != "" {
		t.Errorf("other button, canceled selection, touch and leaving: %+v", got)
	}
	if !strings.Contains(got.LatencyHover, "p50: ") || got.LatencyZoomed == "" || got.LatencyReset != "" || !strings.Contains(got.LatencyTicks, "(ms) 20 50 ") {
		t.Errorf("percentiles, which have points only at the ends of intervals, on a logarithmic axis: %+v", got)
	}
	if got.Animations != 0 {
		t.Errorf("%d animations, although motion is to be reduced", got.Animations)
	}
}

// TestInABrowserPrints checks that a page on paper has light colors and charts within their columns, and no controls.
func TestInABrowserPrints(t *testing.T) {
	ctx, end := chromedp.NewContext(newBrowser(t))
	defer end()
	file := writeReport(t, "run", func(w io.Writer) error { return WriteRunPage(w, readRecordedRun(t, "testdata/malachite.json.gz")) })
	_, media := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Media: "print", Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}},
	})
	if err := errors.Join(media, chromedp.Do(ctx, chromedp.EmulateViewport(700, 900), chromedp.Navigate("file://"+file))); err != nil {
		t.Fatal(err)
	}
	got, err := chromedp.Run(ctx, chromedp.Evaluate[struct {
		Background string
		Wide       []string
		Controls   int
	}](`({Background: getComputedStyle(document.body).backgroundColor,
		Wide: [...document.querySelectorAll("figure")].filter((f) => f.querySelector("svg").getBoundingClientRect().width > f.getBoundingClientRect().width + 1).map((f) => f.id),
		Controls: [...document.querySelectorAll("button, .u-over")].filter((e) => e.getClientRects().length).length})`))
	if err != nil {
		t.Fatal(err)
	}
	if got.Background != "rgb(255, 255, 255)" || len(got.Wide) > 0 || got.Controls > 0 {
		t.Errorf("the printed page is %+v", got)
	}
}

// TestInABrowserDrawsFiles checks that the files of all charts are complete SVG documents and PNG images.
func TestInABrowserDrawsFiles(t *testing.T) {
	browser, err := FindBrowser("")
	if err != nil {
		t.Fatal(err)
	}
	for name, r := range browserReports(t) {
		t.Run(name, func(t *testing.T) {
			var page bytes.Buffer
			if err := r.write(&page); err != nil {
				t.Fatal(err)
			}
			vectors, err := DrawChartFiles(t.Context(), browser, page.Bytes(), SVG)
			if err != nil {
				t.Fatal(err)
			}
			pictures, err := DrawChartFiles(t.Context(), browser, page.Bytes(), PNG)
			if err != nil {
				t.Fatal(err)
			}
			if want := bytes.Count(page.Bytes(), []byte("<figure ")); len(vectors) != want || len(pictures) != want || want < 2 {
				t.Errorf("%d SVG and %d PNG of %d charts", len(vectors), len(pictures), want)
			}
			for chart, vector := range vectors {
				if !regexp.MustCompile(`^[-a-zA-Z0-9]{1,120}$`).MatchString(chart) {
					t.Errorf("%q is no name for a file", chart)
				}
				assertChartFiles(t, chart, vector, pictures[chart])
			}
		})
	}
}

func assertChartFiles(t *testing.T, name string, vector, pixels []byte) {
	t.Helper()
	shapes, texts := 0, 0
	for decoder := xml.NewDecoder(bytes.NewReader(vector)); ; {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if element, ok := token.(xml.StartElement); ok {
			switch element.Name.Local {
			case "path", "circle":
				shapes++
			case "text":
				texts++
			}
		}
	}
	picture, err := png.Decode(bytes.NewReader(pixels))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	if shapes < 4 || texts < 4 || bytes.Contains(vector, []byte("var(")) || picture.Bounds().Dx() != 1280 {
		t.Errorf("%s: %d shapes, %d texts, %d pixels wide; colors of the page: %t", name, shapes, texts, picture.Bounds().Dx(), bytes.Contains(vector, []byte("var(")))
	}
}

// TestInABrowserWithoutScripts checks that a page without JavaScript has its tables and says where the charts are.
func TestInABrowserWithoutScripts(t *testing.T) {
	ctx, end := chromedp.NewContext(newBrowser(t))
	defer end()
	file := writeReport(t, "run", func(w io.Writer) error { return WriteRunPage(w, readRecordedRun(t, "testdata/malachite.json.gz")) })
	_, disabled := chromedp.Call(ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	if err := errors.Join(disabled, chromedp.Do(ctx, chromedp.Navigate("file://"+file))); err != nil {
		t.Fatal(err)
	}
	text, err := chromedp.Run(ctx, chromedp.Evaluate[string](`document.body.innerText`))
	if err != nil {
		t.Fatal(err)
	}
	for want, isShown := range map[string]bool{"The charts need JavaScript.": true, "74.3": true, "Throughput over time": false} {
		if strings.Contains(text, want) != isShown {
			t.Errorf("without scripts the page shows %q: %t", want, !isShown)
		}
	}
}

func writeReport(t *testing.T, name string, write func(io.Writer) error) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), name+".html")
	var text bytes.Buffer
	if err := write(&text); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// newBrowser starts Chromium. Its sandbox does not work for root, the user of many containers.
func newBrowser(t *testing.T) context.Context {
	t.Helper()
	path, err := exec.LookPath("chromium")
	if err != nil {
		t.Fatalf("find a browser: %v; hack/tools/require chromium installs it", err)
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.Flag("hide-scrollbars", true))
	if os.Geteuid() == 0 {
		options = append(options, chromedp.NoSandbox)
	}
	allocator, stop := chromedp.NewExecAllocator(context.Background(), options...)
	t.Cleanup(stop)
	ctx, end := chromedp.NewContext(allocator)
	t.Cleanup(end)
	if err := chromedp.Do(ctx); err != nil {
		t.Fatalf("start %s: %v", path, err)
	}
	return ctx
}

// renderedPage is the state of a page in the browser.
type renderedPage struct {
	Text                        string
	Width, Overflow             float64
	Background                  []float64
	Charts                      []renderedChart
	Tables, Scripts, Violations int
}

type renderedChart struct {
	ID            string
	Width, Height float64
	// Drawn counts lines and areas of a visible size.
	Drawn int
	// Smallest is the smallest text in pixels, and Contrast the lowest contrast of any text to the background.
	Smallest, Contrast float64
	// Clipped are texts that extend beyond the chart, Overlaps are texts that overlap.
	Clipped, Overlaps []string
}

// visitPage opens the file in a separate tab and checks the rendered page.
func visitPage(browser context.Context, t *testing.T, file string, width int64, scheme string, says []string) {
	ctx, end := chromedp.NewContext(browser)
	defer end()
	ctx, stop := context.WithTimeout(ctx, 5*time.Minute)
	defer stop()
	var lock sync.Mutex
	var complaints, requests []string
	listen := func(event any) {
		lock.Lock()
		defer lock.Unlock()
		switch e := event.(type) {
		case *runtime.EventExceptionThrown:
			complaints = append(complaints, e.ExceptionDetails.Text)
		case *runtime.EventConsoleAPICalled:
			complaints = append(complaints, fmt.Sprint("console.", e.Type))
		case *log.EventEntryAdded:
			complaints = append(complaints, e.Entry.Text)
		case *network.EventRequestWillBeSent:
			requests = append(requests, e.Request.URL)
		}
	}
	if err := errors.Join(configureTab(ctx, width, scheme), chromedp.Listen(ctx, listen)); err != nil {
		t.Fatal(err)
	}
	script, err := os.ReadFile("testdata/look.js")
	if err != nil {
		t.Fatal(err)
	}
	if err := chromedp.Do(ctx, chromedp.Navigate("file://"+file)); err != nil {
		t.Fatal(err)
	}
	s, err := chromedp.Run(ctx, chromedp.Evaluate[renderedPage](string(script)))
	if err != nil {
		t.Fatal(err)
	}
	lock.Lock()
	defer lock.Unlock()
	if len(requests) == 0 {
		t.Error("the browser tells of no request, not even of the page itself")
	}
	for _, c := range complaints {
		t.Errorf("the browser complains: %s", c)
	}
	for _, r := range requests {
		if r != "file://"+file && !strings.HasPrefix(r, "data:") {
			t.Errorf("the page asks for %s", r)
		}
	}
	s.assertPage(t, scheme, says)
}

// configureTab sets the size and the colour scheme of the tab, and enables its events.
func configureTab(ctx context.Context, width int64, scheme string) error {
	_, network := chromedp.Call(ctx, network.Enable, network.EnableParams{})
	_, messages := chromedp.Call(ctx, log.Enable, cdp.Empty{})
	_, console := chromedp.Call(ctx, runtime.Enable, cdp.Empty{})
	_, media := chromedp.Call(ctx, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{
		Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: scheme}},
	})
	size := chromedp.Do(ctx, chromedp.EmulateViewport(width, 900))
	return errors.Join(network, messages, console, media, size)
}

func (s renderedPage) assertPage(t *testing.T, scheme string, says []string) {
	text := strings.Join(strings.Fields(strings.ReplaceAll(s.Text, thinSpace, " ")), " ")
	for _, word := range says {
		if !strings.Contains(text, strings.Join(strings.Fields(word), " ")) {
			t.Errorf("the page does not say %q", word)
		}
	}
	if s.Overflow > 0 {
		t.Errorf("the page is %v px wider than the window", s.Overflow)
	}
	if bright := s.Background[0] > 128; bright != (scheme == "light") {
		t.Errorf("background %v in a %s scheme", s.Background, scheme)
	}
	if len(s.Charts) < 2 || s.Tables < 3 || s.Scripts != 1 {
		t.Errorf("%d charts, %d tables, %d scripts", len(s.Charts), s.Tables, s.Scripts)
	}
	for _, c := range s.Charts {
		switch {
		case c.Width < 300 || c.Height < 80:
			t.Errorf("%s is %v × %v px", c.ID, c.Width, c.Height)
		case c.Drawn < 3:
			t.Errorf("%s has only %d marks", c.ID, c.Drawn)
		case c.Smallest < 6.5:
			t.Errorf("%s has text of %v px", c.ID, c.Smallest)
		case c.Contrast < 3:
			t.Errorf("%s has text of contrast %v", c.ID, c.Contrast)
		}
		if len(c.Clipped)+len(c.Overlaps) > 0 {
			t.Errorf("%s: clipped %q, overlapping %q", c.ID, c.Clipped, c.Overlaps)
		}
	}
}

// TestPicture takes the picture of a report of measured runs; make docs-images calls it.
func TestPicture(t *testing.T) {
	if !*updatePictures {
		t.Skip("only with -update")
	}
	file := filepath.Join(t.TempDir(), "notaries.html")
	var text bytes.Buffer
	if err := WriteExperimentPage(&text, readRecordedExperiment(t, "../../docs/measured/notaries.json.gz"), nil); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(file, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	browser := newBrowser(t)
	if err := chromedp.Do(browser, chromedp.EmulateViewport(1200, 1130), chromedp.Navigate("file://"+file)); err != nil {
		t.Fatal(err)
	}
	picture, err := chromedp.Run(browser, chromedp.CaptureScreenshot())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile("../../docs/images/report-experiment.png", picture, 0o644); err != nil {
		t.Fatal(err)
	}
}
