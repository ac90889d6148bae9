package docs_test

import (
	"regexp"
	"testing"
)

// britishSpelling matches words that the pages spell in the American way. Names in code spans are those of the API.
var britishSpelling = regexp.MustCompile(`(?i)\b(?:artefact|behaviour|catalogue|centre|colour|favour|grey|honour|labell|licence|modell|neighbour|` +
	`(?:author|initial|minim|normal|notar|optim|organ|random|recogn|serial|summar|synchron|util)is(?:e|ing|ation))\w*|\banalys(?:e|ed|es|ing)\b`)

// indentedBlock matches the lines of indented code.
var indentedBlock = regexp.MustCompile(`(?m)^    .*$`)

// TestSpellingIsAmerican finds British spelling in texts that are written by hand.
func TestSpellingIsAmerican(t *testing.T) {
	for _, p := range readPages(t) {
		t.Run(p.name, func(t *testing.T) {
			text := p.text
			for _, code := range []*regexp.Regexp{fencedBlock, indentedBlock, inlineCode} {
				text = code.ReplaceAllString(text, "")
			}
			for _, word := range britishSpelling.FindAllString(text, -1) {
				t.Errorf("British spelling: %s", word)
			}
		})
	}
}
