# The operator. Context: the repository's root.
ARG GO_IMAGE=docker.io/library/golang:1.26.8-bookworm
ARG RUNTIME_IMAGE=gcr.io/distroless/static-debian12:nonroot@sha256:d093aa3e30dbadd3efe1310db061a14da60299baff8450a17fe0ccc514a16639

FROM ${GO_IMAGE} AS build
ARG TARGETOS=linux
ARG TARGETARCH=amd64
ARG VERSION=dev
# Where modules and compiled packages are kept between builds.
ARG GOMODCACHE=/go/pkg/mod
ARG GOCACHE=/root/.cache/go-build
WORKDIR /workspace
COPY go.mod go.sum ./
COPY main.go ./
COPY api/ api/
COPY charts/ charts/
COPY controllers/ controllers/
COPY internal/ internal/
ENV CGO_ENABLED=0 GOFLAGS=-trimpath
RUN --mount=type=cache,target=/go/pkg/mod --mount=type=cache,target=/root/.cache/go-build \
    GOOS=${TARGETOS} GOARCH=${TARGETARCH} go build -buildvcs=false -ldflags "-s -w -X main.version=${VERSION}" -o /manager .

FROM ${RUNTIME_IMAGE}
COPY --from=build /manager /manager
USER 65532:65532
ENTRYPOINT ["/manager"]
