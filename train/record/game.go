package record

import (
	"encoding/binary"
	"fmt"

	"github.com/tabula-chess/tabula/chess"
)

// Move is a move in a record:
//
//	15 14 | 13 12     | 11 … 6 | 5 … 0
//	kind  | promotion | to     | from
//
// Kind is 0 for plain moves, 1 for en passant, 2 for castling, 3 for
// promotions; promotion is 0 to 3 for n b r q. Castling is king takes rook.
type Move uint16

// The kinds of move in the top two bits.
const (
	plain     = 0
	enPassant = 1
	castling  = 2
	promotion = 3
)

// MoveOf converts m to the record's form.
func MoveOf(m chess.Move) Move {
	r := Move(m.From()) | Move(m.To())<<6
	switch m.Kind() {
	case chess.EnPassant:
		r |= enPassant << 14
	case chess.Castling:
		r |= castling << 14
	case chess.Promotion:
		r |= promotion<<14 | Move(m.PromotionType()-chess.Knight)<<12
	}
	return r
}

// From returns the square the piece leaves.
func (m Move) From() chess.Square { return chess.Square(m & 63) }

// To returns the square the piece goes to; for castling, the rook's square.
func (m Move) To() chess.Square { return chess.Square(m >> 6 & 63) }

// kind returns the top two bits.
func (m Move) kind() int { return int(m >> 14) }

// Chess converts the move to a chess.Move.
func (m Move) Chess() chess.Move {
	switch m.kind() {
	case enPassant:
		return chess.NewMove(m.From(), m.To(), chess.EnPassant)
	case castling:
		return chess.NewMove(m.From(), m.To(), chess.Castling)
	case promotion:
		return chess.NewPromotion(m.From(), m.To(), chess.Knight+chess.PieceType(m>>12&3))
	}
	return chess.NewMove(m.From(), m.To(), chess.Normal)
}

// Ply is a move with the score of the position before it, in centipawns from White's view.
type Ply struct {
	Move  Move
	Score int16
}

// Game is a game with a score for each of its positions.
type Game struct {
	Start Packed // with the result
	Plies []Ply
}

// Lengths in viriformat, in bytes: of a ply and of the terminator, and of a game without plies.
const (
	plySize  = 4
	gameSize = PackedSize + plySize
)

// Append appends the game to buf in viriformat.
func (g *Game) Append(buf []byte) []byte {
	buf = append(buf, g.Start[:]...)
	for _, p := range g.Plies {
		buf = binary.LittleEndian.AppendUint16(buf, uint16(p.Move))
		buf = binary.LittleEndian.AppendUint16(buf, uint16(p.Score))
	}
	return append(buf, 0, 0, 0, 0)
}

// Result returns how the game ended.
func (g *Game) Result() Result { return g.Start.Result() }

// Verify replays the game on p, whose memory it reuses. Before each move it calls visit, if not nil, with the
// position and the ply. It stops at the first error: an illegal start position, or an illegal move, whose ply
// it names.
func (g *Game) Verify(p *chess.Position, visit func(*chess.Position, Ply)) error {
	if err := g.Start.Into(p); err != nil {
		return err
	}
	p.Reserve(len(g.Plies))
	for i, ply := range g.Plies {
		m := ply.Move.Chess()
		if ply.Move != MoveOf(m) || !p.IsLegal(m) {
			return fmt.Errorf("ply %d, %s: illegal move (%s)", i, m, p.FEN())
		}
		if visit != nil {
			visit(p, ply)
		}
		p.Make(m)
	}
	return nil
}

// WhiteScore converts a score of the side to move to the form of a Ply: White's view, within 16 bits.
func WhiteScore(side chess.Color, score int) int16 {
	if side == chess.Black {
		score = -score
	}
	return int16(max(-32767, min(score, 32767)))
}
