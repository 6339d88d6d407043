// Package x88 is the generator of chapter 3: a board of 16 columns, of which only the left half is real.
//
//	70 71 72 73 74 75 76 77 | 78 … 7f   a8 … h8
//	60 61 62 63 64 65 66 67 | 68 … 6f
//	50 51 52 53 54 55 56 57 | 58 … 5f        +0f +10 +11
//	40 41 42 43 44 45 46 47 | 48 … 4f        -01  sq +01
//	30 31 32 33 34 35 36 37 | 38 … 3f        -11 -10 -0f
//	20 21 22 23 24 25 26 27 | 28 … 2f
//	10 11 12 13 14 15 16 17 | 18 … 1f
//	00 01 02 03 04 05 06 07 | 08 … 0f   a1 … h1   (hexadecimal)
//
// A step off the real board sets bit 3 or bit 7 of the index, so that one test with the mask 0x88 finds it. And
// the difference of two indexes tells how many files and ranks lie between them, so that a table knows which
// piece could go from one to the other.
//
// There is one board: a move is made on it and unmade again.
//
// Sources: Chess Programming Wiki, "0x88", "Square Attacked By"; Bruce Moreland, "0x88 Move Generation".
package x88

import (
	"fmt"
	"io"
	"time"

	"github.com/tabula-chess/tabula/chess"
)

// A piece is a kind with the colour in bit 3: 0 for White.
type piece uint8

const (
	none piece = iota
	pawn
	knight
	bishop
	rook
	queen
	king

	kinds piece = 7 // mask of the kind
)

// off are the bits of every index outside the board.
const off = 0x88

const a1, e1, h1, a8, e8, h8 = 0x00, 0x04, 0x07, 0x70, 0x74, 0x77

// steps holds the offsets of the directions of each kind.
var steps = [7][]int{
	knight: {-33, -31, -18, -14, 14, 18, 31, 33},
	bishop: {-17, -15, 15, 17},
	rook:   {-16, -1, 1, 16},
	queen:  {-17, -16, -15, -1, 1, 15, 16, 17},
	king:   {-17, -16, -15, -1, 1, 15, 16, 17},
}

// A relation says how two squares lie to each other.
type relation struct {
	reach uint16 // bit p is set if piece p attacks one from the other on an empty board
	step  int8   // the step of a queen on her way, or 0
}

// relations is indexed by to - from + 119.
var relations = relate()

func relate() (table [239]relation) {
	for kind := knight; kind <= king; kind++ {
		for _, step := range steps[kind] {
			reach := 7
			if kind == knight || kind == king {
				reach = 1
			}
			for n := 1; n <= reach; n++ {
				r := &table[n*step+119]
				r.reach |= 1<<kind | 1<<(kind|8)
				if kind == queen {
					r.step = int8(step)
				}
			}
		}
	}
	for _, step := range [2]int{15, 17} {
		table[119+step].reach |= 1 << pawn
		table[119-step].reach |= 1 << (pawn | 8)
	}
	return table
}

// board is a position. Copies are independent of each other, but no copy is needed.
type board struct {
	cells     [128]piece
	kings     [2]int
	side      piece // 0 White, 1 Black
	castling  uint8 // one bit for each of K, Q, k, q
	enPassant int   // the square that a pawn has just passed, or off
}

// lost holds the castling rights that end when a move touches a square.
var lost = [128]uint8{e1: 1 | 2, h1: 1, a1: 2, e8: 4 | 8, h8: 4, a8: 8}

// move holds indexes. A castling move is the king's.
type move struct {
	from, to  uint8
	promotion piece // kind of the new piece, or none
}

// Index returns the index of a square.
func Index(s chess.Square) int { return s.Rank()<<4 | s.File() }

// square returns the square of an index.
func square(i int) chess.Square { return chess.MakeSquare(i&7, i>>4) }

// pseudo appends the moves that obey all rules except the safety of the king.
func (b *board) pseudo(list []move) []move {
	for from := a1; from <= h8; from++ {
		if from&off != 0 {
			from += 7 // over the other half of the row
			continue
		}
		p := b.cells[from]
		if p == none || p>>3 != b.side {
			continue
		}
		kind := p & kinds
		if kind == pawn {
			list = b.pawn(list, from)
			continue
		}
		for _, step := range steps[kind] {
			for to := from + step; to&off == 0; to += step {
				target := b.cells[to]
				if target == none || target>>3 != b.side {
					list = append(list, move{uint8(from), uint8(to), none})
				}
				if target != none || kind == knight || kind == king {
					break
				}
			}
		}
		if kind == king {
			list = b.castle(list, from)
		}
	}
	return list
}

