package database

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	texttemplate "text/template"
	"time"
)

// renderPass is one of the two renderings of a chart. Its random values, certificates and dates are constant, and those
// of the other pass differ, so the objects differ if such a value reaches them. Number is 1 or 2; called holds the names
// of the functions that the chart called.
type renderPass struct {
	number int
	called map[string]bool
}

// certificate is what a template gets from a function that generates certificates.
type certificate struct{ Cert, Key string }

// The template functions with results that differ between renderings, except those with a result of another form. Date
// functions fall back to the current time if the argument is not a date, and durationRound measures from it.
var (
	randomTextFunctions = []string{"randAlpha", "randAlphaNum", "randAscii", "randBytes", "randNumeric"}
	otherTextFunctions  = []string{"ago", "date", "dateInZone", "date_in_zone", "durationRound", "htmlDate", "htmlDateInZone",
		"bcrypt", "encryptAES", "genPrivateKey", "htpasswd"}
	certificateFunctions = []string{"genCA", "genCAWithKey", "genSelfSignedCert", "genSelfSignedCertWithKey", "genSignedCert", "genSignedCertWithKey"}
)

// templateFunctions returns replacements for the functions of Helm's templates that would change a chart's objects at
// each rendering. As in helm template, lookup finds nothing and getHostByName returns "".
func (p renderPass) templateFunctions() texttemplate.FuncMap {
	value := func(name string) string {
		p.called[name] = true
		return strconv.Itoa(p.number)
	}
	functions := texttemplate.FuncMap{"keys": sortedKeys, "values": valuesByKey}
	for _, name := range randomTextFunctions {
		functions[name] = func(length int) string { return strings.Repeat(value(name), max(0, length)) }
	}
	for _, name := range otherTextFunctions {
		functions[name] = func(...any) string { return value(name) }
	}
	for _, name := range certificateFunctions {
		functions[name] = func(...any) certificate { return certificate{Cert: value(name), Key: value(name)} }
	}
	functions["uuidv4"] = func() string { return "00000000-0000-4000-8000-00000000000" + value("uuidv4") }
	functions["now"] = func() time.Time {
		value("now")
		return time.Date(2000+p.number, time.Month(p.number), p.number, p.number, p.number, p.number, p.number, time.UTC)
	}
	functions["randInt"] = func(low, high int) int {
		value("randInt")
		if p.number == 1 {
			return low
		}
		return max(low, high-1)
	}
	functions["shuffle"] = func(text string) string {
		value("shuffle")
		characters := []rune(text)
		if p.number == 1 || len(characters) == 0 {
			return text
		}
		return string(append(characters[1:], characters[0]))
	}
	return functions
}

// sortedKeys replaces Sprig's keys, which returns them in random order.
func sortedKeys(dicts ...map[string]any) []string {
	all := []string{}
	for _, dict := range dicts {
		all = append(all, slices.Sorted(maps.Keys(dict))...)
	}
	return all
}

// valuesByKey replaces Sprig's values, which returns them in random order.
func valuesByKey(dict map[string]any) []any {
	all := []any{}
	for _, key := range slices.Sorted(maps.Keys(dict)) {
		all = append(all, dict[key])
	}
	return all
}
