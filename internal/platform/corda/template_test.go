package corda

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/benchnet/benchnet/api/v1alpha1"
)

// TestTemplates checks the cases that the driver checks too.
func TestTemplates(t *testing.T) {
	text, err := os.ReadFile("../../../drivers/testdata/argument-templates.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []struct{ Type, Value, Low, High, Error string }
	if err := json.Unmarshal(text, &cases); err != nil {
		t.Fatal(err)
	}
	for _, c := range cases {
		t.Run(c.Type+" "+c.Value, func(t *testing.T) {
			problem := templateProblem(v1alpha1.FlowArgument{Type: c.Type, Value: v1alpha1.Text(c.Value)}, nil)
			if c.Error != "" {
				if !strings.Contains(problem, c.Error) {
					t.Errorf("problem %q, want %q", problem, c.Error)
				}
				return
			}
			if got, err := parseTemplate(c.Value); problem != "" || err != nil || got.Low != c.Low || got.High != c.High {
				t.Errorf("got %+v, %v, problem %q", got, err, problem)
			}
		})
	}
}
