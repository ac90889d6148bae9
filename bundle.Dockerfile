# The bundle for a catalogue of the Operator Lifecycle Manager. `make bundle` generates its content. Context: the root
# of the repository. The labels are those of bundle/metadata/annotations.yaml; a test compares them.
FROM scratch
LABEL operators.operatorframework.io.bundle.mediatype.v1=registry+v1
LABEL operators.operatorframework.io.bundle.manifests.v1=manifests/
LABEL operators.operatorframework.io.bundle.metadata.v1=metadata/
LABEL operators.operatorframework.io.bundle.package.v1=benchnet
LABEL operators.operatorframework.io.bundle.channels.v1=candidate
LABEL operators.operatorframework.io.bundle.channel.default.v1=candidate
COPY bundle/manifests /manifests/
COPY bundle/metadata /metadata/
