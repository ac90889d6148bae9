package kube_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/rest"

	"github.com/benchnet/benchnet/internal/agent/kube"
	"github.com/benchnet/benchnet/internal/run/measurement"
)

// TestEndPod checks the requests that end a pod, or check whether it could end, and the text of an error.
func TestEndPod(t *testing.T) {
	kill := measurement.Fault{Type: measurement.FaultKill, Kill: measurement.KillPod, Pod: "p"}
	evict := measurement.Fault{Type: measurement.FaultEvict, Pod: "p"}
	budget := &metav1.Status{Status: metav1.StatusFailure, Code: http.StatusTooManyRequests, Message: "Cannot evict pod.",
		Details: &metav1.StatusDetails{Causes: []metav1.StatusCause{{Message: "The budget needs 3 healthy pods."}}}}
	const deletion = `"kind":"DeleteOptions","apiVersion":"v1","gracePeriodSeconds":1,"preconditions":{"uid":"u"}`
	const eviction = `{"apiVersion":"policy/v1","deleteOptions":{"preconditions":{"uid":"u"}},"kind":"Eviction","metadata":{"name":"p"}}`
	for name, c := range map[string]struct {
		fault   measurement.Fault
		check   bool
		answer  *metav1.Status
		request string
		err     string
	}{
		"kill":                {kill, false, nil, "DELETE /api/v1/namespaces/n/pods/p {" + deletion + "}", ""},
		"whether it can kill": {kill, true, nil, "DELETE /api/v1/namespaces/n/pods/p {" + deletion + `,"dryRun":["All"]}`, ""},
		"evict":               {evict, false, nil, "POST /api/v1/namespaces/n/pods/p/eviction " + eviction, ""},
		"whether it can evict": {evict, true, budget, "POST /api/v1/namespaces/n/pods/p/eviction?dryRun=All " + eviction,
			"Cannot evict pod. The budget needs 3 healthy pods."},
	} {
		t.Run(name, func(t *testing.T) {
			request := ""
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "application/json")
				if r.Method == http.MethodGet {
					fmt.Fprint(w, `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"p","uid":"u"}}`)
					return
				}
				body, _ := io.ReadAll(r.Body)
				request = fmt.Sprintf("%s %s %s", r.Method, r.URL, strings.TrimSpace(string(body)))
				answer := &metav1.Status{Status: metav1.StatusSuccess, Code: http.StatusCreated}
				if c.answer != nil {
					answer = c.answer
				}
				answer.TypeMeta = metav1.TypeMeta{Kind: "Status", APIVersion: "v1"}
				w.WriteHeader(int(answer.Code))
				_ = json.NewEncoder(w).Encode(answer)
			}))
			t.Cleanup(server.Close)
			cluster, err := kube.New(&rest.Config{Host: server.URL}, "n")
			if err != nil {
				t.Fatal(err)
			}
			uid, err := kube.FaultPods{Pods: cluster.Pods}.End(t.Context(), &c.fault, c.check)
			got := ""
			if err != nil {
				got = err.Error()
			}
			if got != c.err || uid != "u" || request != c.request {
				t.Errorf("error %q of pod %s after %s", got, uid, request)
			}
		})
	}
}
