// Package images_test checks the Dockerfiles of Go programs.
package images_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

const modulePath = "github.com/benchnet/benchnet/"

// TestDockerfilesCopyAllPackages checks that each Dockerfile copies every package of this repository that its program
// imports. A missing one would only fail when the image is built.
func TestDockerfilesCopyAllPackages(t *testing.T) {
	for _, program := range []struct{ dockerfile, module, pkg string }{
		{"Dockerfile", ".", "."},
		{"images/agent/Dockerfile", ".", "./cmd/agent"},
		{"images/evm/Dockerfile", "drivers/evm", "."},
		{"images/cometbft-client/Dockerfile", ".", "./drivers/cometbft"},
		{"images/cometbft-bench/Dockerfile", "systems/cometbft-bench", "."},
	} {
		t.Run(program.dockerfile, func(t *testing.T) {
			copied := copiedPaths(t, filepath.Join("..", program.dockerfile))
			list := exec.CommandContext(t.Context(), "go", "list", "-deps", program.pkg)
			list.Dir = filepath.Join("..", program.module)
			output, err := list.Output()
			if err != nil {
				t.Fatalf("list the packages: %v", err)
			}
			for _, name := range strings.Fields(string(output)) {
				directory, ok := strings.CutPrefix(name, modulePath)
				if ok && !isCopied(copied, directory+"/") {
					t.Errorf("%s is not copied", directory)
				}
			}
		})
	}
}

var copyLine = regexp.MustCompile(`(?m)^COPY ([^-\n].*) \S+$`)

// copiedPaths returns the sources of the COPY instructions from the context.
func copiedPaths(t *testing.T, dockerfile string) []string {
	t.Helper()
	text, err := os.ReadFile(dockerfile)
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, match := range copyLine.FindAllStringSubmatch(string(text), -1) {
		all = append(all, strings.Fields(match[1])...)
	}
	return all
}

// isCopied reports whether a directory is copied, as a whole, with a parent or by its files.
func isCopied(copied []string, directory string) bool {
	for _, path := range copied {
		if strings.HasPrefix(directory, path) || filepath.Dir(path)+"/" == directory {
			return true
		}
	}
	return false
}
