// Command bundle generates and validates the bundle with which the Operator Lifecycle Manager installs the
// operator.
//
//	kustomize build config/manifests | bundle generate -version V -icon FILE -image NAME=REFERENCE... DIRECTORY
//	bundle validate DIRECTORY
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bundle:", err)
		os.Exit(1)
	}
}

func run(arguments []string) error {
	switch {
	case len(arguments) > 1 && arguments[0] == "generate":
		return generateBundle(arguments[1:])
	case len(arguments) == 2 && arguments[0] == "validate":
		return validateBundle(arguments[1])
	default:
		return fmt.Errorf("usage: bundle generate|validate [FLAG...] DIRECTORY")
	}
}

// generateBundle writes the bundle of the manifests on the standard input.
func generateBundle(arguments []string) error {
	var r releaseOptions
	flags := flag.NewFlagSet("generate", flag.ContinueOnError)
	flags.StringVar(&r.version, "version", "", "version of the operator, such as 0.1.0")
	flags.StringVar(&r.icon, "icon", "", "SVG file")
	flags.Var((*imageFlags)(&r.images), "image", "name=reference of an image that the operator uses; may be repeated")
	if err := flags.Parse(arguments); err != nil {
		return err
	}
	if r.version == "" || r.icon == "" || flags.NArg() != 1 {
		return fmt.Errorf("generate needs -version, -icon and one directory")
	}
	found, err := readManifests(os.Stdin)
	if err != nil {
		return fmt.Errorf("read the manifests: %w", err)
	}
	if err := found.completeCSV(r); err != nil {
		return fmt.Errorf("complete the ClusterServiceVersion: %w", err)
	}
	return found.writeFiles(flags.Arg(0))
}

// releaseOptions holds the release information that is not in the manifests.
type releaseOptions struct {
	version, icon string
	images        []relatedImage
}

type relatedImage struct{ name, reference string }

// imageFlags is a repeatable flag of the form name=reference.
type imageFlags []relatedImage

func (i *imageFlags) String() string { return "" }

func (i *imageFlags) Set(text string) error {
	name, reference, ok := strings.Cut(text, "=")
	if !ok || name == "" || reference == "" {
		return fmt.Errorf("%q is not name=reference", text)
	}
	*i = append(*i, relatedImage{name, reference})
	return nil
}
