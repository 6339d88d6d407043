// Package delta is the generator of chapter 11: it counts children without visiting them. Two plies above the leaves,
// it does not make most of the moves. It counts the answers as if no move were made, and then what each square changes
// that a piece leaves or reaches. Boards, lists and moves are those of chapter 8, rays those of chapter 5.
//
// Throughout, "they" are to move, and "we" answer. We play up the board: a position in which we are Black is turned.
package delta

import (
	"math/bits"

	"github.com/tabula-chess/tabula/examples/course/legal"
	"github.com/tabula-chess/tabula/examples/course/rays"
)

const (
	pawn = iota
	knight
	bishop
	rook
	queen
	king
)

const (
	fileA uint64 = 0x0101010101010101
	fileH        = fileA << 7
	fileB        = fileA << 1
	fileG        = fileA << 6
	rank2 uint64 = 0xff << 8
	rank3        = rank2 << 8
	rank4        = rank3 << 8
	rank8 uint64 = 0xff << 56
)

// A view is what the answers to all moves of a position have in common.
type view struct {
	legal.Board
	us, them, occupied uint64
	ours, theirs       [2]uint64  // sliders: on straight lines, on diagonals
	mobility           int        // the number of our moves if we were to move now
	change             [64]int    // what a piece of theirs changes that leaves or reaches a square
	zone               uint64     // squares whose every change is complex
	busy               uint64     // pieces of theirs whose moves are all complex
	to                 [6]uint64  // squares that are complex for what arrives there
	along              [64]uint64 // the lines on which our sliders attack a piece of theirs
	pinned             uint64     // ours
	list               [256]legal.Move
}

// look examines a position without check.
func look(b legal.Board) *view {
	v := &view{Board: b, us: b.Sides[0], them: b.Sides[1], occupied: b.Sides[0] | b.Sides[1]}
	straight, diagonal := b.Kinds[rook]|b.Kinds[queen], b.Kinds[bishop]|b.Kinds[queen]
	v.ours, v.theirs = [2]uint64{straight & v.us, diagonal & v.us}, [2]uint64{straight & v.them, diagonal & v.them}
	v.guardKing()
	v.count()
	v.sliders()
	v.leapers()
	return v
}

// count adds up our moves. A piece that is captured takes its moves with it.
func (v *view) count() {
	b := v.Board
	b.Side, b.EnPassant = 0, 0
	list := b.Moves(v.list[:0])
	v.mobility = len(list)
	for _, m := range list {
		v.change[m.From]--
	}
}

// sliders notes what squares change of our sliders. Where a piece of theirs stops one, the squares beyond are lost;
// where it leaves, they are won. We may take back on the square of ours that it protects.
func (v *view) sliders() {
	for d := range 8 {
		for rest := v.ours[d&1] &^ v.pinned; rest != 0; rest &= rest - 1 {
			from := bits.TrailingZeros64(rest)
			for seen := ray(d, from, v.occupied); seen != 0; seen &= seen - 1 {
				at := bits.TrailingZeros64(seen)
				beyond := bits.OnesCount64(ray(d, at, v.occupied) &^ v.us)
				switch bit := uint64(1) << at; {
				case bit&v.us != 0:
					v.change[at]++
				case bit&v.them != 0:
					v.change[at] += beyond
					v.along[at] |= ray(d, from, 0) | 1<<from
				default:
					v.change[at] -= beyond
				}
			}
		}
	}
}

