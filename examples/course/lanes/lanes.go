// Package lanes is the generator of chapter 10: eight boards at once. The positions after eight moves lie side by side,
// and each step of the count handles all of them. Nothing is listed: in one direction at most one slider reaches a
// square, so that the set bits of eight directions are the moves of all sliders.
//
// Here a lane is a word of an array. In a register of 512 bits, each loop over the lanes is one instruction.
//
// Sources: Chess Programming Wiki, "Kogge-Stone Algorithm", "Fill Algorithms", "SIMD and SWAR Techniques",
// "Checks and Pinned Pieces (Bitboards)".
package lanes

import (
	"math/bits"

	"github.com/tabula-chess/tabula/examples/course/legal"
)

const width = 8

// A Set holds a set of squares for each lane.
type Set [width]uint64

// boards holds the positions of all lanes, from the view of the side to move, which plays up the board.
type boards struct {
	own, enemy            Set
	pawns, knights, kings Set          // of both sides
	sliders               [2]Set       // on straight lines, on diagonals
	castling              [width]uint8 // bit 0: short, bit 1: long
}

const (
	fileA uint64 = 0x0101010101010101
	fileH        = fileA << 7
	rank3 uint64 = 0xff << 16
	rank8 uint64 = 0xff << 56
)

// A Direction is a shift and the squares that it may enter.
type Direction struct {
	shift int
	enter uint64
}

// The directions of sliders, straight ones first. The opposite of each follows it: two are an axis.
var compass = [8]Direction{
	{8, ^uint64(0)}, {-8, ^uint64(0)}, {1, ^fileA}, {-1, ^fileH}, {9, ^fileA}, {-9, ^fileH}, {7, ^fileH}, {-7, ^fileA},
}

// NorthEast is the direction from a1 to h8.
func NorthEast() Direction { return compass[4] }

// jumps holds the directions of a knight.
var jumps = [8]Direction{
	{17, ^fileA}, {15, ^fileH}, {10, ^(fileA | fileA<<1)}, {6, ^(fileH | fileH>>1)},
	{-17, ^fileH}, {-15, ^fileA}, {-10, ^(fileH | fileH>>1)}, {-6, ^(fileA | fileA<<1)},
}

// step moves a set by one step.
func (d Direction) step(set uint64) uint64 {
	return bits.RotateLeft64(set, d.shift) & d.enter & inside(d.shift)
}

// inside returns the squares that a shift cannot enter from the other end of the word.
func inside(shift int) uint64 {
	if shift > 0 {
		return ^uint64(0) << shift
	}
	return ^uint64(0) >> -shift
}

// set puts a position into a lane.
func (l *boards) set(i int, b *legal.Board) {
	turn := func(set uint64) uint64 { return set }
	if b.Side == 1 {
		turn = bits.ReverseBytes64
	}
	l.own[i], l.enemy[i] = turn(b.Sides[b.Side]), turn(b.Sides[1-b.Side])
	l.pawns[i], l.knights[i], l.kings[i] = turn(b.Kinds[0]), turn(b.Kinds[1]), turn(b.Kinds[5])
	l.sliders[0][i], l.sliders[1][i] = turn(b.Kinds[3]|b.Kinds[4]), turn(b.Kinds[2]|b.Kinds[4])
	l.castling[i] = b.Castling >> (2 * b.Side) & 3
}

// Fill returns the squares that the sliders of each lane attack in a direction: the set grows through empty squares by
// one step, by two and by four, and then by one more step.
func Fill(d Direction, sliders, empty *Set) (attacks Set) {
	enter := d.enter & inside(d.shift)
	for i := range width {
		g, p := sliders[i], empty[i]&enter
		g |= p & bits.RotateLeft64(g, d.shift)
		p &= bits.RotateLeft64(p, d.shift)
		g |= p & bits.RotateLeft64(g, 2*d.shift)
		p &= bits.RotateLeft64(p, 2*d.shift)
		g |= p & bits.RotateLeft64(g, 4*d.shift)
		attacks[i] = bits.RotateLeft64(g, d.shift) & enter
	}
	return attacks
}

// A view holds what the count needs to know about the kings.
type view struct {
	home, empty Set
	danger      Set    // squares that the enemy attacks, also through the king
	checks      Set    // pieces that give check
	targets     Set    // squares where pieces but the king may go
	pinned      Set    // pinned pieces
	onAxis      [4]Set // pinned pieces, by the axis on which they may move
}

// look looks around from the kings of all lanes, and once more from the own pieces that they meet.
func (l *boards) look() (v view) {
	var noKing Set
	for i := range width {
		v.home[i] = l.own[i] & l.kings[i]
		v.empty[i] = ^(l.own[i] | l.enemy[i])
		v.targets[i] = ^l.own[i]
		noKing[i] = v.empty[i] | v.home[i] // a king does not hide behind itself
	}
	for n, d := range compass {
		var attackers, first Set
		for i := range width {
			attackers[i] = l.enemy[i] & l.sliders[n/4][i]
		}
		enemy, seen := Fill(d, &attackers, &noKing), Fill(d, &v.home, &v.empty)
		for i := range width {
			v.danger[i] |= enemy[i]
			first[i] = seen[i] & l.own[i]
			if checker := seen[i] & attackers[i]; checker != 0 {
				v.checks[i] |= checker
				v.targets[i] &= seen[i]
			}
		}
		behind := Fill(d, &first, &v.empty)
		for i := range width {
			if behind[i]&attackers[i] != 0 {
				v.pinned[i] |= first[i]
				v.onAxis[n/2][i] |= first[i]
			}
		}
	}
	for i := range width {
		l.leapers(&v, i)
	}
	return v
}

