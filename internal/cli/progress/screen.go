package progress

import (
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"

	"github.com/benchnet/benchnet/internal/cli/terminal"
)

// Screen displays lines.
type Screen interface {
	// Show displays the current lines.
	Show(lines []Line)
	// Close ends the display and keeps its last content.
	Close()
}

// NewScreen returns a Screen with progress bars if w is a terminal, else one that logs each change.
func NewScreen(ctx context.Context, w io.Writer) Screen {
	if file, ok := terminal.Raw(w).(*os.File); ok {
		// A terminal of unknown size, as in some CI systems, would not show the bars.
		if width, height, err := term.GetSize(int(file.Fd())); err == nil && width > 0 && height > 0 {
			return newBars(ctx, file)
		}
	}
	return &logScreen{out: w, lastText: map[string]string{}, now: time.Now}
}

// logScreen writes a timestamped line whenever the state of an object changes.
type logScreen struct {
	out      io.Writer
	lastText map[string]string
	now      func() time.Time
}

func (l *logScreen) Show(lines []Line) {
	for _, line := range lines {
		if l.lastText[line.Name] != line.LogText {
			l.lastText[line.Name] = line.LogText
			fmt.Fprintf(l.out, "%s %s %s\n", l.now().Format(time.TimeOnly), line.Name, line.LogText)
		}
	}
}

func (l *logScreen) Close() {}

// barResolution is the number of steps of a bar.
const barResolution = 1000

// barScreen shows a bar per object and removes the bars of missing objects.
type barScreen struct {
	progress   *mpb.Progress
	barsByName map[string]*progressBar
}

type progressBar struct {
	*mpb.Bar
	text chan string
}

func newBars(ctx context.Context, w io.Writer) *barScreen {
	return &barScreen{progress: mpb.NewWithContext(ctx, mpb.WithOutput(w), mpb.WithWidth(30), mpb.WithAutoRefresh()), barsByName: map[string]*progressBar{}}
}

func (b *barScreen) Show(lines []Line) {
	seen := map[string]bool{}
	for _, line := range lines {
		if line.HideWhenEnded && line.Ended {
			continue
		}
		seen[line.Name] = true
		if b.barsByName[line.Name] == nil {
			b.barsByName[line.Name] = b.addBar(line.Name)
		}
		b.barsByName[line.Name].update(line)
	}
	for name, shown := range b.barsByName {
		if !seen[name] {
			shown.Abort(true)
			delete(b.barsByName, name)
		}
	}
}

func (b *barScreen) addBar(name string) *progressBar {
	text := make(chan string, 1)
	text <- ""
	show := func(decor.Statistics) string {
		now := <-text
		text <- now
		return now
	}
	return &progressBar{text: text, Bar: b.progress.AddBar(barResolution,
		mpb.PrependDecorators(decor.Name(terminal.EscapeLine(name), decor.WCSyncSpaceR)), mpb.AppendDecorators(decor.Any(show)))}
}

// update sets the text and position of the bar. The bar stays below its end until the object has ended, because
// mpb completes a full bar.
func (b *progressBar) update(line Line) {
	<-b.text
	b.text <- terminal.EscapeLine(line.Text)
	at := int64(line.DoneFraction * barResolution)
	if !line.Ended {
		at = min(at, barResolution-1)
	}
	b.SetCurrent(at)
}

func (b *barScreen) Close() {
	for _, shown := range b.barsByName {
		shown.Abort(false)
	}
	b.progress.Wait()
}
