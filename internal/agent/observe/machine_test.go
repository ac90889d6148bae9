package observe

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"reflect"
	"strings"
	"testing"

	"github.com/benchnet/benchnet/internal/run/measurement"
	"github.com/benchnet/benchnet/internal/run/protocol"
)

func TestDescribeMachines(t *testing.T) {
	mux := http.NewServeMux()
	mux.HandleFunc("/agent/machine", func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, `{"cpuModel": %q, "smt": false}`, r.Header.Get("Authorization"))
	})
	mux.HandleFunc("/endless/machine", func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprintf(w, `{"cpuModel": %q}`, strings.Repeat("x", 2*maxMachineBytes))
	})
	server := httptest.NewServer(mux)
	defer server.Close()
	got := DescribeMachines(t.Context(), "token", []protocol.ObservedEndpoint{
		{Member: "member-0", CommandsURL: server.URL + "/agent"},
		{Member: "without agent", CommandsURL: server.URL + "/program"},
		{Member: "too long", CommandsURL: server.URL + "/endless"},
		{Member: "program", URL: server.URL + "/agent"},
	})
	want := map[string]*measurement.Machine{"member-0": {CPUModel: "Bearer token", SMT: new(false)}}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}
