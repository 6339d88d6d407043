package movegen

import (
	"github.com/tabula-chess/tabula/chess"
)

// GenerateOn is Generate on a path.
func GenerateOn(path Path, p *chess.Position, stage Stage, buf []chess.Move) []chess.Move {
	buf = withRoom(buf)
	n := len(buf)
	return buf[:n+listBy(ListPath(path), p, stage, (*moveList)(buf[n:n+chess.MaxMoves]))]
}
