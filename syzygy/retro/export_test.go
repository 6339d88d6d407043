package retro

import "github.com/tabula-chess/tabula/syzygy/internal/layout"

// Delay makes every win and loss of a solved ending come the given plies later,
// as if a mate took that long: with four men no ending reaches the fifty-move
// rule, and delayed ones do.
func (s *Solver) Delay(name string, plies Value) {
	m, _ := layout.ParseMaterial(name)
	for _, slice := range s.solved[m].slices {
		for i, v := range slice {
			switch {
			case v > 0:
				slice[i] += plies
			case v < 0 && v != Illegal:
				slice[i] -= plies
			}
		}
	}
}
