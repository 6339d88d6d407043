package movegen

import (
	"math/rand/v2"

	"github.com/tabula-chess/tabula/chess"
)

// RandomWalk makes up to plies legal moves drawn from r, each as likely as the
// others, and returns how many it made: fewer where the game ends. Unmake takes
// them back.
func RandomWalk(p *chess.Position, r *rand.Rand, plies int) (made int) {
	var buf [chess.MaxMoves]chess.Move
	for ; made < plies; made++ {
		moves := Legal(p, buf[:0])
		if len(moves) == 0 {
			break
		}
		p.Make(moves[r.IntN(len(moves))])
	}
	return made
}
