package games

import (
	"encoding/binary"

	"github.com/tabula-chess/tabula/chess"
)

// Sample is one position with its score and target, in 32 bytes.
type Sample struct {
	Occupied chess.Bitboard
	Pieces   [16]byte    // a nibble for each occupied square, see [Sample.Code]
	Score    int16       // centipawns, White's view
	Ply      uint16      // half-moves since the start of the game, by the fullmove number
	Target   Target      // the result of the game, or what its later scores expect
	Side     chess.Color // to move
	Halfmove uint8       // plies since the last capture or pawn move, 255 at most
}

// Target is the share of the point that White may expect, 0 to TargetWin.
type Target uint8

// TargetWin is the Target of a game that White wins.
const TargetWin = 254

// Target returns the Target of a game that ended with r.
func (r Result) Target() Target { return Target(int(r) * TargetWin / 2) }

// Code is a piece in a nibble: the chess.PieceType, plus 8 for Black.
type Code uint8

// Type returns the kind of the piece.
func (c Code) Type() chess.PieceType { return chess.PieceType(c & 7) }

// Color returns its owner.
func (c Code) Color() chess.Color { return chess.Color(c >> 3 & 1) }

// Code returns the piece on the i-th occupied square.
func (s *Sample) Code(i int) Code { return Code(s.Pieces[i>>1&15] >> (i & 1 * 4) & 15) }

// none is the content of an empty square of a Board.
const none Code = 7

// Board is a chess board that can do no more than follow a recorded game: it
// keeps no key, no history and no castling rights. It trusts that moves are
// legal and refuses only those that would corrupt it. The zero
// Board is not valid; use [Board.Start].
type Board struct {
	squares  [64]Code
	types    [8]chess.Bitboard // by chess.PieceType
	colors   [2]chess.Bitboard
	kings    [2]chess.Square
	side     chess.Color
	halfmove int
	ply      int
}

// Start puts the packed position on the board. Errors are those of
// [Packed.Check].
func (b *Board) Start(k *Packed) error {
	if err := k.Check(); err != nil {
		return err
	}
	for s := range b.squares {
		b.squares[s] = none
	}
	b.types, b.colors = [8]chess.Bitboard{}, [2]chess.Bitboard{}
	i := 0
	for occ := k.Occupied(); occ != 0; i++ {
		s := occ.Pop()
		code := Code(k.nibbleAt(i))
		if code&7 == castlingRook {
			code = Code(chess.Rook) | code&blackBit
		}
		b.put(code, s)
		if code.Type() == chess.King {
			b.kings[code.Color()] = s
		}
	}
	b.side = k.Side()
	b.halfmove = int(k[atHalfmove])
	b.ply = 2*max(0, k.Fullmove()-1) + int(b.side)
	return nil
}

// put places a piece on an empty square.
func (b *Board) put(c Code, s chess.Square) {
	b.types[c&7] |= s.Bitboard()
	b.colors[c>>3&1] |= s.Bitboard()
	b.squares[s&63] = c
}

// lift takes the piece off s and returns it; s must not be empty.
func (b *Board) lift(s chess.Square) Code {
	c := b.squares[s&63]
	b.types[c&7] &^= s.Bitboard()
	b.colors[c>>3&1] &^= s.Bitboard()
	b.squares[s&63] = none
	return c
}

// Side returns the side to move.
func (b *Board) Side() chess.Color { return b.side }

// Ply returns the half-moves since the start of the game, by the fullmove
// number of the start position.
func (b *Board) Ply() int { return b.ply }

// Occupied returns all pieces.
func (b *Board) Occupied() chess.Bitboard { return b.colors[0] | b.colors[1] }

// Piece returns the piece on s; ok is false where there is none.
func (b *Board) Piece(s chess.Square) (c Code, ok bool) {
	c = b.squares[s&63]
	return c, c != none
}

// ByType returns the pieces of kind t of both colours.
func (b *Board) ByType(t chess.PieceType) chess.Bitboard { return b.types[t&7] }

