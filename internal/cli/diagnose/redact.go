package diagnose

import (
	"cmp"
	"encoding/base64"
	"slices"
	"strings"
	"unicode/utf8"

	corev1 "k8s.io/api/core/v1"
)

// redacted replaces the content of a Secret.
const redacted = "[REDACTED]"

// minSecretLength is the length of the shortest text that is redacted. A shorter one would also match other text.
const minSecretLength = 6

// publicKeys are the keys of Secrets whose values are no secrets. Some of the values are common words.
var publicKeys = []string{"ca.crt", "database", "dbname", "host", "namespace", "port", "user", "username"}

// jsonEscapes and jsonAndHTMLEscapes escape a line as encoders of JSON do, without and with the characters of HTML.
var (
	jsonEscapes        = strings.NewReplacer(`\`, `\\`, `"`, `\"`)
	jsonAndHTMLEscapes = strings.NewReplacer(`\`, `\\`, `"`, `\"`, "&", `\u0026`, "<", `\u003c`, ">", `\u003e`)
)

// newSecretReplacer returns a replacer for the values of Secrets, in plain text, line by line, and in base64.
func newSecretReplacer(secrets []corev1.Secret) *strings.Replacer {
	var forms []string
	for i := range secrets {
		for key, value := range secrets[i].Data {
			if !slices.Contains(publicKeys, key) {
				forms = append(forms, secretForms(value)...)
			}
		}
	}
	// The longest first, because the replacer takes the first text that matches.
	slices.SortFunc(forms, func(a, b string) int { return cmp.Or(cmp.Compare(len(b), len(a)), cmp.Compare(a, b)) })
	var pairs []string
	for _, form := range slices.Compact(forms) {
		pairs = append(pairs, form, redacted)
	}
	return strings.NewReplacer(pairs...)
}

// redactStrings replaces the contents of Secrets in all strings of a JSON value. In encoded text they can be escaped or
// folded.
func redactStrings(value any, secrets *strings.Replacer) any {
	switch value := value.(type) {
	case string:
		return secrets.Replace(value)
	case []any:
		for i := range value {
			value[i] = redactStrings(value[i], secrets)
		}
	case map[string]any:
		for key := range value {
			value[key] = redactStrings(value[key], secrets)
		}
	}
	return value
}

// secretForms returns the texts in which a value can occur.
func secretForms(value []byte) []string {
	var forms []string
	if len(value) >= minSecretLength {
		forms = append(forms, base64.StdEncoding.EncodeToString(value))
	}
	if !utf8.Valid(value) {
		return forms
	}
	for line := range strings.Lines(string(value)) {
		if line = strings.TrimSpace(line); len(line) >= minSecretLength {
			forms = append(forms, line, jsonEscapes.Replace(line), jsonAndHTMLEscapes.Replace(line))
		}
	}
	return forms
}
