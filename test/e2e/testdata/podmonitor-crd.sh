#!/usr/bin/env bash
# Prints the CRD of PodMonitor, generated from the module of the Prometheus Operator's API that go.mod pins.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../../.."
out=$(mktemp -d)
trap 'rm -rf "$out"' EXIT
"$(hack/tools/get controller-gen)" crd:allowDangerousTypes=true,maxDescLen=0 \
  paths=github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1 "output:crd:artifacts:config=$out" >&2
cat "$out/monitoring.coreos.com_podmonitors.yaml"
