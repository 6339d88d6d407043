package rays

import (
	"slices"

	"github.com/tabula-chess/tabula/chess"
)

// Castling rights as bits; Black's are White's shifted by two.
const (
	whiteShort uint8 = 1 << iota
	whiteLong
	blackShort
	blackLong
)

// lost holds the rights that go when a move touches a square: when king or
// rook leaves it, or the rook is captured on it.
var lost = [64]uint8{
	chess.E1: whiteShort | whiteLong, chess.H1: whiteShort, chess.A1: whiteLong,
	chess.E8: blackShort | blackLong, chess.H8: blackShort, chess.A8: blackLong,
}

// maxMoves bounds the moves of a side: 15 queens with 27 squares each, a king
// with 8 and 2 castlings.
const maxMoves = 416

// A Board is a position of standard chess as twelve bitboards, with the piece
// of each square beside them, and the history that takes moves back. It is
// made by [New] and not safe for concurrent use: even generating moves uses
// lists that it owns.
type Board struct {
	pieces   [2][6]uint64 // by colour and kind
	sides    [2]uint64    // all pieces of a colour
	squares  [64]chess.Piece
	side     chess.Color
	castling uint8
	passant  chess.Square // behind a pawn that has just moved two, or NoSquare
	history  []undo
	lists    [][]chess.Move // indexed by depth
}

// An undo holds what a move destroys.
type undo struct {
	move     chess.Move
	captured chess.Piece
	castling uint8
	passant  chess.Square
}

// reserve makes the lists of all depths up to the given one.
func (b *Board) reserve(depth int) {
	for len(b.lists) <= depth {
		b.lists = append(b.lists, make([]chess.Move, 0, maxMoves))
	}
	b.history = slices.Grow(b.history, depth)
}

func (b *Board) put(p chess.Piece, s chess.Square) {
	b.pieces[p.Color()][p.Type()] |= 1 << s
	b.sides[p.Color()] |= 1 << s
	b.squares[s&63] = p
}

func (b *Board) remove(s chess.Square) {
	p := b.squares[s&63]
	b.pieces[p.Color()][p.Type()] &^= 1 << s
	b.sides[p.Color()] &^= 1 << s
	b.squares[s&63] = chess.NoPiece
}

// Make plays a move that [Board.PseudoSplit] lists. It trusts its caller: after
// any other move the board means nothing until [Board.Unmake].
func (b *Board) Make(m chess.Move) {
	from, to, kind := m.From(), m.To(), m.Kind()
	moved, captured := b.squares[from], b.squares[to]
	if kind == chess.Castling {
		captured = chess.NoPiece
	}
	b.history = append(b.history, undo{m, captured, b.castling, b.passant})
	b.castling &^= lost[from] | lost[to]
	b.passant = chess.NoSquare
	switch kind {
	case chess.Castling:
		rook := b.squares[to]
		b.remove(from)
		b.remove(to)
		kingTo, rookTo := castled(from, to)
		b.put(moved, kingTo)
		b.put(rook, rookTo)
	case chess.EnPassant:
		b.remove(passed(from, to))
		b.remove(from)
		b.put(moved, to)
	default:
		if captured != chess.NoPiece {
			b.remove(to)
		}
		b.remove(from)
		if kind == chess.Promotion {
			moved = chess.MakePiece(b.side, m.PromotionType())
		} else if moved.Type() == chess.Pawn && from^to == 16 {
			// Only two ranks apart on one file differ in just bit 4.
			b.passant = (from + to) / 2
		}
		b.put(moved, to)
	}
	b.side = b.side.Other()
}

// Unmake takes back the latest move; without one it does nothing.
func (b *Board) Unmake() {
	if len(b.history) == 0 {
		return
	}
	last := &b.history[len(b.history)-1]
	b.history = b.history[:len(b.history)-1]
	b.castling, b.passant = last.castling, last.passant
	b.side = b.side.Other()

	m := last.move
	from, to := m.From(), m.To()
	switch m.Kind() {
	case chess.Castling:
		kingTo, rookTo := castled(from, to)
		king, rook := b.squares[kingTo], b.squares[rookTo]
		b.remove(kingTo)
		b.remove(rookTo)
		b.put(king, from)
		b.put(rook, to)
		return
	case chess.Promotion:
		b.remove(to)
		b.put(chess.MakePiece(b.side, chess.Pawn), from)
	case chess.EnPassant:
		b.put(b.squares[to], from)
		b.remove(to)
		b.put(chess.MakePiece(b.side.Other(), chess.Pawn), passed(from, to))
	default:
		b.put(b.squares[to], from)
		b.remove(to)
	}
	if last.captured != chess.NoPiece {
		b.put(last.captured, to)
	}
}

// passed returns where the pawn stands that is captured en passant: on the
// rank the capturer leaves and the file it goes to.
func passed(from, to chess.Square) chess.Square { return from&^7 | to&7 }

// castled returns where king and rook go when they castle from their squares.
func castled(king, rook chess.Square) (kingTo, rookTo chess.Square) {
	if rook > king {
		return king + 2, king + 1
	}
	return king - 2, king - 1
}
