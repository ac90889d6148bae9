// Command archive converts a static binary into an image archive: one layer, one file, no base image, no
// registry.
package main

import (
	"archive/tar"
	"bytes"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
)

// nonRootID is the user and group of the image, by convention that of "nonroot" images.
const nonRootID = 65532

func main() {
	flag.Usage = func() { fmt.Fprintln(flag.CommandLine.Output(), "usage: archive IMAGE:TAG BINARY OUTPUT.tar") }
	flag.Parse()
	if flag.NArg() != 3 {
		flag.Usage()
		os.Exit(2)
	}
	if err := writeArchive(flag.Arg(0), flag.Arg(1), flag.Arg(2)); err != nil {
		fmt.Fprintln(os.Stderr, "archive:", err)
		os.Exit(1)
	}
}

// writeArchive writes an archive of an image that runs the binary to output. The image has the architecture of
// this machine.
func writeArchive(image, binary, output string) error {
	tag, err := name.NewTag(image)
	if err != nil {
		return fmt.Errorf("parse image reference %s: %w", image, err)
	}
	content, err := buildLayer(binary)
	if err != nil {
		return err
	}
	config := v1.ConfigFile{
		Architecture: runtime.GOARCH,
		OS:           "linux",
		RootFS:       v1.RootFS{Type: "layers"},
		Config:       v1.Config{Entrypoint: []string{"/" + filepath.Base(binary)}, User: fmt.Sprintf("%d:%d", nonRootID, nonRootID)},
	}
	result, err := mutate.ConfigFile(empty.Image, &config)
	if err != nil {
		return fmt.Errorf("configure image %s: %w", image, err)
	}
	result, err = mutate.AppendLayers(result, content)
	if err != nil {
		return fmt.Errorf("append layer to image %s: %w", image, err)
	}
	if err := tarball.WriteToFile(output, tag, result); err != nil {
		return fmt.Errorf("write archive %s: %w", output, err)
	}
	return nil
}

// buildLayer returns a layer with the binary in the root directory. Its times are zero, so that equal binaries
// yield equal layers.
func buildLayer(binary string) (v1.Layer, error) {
	content, err := os.ReadFile(binary)
	if err != nil {
		return nil, fmt.Errorf("read binary: %w", err)
	}
	var buffer bytes.Buffer
	writer := tar.NewWriter(&buffer)
	header := &tar.Header{Name: filepath.Base(binary), Mode: 0o755, Size: int64(len(content)), Typeflag: tar.TypeReg}
	if err := writer.WriteHeader(header); err != nil {
		return nil, fmt.Errorf("write layer of %s: %w", binary, err)
	}
	if _, err := writer.Write(content); err != nil {
		return nil, fmt.Errorf("write layer of %s: %w", binary, err)
	}
	if err := writer.Close(); err != nil {
		return nil, fmt.Errorf("close layer of %s: %w", binary, err)
	}
	return tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(buffer.Bytes())), nil
	})
}
