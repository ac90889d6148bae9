package main

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const page = "README.md"

// TestUpdatePage simulates every subject a few times, into a copy of the page.
func TestUpdatePage(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range subjects {
		t.Run(s.name, func(t *testing.T) {
			copied := filepath.Join(t.TempDir(), "page.md")
			if err := os.WriteFile(copied, text, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := updatePage(copied, s.name, 4); err != nil {
				t.Fatal(err)
			}
			updated, err := os.ReadFile(copied)
			if err != nil || !strings.Contains(string(updated), "Each row: 4 simulated experiments") {
				t.Errorf("%v: no table in the page", err)
			}
		})
	}
}

// TestPublishedTables checks that every published table is from enough simulations.
func TestPublishedTables(t *testing.T) {
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range subjects {
		found := regexp.MustCompile(`(?s)<!-- simulated ` + s.name + ` -->.*?Each row: (\d+) simulated.*?<!-- end ` + s.name + ` -->`).FindSubmatch(text)
		if found == nil {
			t.Errorf("%s has no table", s.name)
			continue
		}
		if n, _ := strconv.Atoi(string(found[1])); n < 500 {
			t.Errorf("%s is from %d simulations, want at least 500", s.name, n)
		}
	}
}

func TestUpdatePageRefusesUnknownNames(t *testing.T) {
	if err := updatePage(page, "nothing", 1); err == nil {
		t.Error("a table that does not exist was accepted")
	}
	if _, err := replaceTable("no markers", "comparisons", ""); err == nil {
		t.Error("a page without markers was accepted")
	}
}

func TestSimulateIsReproducible(t *testing.T) {
	draw := func() []float64 { return simulate(50, func(r *rand.Rand) float64 { return r.NormFloat64() }) }
	if first := draw(); !slices.Equal(first, draw()) || first[0] == first[1] {
		t.Error("the simulations are not independent and reproducible")
	}
}
