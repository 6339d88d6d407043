package x88_test

import (
	"testing"

	"github.com/tabula-chess/tabula/movegen/internal/gentest"
	"github.com/tabula-chess/tabula/movegen/reference/x88"
)

func TestConformance(t *testing.T) { gentest.Run(t, x88.New) }
