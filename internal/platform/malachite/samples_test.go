package malachite_test

import (
	"testing"

	"github.com/benchnet/benchnet/internal/platform/malachite"
	"github.com/benchnet/benchnet/internal/platform/platformtest"
)

func TestConform(t *testing.T) {
	platformtest.Conform(t, malachite.New(), platformtest.Samples(t, "malachite"))
}

func TestGolden(t *testing.T) {
	platformtest.Golden(t, malachite.New(), platformtest.Samples(t, "malachite"))
}