// pawn appends the moves of a pawn.
func (b *board) pawn(list []move, from int) []move {
	up, first := 16, 1 // the row of the first double step
	if b.side == 1 {
		up, first = -16, 6
	}
	if to := from + up; b.cells[to] == none {
		list = promote(list, from, to)
		if from>>4 == first && b.cells[to+up] == none {
			list = append(list, move{uint8(from), uint8(to + up), none})
		}
	}
	for _, to := range [2]int{from + up - 1, from + up + 1} {
		if to&off == 0 && (b.cells[to] != none && b.cells[to]>>3 != b.side || to == b.enPassant) {
			list = promote(list, from, to)
		}
	}
	return list
}

// promote appends a pawn's move, or four of them onto the last rank.
func promote(list []move, from, to int) []move {
	if row := to >> 4; row != 0 && row != 7 {
		return append(list, move{uint8(from), uint8(to), none})
	}
	for kind := queen; kind >= knight; kind-- {
		list = append(list, move{uint8(from), uint8(to), kind})
	}
	return list
}

// castle appends the castling moves whose right and empty squares are there.
func (b *board) castle(list []move, home int) []move {
	rights := b.castling >> (2 * b.side)
	if rights&1 != 0 && b.cells[home+1]|b.cells[home+2] == none {
		list = append(list, move{uint8(home), uint8(home + 2), none})
	}
	if rights&2 != 0 && b.cells[home-1]|b.cells[home-2]|b.cells[home-3] == none {
		list = append(list, move{uint8(home), uint8(home - 2), none})
	}
	return list
}

// attacked reports whether a side attacks a square: whether the first piece in one of eight directions, or a
// knight, could go there.
func (b *board) attacked(at int, by piece) bool {
	for _, step := range steps[queen] {
		from := at + step
		for from&off == 0 && b.cells[from] == none {
			from += step
		}
		if from&off == 0 && b.cells[from]>>3 == by && relations[at-from+119].reach>>b.cells[from]&1 != 0 {
			return true
		}
	}
	for _, step := range steps[knight] {
		if from := at + step; from&off == 0 && b.cells[from] == knight|by<<3 {
			return true
		}
	}
	return false
}

// legal reports whether a move of pseudo is legal. Most moves are not played for that: they are legal if the
// king is not in check and they open no line to it.
func (b *board) legal(m move, inCheck bool) bool {
	from, to, home := int(m.from), int(m.to), b.kings[b.side]
	switch {
	case from == home && (to-from == 2 || from-to == 2):
		return !inCheck && !b.attacked((from+to)/2, 1-b.side) && !b.attacked(to, 1-b.side)
	case from == home, inCheck, to == b.enPassant && b.cells[from]&kinds == pawn:
		u := b.make(m)
		safe := !b.attacked(b.kings[1-b.side], b.side)
		b.unmake(m, u)
		return safe
	}
	return !b.uncovers(home, from, to)
}

// uncovers reports whether a piece that goes from origin to target opens a line to the king on home.
func (b *board) uncovers(home, origin, target int) bool {
	step := int(relations[origin-home+119].step)
	if step == 0 || step == int(relations[target-home+119].step) {
		return false // it was on no line with the king, or stays on it
	}
	at := home + step
	for at&off == 0 && (b.cells[at] == none || at == origin) {
		at += step
	}
	return at&off == 0 && b.cells[at]>>3 != b.side && relations[home-at+119].reach>>b.cells[at]&1 != 0
}

// undo is what a move overwrites and nothing else tells.
type undo struct {
	captured  piece // on the target
	castling  uint8
	enPassant int
}

// make plays a move. unmake needs what it returns.
func (b *board) make(m move) undo {
	from, to := int(m.from), int(m.to)
	p, u := b.cells[from], undo{b.cells[to], b.castling, b.enPassant}
	b.cells[from], b.cells[to] = none, p
	b.castling &^= lost[from] | lost[to]
	b.enPassant = off
	switch p & kinds {
	case pawn:
		switch {
		case m.promotion != none:
			b.cells[to] = m.promotion | p&8
		case to == u.enPassant:
			b.cells[from&0x70|to&7] = none
		case to-from == 32 || from-to == 32:
			b.enPassant = (from + to) / 2
		}
	case king:
		b.kings[b.side] = to
		switch to - from {
		case 2:
			b.cells[from+1], b.cells[from+3] = b.cells[from+3], none
		case -2:
			b.cells[from-1], b.cells[from-4] = b.cells[from-4], none
		}
	}
	b.side = 1 - b.side
	return u
}

