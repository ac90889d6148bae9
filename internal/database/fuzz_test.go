package database

import (
	"strings"
	"testing"
)

// FuzzChart renders a chart of the user's own whose only template is any text, with any value: it is refused, or all that it makes
// is of the kinds that a database may consist of, in the network's namespace.
func FuzzChart(f *testing.F) {
	for _, text := range []string{
		userService + "---" + userServer, "{{ .Values.value }}", "{{ include \"nothing\" . }}", "{{ tpl .Values.value . }}",
		"apiVersion: rbac.authorization.k8s.io/v1\nkind: ClusterRole\nmetadata: {name: a}", "kind: Service\nmetadata: {namespace: kube-system}", "[]", "a: b\n---\n- c",
		"kind: Service\nmetadata: []\nspec: 1", userService + "---\nkind: StatefulSet\nmetadata: {name: x}\nspec: {template: 5}",
		"{{ range until 3 }}a{{ end }}", "kind: Service\napiVersion: v1\nmetadata: {name: net-db}\nspec: {ports: [1]}",
	} {
		f.Add(text, "{{ .Release.Name }}")
	}
	f.Fuzz(func(t *testing.T, template, value string) {
		// Templates may loop as long as they like within Helm's own limits; that costs time, and finds nothing here.
		if strings.Contains(template+value, "until") || strings.Contains(template+value, "repeat") || strings.Contains(template+value, "gen") {
			return
		}
		in := withChart(t, map[string]string{"templates/all.yaml": template})
		in.Chart.Values["value"] = value
		p, err := Build(in)
		if err != nil {
			return
		}
		for _, o := range p.Instances[0].Server {
			if ns := o.GetNamespace(); ns != "" && ns != in.Namespace {
				t.Errorf("%T %s is in namespace %s", o, o.GetName(), ns)
			}
		}
	})
}

// FuzzChartArchive opens what a user says is a packed chart.
func FuzzChartArchive(f *testing.F) {
	f.Add([]byte(""))
	f.Add([]byte("\x1f\x8b"))
	f.Fuzz(func(_ *testing.T, archive []byte) {
		in := network()
		in.Chart = &Chart{Archive: archive}
		_, _ = Build(in)
	})
}
