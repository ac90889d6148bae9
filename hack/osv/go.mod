// Compares SBOMs with an OSV database. A module of its own, so that the scanner's libraries have no say in the operator's.
module github.com/benchnet/benchnet/hack/osv

go 1.26.3

require (
	github.com/CycloneDX/cyclonedx-go v0.11.0
	github.com/google/osv-scalibr v0.5.3
	github.com/ossf/osv-schema/bindings/go v0.0.0-20260525004216-afe0bddbf893
	github.com/package-url/packageurl-go v0.1.5
	google.golang.org/protobuf v1.36.11
)

require (
	cloud.google.com/go/compute/metadata v0.9.0 // indirect
	deps.dev/util/maven v0.0.0-20260528042559-b92437de09fd // indirect
	deps.dev/util/semver v0.0.0-20260529052642-cf1e78d92744 // indirect
	github.com/go-git/gcfg v1.5.1-0.20230307220236-3a3c6141e376 // indirect
	github.com/go-git/go-billy/v5 v5.9.0 // indirect
	github.com/go-git/go-git/v5 v5.19.0 // indirect
	github.com/google/uuid v1.6.0 // indirect
	github.com/jbenet/go-context v0.0.0-20150711004518-d14ea06fba99 // indirect
	github.com/opencontainers/go-digest v1.0.0 // indirect
	golang.org/x/net v0.54.0 // indirect
	golang.org/x/oauth2 v0.36.0 // indirect
	golang.org/x/sys v0.44.0 // indirect
	golang.org/x/text v0.37.0 // indirect
	google.golang.org/genproto/googleapis/rpc v0.0.0-20260511170946-3700d4141b60 // indirect
	google.golang.org/grpc v1.81.0 // indirect
	gopkg.in/warnings.v0 v0.1.2 // indirect
)
