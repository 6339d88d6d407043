// Package legal is the generator of chapter 8. It lists legal moves only. The king looks around as if it were
// every kind of piece: that finds the pieces that give check and those that are pinned, and so the squares where
// each piece may go. At the last ply, perft counts the list and plays nothing.
//
// Sliders are found by subtraction, which needs no table of attacks: see Line.
//
// Sources: Chess Programming Wiki, "Checks and Pinned Pieces (Bitboards)", "Square Attacked By",
// "Subtracting a Rook from a Blocking Piece" (Gerd Isenberg).
package legal

import (
	"math/bits"

	"github.com/tabula-chess/tabula/chess"
)

const (
	pawn = iota
	knight
	bishop
	rook
	queen
	king

	noKind = 6
)

const (
	fileA uint64 = 0x0101010101010101
	fileH        = fileA << 7
	rank3 uint64 = 0xff << 16
	rank6 uint64 = 0xff << 40
	ends  uint64 = 0xff<<56 | 0xff // the ranks of promotion
)

// Board is a position. Copies are independent of each other.
type Board struct {
	Kinds     [6]uint64 // the pieces of a kind, of both sides
	Sides     [2]uint64 // the pieces of a side
	Side      int
	Castling  uint8  // one bit for each of K, Q, k, q
	EnPassant uint64 // the square that a pawn has just passed, or no square
}

// Move holds squares. A castling move is the king's.
type Move struct {
	From, To  uint8
	Promotion uint8 // kind of the new piece, or 0
}

// String returns the move in UCI text.
func (m Move) String() string {
	return chess.Square(m.From).String() + chess.Square(m.To).String() + []string{"", "n", "b", "r", "q"}[m.Promotion]
}

// lines holds the rank, the file and the two diagonals of a square, without the square.
var lines = func() (t [64][4]uint64) {
	for from := range 64 {
		for to := range 64 {
			files, ranks := to%8-from%8, to/8-from/8
			for i, on := range [4]bool{ranks == 0, files == 0, files == ranks, files == -ranks} {
				if on && to != from {
					t[from][i] |= 1 << to
				}
			}
		}
	}
	return t
}()

// leaps holds the squares that knights, kings and pawns attack.
var leaps = func() (t struct {
	knight, king [64]uint64
	pawn         [2][64]uint64 // by side
}) {
	for from := range 64 {
		for to := range 64 {
			files, ranks := to%8-from%8, to/8-from/8
			switch square := uint64(1) << to; files*files + ranks*ranks {
			case 5:
				t.knight[from] |= square
			case 2:
				t.king[from] |= square
				t.pawn[(1-ranks)/2][from] |= square
			case 1:
				t.king[from] |= square
			}
		}
	}
	return t
}()

// Lines returns the rank, the file and the two diagonals of a square, without the square.
func Lines(from int) [4]uint64 { return lines[from] }

// Line returns the squares that a slider attacks on a line. A slider r is subtracted twice from the occupied
// squares o: that borrows from the next piece above it, so that o and o-2r differ from r up to that piece. The same
// on the reversed word finds the piece below.
func Line(from int, occupied, line uint64) uint64 {
	o, r := occupied&line, uint64(1)<<from
	up := o - 2*r
	down := bits.Reverse64(bits.Reverse64(o) - 2*bits.Reverse64(r))
	return (up ^ down) & line
}

func straight(from int, occupied uint64) uint64 {
	return Line(from, occupied, lines[from][0]) | Line(from, occupied, lines[from][1])
}

func diagonal(from int, occupied uint64) uint64 {
	return Line(from, occupied, lines[from][2]) | Line(from, occupied, lines[from][3])
}

// through returns the line of two squares, without the first one; no squares where they are on no line.
func through(a, b int) uint64 {
	for _, line := range lines[a] {
		if line>>b&1 != 0 {
			return line
		}
	}
	return 0
}

// upTo returns the squares from a square, which is excluded, to another one on a line with it, which is included. Off
// all lines it is the other square alone.
func upTo(a, b int) uint64 {
	return Line(a, 1<<b, through(a, b))&Line(b, 1<<a, through(b, a)) | 1<<b
}

// attackers returns the enemies that attack a square: a piece of each kind, on the square, would attack them.
func (b *Board) attackers(square int, occupied uint64) uint64 {
	return b.Sides[1-b.Side] & (leaps.knight[square]&b.Kinds[knight] | leaps.king[square]&b.Kinds[king] |
		leaps.pawn[b.Side][square]&b.Kinds[pawn] |
		diagonal(square, occupied)&(b.Kinds[bishop]|b.Kinds[queen]) |
		straight(square, occupied)&(b.Kinds[rook]|b.Kinds[queen]))
}