// leapers notes what squares change of our knights and pawns.
func (v *view) leapers() {
	for rest := v.Kinds[knight] & v.us &^ v.pinned; rest != 0; rest &= rest - 1 {
		v.add(jumps(rest&-rest)&v.us, 1)
	}
	for rest := v.Kinds[pawn] & v.us &^ v.pinned; rest != 0; rest &= rest - 1 {
		p := rest & -rest
		moves := 1
		if p<<8&rank8 != 0 {
			moves = 4 // promotions
		}
		takes := pawnsTo(p)
		v.add(takes&^v.them, moves) // a piece that comes there can be taken,
		v.add(takes&v.them, -moves) // one that leaves cannot
		one, two := p<<8, p&rank2<<16
		if two&^v.occupied != 0 {
			moves++
		}
		if one&v.occupied == 0 {
			v.add(one, -moves)
			v.add(two&^v.occupied, -1)
			v.add(two&v.them, 1)
		} else {
			v.add(one&v.them, moves)
		}
	}
}

// add adds to the change of some squares.
func (v *view) add(set uint64, moves int) {
	for ; set != 0; set &= set - 1 {
		v.change[bits.TrailingZeros64(set)] += moves
	}
}

// guardKing finds the moves that may give check, make or end a pin, or change the squares that our king can go to.
func (v *view) guardKing() {
	home := v.Kinds[king] & v.us
	ring := around(home)
	v.zone = ring
	watched := ring &^ v.us
	for i, way := range [2]uint64{0x60, 0x0e} {
		if v.Castling>>i&1 != 0 && way&v.us == 0 {
			v.zone |= way | [2]uint64{0x80, 0x01}[i]
			watched |= way & 0x6c
		}
	}
	pawns := v.Kinds[pawn] & v.them
	attacked := pawns>>7&^fileA | pawns>>9&^fileH | jumps(v.Kinds[knight]&v.them) | around(v.Kinds[king]&v.them)
	v.guardLines(home, 2)
	for rest := watched; rest != 0; rest &= rest - 1 {
		v.guardLines(rest&-rest, 1)
	}
	v.busy |= v.them & (v.Kinds[pawn]&pawnsTo(watched) | v.Kinds[knight]&jumps(watched) | v.Kinds[king]&around(watched))
	safe := home | watched&^attacked
	v.to[pawn], v.to[knight], v.to[king] = pawnsTo(safe), jumps(safe), around(safe)
	v.to[queen] = v.to[bishop] | v.to[rook]
}

// guardLines looks along the lines from our king, or from a square that it may go to, past so many pieces. What moves
// on the line of a slider that attacks the square or pins one of our pieces is complex, and so is a piece of theirs
// behind which a slider waits. A slider that lands where it sees the square attacks it.
func (v *view) guardLines(square uint64, pieces int) {
	for d := range 8 {
		way, at := uint64(0), square
		for n := 0; n <= pieces; n++ {
			before, seen := at, ray(d, bits.TrailingZeros64(at), v.occupied)
			pin := pieces == 2 && n == 1 && before&v.us != 0
			if way |= seen; n == 0 || pin {
				v.to[rook-d&1] |= seen
			}
			if at = seen & v.occupied; at == 0 {
				break
			}
			if at&v.theirs[d&1] == 0 {
				continue
			}
			if pin {
				v.pinned |= before
			}
			if n == 0 || pin {
				v.zone |= way
			} else {
				v.busy |= way & v.them &^ at
			}
			break
		}
	}
}

// answers returns the number of our answers to all their moves.
func (v *view) answers() (sum int) {
	var targets [64]uint64
	var buffer [256]legal.Move
	for _, m := range v.Moves(buffer[:0]) {
		if v.special(m) {
			sum += v.visit(m)
		} else {
			targets[m.From] |= 1 << m.To
		}
	}
	for rest := v.them; rest != 0; rest &= rest - 1 {
		if from := bits.TrailingZeros64(rest); targets[from] != 0 {
			sum += v.piece(uint8(from), targets[from])
		}
	}
	return sum
}

// special reports whether a move does more than to carry a piece from one square to another.
func (v *view) special(m legal.Move) bool {
	from, to := uint64(1)<<m.From, uint64(1)<<m.To
	switch {
	case from&v.Kinds[king] != 0:
		return m.From-m.To == 2 || m.To-m.From == 2
	case from&v.Kinds[pawn] != 0:
		beside := to&^fileA>>1 | to&^fileH<<1
		return m.Promotion != 0 || to == v.EnPassant || from == to<<16 && beside&v.us&v.Kinds[pawn] != 0
	}
	return false
}