// InCheck reports whether the side to move is in check.
func (b *Board) InCheck() bool {
	king := b.kings[b.side&1]
	them := b.colors[b.side&1^1]
	if (chess.PawnAttacks(b.side, king)&b.types[chess.Pawn]|chess.KnightAttacks(king)&b.types[chess.Knight])&them != 0 {
		return true
	}
	// Most kings see no enemy slider even on an empty board.
	diagonal, orthogonal := (b.types[chess.Bishop]|b.types[chess.Queen])&them, (b.types[chess.Rook]|b.types[chess.Queen])&them
	occ := b.Occupied()
	return diagonal != 0 && chess.BishopAttacks(king, occ)&diagonal != 0 ||
		orthogonal != 0 && chess.RookAttacks(king, occ)&orthogonal != 0
}

// IsCapture reports whether m captures, en passant included.
func (b *Board) IsCapture(m Move) bool {
	switch m.kind() {
	case enPassant:
		return true
	case castling:
		return false
	}
	return b.squares[m.To()&63] != none
}

// Apply makes m. It returns false, and leaves the board in an unknown state,
// for a move that cannot be followed: of no piece of the side to move, taking
// a king or an own piece, castling without a rook, promoting a piece other than a pawn.
func (b *Board) Apply(m Move) bool {
	from, to := m.From(), m.To()
	piece := b.squares[from&63]
	if piece == none || piece.Color() != b.side {
		return false
	}
	b.halfmove++
	ok := true
	switch m.kind() {
	case castling:
		ok = b.castle(from, to)
	case enPassant:
		victim := to ^ 8
		if piece.Type() != chess.Pawn || b.squares[victim&63] != Code(chess.Pawn)|Code(b.side^1)<<3 || b.squares[to&63] != none {
			return false
		}
		b.lift(victim)
		b.put(b.lift(from), to)
		b.halfmove = 0
	default:
		ok = b.move(piece, m)
	}
	b.side ^= 1
	b.ply++
	return ok
}

// move makes a plain move or a promotion.
func (b *Board) move(piece Code, m Move) bool {
	from, to := m.From(), m.To()
	if victim := b.squares[to&63]; victim != none {
		if victim.Color() == b.side || victim.Type() == chess.King {
			return false
		}
		b.lift(to)
		b.halfmove = 0
	}
	b.lift(from)
	switch piece.Type() {
	case chess.King:
		b.kings[b.side&1] = to
	case chess.Pawn:
		b.halfmove = 0
	}
	if m.kind() == promotion {
		if piece.Type() != chess.Pawn {
			return false
		}
		piece = Code(chess.Knight) + Code(m>>12&3) | piece&blackBit
	}
	b.put(piece, to)
	return true
}

// castle moves the king on king and the rook on rook to their places, which
// may overlap in Chess960.
func (b *Board) castle(king, rook chess.Square) bool {
	own := Code(b.side) << 3
	if b.squares[king&63] != Code(chess.King)|own || b.squares[rook&63] != Code(chess.Rook)|own {
		return false
	}
	w := chess.KingSide
	if rook < king {
		w = chess.QueenSide
	}
	kingTo, rookTo := chess.CastlingTargets(b.side, w)
	k, r := b.lift(king), b.lift(rook)
	if b.squares[kingTo&63] != none || b.squares[rookTo&63] != none {
		return false
	}
	b.put(k, kingTo)
	b.put(r, rookTo)
	b.kings[b.side&1] = kingTo
	return true
}

// Sample writes the position with its score and target to s.
func (b *Board) Sample(s *Sample, score int16, target Target) {
	occ := b.Occupied()
	s.Occupied = occ
	var low, high uint64
	shift := 0
	for set := occ; set != 0; set &= set - 1 {
		code := uint64(b.squares[set.First()&63])
		if shift < 64 {
			low |= code << (shift & 63)
		} else {
			high |= code << (shift & 63)
		}
		shift += 4
	}
	binary.LittleEndian.PutUint64(s.Pieces[:], low)
	binary.LittleEndian.PutUint64(s.Pieces[8:], high)
	s.Score, s.Target, s.Side = score, target, b.side
	s.Ply = uint16(min(b.ply, 1<<16-1))
	s.Halfmove = uint8(min(b.halfmove, 255))
}