// pinned returns the own pieces that alone stand between the king and an enemy slider. The king sees the sliders
// through its own pieces.
func (b *Board) pinned(home int) (set uint64) {
	own, enemy := b.Sides[b.Side], b.Sides[1-b.Side]
	snipers := enemy & (diagonal(home, enemy)&(b.Kinds[bishop]|b.Kinds[queen]) |
		straight(home, enemy)&(b.Kinds[rook]|b.Kinds[queen]))
	for ; snipers != 0; snipers &= snipers - 1 {
		if way := upTo(home, bits.TrailingZeros64(snipers)) & own; way&(way-1) == 0 {
			set |= way
		}
	}
	return set
}

// A guard keeps pinned pieces on the line of their king.
type guard struct {
	home   int
	pinned uint64
}

// add appends the moves of a piece.
func (g guard) add(moves []Move, from int, targets uint64) []Move {
	if g.pinned>>from&1 != 0 {
		targets &= through(g.home, from)
	}
	for ; targets != 0; targets &= targets - 1 {
		moves = append(moves, Move{uint8(from), uint8(bits.TrailingZeros64(targets)), 0})
	}
	return moves
}

// addPawns appends the moves of pawns that go by the same step.
func (g guard) addPawns(moves []Move, targets uint64, step int) []Move {
	for ; targets != 0; targets &= targets - 1 {
		to := bits.TrailingZeros64(targets)
		from := to - step
		switch {
		case g.pinned>>from&1 != 0 && through(g.home, from)>>to&1 == 0:
		case ends>>to&1 == 0:
			moves = append(moves, Move{uint8(from), uint8(to), 0})
		default:
			for kind := queen; kind >= knight; kind-- {
				moves = append(moves, Move{uint8(from), uint8(to), uint8(kind)})
			}
		}
	}
	return moves
}

// Moves appends the legal moves.
func (b *Board) Moves(moves []Move) []Move {
	own, occupied := b.Sides[b.Side], b.Sides[0]|b.Sides[1]
	home := bits.TrailingZeros64(own & b.Kinds[king])
	checkers := b.attackers(home, occupied)
	for set := leaps.king[home] &^ own; set != 0; set &= set - 1 {
		// Without the king, which must not hide behind itself from a slider.
		if to := bits.TrailingZeros64(set); b.attackers(to, occupied&^(1<<home)) == 0 {
			moves = append(moves, Move{uint8(home), uint8(to), 0})
		}
	}
	if checkers&(checkers-1) != 0 {
		return moves // only the king can answer a double check
	}
	targets := ^own
	if checkers != 0 {
		targets = upTo(home, bits.TrailingZeros64(checkers)) // capture the checker or step between
	} else {
		moves = b.castle(moves, home)
	}
	g := guard{home, b.pinned(home)}
	for kind := knight; kind < king; kind++ {
		for rest := own & b.Kinds[kind]; rest != 0; rest &= rest - 1 {
			from := bits.TrailingZeros64(rest)
			moves = g.add(moves, from, attacks(kind, from, occupied)&targets)
		}
	}
	return b.enPassant(b.pawns(moves, g, targets), home)
}

// attacks returns the squares that a knight, bishop, rook or queen attacks.
func attacks(kind, from int, occupied uint64) uint64 {
	switch kind {
	case knight:
		return leaps.knight[from]
	case bishop:
		return diagonal(from, occupied)
	case rook:
		return straight(from, occupied)
	}
	return diagonal(from, occupied) | straight(from, occupied)
}

// forward moves a set up the board as the side sees it.
func forward(side int, set uint64) uint64 {
	if side == 0 {
		return set << 8
	}
	return set >> 8
}

// pawns appends the moves of all pawns to the squares of targets.
func (b *Board) pawns(moves []Move, g guard, targets uint64) []Move {
	own, occupied := b.Kinds[pawn]&b.Sides[b.Side], b.Sides[0]|b.Sides[1]
	up, third := 8, rank3
	if b.Side == 1 {
		up, third = -8, rank6
	}
	single := forward(b.Side, own) &^ occupied
	moves = g.addPawns(moves, single&targets, up)
	moves = g.addPawns(moves, forward(b.Side, single&third)&^occupied&targets, 2*up)
	enemy := b.Sides[1-b.Side] & targets
	moves = g.addPawns(moves, forward(b.Side, own&^fileA>>1)&enemy, up-1)
	return g.addPawns(moves, forward(b.Side, own&^fileH<<1)&enemy, up+1)
}

// enPassant appends the captures en passant. Two pawns leave their squares at once, which no pin describes: the king
// looks at the board after the move.
func (b *Board) enPassant(moves []Move, home int) []Move {
	if b.EnPassant == 0 {
		return moves
	}
	to, occupied := bits.TrailingZeros64(b.EnPassant), b.Sides[0]|b.Sides[1]
	for rest := leaps.pawn[1-b.Side][to] & b.Kinds[pawn] & b.Sides[b.Side]; rest != 0; rest &= rest - 1 {
		from := bits.TrailingZeros64(rest)
		captured := uint64(1) << (from&56 | to&7)
		if b.attackers(home, occupied&^(1<<from|captured)|1<<to)&^captured == 0 {
			moves = append(moves, Move{uint8(from), uint8(to), 0})
		}
	}
	return moves
}

