package perft

import (
	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/tables"
)

// This file counts the answers to all moves of a position without making most of them. They are about to move, and we
// answer; the frame is ours. After a move nearly all of our moves are what they were. What changes is what the square
// that is left and the square that is reached change, each by itself, so that
//
//	answers = rest + king + change[from] + change[to]
//
// where rest is the number of our moves but the king's and king that of the king's, as if we were to move now. One
// slot of change serves a square that they leave, an empty one that they reach and one of ours that they capture,
// since a square is only one of these. All targets of a piece together have
//
//	targets · (rest + king + change[from]) + Σ change[to]
//
// answers. Two classes of moves are more complex. After a move near our king, its moves are counted anew, but only
// they: rest and change hold. After a full one all answers are counted. Vector kernels do the same for several
// positions; gen/kernel/delta.go says where they differ.

// delta is what the answers to all moves of a position have in common.
type delta struct {
	*frame
	side                chess.Color // ours
	us, them, occ       uint64
	ours, theirs        [2]uint64 // sliders, by direction modulo 2
	rest, king, sum     int
	change              [64]int8
	full, near          zones
	pins                [4]uint64 // our pinned pieces, by axis: a direction modulo 4
	pinned, holder, ray uint64    // ours; theirs that holds the only pin; from our king through both
	bound               uint64    // pinned pieces and what they would attack
	freed               int       // the moves that they lack
	hit                 [8]uint64 // theirs that our sliders attack, by direction
	single              uint64    // squares near our king that one piece of theirs attacks
}

// zones say which moves are complex: all those of some pieces, those of all pieces to some squares, and those to others
// by what arrives there.
type zones struct {
	from, any uint64
	to        [king + 1]uint64
}

// leaves returns the number of leaves two plies below p.
func leaves(p *chess.Position) uint64 {
	we := p.SideToMove().Other()
	f := frameOf(p, we)
	d := delta{frame: &f, side: we, us: f.us(), them: f.them(), occ: f.us() | f.them(),
		ours: [2]uint64{f.H, f.D}, theirs: [2]uint64{f.TH, f.TD}}
	d.lines()
	d.sliders()
	d.leapers()
	d.watch()
	d.moves(p)
	return uint64(d.sum)
}

// lines looks along the lines of our king. A move that gives check leaves us only the answers to it, and a move that
// makes a pin or ends one changes what the pinned piece may do: both are full.
func (d *delta) lines() {
	home := square(d.K)
	d.full.to[pawn], d.full.to[knight] = pawnTargets(d.K), tables.Knight(home)
	for dir := range uint8(8) {
		sliders := d.theirs[dir&1]
		view := rayAttacks(home, dir, d.occ)
		first := view & d.occ
		beyond := rayAttacks(square(first), dir, d.occ)
		second := beyond & d.occ
		third := rayAttacks(square(second), dir, d.occ) & d.occ
		if first&d.us != 0 {
			view |= beyond // a slider there pins
		}
		d.full.to[rook-dir&1] |= view
		switch {
		case first == 0 || second == 0: // beyond and third mean nothing then
		case first&d.us != 0 && second&sliders != 0: // a pin
			d.pins[dir&3] |= first
			d.full.any |= view
			d.ray = tables.Ray(dir, home)
			if third&sliders == 0 {
				d.holder |= second
			} else {
				d.full.from |= second // what is behind it pins on
			}
		case first&d.them != 0 && second&sliders != 0: // gives check when it leaves
			d.full.from |= first
		case third&sliders != 0 && first&d.us|second&d.us != 0: // theirs pins ours when it leaves
			d.full.from |= (first | second) & d.them
		}
	}
	d.full.to[queen] = d.full.to[bishop] | d.full.to[rook]
	d.pinned = d.pins[0] | d.pins[1] | d.pins[2] | d.pins[3]
	if d.bound = d.pinned; count(d.pinned) != 1 {
		d.full.from |= d.holder
		d.holder = 0
	}
}

// sliders counts the moves of our sliders and what squares change of them. A piece of theirs that lands on a slider's
// ray takes what lies beyond it, and one that leaves gives the same; with a captured slider go its own moves.
func (d *delta) sliders() {
	for dir := range uint8(8) {
		for s := d.ours[dir&1]; s != 0; s &= s - 1 {
			sq := square(s)
			ray := rayAttacks(sq, dir, d.occ)
			moves := int(count(ray &^ d.us))
			if d.pinned>>sq&1 != 0 {
				d.bind(ray, moves, d.pins[dir&3]>>sq&1 != 0)
				continue
			}
			d.rest += moves
			d.change[sq] -= int8(moves)
			d.hit[dir] |= ray & d.them
			for beyond := moves; ray != 0; {
				at := nearest(ray, dir)
				ray &^= 1 << at
				beyond--
				switch bit := uint64(1) << at; {
				case bit&d.occ == 0:
					d.change[at] -= int8(beyond)
				case bit&d.us != 0:
					d.change[at]++ // we may take back
				default:
					d.change[at] += int8(count(rayAttacks(at, dir, d.occ) &^ d.us))
				}
			}
		}
	}
}

