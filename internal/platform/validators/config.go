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

// RenderConfig returns the config.toml of a validator, from the template of that name and the input of the platform.
func RenderConfig(templates *template.Template, moniker string, data any) (string, error) {
	var out strings.Builder
	if err := templates.ExecuteTemplate(&out, FileConfig+".tmpl", data); err != nil {
		return "", fmt.Errorf("render %s of %s: %w", FileConfig, moniker, err)
	}
	return out.String(), nil
}

// quoteWord returns an enum value of the API as a lower-case TOML string, as the programs expect.
func quoteWord(value any) string { return strconv.Quote(strings.ToLower(fmt.Sprint(value))) }

// quoteMillis returns a duration in whole milliseconds as a TOML string.
func quoteMillis(d interface{ Milliseconds() int64 }) string {
	return strconv.Quote(strconv.FormatInt(d.Milliseconds(), 10) + "ms")
}
