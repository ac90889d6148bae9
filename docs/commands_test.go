package docs_test

import (
	"bytes"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/benchnet/benchnet/internal/cli"
)

// TestPluginCommands parses every documented kubectl benchnet command with the plugin's own commands and flags.
func TestPluginCommands(t *testing.T) {
	seen := 0
	for _, p := range readMarkdown(t) {
		for _, command := range p.commandLines("kubectl") {
			words := shellWords(command.text)
			if len(words) < 2 || words[1] != "benchnet" {
				continue
			}
			seen++
			t.Run(command.at+" "+command.text, func(t *testing.T) { checkCommand(t, words[2:]) })
		}
	}
	if seen < 20 {
		t.Errorf("saw %d commands only", seen)
	}
}

// TestPluginTable parses the commands in the table of docs/kubectl-plugin.md, and checks that their flags exist
// and that no command is missing.
func TestPluginTable(t *testing.T) {
	documented := map[string]bool{}
	for _, r := range readPage(t, "kubectl-plugin.md").rows {
		if len(r.head) == 0 || r.head[0] != "command" {
			continue
		}
		for _, text := range codeSpans(r.cells[0]) {
			command := checkCommand(t, shellWords(text))
			documented[command.Name()] = true
			for _, flag := range codeSpans(strings.Join(r.cells[1:], " ")) {
				if strings.HasPrefix(flag, "-") {
					checkCommand(t, append([]string{command.Name()}, shellWords(flag)...))
				}
			}
		}
	}
	for _, command := range newPlugin().Commands() {
		if command.IsAvailableCommand() && command.Name() != "help" && !documented[command.Name()] {
			t.Errorf("docs/kubectl-plugin.md lacks the command %s", command.Name())
		}
	}
}

func newPlugin() *cobra.Command {
	root := cli.NewCommand("0.1.0", genericiooptions.NewTestIOStreamsDiscard())
	root.InitDefaultCompletionCmd("completion")
	return root
}

// checkCommand finds the command and parses its flags and arguments without running it. Text may mention a
// command without its arguments, or a flag without its value.
func checkCommand(t *testing.T, words []string) *cobra.Command {
	t.Helper()
	root := newPlugin()
	command, rest, err := root.Find(words)
	if err != nil || len(words) > 0 && command == root {
		t.Errorf("kubectl benchnet %s: there is no such command: %v", strings.Join(words, " "), err)
		return root
	}
	err = command.ParseFlags(rest)
	if err == nil && command.Flags().NArg() > 0 && !command.HasSubCommands() {
		err = command.ValidateArgs(command.Flags().Args())
	}
	if err != nil && !strings.Contains(err.Error(), "flag needs an argument") {
		t.Errorf("kubectl benchnet %s: %v", strings.Join(words, " "), err)
	}
	return command
}

var shellWord = regexp.MustCompile(`(?:[^\s'"]+|'[^']*'|"[^"]*")+`)

// shellWords splits a command line up to a redirection.
func shellWords(text string) []string {
	words := shellWord.FindAllString(text, -1)
	for i, word := range words {
		if strings.HasPrefix(word, ">") || strings.HasPrefix(word, "2>") {
			return words[:i]
		}
		words[i] = strings.NewReplacer("'", "", `"`, "").Replace(word)
	}
	return words
}

var makeTarget = regexp.MustCompile(`(?m)^([a-z0-9-]+):.*## `)

// TestMakeTargets checks that the Makefile has every documented target.
func TestMakeTargets(t *testing.T) {
	targets := map[string]bool{}
	for _, match := range makeTarget.FindAllStringSubmatch(readFile(t, "../Makefile"), -1) {
		targets[match[1]] = true
	}
	for _, p := range readMarkdown(t) {
		t.Run(p.name, func(t *testing.T) {
			for _, command := range p.commandLines("make") {
				for _, word := range shellWords(command.text)[1:] {
					if !strings.Contains(word, "=") && !strings.HasPrefix(word, "-") && !targets[word] {
						t.Errorf("%s: there is no make target %s", command.at, word)
					}
				}
			}
		})
	}
}

// chartSet matches a value that a command sets for the chart.
var chartSet = regexp.MustCompile(`--set(?:-string)? (?:'([^']*)'|"([^"]*)"|(\S+))`)

