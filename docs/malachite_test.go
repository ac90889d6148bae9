package docs_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/benchnet/benchnet/api/v1alpha1"
	"github.com/benchnet/benchnet/internal/platform/malachite"
)

// TestMalachiteIsDocumented checks that docs/malachite.md contains every JSON name of the API's Malachite
// structs, and the platform's findings.
func TestMalachiteIsDocumented(t *testing.T) {
	page := readFile(t, "malachite.md")
	for _, kind := range []reflect.Type{
		reflect.TypeFor[v1alpha1.MalachitePlatform](), reflect.TypeFor[v1alpha1.MalachiteTimeouts](), reflect.TypeFor[v1alpha1.MalachiteDiscoverySpec](),
		reflect.TypeFor[v1alpha1.MalachiteGossip](), reflect.TypeFor[v1alpha1.MalachiteSync](), reflect.TypeFor[v1alpha1.MalachiteWorkload](),
	} {
		for i := range kind.NumField() {
			name, _, _ := strings.Cut(kind.Field(i).Tag.Get("json"), ",")
			if !strings.Contains(page, name) {
				t.Errorf("docs/malachite.md lacks %s of %s", name, kind.Name())
			}
		}
	}
	for _, code := range []string{string(malachite.RoundsAboveZero), string(malachite.BlockSizeDiffers)} {
		if !strings.Contains(page, "`"+code+"`") {
			t.Errorf("docs/malachite.md lacks the finding %s", code)
		}
	}
}
