# Sourced by run: typical experiments of the field, reduced for a small machine.
# shellcheck shell=bash

measure_i1() { measure_shrunken i1; }
measure_c1() { measure_shrunken c1; }
measure_c2() { measure_shrunken c2; }
measure_c3() { measure_shrunken c3; }
measure_c4() { measure_shrunken c4; }
measure_c5() { measure_shrunken c5; }
measure_depth() { measure_shrunken depth; }
measure_profile() { measure_shrunken profile; }
measure_failover() {
  measure_shrunken failover
  print_results
}
measure_leader_kills() {
  measure_shrunken leader-kills
  print_results
}
measure_e1() { measure_shrunken e1; }
measure_e2() { measure_shrunken e2; }
measure_e3() { measure_shrunken e3; }
measure_overload() {
  measure_shrunken overload
  print_results
}
measure_j1() { measure_shrunken j1; }
measure_m1() { measure_shrunken m1; }
measure_consensus() { measure_shrunken consensus; }
measure_consensus_16() { measure_shrunken consensus-16; }
measure_consensus_regions() { measure_shrunken consensus-regions; }
measure_scale() { measure_shrunken scale; }
measure_transfers() { measure_shrunken transfers; }
measure_notaries() { measure_shrunken notaries; }
measure_bft() { measure_shrunken bft; }

measure_shrunken() {
  apply_experiment "$1"
  wait_until "was accepted or refused" has_accepted_condition 2
  say "planned: $(print_plan)"
  await_result
  print_points
  print_runs
}
