# Sourced by run: comparisons with a known outcome.
# shellcheck shell=bash disable=SC2154

# measure_aa compares a version with itself at 20 equivalent points and counts the differences that it reports.
measure_aa() {
  apply_experiment aa
  await_result
  print_comparisons
  say "false alarms of comparisons, by metric, at a significance of $(experiment_field '{.spec.compare.confidencePercent}') %:"
  experiment_field '{range .status.comparisons[*]}{.metric} {.verdict} {.gate}{"\n"}{end}' | awk '
    { all[$1]++; alarms[$1] += $2 == "Better" || $2 == "Worse"; few[$1] += $2 == "TooFewRuns"; failed[$1] += $3 == "Failed" }
    END { for (metric in all) printf "  %-14s %d of %d (%.1f %%), too few valid runs for %d; gates failed: %d\n",
      metric, alarms[metric], all[metric], 100 * alarms[metric] / all[metric], few[metric], failed[metric] }'
}

measure_deployed_corda() { measure_deployed deployed-corda; }
measure_deployed_malachite() { measure_deployed deployed-malachite; }

# measure_deployed PART: deploys a network repeatedly and prints how much its runs vary between and within deployments.
measure_deployed() {
  apply_experiment "$1"
  await_result
  print_runs
  say "relative deviations between and within deployments, and the F test's p, by metric:"
  gzip --decompress --stdout "$out/$experiment.json.gz" |
    python3 -c 'import json, sys
for metric, d in sorted(json.load(sys.stdin)["points"][0]["deployments"].items()):
    print("  {:12} {between:8.2%} {within:8.2%}   p = {pValue:.2g}".format(metric, **d))'
}

# measure_slowed compares a network with a slower copy. The comparison must find the difference, and the gate must fail.
measure_slowed() {
  apply_experiment slowed
  await_result
  print_points
  print_comparisons
  if [[ $(condition_field GatesPassed status) != False ]]; then
    say "FAILED: the gate should have failed: $(condition_field GatesPassed message)"
    return 1
  fi
  say "PASSED: found: $(condition_field GatesPassed message)"
}

print_comparisons() {
  experiment_field '{range .status.comparisons[*]}{.candidate}|{.metric}|{.display.difference}|{.display.interval}|{.display.pValue}|{.verdict}|{.gate}{"\n"}{end}' |
    awk -F '|' 'BEGIN { row = "  %-36s %-12s %10s %-24s %9s %-14s %s\n"; printf row, "candidate", "metric", "diff %", "interval", "p", "verdict", "gate" }
      { printf row, $1, $2, $3, $4, $5, $6, $7 }'
}
