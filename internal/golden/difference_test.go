package golden

import (
	"slices"
	"strings"
	"testing"
)

var base = []Document{
	{"Service a", "name: a\nports:\n- 1\n- 2\n- 3\nprotocol: TCP\n"},
	{"Secret a", "name: a\n"},
	{"Pod a-0", "name: a-0\ncontainers:\n- name: x\n  command:\n  - run\n  - a-0\n  memory: 1Gi\nrestart: never\n"},
}

func TestFormat(t *testing.T) {
	var earlier []source
	for _, d := range base {
		earlier = append(earlier, source{"base", d})
	}
	second := Document{"Pod a-1", strings.ReplaceAll(base[2].Text, "a-0", "a-1")}
	for _, test := range []struct {
		name string
		got  []Document
		want string
	}{
		{"equal", base, "=== Service a <<< base\n=== Secret a <<< base\n=== Pod a-0 <<< base\n"},
		{"empty", nil, ""},
		{"removed and reordered", []Document{base[2], base[0]}, "=== Pod a-0 <<< base\n=== Service a <<< base\n"},
		{"added", []Document{{"Job b", "- x\n- y\n"}}, "=== Job b\n- x\n- y\n"},
		{"removed line", []Document{{"Service a", strings.Replace(base[0].Text, "- 2\n", "", 1)}}, "=== Service a <<< base\n@@ 4 ports\n-- 2\n"},
		{"changed line", []Document{{"Pod a-0", strings.Replace(base[2].Text, "1Gi", "2Gi", 1)}},
			"=== Pod a-0 <<< base\n@@ 7 containers\n-  memory: 1Gi\n+  memory: 2Gi\n"},
		{"added line", []Document{{"Pod a-0", strings.Replace(base[2].Text, "  - a-0\n", "  - a-0\n  - -x\n", 1)}},
			"=== Pod a-0 <<< base\n@@ 7 containers.command\n+  - -x\n"},
		{"renamed", []Document{second}, "=== Pod a-1 <<< base: Pod a-0, a-0 -> a-1\n"},
		{"renamed and changed", []Document{{"Pod a-1", strings.Replace(second.Text, "never", "always", 1)}},
			"=== Pod a-1 <<< base: Pod a-0, a-0 -> a-1\n@@ 8\n-restart: never\n+restart: always\n"},
		{"like one before it", []Document{{"Pod b", "name: b\n"}, {"Pod c d", "name: b\n"}}, "=== Pod b\nname: b\n=== Pod c d <<< Pod b\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := formatDocuments(earlier, test.got)
			if text != test.want {
				t.Errorf("the golden file is\n%swant\n%s", text, test.want)
			}
			if got, err := parseDocuments(earlier, text); err != nil || !slices.Equal(got, test.got) {
				t.Errorf("parsed, it yields %q, %v", got, err)
			}
		})
	}
}

func TestDifferenceMustFitItsSource(t *testing.T) {
	earlier := []source{{"base", base[0]}}
	for text, want := range map[string]string{
		"=== Service a <<< base\n@@ 1\n-name: b\n":             `Service a: line 1: want "name: b\n"`,
		"=== Service a <<< base\n@@ 9\n-name: a\n":             "not within 6 lines",
		"=== Service a <<< base\n@@ 3\n-- 1\n@@ 1\n-name: a\n": "out of order",
		"=== Service a <<< other\n":                            `no document "other"`,
	} {
		t.Run(want, func(t *testing.T) {
			if _, err := parseDocuments(earlier, text); err == nil || !strings.Contains(err.Error(), want) {
				t.Errorf("error %v, want %q", err, want)
			}
		})
	}
}
