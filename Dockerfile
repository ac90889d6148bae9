# The operator. Context: the root of the repository.
ARG GO_IMAGE=docker.io/library/golang:1.26.9-bookworm@sha256:d9c68c2c51161e12fd77e4c6320687c9cd86e1af1e3ad6e6cd63ff970641453c
ARG RUNTIME_IMAGE=gcr.io/distroless/static-debian12:nonroot@sha256:afa5c872c891853ca7fcf1f12c3edb23f7eeef36189728842dd51042ff57f7ab

FROM --platform=$BUILDPLATFORM ${GO_IMAGE} AS build
ARG TARGETARCH
ARG VERSION=dev
ARG COMMIT=
# Caches of modules and compiled packages.
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
    GOOS=linux GOARCH=${TARGETARCH} go build -buildvcs=false -ldflags "-s -w -X main.version=${VERSION} -X main.commit=${COMMIT}" -o /manager .

FROM --platform=$TARGETPLATFORM ${RUNTIME_IMAGE}
COPY --from=build /manager /manager
USER 65532:65532
ENTRYPOINT ["/manager"]
