package nnue

import "github.com/tabula-chess/tabula/chess"

// PieceValues returns the value of each piece by square: the change of the evaluation
// of p in centipawns, from White's view, if the piece is removed. It is 0 for kings
// and empty squares.
func (n *Network) PieceValues(p *chess.Position) (values [64]int) {
	whole := n.white(p, chess.NoSquare)
	for sq := range p.Occupied().Squares() {
		if p.Piece(sq).Type() != chess.King {
			values[sq] = int(whole - n.white(p, sq))
		}
	}
	return values
}

// white returns White's view in centipawns of p without the piece on a square.
func (n *Network) white(p *chess.Position, without chess.Square) float64 {
	us := p.SideToMove()
	var rows [2][]uint32
	for side := range rows {
		c := us ^ chess.Color(side)
		view := n.views[c][p.King(c)]
		for sq := range p.Occupied().Squares() {
			if sq != without {
				rows[side] = append(rows[side], uint32(view.Feature(p.Piece(sq), sq)*n.shape.Width))
			}
		}
	}
	score := n.Output(rows[0], rows[1]) * float64(n.shape.Scale)
	if us == chess.Black {
		return -score
	}
	return score
}
