// Package keys is the generator of chapter 9: moves are made and taken back on one board, a key of 64 bits names the
// position, and a table remembers the count below each position. The legal moves come from chapter 8.
//
// Sources: Chess Programming Wiki, "Make Move", "Unmake Move", "Zobrist Hashing" (Albert Zobrist), "Transposition
// Table", "Perft".
package keys

import (
	"math/bits"
	"math/rand/v2"

	"github.com/tabula-chess/tabula/examples/course/legal"
)

const (
	pawn   = 0
	rook   = 3
	king   = 5
	noKind = 6
)

// numbers holds a random number for everything that tells positions apart.
var numbers = func() (n struct {
	piece     [2][6][64]uint64 // side, kind, square
	castling  [16]uint64       // by rights
	enPassant [8]uint64        // by file
	black     uint64           // Black is to move
}) {
	random := rand.New(rand.NewPCG(1, 2))
	for i := range 2 * 6 * 64 {
		n.piece[i/384][i/64%6][i%64] = random.Uint64()
	}
	for i := range 16 {
		n.castling[i] = random.Uint64()
	}
	for i := range 8 {
		n.enPassant[i] = random.Uint64()
	}
	n.black = random.Uint64()
	return n
}()

// A Position is a board with its key and the moves that led to it.
type Position struct {
	board   legal.Board
	key     uint64
	history []undo
}

// An undo holds what a move destroys.
type undo struct {
	move      legal.Move
	captured  int // kind, or noKind
	castling  uint8
	enPassant uint64
	key       uint64
}

// put puts a piece on a square, or takes it away: both are one exclusive or, also in the key.
func (p *Position) put(side, kind int, square uint8) {
	p.board.Kinds[kind] ^= 1 << square
	p.board.Sides[side] ^= 1 << square
	p.key ^= numbers.piece[side][kind][square]
}

// rare returns the part of the key that is neither a piece nor the side: rights and the en-passant file.
func (p *Position) rare() uint64 {
	key := numbers.castling[p.board.Castling]
	if p.board.EnPassant != 0 {
		key ^= numbers.enPassant[bits.TrailingZeros64(p.board.EnPassant)&7]
	}
	return key
}

// Key returns the key of the position.
func (p *Position) Key() uint64 { return p.key }

// Make plays a legal move.
func (p *Position) Make(m legal.Move) {
	b := &p.board
	us, kind, captured := b.Side, b.KindOn(m.From), b.KindOn(m.To)
	p.history = append(p.history, undo{m, captured, b.Castling, b.EnPassant, p.key})
	p.key ^= p.rare() ^ numbers.black
	passed := b.EnPassant
	b.EnPassant = 0
	b.Castling &^= legal.Lost(1<<m.From | 1<<m.To)
	if captured != noKind {
		p.put(1-us, captured, m.To)
	}
	p.put(us, kind, m.From)
	switch step := int(m.To) - int(m.From); {
	case m.Promotion != 0:
		kind = int(m.Promotion)
	case kind == pawn && passed>>m.To&1 != 0:
		p.put(1-us, pawn, beside(m))
	case kind == pawn && (step == 16 || step == -16):
		b.EnPassant = 1 << ((m.From + m.To) / 2)
	case kind == king && (step == 2 || step == -2):
		p.jump(us, m)
	}
	p.put(us, kind, m.To)
	b.Side = 1 - us
	p.key ^= p.rare()
}

// beside returns where the pawn stands that is captured en passant.
func beside(m legal.Move) uint8 { return m.From&56 | m.To&7 }

// jump moves the rook in castling; twice, it is back.
func (p *Position) jump(us int, m legal.Move) {
	corner, next := m.To+1, m.To-1
	if m.To < m.From {
		corner, next = m.To-2, m.To+1
	}
	p.put(us, rook, corner)
	p.put(us, rook, next)
}

// Unmake takes back the last move.
func (p *Position) Unmake() {
	last := p.history[len(p.history)-1]
	p.history = p.history[:len(p.history)-1]
	b, m := &p.board, last.move
	b.Side = 1 - b.Side
	b.Castling, b.EnPassant = last.castling, last.enPassant
	us, kind := b.Side, b.KindOn(m.To)
	p.put(us, kind, m.To)
	if m.Promotion != 0 {
		kind = pawn
	}
	p.put(us, kind, m.From)
	if last.captured != noKind {
		p.put(1-us, last.captured, m.To)
	}
	switch step := int(m.To) - int(m.From); {
	case kind == pawn && last.enPassant>>m.To&1 != 0:
		p.put(1-us, pawn, beside(m))
	case kind == king && (step == 2 || step == -2):
		p.jump(us, m)
	}
	p.key = last.key
}

// A Table remembers counts by key and depth. A new entry replaces the old one.
type Table []entry

// An entry is a position with the leaves below it.
type entry struct {
	key   uint64
	nodes uint64 // with the depth in the lowest 5 bits
}

// perft counts the leaves of the tree of legal moves.
func (p *Position) perft(depth int, table Table) uint64 {
	var buffer [256]legal.Move
	list := p.board.Moves(buffer[:0])
	if depth == 1 {
		return uint64(len(list))
	}
	slot := &table[p.key%uint64(len(table))]
	if slot.key == p.key && slot.nodes&31 == uint64(depth) {
		return slot.nodes >> 5
	}
	nodes := uint64(0)
	for _, m := range list {
		p.Make(m)
		nodes += p.perft(depth-1, table)
		p.Unmake()
	}
	*slot = entry{p.key, nodes<<5 | uint64(depth)}
	return nodes
}

// Read sets up a FEN.
func Read(fen string) (*Position, error) {
	b, err := legal.Read(fen)
	p := &Position{board: b}
	for square := range uint8(64) {
		if kind := b.KindOn(square); kind != noKind {
			p.key ^= numbers.piece[b.Sides[1]>>square&1][kind][square]
		}
	}
	if b.Side == 1 {
		p.key ^= numbers.black
	}
	p.key ^= p.rare()
	return p, err
}

// Moves returns the legal moves of a position in UCI text, nil for an invalid FEN.
func Moves(fen string) []string { return legal.Moves(fen) }

// Perft counts the leaves of the tree of legal moves of a depth, at most 31, 0 for an invalid FEN. The table is
// small for a small depth.
func Perft(fen string, depth int) uint64 {
	p, err := Read(fen)
	switch {
	case err != nil:
		return 0
	case depth <= 0:
		return 1
	}
	return p.perft(depth, make(Table, 1<<min(4*depth, 20)))
}