// unmake takes the last move back.
func (b *board) unmake(m move, u undo) {
	from, to := int(m.from), int(m.to)
	b.side, b.castling, b.enPassant = 1-b.side, u.castling, u.enPassant
	p := b.cells[to]
	if m.promotion != none {
		p = pawn | p&8
	}
	b.cells[from], b.cells[to] = p, u.captured
	switch p & kinds {
	case pawn:
		if to == u.enPassant {
			b.cells[from&0x70|to&7] = p ^ 8 // the enemy's
		}
	case king:
		b.kings[b.side] = from
		switch to - from {
		case 2:
			b.cells[from+1], b.cells[from+3] = none, b.cells[from+1]
		case -2:
			b.cells[from-1], b.cells[from-4] = none, b.cells[from-1]
		}
	}
}

// perft counts the leaves of the tree of legal moves. The last ply is not played.
func (b *board) perft(depth int) uint64 {
	if depth <= 0 {
		return 1
	}
	var buffer [256]move
	nodes, inCheck := uint64(0), b.attacked(b.kings[b.side], 1-b.side)
	for _, m := range b.pseudo(buffer[:0]) {
		switch {
		case !b.legal(m, inCheck):
		case depth == 1:
			nodes++
		default:
			u := b.make(m)
			nodes += b.perft(depth - 1)
			b.unmake(m, u)
		}
	}
	return nodes
}

// Print writes the counts of the depths up to one, with the time that each takes. Errors: those of the FEN and of out.
func Print(out io.Writer, fen string, depth int) error {
	b, err := read(fen)
	for d := 1; d <= depth && err == nil; d++ {
		begin := time.Now()
		nodes := b.perft(d)
		seconds := max(time.Since(begin).Seconds(), 1e-9)
		_, err = fmt.Fprintf(out, "perft %d %12d leaves %8.3f s %6.1f M/s\n", d, nodes, seconds, float64(nodes)/seconds/1e6)
	}
	return err
}

// read sets up a FEN.
func read(fen string) (b board, err error) {
	p, err := chess.ParseFEN(fen)
	if err != nil {
		return b, err
	}
	for s := range p.Occupied().Squares() {
		b.cells[Index(s)] = pawn + piece(p.Piece(s).Type()) | piece(p.Piece(s).Color())<<3
	}
	b.kings = [2]int{Index(p.King(chess.White)), Index(p.King(chess.Black))}
	b.side, b.castling, b.enPassant = piece(p.SideToMove()), uint8(p.Castling()), off
	if s := p.EnPassant(); s != chess.NoSquare {
		b.enPassant = Index(s)
	}
	return b, nil
}

// String returns the move in UCI text.
func (m move) String() string {
	return square(int(m.from)).String() + square(int(m.to)).String() + []string{"", "", "n", "b", "r", "q"}[m.promotion]
}

// Moves returns the legal moves of a position in UCI text, nil for an invalid FEN.
func Moves(fen string) (texts []string) {
	b, err := read(fen)
	if err != nil {
		return nil
	}
	inCheck := b.attacked(b.kings[b.side], 1-b.side)
	for _, m := range b.pseudo(nil) {
		if b.legal(m, inCheck) {
			texts = append(texts, m.String())
		}
	}
	return texts
}

// Split returns the pseudo-legal moves of a position in UCI text, nil for an invalid FEN: captures and promotions, and
// quiet moves. Castling among them needs the right and empty squares, and asks for no attack.
func Split(fen string) (tactical, quiet []string) {
	b, err := read(fen)
	if err != nil {
		return nil, nil
	}
	for _, m := range b.pseudo(nil) {
		passes := int(m.to) == b.enPassant && b.cells[m.from]&kinds == pawn
		if b.cells[m.to] != none || m.promotion != none || passes {
			tactical = append(tactical, m.String())
		} else {
			quiet = append(quiet, m.String())
		}
	}
	return tactical, quiet
}

// Perft counts the leaves of the tree of legal moves of a depth, 0 for an invalid FEN.
func Perft(fen string, depth int) uint64 {
	b, err := read(fen)
	if err != nil {
		return 0
	}
	return b.perft(depth)
}
