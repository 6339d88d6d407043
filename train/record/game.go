package record

import (
	"encoding/binary"
	"fmt"

	"github.com/tabula-chess/tabula/chess"
)

// MoveBits returns a move as viriformat has it:
//
//	15 14 | 13 12     | 11 … 6 | 5 … 0
//	kind  | promotion | to     | from
//
// Kind is 0 for plain moves, 1 for en passant, 2 for castling, 3 for
// promotions; promotion is 0 to 3 for n b r q. Castling is king takes rook.
func MoveBits(m chess.Move) uint16 {
	bits := uint16(m.From()) | uint16(m.To())<<6
	switch m.Kind() {
	case chess.EnPassant:
		bits |= 1 << 14
	case chess.Castling:
		bits |= 2 << 14
	case chess.Promotion:
		bits |= 3<<14 | uint16(m.PromotionType()-chess.Knight)<<12
	}
	return bits
}

// Ply is a move with the score of the position before it, in centipawns from White's view.
type Ply struct {
	Move  chess.Move
	Score int16
}

// ScoredGame is a game with a score for each of its positions.
type ScoredGame struct {
	Start Packed // with the result
	Plies []Ply
}

// Lengths in viriformat, in bytes: of a ply and of the terminator, and of a game without plies.
const (
	plySize  = 4
	gameSize = PackedSize + plySize
)

// Append appends the game to buf in viriformat.
func (g *ScoredGame) Append(buf []byte) []byte {
	buf = append(buf, g.Start[:]...)
	for _, p := range g.Plies {
		buf = binary.LittleEndian.AppendUint16(buf, MoveBits(p.Move))
		buf = binary.LittleEndian.AppendUint16(buf, uint16(p.Score))
	}
	return append(buf, 0, 0, 0, 0)
}

// Result returns how the game ended.
func (g *ScoredGame) Result() HalfPoints { return g.Start.Result() }

// Verify replays the game on p, whose memory it reuses. Before each move it calls visit, if not nil, with the
// position and the ply. It stops at the first error: an illegal start position, or an illegal move, whose ply
// it names.
func (g *ScoredGame) Verify(p *chess.Position, visit func(*chess.Position, Ply)) error {
	if err := g.Start.Into(p); err != nil {
		return err
	}
	p.Reserve(len(g.Plies))
	for i, ply := range g.Plies {
		if !p.IsLegal(ply.Move) {
			return fmt.Errorf("ply %d, %s: illegal move (%s)", i, ply.Move, p.FEN())
		}
		if visit != nil {
			visit(p, ply)
		}
		p.Make(ply.Move)
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
