package main

import (
	"fmt"
	"os"
	"strings"

	bundles "github.com/operator-framework/api/pkg/manifests"
	"github.com/operator-framework/api/pkg/validation"
	interfaces "github.com/operator-framework/api/pkg/validation/interfaces"
)

// validators are all bundle validators of operator-framework, except the deprecated ones and the one that pulls
// the images.
var validators = []struct {
	name string
	interfaces.Validator
}{
	{"ClusterServiceVersion", validation.ClusterServiceVersionValidator},
	{"CustomResourceDefinition", validation.CustomResourceDefinitionValidator},
	{"Bundle", validation.BundleValidator},
	{"OperatorHubV2", validation.OperatorHubV2Validator},
	{"StandardCategories", validation.StandardCategoriesValidator},
	{"StandardCapabilities", validation.StandardCapabilitiesValidator},
	{"Object", validation.ObjectValidator},
	{"OperatorGroup", validation.OperatorGroupValidator},
	{"AlphaDeprecatedAPIs", validation.AlphaDeprecatedAPIsValidator},
	{"GoodPractices", validation.GoodPracticesValidator},
}

// spuriousWarning is a warning that the validators report for any rule about events or poddisruptionbudgets.
// RBAC rules have no API version, and the validators assume the one that Kubernetes 1.25 removed.
const spuriousWarning = "this bundle is using APIs which were deprecated and removed in v1.25"

// validateBundle prints the findings of each validator. It fails on errors and on all warnings except
// spuriousWarning.
func validateBundle(directory string) error {
	bundle, err := bundles.GetBundleFromDir(directory)
	if err != nil {
		return fmt.Errorf("read the bundle %s: %w", directory, err)
	}
	found := 0
	for _, v := range validators {
		before := found
		for _, result := range v.Validate(bundle.ObjectsToValidate()...) {
			for _, problem := range append(result.Errors, result.Warnings...) {
				if strings.Contains(problem.Error(), spuriousWarning) {
					continue
				}
				found++
				fmt.Fprintf(os.Stderr, "%s: %s: %s\n", v.name, result.Name, problem.Error())
			}
		}
		if found == before {
			fmt.Printf("%-26s passed\n", v.name)
		}
	}
	if found > 0 {
		return fmt.Errorf("%s has %d errors or warnings", directory, found)
	}
	fmt.Printf("%s: %d bytes, %d compressed\n", directory, bundle.Size, bundle.CompressedSize)
	return nil
}
