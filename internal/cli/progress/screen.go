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
)

// Screen shows lines.
type Screen interface {
	// Show the lines as they are now.
	Show(lines []Line)
	// Close leaves what was shown last.
	Close()
}

// NewScreen has bars where w is a terminal, and otherwise a line for each step.
func NewScreen(ctx context.Context, w io.Writer) Screen {
	if file, ok := w.(*os.File); ok {
		// One that does not know its size, as some CI systems have it, would show nothing of bars.
		if width, height, err := term.GetSize(int(file.Fd())); err == nil && width > 0 && height > 0 {
			return newBars(ctx, w)
		}
	}
	return &logScreen{out: w, lastText: map[string]string{}, now: time.Now}
}

// logScreen writes a line, with the time, whenever an object comes to another step.
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

// barResolution is how finely a bar is drawn.
const barResolution = 1000

// barScreen has a bar for each object, and drops those that went.
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
		mpb.PrependDecorators(decor.Name(name, decor.WCSyncSpaceR)), mpb.AppendDecorators(decor.Any(show)))}
}

// update the bar; one that is full stays short of its end until the object has ended, since a bar at its end is final.
func (b *progressBar) update(line Line) {
	<-b.text
	b.text <- line.Text
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
