// Command names prints, for each Go package below the given directories, the share of functions and methods
// with a name of one lower-case word, such as `open`. Such a name says neither what the function does nor to
// what. Tests, main and init do not count. It fails if the share of all packages together exceeds -limit.
package main

import (
	"cmp"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"
)

// shownPackages is the number of packages that are printed, those with the largest share first.
const shownPackages = 10

var bareWord = regexp.MustCompile(`^[a-z][a-z0-9]*$`)

// packageNames counts the functions and methods of a package.
type packageNames struct {
	directory string
	functions int
	bareWords []string
}

func (p *packageNames) bareWordShare() float64 {
	return float64(len(p.bareWords)) / float64(p.functions)
}

func main() {
	limit := flag.Float64("limit", 1, "largest share of bare words in all packages together, from 0 to 1")
	flag.Parse()
	if err := checkNames(*limit, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "names:", err)
		os.Exit(1)
	}
}

func checkNames(limit float64, directories []string) error {
	packages := map[string]*packageNames{}
	for _, directory := range directories {
		if err := countBelow(directory, packages); err != nil {
			return fmt.Errorf("read the Go files below %s: %w", directory, err)
		}
	}
	total := &packageNames{directory: "all"}
	for _, p := range packages {
		total.functions += p.functions
		total.bareWords = append(total.bareWords, p.bareWords...)
	}
	if total.functions == 0 {
		return fmt.Errorf("there are no functions below %s", strings.Join(directories, " "))
	}
	printWorst(slices.Collect(maps.Values(packages)), total)
	if total.bareWordShare() > limit {
		return fmt.Errorf("%.1f %% of the functions are named by one bare word, more than %.1f %%", 100*total.bareWordShare(), 100*limit)
	}
	return nil
}

func countBelow(directory string, packages map[string]*packageNames) error {
	return filepath.WalkDir(directory, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go") {
			return err
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		directory := filepath.Dir(path)
		p := cmp.Or(packages[directory], &packageNames{directory: directory})
		for _, declaration := range file.Decls {
			if f, ok := declaration.(*ast.FuncDecl); ok && f.Name.Name != "main" && f.Name.Name != "init" {
				packages[directory] = p
				p.functions++
				if bareWord.MatchString(f.Name.Name) {
					p.bareWords = append(p.bareWords, f.Name.Name)
				}
			}
		}
		return nil
	})
}

func printWorst(packages []*packageNames, total *packageNames) {
	slices.SortFunc(packages, func(a, b *packageNames) int {
		return cmp.Or(cmp.Compare(b.bareWordShare(), a.bareWordShare()), cmp.Compare(a.directory, b.directory))
	})
	table := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	defer func() { _ = table.Flush() }() // A failed write to standard output cannot be reported.
	fmt.Fprintln(table, "PACKAGE\tFUNCTIONS\tBARE WORDS\tSHARE\tSUCH AS")
	for _, p := range append([]*packageNames{total}, packages[:min(shownPackages, len(packages))]...) {
		slices.Sort(p.bareWords)
		fmt.Fprintf(table, "%s\t%d\t%d\t%.1f %%\t%s\n", p.directory, p.functions, len(p.bareWords), 100*p.bareWordShare(),
			strings.Join(p.bareWords[:min(6, len(p.bareWords))], " "))
	}
}
