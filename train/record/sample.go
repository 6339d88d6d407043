package record

import "github.com/tabula-chess/tabula/chess"

// Sample is one position with its score and target.
type Sample struct {
	Occupied chess.Bitboard
	Pieces   [16]byte    // a nibble for each occupied square, see [Sample.Code]
	Score    int16       // centipawns, White's view
	Target   Target      // the result of the game, blended with its scores
	Side     chess.Color // to move
}

// SampleOf returns the sample of p.
func SampleOf(p *chess.Position, score int16, target Target) Sample {
	s := Sample{Occupied: p.Occupied(), Score: score, Target: target, Side: p.SideToMove()}
	i := 0
	for b := s.Occupied; b != 0; i++ {
		pc := p.Piece(b.Pop())
		s.Pieces[i/2] |= (byte(pc.Type()) | byte(pc.Color())<<3) << (i % 2 * 4)
	}
	return s
}

// Target is White's expected score, 0 to TargetWin.
type Target uint8

// TargetWin is the Target of a White win.
const TargetWin = 254

// Target converts a result to a Target.
func (r Result) Target() Target { return Target(int(r) * TargetWin / 2) }

// Code is a piece in a nibble: the chess.PieceType, plus 8 for Black.
type Code uint8

// Type returns the kind of the piece.
func (c Code) Type() chess.PieceType { return chess.PieceType(c & 7) }

// Color returns the colour of the piece.
func (c Code) Color() chess.Color { return chess.Color(c >> 3 & 1) }

// Code returns the piece on the i-th occupied square.
func (s *Sample) Code(i int) Code { return Code(s.Pieces[i>>1&15] >> (i & 1 * 4) & 15) }