// leapers adds pawns, knights and the enemy's king to the view of a lane.
func (l *boards) leapers(v *view, i int) {
	pawns, knights := l.enemy[i]&l.pawns[i], l.enemy[i]&l.knights[i]
	v.danger[i] |= compass[5].step(pawns) | compass[7].step(pawns) | around(l.enemy[i]&l.kings[i])
	checks := (compass[4].step(v.home[i]) | compass[6].step(v.home[i])) & pawns
	for _, d := range jumps {
		v.danger[i] |= d.step(knights)
		checks |= d.step(v.home[i]) & knights
	}
	if checks != 0 {
		v.checks[i] |= checks
		v.targets[i] &= checks
	}
	if v.checks[i]&(v.checks[i]-1) != 0 {
		v.targets[i] = 0 // only the king can answer a double check
	}
}

// count returns the number of legal moves in all lanes together, without captures en passant.
func (l *boards) count() (moves int) {
	v := l.look()
	for n, d := range compass {
		var sliders Set
		for i := range width {
			sliders[i] = l.own[i] & l.sliders[n/4][i] & (^v.pinned[i] | v.onAxis[n/2][i])
		}
		reached := Fill(d, &sliders, &v.empty)
		for i := range width {
			moves += bits.OnesCount64(reached[i] & v.targets[i])
		}
	}
	for i := range width {
		for _, d := range jumps {
			moves += bits.OnesCount64(d.step(l.own[i]&l.knights[i]&^v.pinned[i]) & v.targets[i])
		}
		moves += l.countPawns(&v, i) + bits.OnesCount64(around(v.home[i])&^(l.own[i]|v.danger[i]))
		if v.checks[i] == 0 {
			moves += int(l.castling[i] & 1 &^ bit(0x60&(^v.empty[i]|v.danger[i])))
			moves += int(l.castling[i] >> 1 &^ bit(0x0e&^v.empty[i]|0x0c&v.danger[i]))
		}
	}
	return moves
}

// countPawns counts the moves of the pawns of a lane. A move onto the last rank counts four times.
func (l *boards) countPawns(v *view, i int) (moves int) {
	free := func(axis int) uint64 { return l.own[i] & l.pawns[i] & (^v.pinned[i] | v.onAxis[axis][i]) }
	single := compass[0].step(free(0)) & v.empty[i]
	right, left := compass[4].step(free(2))&l.enemy[i], compass[6].step(free(3))&l.enemy[i]
	for _, set := range [3]uint64{single, right, left} {
		set &= v.targets[i]
		moves += bits.OnesCount64(set) + 3*bits.OnesCount64(set&rank8)
	}
	return moves + bits.OnesCount64(compass[0].step(single&rank3)&v.empty[i]&v.targets[i])
}

// around returns the squares around a king.
func around(king uint64) uint64 {
	row := king | king&^fileH<<1 | king&^fileA>>1
	return (row | row<<8 | row>>8) &^ king
}

// bit returns 1 for a set that is not empty.
func bit(set uint64) uint8 {
	if set != 0 {
		return 1
	}
	return 0
}

// leaves counts the leaves two plies below a board. A position in which a pawn can capture en passant is counted alone.
func leaves(b *legal.Board, list []legal.Move) (nodes uint64) {
	var buffer [256]legal.Move
	for len(list) > 0 {
		var l boards
		for n := 0; n < width && len(list) > 0; list = list[1:] {
			after := b.Make(list[0])
			if after.EnPassant != 0 && around(after.EnPassant)&after.Kinds[0]&after.Sides[after.Side] != 0 {
				nodes += uint64(len(after.Moves(buffer[:0])))
				continue
			}
			l.set(n, &after)
			n++
		}
		nodes += uint64(l.count())
	}
	return nodes
}

// perft counts the leaves of the tree of legal moves.
func perft(b legal.Board, depth int) (nodes uint64) {
	var buffer [256]legal.Move
	list := b.Moves(buffer[:0])
	switch depth {
	case 1:
		return uint64(len(list))
	case 2:
		return leaves(&b, list)
	}
	for _, m := range list {
		nodes += perft(b.Make(m), depth-1)
	}
	return nodes
}

// Moves returns the legal moves of a position in UCI text, nil for an invalid FEN.
func Moves(fen string) []string { return legal.Moves(fen) }

// Perft counts the leaves of the tree of legal moves of a depth, 0 for an invalid FEN.
func Perft(fen string, depth int) uint64 {
	b, err := legal.Read(fen)
	switch {
	case err != nil:
		return 0
	case depth <= 0:
		return 1
	}
	return perft(b, depth)
}
