# benchnet: `make help` lists the targets. Every step is a script or a pinned tool; the targets only call them.
SHELL := bash
.SHELLFLAGS := -euo pipefail -c
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-print-directory

# Images, tools and tests use the same flags, so that they share compiled packages.
export CGO_ENABLED := 0
export GOFLAGS := $(strip $(filter-out -trimpath,$(GOFLAGS)) -trimpath)

VERSION := $(shell cat VERSION)
LDFLAGS := -s -w -X main.version=$(VERSION)
MANAGER_LDFLAGS = $(LDFLAGS) -X main.commit=$$(hack/images/commit)
# Tools are built into the cache on first use; $(call tool,NAME) expands to the path.
tool = $$(hack/tools/get $(1))

##@ General

.PHONY: help
help: ## List the targets
	@awk 'BEGIN { FS = ":.*## " } \
	  /^##@/ { printf "\n%s\n", substr($$0, 5) } \
	  /^[a-z0-9-]+:.*## / { printf "  %-14s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

.PHONY: demo
demo: ## From nothing to a measured Corda network: cluster, images, operator, benchmark, result
	@hack/demo/run

.PHONY: clean
clean: cluster-down ## Delete the cluster and the build outputs in the tree; keep the caches
	rm -rf bin cordapps/*/target genesis/corda/target drivers/java-worker/target drivers/jmeter-corda/target drivers/jpaxos/target

.PHONY: purge
purge: clean ## Clean, and delete the caches too: images, Kubernetes, tools
	hack/cluster/down --purge
	hack/images/clean
	rm -rf "$${BENCHNET_CACHE:-$${XDG_CACHE_HOME:-$$HOME/.cache}/benchnet}"

##@ Code

.PHONY: generate
generate: ## Generate the API's deep copies
	$(call tool,controller-gen) object paths=./api/...

.PHONY: manifests
manifests: ## Generate CRDs, roles, docs/api.md and docs/metrics.md, and update the chart from config/
	$(call tool,controller-gen) crd paths=./api/... output:crd:artifacts:config=config/crd/bases
	hack/shorten-crds
	$(call tool,controller-gen) rbac:roleName=operator paths=./controllers/... output:rbac:artifacts:config=config/rbac
	hack/update-version
	hack/update-chart
	go run ./hack/metrics docs/metrics.md
	$(call tool,crd-ref-docs) --log-level=ERROR --renderer=markdown --source-path=api/v1alpha1 --max-depth=20 \
	  --config=hack/api-reference/config.yaml --templates-dir=hack/api-reference --output-path=docs/api.md

.PHONY: dashboards
dashboards: ## Generate the Grafana dashboards into the chart
	@dashboards/generate

.PHONY: bundle
bundle: ## Generate the bundle for the Operator Lifecycle Manager from config/ into bundle/manifests
	hack/update-bundle

.PHONY: bundle-validate
bundle-validate: bundle ## Generate the bundle, and validate it with operator-framework's validators
	go run -C hack/bundle . validate "$(CURDIR)/bundle"

.PHONY: fmt
fmt: ## Format the Go code
	$(call tool,golangci-lint) fmt ./...

.PHONY: lint
lint: ## Lint the Go and Rust code, the names of functions, the shell scripts, the workflows and the charts
	$(call tool,golangci-lint) run ./...
	lint=$(call tool,golangci-lint) && for module in drivers/evm systems/cometbft-bench hack/bundle hack/osv; do (cd "$$module" && "$$lint" run --config ../../.golangci.yml ./...) || exit; done
	go run ./hack/names -limit 0.05 main.go controllers internal cmd dashboards drivers systems hack
	hack/lint-rust
	hack/lint-scripts
	$(call tool,actionlint)
	! grep -hE '^ *(- )?run:' .github/workflows/*.yml | grep -vE 'run: make ([a-z-]+|\$$\{\{ matrix\.targets? \}\})$$'
	hack/lint-charts
	$(MAKE) bundle-validate

.PHONY: verify
verify: ## Regenerate and fail on any difference, which stays in the tree
	hack/verify

.PHONY: vulnerabilities
vulnerabilities: ## Look for known vulnerabilities in the Go code (GOVULNDB) and all SBOMs (OSVDB), and report what was not checked
	@hack/vulnerabilities

.PHONY: sbom
sbom: ## Write CycloneDX SBOMs of code and images to bin/sbom
	@hack/sbom

.PHONY: build
build: ## Build the operator, the agent and the kubectl plugin into bin/
	go build -ldflags="$(MANAGER_LDFLAGS)" -o bin/manager .
	go build -ldflags="$(LDFLAGS)" -o bin/agent ./cmd/agent
	go build -ldflags="$(LDFLAGS)" -o bin/kubectl-benchnet ./cmd/kubectl-benchnet

.PHONY: plugin
plugin: ## Build the kubectl plugin for all systems into bin/plugin, with its manifest for krew
	@hack/plugin/build

##@ Release

.PHONY: release
release: ## Build the files of a release into bin/release and list them: chart, manifests, plugin, SBOM, notes, checksums
	@hack/release/build

.PHONY: release-images
release-images: ## Build the images and push them to BENCHNET_REGISTRY; BENCHNET_ARCHITECTURE=arm64 for those that are cross-built
	@hack/images/push --with-architecture

.PHONY: release-tag
release-tag: ## Fail unless HEAD is the unchanged tag of VERSION
	@hack/release/check-tag

.PHONY: publish
publish: ## Join the images of all architectures in BENCHNET_REGISTRY, push the chart, write SBOMs and provenance, sign with COSIGN_KEY
	@hack/release/publish

.PHONY: release-github
release-github: ## Create the release on GitHub from the files in bin/release
	gh release create "v$(VERSION)" --verify-tag --notes-file bin/release/release-notes.md bin/release/*

##@ Tests

.PHONY: test
test: ## Everything: verify, lint, unit, Java, Rust, envtest, and end to end on the real cluster
	@hack/test/all

.PHONY: test-unit
test-unit: ## Unit tests of the Go code
	@hack/test/go unit ./...

.PHONY: test-kernel
test-kernel: ## Tests of the agent on Debian's kernel in a virtual machine: netem, control groups of version 2
	@hack/test/kernel

.PHONY: test-scripts
test-scripts: ## Tests of scripts: what changes the machine, and error paths of the demo
	@hack/cluster/test
	@hack/test/scripts

.PHONY: test-osv
test-osv: ## Tests of the vulnerability scan
	@hack/test/go osv ./...

.PHONY: test-java
test-java: ## Tests of the Maven modules
	@hack/test/java

.PHONY: test-evm
test-evm: ## Tests of the EVM load driver, against a real geth
	@hack/test/go evm -count=1 -parallel 3 ./...

.PHONY: test-cometbft
test-cometbft: ## Tests of cometbft-bench, with validators on loopback
	@hack/test/go cometbft -count=1 ./...

.PHONY: test-rust
test-rust: ## Tests of the Rust code, with validators on loopback
	@hack/test/rust

.PHONY: test-rules
test-rules: ## Check the recording rules and alerts, and their results for given series, with promtool
	@hack/test/rules

.PHONY: test-report
test-report: ## Open the reports in a headless Chromium
	@hack/test/go report -count=1 -run TestInABrowser

.PHONY: docs
docs: ## Build the documentation site into bin/site; fails on a broken link or a page missing in the navigation
	@hack/docs/build

.PHONY: notebooks
notebooks: ## Run the notebooks of the documentation on recorded results
	@hack/docs/notebooks/run

.PHONY: docs-images
docs-images: ## Regenerate the picture of an experiment's report
	@hack/test/go report -count=1 -run TestPicture$$ -update=true

.PHONY: test-envtest
test-envtest: ## Tests against a real API server and etcd
	@hack/test/envtest

.PHONY: test-release
test-release: ## Release into a private registry with TLS and a password, and verify it (builds cosign and a registry first)
	@hack/release/test

.PHONY: try-release
try-release: ## Try a release in a private registry on the local cluster: install, measure, upgrade, wrong password, missing image
	@hack/release/try

.PHONY: test-argocd
test-argocd: ## Tests of health checks and actions with the real Argo CD, which is built first (about seven minutes of CPU)
	@BENCHNET_ARGOCD=$$(hack/argocd/build) hack/test/go argocd ./config/argocd

.PHONY: try-argocd
try-argocd: ## Try a benchmark repository with the real Argo CD, run as processes beside the cluster: waves, re-runs, health, drift, pruning (minutes)
	@hack/argocd/try

.PHONY: test-tutorial
test-tutorial: ## The commands of docs/getting-started.md in order, from a clean clone; deletes the cluster
	hack/docs/walk

.PHONY: test-kueue
test-kueue: ## The part of test-e2e with Kueue, which runs on the cluster as a pod
	@hack/test/e2e -run '^TestKueue$$'

.PHONY: test-notaries
test-notaries: ## Double spends on every Corda notary service, after restarts and resets too (more than an hour); BENCHNET_E2E_NOTARIES=bft selects
	@BENCHNET_E2E_NOTARIES=$${BENCHNET_E2E_NOTARIES:-all} hack/test/e2e -run '^TestNotaryTypes$$'

.PHONY: fuzz
fuzz: ## Fuzz all parsers for FUZZTIME (15s) each; earlier findings are unit tests
	@hack/test/fuzz

.PHONY: test-e2e
test-e2e: ## End to end tests: creates the cluster, images and operator if they are missing
	@hack/test/e2e

.PHONY: statistics
statistics: ## Simulate experiments with known true values and write the tables of hack/statistics/README.md
	go run ./hack/statistics

.PHONY: bench-evm
bench-evm: ## Measure what one EVM sender signs and submits on one core
	@hack/bench/evm

.PHONY: bench
bench: ## Measure benchnet itself, after make demo: time to a ready network compared with Corda's own bootstrapper
	@hack/bench/run

.PHONY: bench-experiments
bench-experiments: ## Measure the quality of experiments, after make demo: PARTS="killed aa slowed i1 c1 c2 c3 c4 c5 j1 m1 notaries bft"; without PARTS, print a forecast of each
	@hack/bench/experiments/run $(PARTS)

.PHONY: bench-instrument
bench-instrument: ## Measure what observation costs, after make demo: PARTS="malachite corda phases"; default: malachite
	@hack/bench/instrument/run $(PARTS)

##@ Cluster

.PHONY: cluster-up
cluster-up: ## Create a cluster: the one you select, kind, or one from package registries; BENCHNET_NODES=3 for three nodes
	@hack/cluster/up

.PHONY: cluster-down
cluster-down: ## Delete the cluster
	@hack/cluster/down

.PHONY: monitoring-up
monitoring-up: ## Install Prometheus, its operator and exporters on the cluster, unless it has them
	@hack/monitoring/up

.PHONY: monitoring-down
monitoring-down: ## Uninstall them
	@hack/monitoring/down

.PHONY: images
images: ## Build the images that changed and load them into the cluster
	hack/images/build
	hack/images/load

.PHONY: push
push: ## Build the images that changed and push them to BENCHNET_REGISTRY
	@hack/images/push

.PHONY: install
install: ## Install the operator with its Helm chart, or upgrade it
	@hack/install

.PHONY: uninstall
uninstall: ## Remove the operator; keeps the CRDs and with them your networks and results
	@hack/uninstall

.PHONY: deploy
deploy: ## Install the operator with kustomize instead of Helm
	$(call tool,kustomize) build config/default | KUBECONFIG=$$(hack/cluster/kubeconfig) kubectl apply --server-side --filename -

.PHONY: undeploy
undeploy: ## Remove what deploy installed, CRDs and networks included
	$(call tool,kustomize) build config/default | KUBECONFIG=$$(hack/cluster/kubeconfig) kubectl delete --ignore-not-found --filename -
