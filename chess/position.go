package chess

import (
	"github.com/tabula-chess/tabula/tables"
)

// Key is a Zobrist key: equal positions have equal keys, whatever moves led
// to them. En passant enters the key only where it can be captured legally.
type Key uint64

// Position is a chess position with the history that repetition needs. Make a
// move with [Position.Make] and take it back with [Position.Unmake]. A
// Position is not safe for concurrent use, and a plain struct copy shares its
// history: use [Position.Clone]. go vet reports such copies. The zero Position
// is empty and not valid; start from [NewPosition] or [ParseFEN].
type Position struct {
	_ noCopy
	contents
}

// noCopy makes go vet report copies of a struct that has it as a field.
type noCopy struct{}

// Lock makes go vet report copies.
func (*noCopy) Lock() {}

// Unlock makes go vet report copies.
func (*noCopy) Unlock() {}

// contents are what a copy of a Position copies.
type contents struct {
	pieces   [8]Bitboard // by PieceType, both colours; eight, so that an index masked by 7 needs no bounds check
	colors   [2]Bitboard
	board    [64]Piece
	state    // what Unmake restores
	side     Color
	shredder bool // castling was given by file letters: FEN writes it so again
	composed bool // it began with more than a game can bring
	fullmove int
	castling castlingGeometry
	history  []state
}

// state is the part of a position that a move overwrites without a way to
// compute it back.
type state struct {
	key       Key
	pawnKey   Key
	checkers  Bitboard
	blockers  Bitboard // what alone stands between the king of the side to move and an enemy slider
	halfmove  int32
	sinceNull int32 // plies since the last null move or the start
	move      Move  // the move that led here, NoMove for a null move or the start
	moved     Piece // by that move, as it was before: a pawn that promoted is a pawn
	captured  Piece // by that move
	enPassant Square
	epLegal   bool // enPassant can be captured legally, and is part of key
	rights    CastlingRights
}

// StartFEN is the start position of standard chess.
const StartFEN = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"

// NewPosition returns the start position of standard chess.
func NewPosition() *Position {
	p, err := ParseFEN(StartFEN)
	if err != nil {
		panic(err) // a constant that the tests parse
	}
	return p
}

// Clone returns an independent copy, history included.
func (p *Position) Clone() *Position {
	c := new(Position)
	c.CopyFrom(p)
	return c
}

// CopyFrom makes p an independent copy of q, reusing p's memory.
func (p *Position) CopyFrom(q *Position) {
	history := append(p.history[:0], q.history...)
	p.contents = q.contents
	p.history = history
}

// CopyBoard makes p a copy of q without its history, reusing p's memory. It costs the same after any number of moves.
func (p *Position) CopyBoard(q *Position) {
	history := p.history[:0]
	p.contents = q.contents
	p.history = history
	p.move, p.moved, p.captured = NoMove, NoPiece, NoPiece
}

// Reserve makes room for n more moves of history, so that the next n calls of
// Make do not allocate.
func (p *Position) Reserve(n int) {
	if need := len(p.history) + n; cap(p.history) < need {
		p.history = append(make([]state, 0, need), p.history...)
	}
}

// SideToMove returns the colour to move.
func (p *Position) SideToMove() Color { return p.side }

// Piece returns the piece on s, or NoPiece.
func (p *Position) Piece(s Square) Piece { return p.board[s&63] }

// Has reports whether pc stands on s.
func (p *Position) Has(pc Piece, s Square) bool { return p.board[s&63] == pc }

// Pieces returns the pieces of kind t of colour c.
func (p *Position) Pieces(c Color, t PieceType) Bitboard { return p.pieces[t&7] & p.colors[c&1] }

// ByType returns the pieces of kind t of both colours.
func (p *Position) ByType(t PieceType) Bitboard { return p.pieces[t&7] }

// ByColor returns all pieces of colour c.
func (p *Position) ByColor(c Color) Bitboard { return p.colors[c&1] }

// Occupied returns all pieces.
func (p *Position) Occupied() Bitboard { return p.colors[White] | p.colors[Black] }

// King returns the square of the king of colour c.
func (p *Position) King(c Color) Square { return p.Pieces(c, King).First() }

// Castling returns the remaining castling rights.
func (p *Position) Castling() CastlingRights { return p.rights }

// EnPassant returns the square behind a pawn that has just moved two squares,
// whether or not it can be captured there, or NoSquare.
func (p *Position) EnPassant() Square { return p.enPassant }

// EnPassantLegal reports whether the side to move has a legal en-passant
// capture.
func (p *Position) EnPassantLegal() bool { return p.epLegal }

// Composed reports whether the position was set up with more pawns and promoted pieces than a game can bring; see
// [Setup].
func (p *Position) Composed() bool { return p.composed }

// HalfmoveClock returns the number of plies since the last capture or pawn move, at
// most [MaxHalfmoveClock].
func (p *Position) HalfmoveClock() int { return int(min(p.halfmove, MaxHalfmoveClock)) }

// FullmoveNumber returns the number of the current move, counted from 1 and
// raised after each move of Black.
func (p *Position) FullmoveNumber() int { return p.fullmove }

// Key returns the Zobrist key. Equal positions have equal keys. So do two whose castling rights differ only in which of
// several rooks on the same side of the king they are for, as in Chess960; no game has both.
func (p *Position) Key() Key { return p.key }

// PawnKey returns a Zobrist key of the pawns alone.
func (p *Position) PawnKey() Key { return p.pawnKey }

// Checkers returns the pieces that give check to the side to move.
func (p *Position) Checkers() Bitboard { return p.checkers }

