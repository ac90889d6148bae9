package docs_test

import (
	"strings"
	"testing"

	"github.com/benchnet/benchnet/internal/platform/validators"
)

// TestMalachiteFindingsAreDocumented checks that docs/malachite.md contains the platform's findings.
func TestMalachiteFindingsAreDocumented(t *testing.T) {
	page := readFile(t, "malachite.md")
	for _, code := range []string{string(validators.RoundsAboveZero), string(validators.BlockSizeDiffers)} {
		if !strings.Contains(page, "`"+code+"`") {
			t.Errorf("docs/malachite.md lacks the finding %s", code)
		}
	}
}
