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
	return &log{w: w, shown: map[string]string{}, now: time.Now}
}

// log writes a line, with the time, whenever an object comes to another step.
type log struct {
	w     io.Writer
	shown map[string]string
	now   func() time.Time
}

func (l *log) Show(lines []Line) {
	for _, line := range lines {
		if l.shown[line.Name] != line.Step {
			l.shown[line.Name] = line.Step
			fmt.Fprintf(l.w, "%s %s %s\n", l.now().Format(time.TimeOnly), line.Name, line.Step)
		}
	}
}

func (l *log) Close() {}

// barSteps is how finely a bar is drawn.
const barSteps = 1000

// bars has a bar for each object, and drops those that went.
type bars struct {
	progress *mpb.Progress
	shown    map[string]*bar
}

type bar struct {
	*mpb.Bar
	text chan string
}

func newBars(ctx context.Context, w io.Writer) *bars {
	return &bars{progress: mpb.NewWithContext(ctx, mpb.WithOutput(w), mpb.WithWidth(30), mpb.WithAutoRefresh()), shown: map[string]*bar{}}
}

func (b *bars) Show(lines []Line) {
	seen := map[string]bool{}
	for _, line := range lines {
		if line.Passing && line.Ended {
			continue
		}
		seen[line.Name] = true
		if b.shown[line.Name] == nil {
			b.shown[line.Name] = b.add(line.Name)
		}
		b.shown[line.Name].set(line)
	}
	for name, shown := range b.shown {
		if !seen[name] {
			shown.Abort(true)
			delete(b.shown, name)
		}
	}
}

func (b *bars) add(name string) *bar {
	text := make(chan string, 1)
	text <- ""
	show := func(decor.Statistics) string {
		now := <-text
		text <- now
		return now
	}
	return &bar{text: text, Bar: b.progress.AddBar(barSteps,
		mpb.PrependDecorators(decor.Name(name, decor.WCSyncSpaceR)), mpb.AppendDecorators(decor.Any(show)))}
}

// set the bar; one that is full stays short of its end until the object has ended, since a bar at its end is final.
func (b *bar) set(line Line) {
	<-b.text
	b.text <- line.Text
	at := int64(line.Share * barSteps)
	if !line.Ended {
		at = min(at, barSteps-1)
	}
	b.SetCurrent(at)
}

func (b *bars) Close() {
	for _, shown := range b.shown {
		shown.Abort(false)
	}
	b.progress.Wait()
}
