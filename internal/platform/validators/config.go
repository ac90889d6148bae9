package validators

import (
	"fmt"
	"strconv"
	"strings"
	"text/template"
)

// TemplateFuncs are the functions of the templates of configuration files: quote returns a TOML string, word an enum value of the API
// as a lower-case TOML string, and duration a duration in whole milliseconds.
var TemplateFuncs = template.FuncMap{"quote": strconv.Quote, "word": quoteWord, "duration": quoteMillis}

// quoteWord returns an enum value of the API as a lower-case TOML string, as the programs expect.
func quoteWord(value any) string { return strconv.Quote(strings.ToLower(fmt.Sprint(value))) }

// quoteMillis returns a duration in whole milliseconds as a TOML string.
func quoteMillis(d interface{ Milliseconds() int64 }) string {
	return strconv.Quote(strconv.FormatInt(d.Milliseconds(), 10) + "ms")
}
