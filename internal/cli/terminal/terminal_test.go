package terminal

import (
	"bytes"
	"testing"
)

func TestWriter(t *testing.T) {
	for name, test := range map[string]struct {
		writes []string
		want   string
	}{
		"plain text":             {[]string{"zoë\t±10 % ▁▂█ 日本 \U0001f600\n"}, "zoë\t±10 % ▁▂█ 日本 \U0001f600\n"},
		"escape sequence":        {[]string{"a\x1b[2J\x1b]0;title\a\r\b\x7f"}, `a\u001b[2J\u001b]0;title\u0007\u000d\u0008\u007f`},
		"C1 controls":            {[]string{"\u009b2J"}, `\u009b2J`},
		"sequence over writes":   {[]string{"\x1b", "[2J"}, `\u001b[2J`},
		"direction of text":      {[]string{"\u202egpj\u2066\u200b\ufeff"}, `\u202egpj\u2066\u200b\ufeff`},
		"tags":                   {[]string{"\U000e0041"}, `\udb40\udc41`},
		"separators":             {[]string{"\u2028\u2029"}, `\u2028\u2029`},
		"invalid UTF-8":          {[]string{"\x9b2J\xff", "\xc3", "("}, `\x9b2J\xff\xc3(`},
		"replacement character":  {[]string{"\ufffd"}, "\ufffd"},
		"character over writes":  {[]string{"\xe2", "\x96", "\x88\xc3", "\xab"}, "█ë"},
		"control over writes":    {[]string{"\xc2", "\x9b"}, `\u009b`},
		"no text between writes": {[]string{"\xc3", "", "\xab"}, "ë"},
	} {
		t.Run(name, func(t *testing.T) {
			var out bytes.Buffer
			w := NewWriter(&out)
			for _, text := range test.writes {
				if n, err := w.Write([]byte(text)); n != len(text) || err != nil {
					t.Fatalf("wrote %d of %d bytes: %v", n, len(text), err)
				}
			}
			if got := out.String(); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestEscapeLine(t *testing.T) {
	if got := EscapeLine("a\tb\nc\x1b[K"); got != `a\u0009b\u000ac\u001b[K` {
		t.Errorf("got %q", got)
	}
}