// bind notes the moves of a pinned piece in a direction. Those along the line of its pin are ours, and no move changes
// them that is not full. The others come when the pin ends: they are all that changes when the piece that holds the
// only pin leaves, unless it leaves or reaches one of their squares.
func (d *delta) bind(attacks uint64, moves int, along bool) {
	if d.bound |= attacks; along {
		d.rest += moves
	} else {
		d.freed += moves
	}
}

// leapers counts the moves of our knights and pawns, and what squares change of them.
func (d *delta) leapers() {
	for s := d.N; s != 0; s &= s - 1 {
		attacks := tables.Knight(square(s))
		moves := int(count(attacks &^ d.us))
		if s&-s&d.pinned != 0 {
			d.bind(attacks, moves, false)
			continue
		}
		d.rest += moves
		d.add(s&-s, -moves)
		d.add(attacks&d.us, 1)
	}
	for s := d.P; s != 0; s &= s - 1 {
		p := s & -s
		worth := 1 + 3*int(count(p<<8&rank8)) // promotions
		d.push(p, p<<8, p&rank2<<16, worth)
		d.take(p, p<<9&notA, worth, 1)
		d.take(p, p<<7&notH, worth, 3)
	}
}

// push is leapers for a pawn's way. A piece of theirs that comes to stand on it blocks the pawn, and one that leaves
// frees it.
func (d *delta) push(p, one, two uint64, worth int) {
	moves := worth + int(count(two&^d.occ)) // with one free
	switch {
	case p&d.pinned != 0:
		d.bind(one|two, moves*int(count(one&^d.occ)), p&d.pins[0] != 0)
	case one&d.occ == 0:
		d.rest += moves
		d.add(p|one, -moves)
		d.add(two&^d.occ, -1)
		d.add(two&d.them, 1)
	default:
		d.add(one&d.them, moves)
	}
}

// take is leapers for a square that a pawn attacks: pieces of theirs come there and go.
func (d *delta) take(p, to uint64, worth, axis int) {
	moves := worth * int(count(to&d.them))
	if p&d.pinned != 0 {
		d.bind(to, moves, p&d.pins[axis] != 0)
		return
	}
	d.rest += moves
	d.add(p, -moves)
	d.add(to, worth-2*moves)
}

// add adds n to the change of squares.
func (d *delta) add(set uint64, n int) {
	for ; set != 0; set &= set - 1 {
		d.change[square(set)] += int8(n)
	}
}

// watch counts our king's moves and finds what changes them: who stands next to it or on its castling way, and which
// squares there are attacked. A piece may attack one more from where it lands, and no longer one that only it attacked.
// Sliders attack squares until a piece lands in between, and others when a piece between leaves.
func (d *delta) watch() {
	ring := tables.King(square(d.K))
	d.near.any = ring
	watched := ring &^ d.us
	for _, w := range d.wings {
		if w.empty&d.us == 0 {
			d.near.any |= w.empty | w.rook
			d.near.from |= w.empty & d.them
			watched |= w.safe &^ d.K
		}
	}
	var once, twice uint64
	for kind, set := range [...]uint64{pawn: d.TP, knight: d.TN, bishop: d.TD, rook: d.TH, king: d.TK} {
		for ; set != 0; set &= set - 1 {
			a := attacks(kind, square(set), d.occ) & watched
			twice |= once & a
			once |= a
		}
	}
	d.single = once &^ twice
	safe := watched &^ once
	d.near.to[pawn], d.near.to[knight] = pawnTargets(safe), knightSteps(safe)
	for s := safe; s != 0; s &= s - 1 {
		d.near.to[king] |= tables.King(square(s))
		d.near.to[bishop] |= tables.BishopAttacks(square(s), d.occ)
		d.near.to[rook] |= tables.RookAttacks(square(s), d.occ)
	}
	for dir := range uint8(8) {
		for s := d.theirs[dir&1]; s != 0; s &= s - 1 {
			from := square(s)
			ray := rayAttacks(from, dir, d.occ)
			for s := ray & once; s != 0; s &= s - 1 {
				d.near.any |= tables.Between(from, square(s))
			}
			if last := ray & d.them; last != 0 && rayAttacks(square(last), dir, d.occ)&safe != 0 {
				d.near.from |= last
			}
		}
	}
	d.near.to[queen] = d.near.to[bishop] | d.near.to[rook]
	d.king = d.kingSteps(d.frame)
}