// InCheck reports whether the side to move is in check.
func (p *Position) InCheck() bool { return p.checkers != 0 }

// CanTakeKing reports whether the side to move could take the king, as after a null move
// in check. No legal moves may be asked for then, and no search may start.
func (p *Position) CanTakeKing() bool {
	us := p.SideToMove()
	return p.Attacked(p.King(us.Other()), us, p.Occupied())
}

// LastMove returns the move that led to the position, NoMove at the start of
// the history and after a null move.
func (p *Position) LastMove() Move { return p.move }

// Captured returns the piece that LastMove captured, NoPiece for none.
func (p *Position) Captured() Piece { return p.captured }

// Step is a move in the history, with the pieces that it changed.
type Step struct {
	Key      Key   // of the position that the move led to
	Move     Move  // NoMove for a null move and at the start of the history
	Moved    Piece // before the move: a promoted pawn is a pawn; meaningless for NoMove
	Captured Piece // NoPiece for none
}

// Step returns the move that led to the position back plies ago, which must be
// 0 to [Position.Plies]; 0 is the present position and the last move.
func (p *Position) Step(back int) Step {
	s := &p.state
	if back > 0 {
		s = &p.history[len(p.history)-back]
	}
	return Step{s.key, s.move, s.moved, s.captured}
}

// Plies returns the number of moves in the history.
func (p *Position) Plies() int { return len(p.history) }

// Chess960 reports whether a castling right belongs to a king or rook that
// does not stand where standard chess puts it.
func (p *Position) Chess960() bool {
	for c := White; c <= Black; c++ {
		for w := KingSide; w <= QueenSide; w++ {
			rook := p.CastlingRook(c, w)
			if rook == NoSquare {
				continue
			}
			if p.King(c) != E1.Relative(c) || rook != [2]Square{H1, A1}[w].Relative(c) {
				return true
			}
		}
	}
	return false
}

// put, putAll, remove and shift, with their raw twins, are the only code that
// touches sets, mailbox and keys of pieces together. The raw ones leave the keys
// alone and serve Unmake, which restores the keys from the history.

// put places pc on the empty square s.
func (p *Position) put(pc Piece, s Square) {
	p.putRaw(pc, s)
	p.hash(pc, Key(tables.ZobristPiece(uint8(pc), uint8(s))))
}

// putAll places pc on every one of a set of empty squares.
func (p *Position) putAll(pc Piece, squares Bitboard) {
	p.pieces[pc.Type()&7] |= squares
	p.colors[pc.Color()] |= squares
	var z Key
	for b := squares; b != 0; b &= b - 1 {
		s := b.First()
		p.board[s&63] = pc
		z ^= Key(tables.ZobristPiece(uint8(pc), uint8(s)))
	}
	p.hash(pc, z)
}

// putRaw is put without the keys.
func (p *Position) putRaw(pc Piece, s Square) {
	b := s.Bitboard()
	p.pieces[pc.Type()&7] |= b
	p.colors[pc.Color()] |= b
	p.board[s&63] = pc
}

// remove takes the piece pc off its square s.
func (p *Position) remove(pc Piece, s Square) {
	p.removeRaw(pc, s)
	p.hash(pc, Key(tables.ZobristPiece(uint8(pc), uint8(s))))
}

// removeRaw is remove without the keys.
func (p *Position) removeRaw(pc Piece, s Square) {
	b := s.Bitboard()
	p.pieces[pc.Type()&7] &^= b
	p.colors[pc.Color()] &^= b
	p.board[s&63] = NoPiece
}

// shift moves the piece pc from its square to an empty one.
func (p *Position) shift(pc Piece, from, to Square) {
	p.shiftRaw(pc, from, to)
	p.hash(pc, Key(tables.ZobristPiece(uint8(pc), uint8(from))^tables.ZobristPiece(uint8(pc), uint8(to))))
}

// shiftRaw is shift without the keys.
func (p *Position) shiftRaw(pc Piece, from, to Square) {
	b := from.Bitboard() | to.Bitboard()
	p.pieces[pc.Type()&7] ^= b
	p.colors[pc.Color()] ^= b
	p.board[from&63] = NoPiece
	p.board[to&63] = pc
}

// hash toggles z, a key of the piece pc, in the keys.
func (p *Position) hash(pc Piece, z Key) {
	p.key ^= z
	if pc <= MakePiece(Black, Pawn) {
		p.pawnKey ^= z
	}
}

// ComputeKey computes the Zobrist key from the pieces. It always equals Key and exists
// for tests.
func (p *Position) ComputeKey() Key {
	var k Key
	for s, pc := range p.board {
		if pc != NoPiece {
			k ^= Key(tables.ZobristPiece(uint8(pc), uint8(s)))
		}
	}
	return k ^ p.stateKey()
}

// stateKey is the part of the key that is not pieces.
func (p *Position) stateKey() Key {
	k := Key(tables.ZobristCastling(uint8(p.rights)))
	if p.epLegal {
		k ^= Key(tables.ZobristEnPassant(uint8(p.enPassant.File())))
	}
	if p.side == Black {
		k ^= Key(tables.ZobristSide())
	}
	return k
}

// Equal reports whether p and q are the same position: pieces, side, rights,
// en passant and both counters. History is not compared.
func (p *Position) Equal(q *Position) bool {
	if p.board != q.board || p.side != q.side || p.rights != q.rights ||
		p.enPassant != q.enPassant || p.halfmove != q.halfmove || p.fullmove != q.fullmove {
		return false
	}
	for bit := range 4 {
		if p.rights>>bit&1 != 0 && p.castling.rooks[bit] != q.castling.rooks[bit] {
			return false
		}
	}
	return true
}
