package reference

import (
	"fmt"
	"io/fs"
	"regexp"
	"strings"

	"sigs.k8s.io/yaml"
)

const (
	recordingRulesPath = "config/prometheus/recording.yaml"
	alertRulesPath     = "config/prometheus/alerts.yaml"
)

// RecordingRule is a recording rule.
type RecordingRule struct {
	Group, Name, Expr, Help string
}

// Alert is an alerting rule.
type Alert struct {
	Name, Severity, Expr, For string
}

type ruleFile struct {
	Spec struct {
		Groups []struct {
			Name  string
			Rules []struct {
				Record, Alert, Expr, For string
				Labels                   struct{ Severity string }
			}
		}
	}
}

func readRuleFile(root fs.FS, path string) (file ruleFile, content []byte, err error) {
	if content, err = readFile(root, path); err != nil {
		return file, nil, err
	}
	if err := yaml.Unmarshal(content, &file); err != nil {
		return file, nil, fmt.Errorf("decode %s: %w", path, err)
	}
	return file, content, nil
}

// readRecordingRules returns the recording rules. Their help is the comment directly above each rule. For rules
// that copy another series during a run it is derived from that series.
func readRecordingRules(root fs.FS) ([]RecordingRule, error) {
	file, content, err := readRuleFile(root, recordingRulesPath)
	if err != nil {
		return nil, err
	}
	comments := parseRuleComments(string(content))
	var all []RecordingRule
	for _, g := range file.Spec.Groups {
		for _, r := range g.Rules {
			help := comments[r.Record]
			if of := runRulePattern.FindStringSubmatch(strings.Join(strings.Fields(r.Expr), " ")); help == "" && of != nil {
				help = fmt.Sprintf("`%s` during a run.", of[1])
			}
			if help == "" {
				return nil, fmt.Errorf("%s: %s has no comment above it", recordingRulesPath, r.Record)
			}
			all = append(all, RecordingRule{g.Name, r.Record, r.Expr, help})
		}
	}
	return all, nil
}

// runRulePattern matches a rule that adds the labels of the measuring run to a series of a network.
var runRulePattern = regexp.MustCompile(`^([\w:]+) \* on \(namespace, network\) group_left \(run, experiment\) run:benchnet_run_info:measuring$`)

// parseRuleComments returns the comments of a rule file by the name of the rule below them.
func parseRuleComments(text string) map[string]string {
	all := map[string]string{}
	var comment []string
	for line := range strings.Lines(text) {
		line = strings.TrimSpace(line)
		if words, found := strings.CutPrefix(line, "# "); found {
			comment = append(comment, words)
			continue
		}
		if name, found := strings.CutPrefix(line, "- record: "); found {
			all[name] = strings.Join(comment, " ")
		}
		comment = nil
	}
	return all
}

func readAlerts(root fs.FS) ([]Alert, error) {
	file, _, err := readRuleFile(root, alertRulesPath)
	if err != nil {
		return nil, err
	}
	var all []Alert
	for _, g := range file.Spec.Groups {
		for _, r := range g.Rules {
			all = append(all, Alert{r.Alert, r.Labels.Severity, r.Expr, r.For})
		}
	}
	return all, nil
}

// Unit returns the unit of a rule by its name: level:metric:operations.
func (r RecordingRule) Unit() string {
	_, metric, _ := strings.Cut(r.Name, ":")
	metric, operation, _ := strings.Cut(metric, ":")
	rate := strings.HasPrefix(operation, "rate")
	switch {
	case strings.HasPrefix(operation, "ratio"):
		return "share"
	case strings.HasSuffix(metric, "_cpu_usage_seconds") && rate:
		return "cores"
	case strings.HasSuffix(metric, "_seconds"):
		return "seconds"
	case strings.HasSuffix(metric, "_bytes") && rate:
		return "bytes per second"
	case strings.HasSuffix(metric, "_bytes"):
		return "bytes"
	case rate:
		return "per second"
	default:
		return "count"
	}
}
