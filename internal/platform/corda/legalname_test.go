package corda

import (
	"strings"
	"testing"
)

// TestLegalNameRules checks that a name which genesis would refuse is refused before, with what would be right.
func TestLegalNameRules(t *testing.T) {
	for name, want := range map[string]string{
		"O=Bank,L=London,C=GB":                       "",
		"O=Banco do Brasil,L=Rio,C=BR":               "",
		"O=Bank,L=Nowhere,C=ZZ":                      "",
		"O=Bänk & Söhne (1),L=Köln,C=DE":             "",
		"O=Bank,L=London,C=UK":                       "write C=GB",
		"O=Bank,L=Athens,C=EL":                       "write C=GR",
		"O=Bank,L=London,C=gb":                       "write C=GB",
		"O=Bank,L=Brussels,C=EU":                     "C=EU is not an ISO 3166 country code",
		"O=Bank,L=London,C=GBR":                      "C is longer than 2",
		"O=Bank,L=New York,C=XX":                     "C=XX is not an ISO 3166 country code",
		"O=B,L=London,C=GB":                          "fewer than 2 characters",
		"O=Bank,L=London,C=GB,X=1":                   "X is not an attribute",
		"O=Bank,L=London,C=GB,O=Other":               "O occurs twice",
		"O=Bank,L=London":                            "C is missing",
		"O=Bank\n,L=London,C=GB":                     "control character",
		"OU=Desk " + `"1"` + ",O=Bank,L=London,C=GB": "OU contains one of",
	} {
		t.Run(name, func(t *testing.T) { assertLegalName(t, name, want) })
	}
	for _, character := range strings.Split(illegalCharacters, "") {
		for attribute, name := range map[string]string{"O": "O=Bank?1,L=London,C=GB", "L": "O=Bank,L=Lon?don,C=GB", "CN": "CN=?x,O=Bank,L=London,C=GB"} {
			name = strings.Replace(name, "?", character, 1)
			t.Run(name, func(t *testing.T) { assertLegalName(t, name, attribute+" contains one of") })
		}
	}
}

// assertLegalName checks that the error of a name contains the text, or that there is none.
func assertLegalName(t *testing.T, name, want string) {
	t.Helper()
	_, err := parseLegalName(name)
	if want == "" && err != nil || want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
		t.Errorf("the error is %v, want %q", err, want)
	}
}
