package database

import (
	"fmt"
	"maps"
	"slices"
	texttemplate "text/template"
)

// nonDeterministicFunctions are the template functions with results that differ between renderings. Date
// functions fall back to the current time if the argument is not a date, and durationRound measures from it.
var nonDeterministicFunctions = []string{
	"ago", "date", "dateInZone", "date_in_zone", "durationRound", "htmlDate", "htmlDateInZone", "now",
	"randAlpha", "randAlphaNum", "randAscii", "randBytes", "randInt", "randNumeric", "shuffle", "uuidv4",
	"bcrypt", "encryptAES", "htpasswd", "genPrivateKey",
	"genCA", "genCAWithKey", "genSelfSignedCert", "genSelfSignedCertWithKey", "genSignedCert", "genSignedCertWithKey",
}

// deterministicFunctions returns replacements for the functions of Helm's templates that would change a chart's
// objects at each rendering. A chart may mention a non-deterministic function, but not call it. As in helm
// template, lookup finds nothing and getHostByName returns "".
func deterministicFunctions() texttemplate.FuncMap {
	functions := texttemplate.FuncMap{"keys": sortedKeys, "values": valuesByKey}
	for _, name := range nonDeterministicFunctions {
		functions[name] = func(...any) (string, error) {
			return "", fmt.Errorf("%s is not allowed, since its result changes at each rendering: "+
				"set the value, or name an existing Secret", name)
		}
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
