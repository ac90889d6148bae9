package golden

import (
	"slices"
	"strings"
	"testing"
)

var base = []Document{
	{"Service a", "name: a\nports:\n- 1\n- 2\n- 3\n"},
	{"Secret a", "name: a\n"},
	{"Pod a-0", "name: a-0\nimage: x\ncommand:\n- run\n- \"0\"\nmemory: 1Gi\n"},
}

func TestDifferenceDescribesDocuments(t *testing.T) {
	longer := "name: a-0\nimage: y\ncommand:\n- run\n- \"0\"\nmemory: 1Gi\ncpu: 2\n"
	for _, test := range []struct {
		name string
		got  []Document
		want string
	}{
		{"equal", base, "=== Service a\n=== Secret a\n=== Pod a-0\n"},
		{"empty", nil, ""},
		{"removed and reordered", []Document{base[2], base[0]}, "=== Pod a-0\n=== Service a\n"},
		{"added", []Document{{"Job b", "- x\n- y\n"}}, "=== Job b\n@@ -1,0 +1,2 @@\n+- x\n+- y\n"},
		{"changed", []Document{{"Service a", "name: a\nports:\n- 1\n- 3\n- 4\n"}},
			"=== Service a\n@@ -3,3 +3,3 @@\n - 1\n-- 2\n - 3\n+- 4\n"},
		{"like one before it", []Document{{"Pod a-0", longer}, {"Pod a-1", longer}},
			"=== Pod a-0\n@@ -1,3 +1,3 @@\n name: a-0\n-image: x\n+image: y\n command:\n@@ -6,1 +6,2 @@\n memory: 1Gi\n+cpu: 2\n=== Pod a-1\n<<< Pod a-0\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			difference := formatDifference(base, test.got)
			if difference != test.want {
				t.Errorf("the difference is\n%swant\n%s", difference, test.want)
			}
			if got, err := applyDifference(base, difference); err != nil || !slices.Equal(got, test.got) {
				t.Errorf("applied, it yields %q, %v", got, err)
			}
		})
	}
}

func TestDifferenceMustFitTheBase(t *testing.T) {
	for difference, want := range map[string]string{
		"=== Service a\n@@ -1,1 +1,1 @@\n-name: b\n":                        `Service a: line 1: want "name: b\n"`,
		"=== Service a\n@@ -9,1 +9,1 @@\n-name: a\n":                        "not within 5 lines",
		"=== Service a\n@@ -3,1 +3,0 @@\n-- 1\n@@ -1,1 +1,1 @@\n-name: a\n": "out of order",
	} {
		if _, err := applyDifference(base, difference); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", difference, err, want)
		}
	}
}

func TestShortenedDocumentsExpand(t *testing.T) {
	second := Document{"Pod a-1", strings.ReplaceAll(base[2].Text, "a-0", "a-1") + "cpu: 2\ndisk: 3\nkey: 4\n"}
	all := append(slices.Clone(base), Document{"Pod a-2", second.Text}, second)
	shortened := shortenDocuments(all)
	if want := "<<< Pod a-2\n"; shortened[4].Text != want || shortened[2].Text != base[2].Text {
		t.Errorf("the last document is stored as %q, want %q", shortened[4].Text, want)
	}
	if got, err := expandDocuments(shortened); err != nil || !slices.Equal(got, all) {
		t.Errorf("expanded, the documents are %q, %v", got, err)
	}
	if _, err := expandDocuments([]Document{{"Pod b", "<<< Pod a\n@@ -3,1 +3,1 @@\n"}}); err == nil {
		t.Error("a difference from a missing document is accepted")
	}
}
