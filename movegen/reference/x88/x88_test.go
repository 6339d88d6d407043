package x88_test

import (
	"testing"

	"github.com/tabula-chess/tabula/internal/testkit"
	"github.com/tabula-chess/tabula/movegen/reference/x88"
)

func TestConformance(t *testing.T) { testkit.Conform(t, x88.New) }