// kingSteps returns the number of our king's moves after a move that is not full, or before.
func (d *delta) kingSteps(f *frame) int {
	us, occ := f.us(), f.us()|f.them()
	return int(f.kingMoves(us, occ, &guard{attacked: f.attacked(occ), pinH: d.pins[2]}))
}

// moves adds up the answers to their legal moves.
func (d *delta) moves(p *chess.Position) {
	if p.InCheck() {
		d.full.from = d.them // only answers to the check: few
	}
	var buf [chess.MaxMoves]chess.Move
	var targets [64]uint64
	for _, m := range movegen.Legal(p, buf[:0]) {
		from, to := m.From().Relative(d.side), m.To().Relative(d.side)
		switch m.Kind() {
		case chess.Normal:
			targets[from] |= 1 << to
		case chess.Promotion:
			d.piece(uint8(from), 1<<to, pawn, int(m.PromotionType()))
		default:
			p.Make(m)
			d.sum += Legal(p)
			p.Unmake()
		}
	}
	for s := d.them; s != 0; s &= s - 1 {
		if from := square(s); targets[from] != 0 {
			kind := int(p.Piece(chess.Square(from).Relative(d.side)).Type())
			d.piece(from, targets[from], kind, kind)
		}
	}
}

// piece adds up the answers to the moves of a piece that arrives as another or the same.
func (d *delta) piece(from uint8, targets uint64, kind, arrives int) {
	bit := uint64(1) << from
	full, near := d.full.any|d.full.to[arrives], d.near.any|d.near.to[arrives]
	if bit&d.holder != 0 {
		full = full&^d.ray | d.bound // along the ray it pins on
	}
	if kind != pawn {
		// A pawn of ours that loses a capture or wins a push by its leaving does not if it takes this pawn.
		full |= d.P & (tables.King(from) | bit>>16)
	}
	if bit&(d.full.from|d.holder&d.bound) != 0 || kind != arrives && bit&full != 0 {
		full = ^uint64(0)
	}
	if bit&d.near.from != 0 || kind != arrives && bit&near != 0 || attacks(kind, from, d.occ)&d.single != 0 {
		near = ^uint64(0)
	}
	simple := targets &^ full
	d.sum += int(count(simple))*(d.rest+int(d.change[from])) + int(count(simple&^near))*d.king + d.along(from, simple)
	if bit&d.holder != 0 {
		d.sum += int(count(simple&^d.ray)) * d.freed
	}
	way := d.P &^ d.pinned & rank2 << 8
	if way |= way << 8; bit&way != 0 {
		d.sum -= int(count(simple & way &^ d.occ & (bit<<8 | bit>>8))) // both squares block a double push
	}
	if kind == pawn {
		d.sum += int(count(simple & d.P)) // it attacked the taker: both squares count the capture that we lose
		d.sum += d.enPassant(simple & (bit >> 16))
	}
	for s := simple; s != 0; s &= s - 1 {
		d.sum += int(d.change[square(s)])
	}
	for s := simple & near; s != 0; s &= s - 1 {
		child := d.after(bit, s&-s, kind, arrives)
		d.sum += d.kingSteps(&child)
	}
	for s := targets & full; s != 0; s &= s - 1 {
		child := d.after(bit, s&-s, kind, arrives)
		d.sum += int(child.moves())
	}
}

// along corrects the answers to moves along the line on which a slider of ours attacks the piece: the slider sees as
// far as it goes, and never beyond.
func (d *delta) along(from uint8, simple uint64) (more int) {
	for dir, hit := range d.hit {
		if hit>>from&1 == 0 {
			continue
		}
		away, back := tables.Ray(uint8(dir), from)&simple, tables.Ray(uint8(dir)^4, from)&simple
		more -= int(count(away|back) * count(rayAttacks(from, uint8(dir), d.occ)&^d.us))
		for ; away != 0; away &= away - 1 {
			more += int(count(tables.Between(from, square(away)))) + 1
		}
	}
	return more
}

// enPassant returns the number of our captures after a double push to a square. Our pawn must not be pinned off its
// way; no other line of our king opens, for where the captured pawn stands nothing stood before.
func (d *delta) enPassant(to uint64) int {
	target := to << 8
	return int(count(target>>7&notA&d.P&^(d.pinned&^d.pins[3])) + count(target>>9&notH&d.P&^(d.pinned&^d.pins[1])))
}