// TestChartValues checks that the schema of the chart's values has every value that a command sets or a table
// names. It also finds documented upgrades that would lose new values.
func TestChartValues(t *testing.T) {
	for _, p := range readPages(t) {
		t.Run(p.name, func(t *testing.T) {
			for _, match := range chartSet.FindAllStringSubmatch(p.text, -1) {
				path, value, _ := strings.Cut(match[1]+match[2]+match[3], "=")
				if value == "null" { // It removes a value of an older chart.
					continue
				}
				checkValue(t, p.name, strings.TrimRight(path, "`"))
			}
			for _, r := range p.rows {
				if len(r.head) > 0 && r.head[0] == "value" {
					checkValueCell(t, r)
				}
			}
			for _, command := range p.commandLines("helm") {
				if slices.Contains(shellWords(command.text), "--reuse-values") {
					t.Errorf("%s: --reuse-values misses new values: use --reset-then-reuse-values", command.at)
				}
			}
		})
	}
}

// checkValueCell checks the values of a cell such as `dashboards.label.key`, `.value`.
func checkValueCell(t *testing.T, r tableRow) {
	t.Helper()
	last := ""
	for _, path := range codeSpans(r.cells[0]) {
		if strings.HasPrefix(path, ".") {
			path = last[:strings.LastIndex(last, ".")] + path
		}
		checkValue(t, r.at, path)
		last = path
	}
}

func checkValue(t *testing.T, at, path string) {
	t.Helper()
	if resolvePath(chartSchema(t), path) == nil {
		t.Errorf("%s: the chart has no value %s", at, path)
	}
}

// TestRecordedOutputs runs the documented commands that read a recorded result, and compares the lines that the pages show.
func TestRecordedOutputs(t *testing.T) {
	recorded := regexp.MustCompile(`(?m)^\$ kubectl benchnet results docs/(measured/.*)\n((?:[^$].*\n)+)`)
	seen := 0
	for _, p := range readPages(t) {
		for _, match := range recorded.FindAllStringSubmatch(p.text, -1) {
			seen++
			t.Run(p.name, func(t *testing.T) {
				var out, errOut bytes.Buffer
				if code := cli.Run(t.Context(), "0.1.0", strings.NewReader(""), &out, &errOut, []string{"results", match[1]}); code != 0 {
					t.Fatalf("exit code %d: %s", code, errOut.String())
				}
				shown, _, _ := strings.Cut(match[2], "```")
				for line := range strings.Lines(shown) {
					if line != "…\n" && !strings.Contains(out.String(), line) {
						t.Errorf("%s prints\n%swithout the line\n%s", match[1], out.String(), line)
					}
				}
			})
		}
	}
	if seen == 0 {
		t.Error("no page shows a recorded result")
	}
}

// TestPrintedColumns compares the headers of tables in the README with the columns that the API prints.
func TestPrintedColumns(t *testing.T) {
	readme := readFile(t, "../README.md")
	for _, test := range []struct{ command, columns string }{
		{"kubectl get bnet", printedColumns(t, "benchmarknetworks")},
		{"kubectl get brun", printedColumns(t, "benchmarkruns")},
	} {
		t.Run(test.command, func(t *testing.T) {
			_, output, found := strings.Cut(readme, "$ "+test.command+"\n")
			if !found {
				t.Fatal("the README does not show it")
			}
			shown, _, _ := strings.Cut(output, "\n")
			if got := strings.Join(wideSpace.Split(shown, -1), "|"); got != test.columns {
				t.Errorf("the README shows the columns %s, but printed are %s", got, test.columns)
			}
		})
	}
}

var wideSpace = regexp.MustCompile(` {2,}`)

// printedColumns returns the columns that kubectl get prints for a resource.
func printedColumns(t *testing.T, plural string) string {
	t.Helper()
	var crd apiextensionsv1.CustomResourceDefinition
	if err := decodeFile(crdDir+"/benchnet.dev_"+plural+".yaml", &crd); err != nil {
		t.Fatal(err)
	}
	columns := []string{"NAME"}
	for _, column := range crd.Spec.Versions[0].AdditionalPrinterColumns {
		if column.Priority == 0 {
			columns = append(columns, strings.ToUpper(column.Name))
		}
	}
	return strings.Join(columns, "|")
}
