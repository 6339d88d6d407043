//go:build !amd64

package movegen

import "github.com/tabula-chess/tabula/chess"

func listBy(_ Path, p *chess.Position, stage Stage, list *moveList) int {
	return listByGo(p, stage, list)
}

func pextIsSlow() bool { return false }