// piece returns the number of answers to moves of a piece. The simple ones are counted together.
func (v *view) piece(from uint8, targets uint64) (sum int) {
	bit, kind := uint64(1)<<from, v.KindOn(from)
	visit := v.zone | v.to[kind] | v.along[from] |
		v.Kinds[pawn]&v.us&(around(bit)|bit>>16) | (bit<<8|bit>>8)&(rank3|rank4)
	if bit&(v.zone|v.busy) != 0 {
		visit = targets
	}
	simple := targets &^ visit
	sum = bits.OnesCount64(simple) * (v.mobility + v.change[from])
	for ; simple != 0; simple &= simple - 1 {
		sum += v.change[bits.TrailingZeros64(simple)]
	}
	for rest := targets & visit; rest != 0; rest &= rest - 1 {
		sum += v.visit(legal.Move{From: from, To: uint8(bits.TrailingZeros64(rest))})
	}
	return sum
}

// visit makes a move and lists the answers.
func (v *view) visit(m legal.Move) int {
	after := v.Make(m)
	return len(after.Moves(v.list[:0]))
}

// ray returns what a slider attacks in a direction: 0 is north, and the others follow clockwise.
func ray(d, from int, occupied uint64) uint64 {
	if d < 3 || d == 7 {
		return rays.Ray(d, from, occupied)
	}
	return rays.RayBack(d, from, occupied)
}

// jumps returns what knights attack.
func jumps(set uint64) uint64 {
	one := set&^fileH<<1 | set&^fileA>>1
	two := set&^(fileG|fileH)<<2 | set&^(fileA|fileB)>>2
	return one<<16 | one>>16 | two<<8 | two>>8
}

// pawnsTo returns the squares from which a pawn of theirs attacks the set.
func pawnsTo(set uint64) uint64 { return set<<7&^fileH | set<<9&^fileA }

// around returns what kings attack.
func around(set uint64) uint64 {
	sides := set&^fileH<<1 | set&^fileA>>1
	return sides | (set|sides)<<8 | (set|sides)>>8
}

// turned returns a position turned upside down, with the colours exchanged.
func turned(b legal.Board) legal.Board {
	for i, set := range b.Kinds {
		b.Kinds[i] = bits.ReverseBytes64(set)
	}
	b.Sides[0], b.Sides[1] = bits.ReverseBytes64(b.Sides[1]), bits.ReverseBytes64(b.Sides[0])
	b.Side, b.Castling, b.EnPassant = 1-b.Side, b.Castling>>2|b.Castling&3<<2, bits.ReverseBytes64(b.EnPassant)
	return b
}

// leaves counts the leaves two plies below a position.
func leaves(b legal.Board) int {
	var buffer [256]legal.Move
	if b.Side == 0 {
		b = turned(b)
	}
	if b.Checked() {
		nodes := 0
		for _, m := range b.Moves(buffer[:0]) {
			after := b.Make(m)
			nodes += len(after.Moves(buffer[128:128]))
		}
		return nodes
	}
	return look(b).answers()
}

// perft counts the leaves of the tree of legal moves.
func perft(b legal.Board, depth int) (nodes uint64) {
	if depth == 2 {
		return uint64(leaves(b))
	}
	var buffer [256]legal.Move
	list := b.Moves(buffer[:0])
	if depth == 1 {
		return uint64(len(list))
	}
	for _, m := range list {
		nodes += perft(b.Make(m), depth-1)
	}
	return nodes
}

// Changes returns how many answers each square gains, negative for losses, if a piece leaves or reaches it; nothing for
// an invalid FEN. White answers.
func Changes(fen string) (change [64]int) {
	if b, err := legal.Read(fen); err == nil {
		change = look(b).change
	}
	return change
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
