// Package httpclient holds what the project's HTTP clients have in common.
package httpclient

import "net/http"

// RefuseRedirects is the CheckRedirect of every http.Client of the project. The client returns the redirect as the
// response, so a server cannot send it to another one, such as to a cloud's metadata.
func RefuseRedirects(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
