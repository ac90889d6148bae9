package report

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// Format is the file format of a chart.
type Format string

// The formats. PNG has twice the pixels of SVG's size, for print and high-resolution screens.
const (
	SVG Format = "svg"
	PNG Format = "png"
)

// browserNames are the commands of browsers that have the options of Chromium.
var browserNames = []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "microsoft-edge", "chrome", "msedge"}

// FindBrowser returns the path of the browser that draws files of charts. Without a name, it looks for Chromium, Chrome and Edge.
func FindBrowser(name string) (string, error) {
	names := browserNames
	if name != "" {
		names = []string{name}
	}
	for _, command := range names {
		if path, err := exec.LookPath(command); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("find a browser to draw charts: no command %s; install Chromium or Chrome, or save charts from the page", strings.Join(names, ", "))
}

// browserTime bounds the time that a browser may take.
const browserTime = 2 * time.Minute

// filesPattern matches the files that the script adds to a page.
var filesPattern = regexp.MustCompile(`(?s)<script type="application/json" id="files">(.*?)</script>`)

// DrawChartFiles opens a page of this package in a headless browser and returns the files of its charts by their names.
func DrawChartFiles(ctx context.Context, browser string, page []byte, format Format) (map[string][]byte, error) {
	folder, err := os.MkdirTemp("", "benchnet-charts-")
	if err != nil {
		return nil, fmt.Errorf("draw charts: %w", err)
	}
	defer os.RemoveAll(folder)
	file := filepath.Join(folder, "report.html")
	if err := os.WriteFile(file, page, 0o600); err != nil {
		return nil, fmt.Errorf("draw charts: %w", err)
	}
	arguments := []string{"--headless", "--disable-gpu", "--no-first-run", "--user-data-dir=" + filepath.Join(folder, "profile"), "--window-size=1280,900",
		"--virtual-time-budget=60000", "--dump-dom"}
	if os.Geteuid() == 0 {
		arguments = append(arguments, "--no-sandbox") // Chromium's sandbox does not work for root.
	}
	ctx, stop := context.WithTimeout(ctx, browserTime)
	defer stop()
	command := exec.CommandContext(ctx, browser, append(arguments, "file://"+filepath.ToSlash(file)+"#"+string(format))...)
	var problems bytes.Buffer
	command.Stderr = &problems
	content, err := command.Output()
	if err != nil {
		return nil, fmt.Errorf("draw charts with %s: %w: %s", browser, err, lastLine(problems.String()))
	}
	found := filesPattern.FindSubmatch(content)
	if found == nil {
		return nil, fmt.Errorf("draw charts with %s: the page has no files: %s", browser, lastLine(problems.String()))
	}
	return decodeChartFiles(found[1], format)
}

func decodeChartFiles(text []byte, format Format) (map[string][]byte, error) {
	var encoded map[string]string
	if err := json.Unmarshal(text, &encoded); err != nil {
		return nil, fmt.Errorf("read the charts of the browser: %w", err)
	}
	files := map[string][]byte{}
	for name, content := range encoded {
		files[name] = []byte(content)
		if format != PNG {
			continue
		}
		picture, isPicture := strings.CutPrefix(content, "data:image/png;base64,")
		decoded, err := base64.StdEncoding.DecodeString(picture)
		if err != nil || !isPicture {
			return nil, errors.Join(fmt.Errorf("read the charts of the browser: %s is no PNG", name), err)
		}
		files[name] = decoded
	}
	return files, nil
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}
