package rays_test

import (
	"testing"

	"github.com/tabula-chess/tabula/movegen/internal/gentest"
	"github.com/tabula-chess/tabula/movegen/reference/rays"
)

func TestConformance(t *testing.T) { gentest.Run(t, gentest.Adapt(rays.New)) }
