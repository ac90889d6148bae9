package docs_test

import (
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var (
	linkPattern = regexp.MustCompile(`\]\(([^)#:]*)(?:#([^)]*))?\)`)
	inlineCode  = regexp.MustCompile("`[^`\n]+`")
)

// TestLinks checks that the files and headings exist to which the Markdown files of the repository link.
func TestLinks(t *testing.T) {
	anchors := map[string][]string{}
	for _, file := range markdownFiles(t) {
		anchors[file] = headingAnchors(readFile(t, filepath.Join("..", file)))
	}
	for _, file := range slices.Sorted(maps.Keys(anchors)) {
		t.Run(file, func(t *testing.T) {
			text := inlineCode.ReplaceAllString(readFile(t, filepath.Join("..", file)), "")
			for _, match := range linkPattern.FindAllStringSubmatch(text, -1) {
				target := file
				if match[1] != "" {
					target = filepath.Join(filepath.Dir(file), match[1])
				}
				if !fileExists(target) {
					t.Errorf("%s does not exist", target)
				} else if match[2] != "" && !slices.Contains(anchors[target], match[2]) {
					t.Errorf("%s has no heading #%s", target, match[2])
				}
			}
		})
	}
}

// markdownFiles returns the paths of all Markdown files from the root of the repository.
func markdownFiles(t *testing.T) []string {
	t.Helper()
	var files []string
	err := fs.WalkDir(os.DirFS(".."), ".", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (slices.Contains([]string{"bin", "node_modules", "target", "testdata"}, entry.Name()) || path != "." && entry.Name()[0] == '.'):
			return fs.SkipDir
		case strings.HasSuffix(path, ".md"):
			files = append(files, path)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

var (
	headingLine = regexp.MustCompile(`(?m)^#+ (.*)$`)
	notInAnchor = regexp.MustCompile(`[^\p{L}\p{N} _-]`)
)

// headingAnchors returns the anchors that GitHub generates for the headings.
func headingAnchors(text string) []string {
	var all []string
	for _, match := range headingLine.FindAllStringSubmatch(text, -1) {
		all = append(all, strings.ReplaceAll(strings.ToLower(notInAnchor.ReplaceAllString(match[1], "")), " ", "-"))
	}
	return all
}

var (
	fencedBlock = regexp.MustCompile("(?ms)^```.*?^```$")
	// shallowNesting matches items and code blocks in a list that are indented by less than four spaces.
	shallowNesting = regexp.MustCompile("(?m)^ {1,3}(?:[-*+] |[0-9]+\\. |```).*")
)

// TestNestedBlocksAreIndented checks that items and code blocks in lists are indented by four spaces. Code hosts
// accept less, but MkDocs then ends the list.
func TestNestedBlocksAreIndented(t *testing.T) {
	for _, p := range readPages(t) {
		for _, line := range shallowNesting.FindAllString(fencedBlock.ReplaceAllString(p.text, ""), -1) {
			t.Errorf("%s: indent by four spaces: %s", p.name, strings.TrimSpace(line))
		}
	}
}