// castle appends the castling moves of a king that is not in check: the squares up to the rook are empty, and those
// of the king are not attacked.
func (b *Board) castle(moves []Move, home int) []Move {
	occupied := b.Sides[0] | b.Sides[1]
	for i, way := range [2]uint64{0x60, 0x0e} {
		side := 1 - 2*i
		if b.Castling>>(2*b.Side+i)&1 != 0 && occupied&(way<<(56*b.Side)) == 0 &&
			b.attackers(home+side, occupied) == 0 && b.attackers(home+2*side, occupied) == 0 {
			moves = append(moves, Move{uint8(home), uint8(home + 2*side), 0})
		}
	}
	return moves
}

// Checked reports whether the side to move is in check.
func (b *Board) Checked() bool {
	home := bits.TrailingZeros64(b.Sides[b.Side] & b.Kinds[king])
	return b.attackers(home, b.Sides[0]|b.Sides[1]) != 0
}

// Lost returns the castling rights that end when a move touches the squares of a set.
func Lost(set uint64) (rights uint8) {
	for i, squares := range [4]uint64{1<<4 | 1<<7, 1<<4 | 1<<0, 1<<60 | 1<<63, 1<<60 | 1<<56} {
		if set&squares != 0 {
			rights |= 1 << i
		}
	}
	return rights
}

// KindOn returns the kind of the piece on a square, 6 for an empty one.
func (b *Board) KindOn(square uint8) int {
	for kind, set := range b.Kinds {
		if set>>square&1 != 0 {
			return kind
		}
	}
	return noKind
}

// Make returns the board after a legal move.
func (b Board) Make(m Move) Board {
	from, to := uint64(1)<<m.From, uint64(1)<<m.To
	kind, passed := b.KindOn(m.From), b.EnPassant
	if captured := b.KindOn(m.To); captured != noKind {
		b.Kinds[captured] ^= to
		b.Sides[1-b.Side] ^= to
	}
	b.Kinds[kind] ^= from | to
	b.Sides[b.Side] ^= from | to
	b.Castling &^= Lost(from | to)
	b.EnPassant = 0
	switch step := int(m.To) - int(m.From); {
	case m.Promotion != 0:
		b.Kinds[pawn] ^= to
		b.Kinds[m.Promotion] ^= to
	case kind == pawn && to == passed:
		captured := uint64(1) << (m.From&56 | m.To&7)
		b.Kinds[pawn] ^= captured
		b.Sides[1-b.Side] ^= captured
	case kind == pawn && (step == 16 || step == -16):
		b.EnPassant = uint64(1) << ((m.From + m.To) / 2)
	case kind == king && (step == 2 || step == -2):
		corners := uint64(0xa0) << (m.From - 4) // the rook's squares before and after
		if step < 0 {
			corners = 0x09 << (m.From - 4)
		}
		b.Kinds[rook] ^= corners
		b.Sides[b.Side] ^= corners
	}
	b.Side = 1 - b.Side
	return b
}

// perft counts the leaves of the tree of legal moves. The last ply is counted as a list.
func (b Board) perft(depth int) uint64 {
	if depth <= 0 {
		return 1
	}
	var buffer [256]Move
	list := b.Moves(buffer[:0])
	if depth == 1 {
		return uint64(len(list))
	}
	nodes := uint64(0)
	for _, m := range list {
		nodes += b.Make(m).perft(depth - 1)
	}
	return nodes
}

// Read sets up a FEN.
func Read(fen string) (b Board, err error) {
	p, err := chess.ParseFEN(fen)
	if err != nil {
		return b, err
	}
	for s := range p.Occupied().Squares() {
		b.Kinds[p.Piece(s).Type()] |= 1 << s
		b.Sides[p.Piece(s).Color()] |= 1 << s
	}
	b.Side, b.Castling = int(p.SideToMove()), uint8(p.Castling())
	if s := p.EnPassant(); s != chess.NoSquare {
		b.EnPassant = 1 << s
	}
	return b, nil
}

// Moves returns the legal moves of a position in UCI text, nil for an invalid FEN.
func Moves(fen string) (texts []string) {
	b, err := Read(fen)
	if err != nil {
		return nil
	}
	for _, m := range b.Moves(nil) {
		texts = append(texts, m.String())
	}
	return texts
}

// Perft counts the leaves of the tree of legal moves of a depth, 0 for an invalid FEN.
func Perft(fen string, depth int) uint64 {
	b, err := Read(fen)
	if err != nil {
		return 0
	}
	return b.perft(depth)
}
