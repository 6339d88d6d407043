package movegen

import (
	"math/rand/v2"
	"slices"

	"github.com/tabula-chess/tabula/chess"
)

// RandomWalk makes up to plies legal moves drawn from r, each as likely as the
// others, and returns how many it made: fewer where the game ends. Unmake takes
// them back. The moves depend on r and not on the order in which moves are
// generated.
func RandomWalk(p *chess.Position, r *rand.Rand, plies int) (made int) {
	var buf [chess.MaxMoves]chess.Move
	for ; made < plies; made++ {
		moves := Legal(p, buf[:0])
		if len(moves) == 0 {
			break
		}
		slices.Sort(moves)
		p.Make(moves[r.IntN(len(moves))])
	}
	return made
}

// RandomOpening makes plies random moves or one more, so that either side may
// be to move, and reports whether the game goes on after them.
func RandomOpening(p *chess.Position, r *rand.Rand, plies int) bool {
	plies += r.IntN(2)
	return RandomWalk(p, r, plies) == plies && p.Outcome() == chess.Ongoing
}
