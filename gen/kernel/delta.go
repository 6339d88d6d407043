package kernel

import (
	"unsafe"

	"github.com/tabula-chess/tabula/internal/geom"
	"github.com/tabula-chess/tabula/tables/index"
)

// This file, mobility.go and deltamoves.go count the answers to simple moves in several positions, one in each lane,
// and list the other moves, whose answers children.go counts. movegen/perft/delta.go does the same for one position in
// plain Go, and says why change is added up so. Here follows what both rely on, and what differs.
//
// # Words
//
//	we, they       the leaves are our moves; they are to move
//	siblings       the positions in lanes. They come from one node by one move of ours each, so that their pieces,
//	               but for captured ones, are on the same squares in all.
//	simple move    one of theirs after which we have rest + king + change[from] + change[to] moves
//	complex move   any other: a near or a full one
//	near move      our king's moves, castling included, are counted anew after it; rest and change hold
//	full move      all our moves are counted anew after it
//	zones          where moves are near, or full: from says of which pieces all are, any to which squares all are,
//	               and the others to which squares a kind of piece makes such a move
//	mover          a piece of theirs that is no pawn. Movers are counted one by one, pawns all together.
//	way            of a pawn: the two squares in front of it, if it has not moved; of castling: what must be empty
//	tower          in index.Wing: the squares of the castling rook before and after, where they differ
//
// # Names
//
//	movegen/perft/delta.go     here
//	zones.from, any            zones.from, any
//	zones.to[kind]             zones.pawn, knight, diagonal, straight, king; a queen's is diagonal and straight
//	pins, pinned, hit, single  the same
//	holder, bound, freed       the same, but ray is part of bound
//	rest, king                 the same, a number in each lane
//	change                     change: bit by bit, in two's complement, by square
//	sum                        sum, without what total adds from moved, movedNear, touched and change
//	lines                      lines, line
//	leapers, push, take        mobility, difference
//	sliders                    slidersOn; run is what rayAttacks and count are there
//	bind, watch                bind, watch
//	moves                      theirKing, movers, pawnMoves, specialMoves
//	piece                      mover, pawnStep, total
//	along                      along, with see for what lies beyond and index.Square.Far for distances
//	enPassant                  enPassantAnswers
//	after, kingSteps           children.move, children.countNear
//	after, frame.moves         children.move, children.countFull
//
// # Invariants
//
// A pinned piece moves on the line from our king to the piece that holds the pin, this one included. All moves of other
// pieces to that line are full, by zones.any, and nothing of theirs stands on it but the holder. So the moves along the
// pin, which rest includes, change only if the holder moves. It may leave the line by a simple move if it holds the
// only pin, nothing behind it pins on, and the pinned piece does not attack it: then freed, the moves that the pinned
// piece lacks, are added. It may not go to bound so, where it would change freed. A holder that stays on the ray of the
// pin goes on holding it. In plain Go that is a simple move without freed, unless it ends in bound; here the whole ray
// is in bound, and such a move is full. Where several pieces are pinned, all moves of the holders are full.
//
// In check all their moves are full: there because full.from is all their pieces, here because full.any is all squares
// of the lane.
//
// change[from] and change[to] are computed each by itself and must not count the same thing twice. Three moves would:
//
//   - A piece takes a pawn of ours that attacked it, or whose way it blocked. By change[from] the pawn loses the
//     capture, or wins a push, and by change[to] it loses all its moves. Of a mover such moves are full, in both
//     (index.Square.Near). A pawn can only take one that attacked it, and the capture, lost twice, is added again.
//   - A piece goes from one square of the way of a pawn of ours to the other. In plain Go the double push that counts
//     once too often is taken from the sum; here the move is full (index.Square.Way, and in pawnMoves).
//   - A piece moves along the line on which a slider of ours attacks it. along corrects that; here for sliders only,
//     and a pawn's move along such a line is full. A knight never does it, and a king would be in check.
//
// On squares that they reach, change is one less than in plain Go, for the complement of a number is its negative less
// one. Each simple move reaches one square, so that total adds moved, the number of simple moves.

// Kinds of moving pieces. All but pawns are also kinds of index.CountingNode.Movers.
const (
	moverKnight = iota
	moverBishop
	moverRook
	moverQueen
	moverKing
	moverPawn
)

// Offsets of the words of an index.Square.
const (
	squareBit, squareKnight = int(unsafe.Offsetof(index.Square{}.Bit)), int(unsafe.Offsetof(index.Square{}.Knight))
	squareKing, squarePawns = int(unsafe.Offsetof(index.Square{}.King)), int(unsafe.Offsetof(index.Square{}.Pawns))
	squareFile, squareRank  = int(unsafe.Offsetof(index.Square{}.File)), int(unsafe.Offsetof(index.Square{}.Rank))
	squareRise, squareFall  = int(unsafe.Offsetof(index.Square{}.Rise)), int(unsafe.Offsetof(index.Square{}.Fall))
	squareAbove, squareFar  = int(unsafe.Offsetof(index.Square{}.Above)), int(unsafe.Offsetof(index.Square{}.Far))
	squareNear, squareWay   = int(unsafe.Offsetof(index.Square{}.Near)), int(unsafe.Offsetof(index.Square{}.Way))
	squareSwapped           = int(unsafe.Offsetof(index.Square{}.Swapped))
	squareMirrored          = int(unsafe.Offsetof(index.Square{}.Mirrored))
	squareRays              = int(unsafe.Offsetof(index.Square{}.Rays))
)

// squareWords returns a word of what is looked up about a square, in all lanes.
type squareWords func(word int) value

// lineWords are the words of a square's lines by axis, a direction modulo 4.
var lineWords = [4]int{squareFile, squareRise, squareRank, squareFall}

// zones are where moves are complex, by what arrives; a queen arrives as both sliders. From are pieces of which all
// moves are complex, any is part of all others.
type zones struct{ from, any, pawn, knight, diagonal, straight, king set }

// siblings is what is known of a vector of positions. Sets of pieces are theirs where nothing else is said.
type siblings struct {
	*vectors
	board
	rights    set // of both sides
	enPassant set // squares behind our pawns that have just made a double push
	nothing   set
	all       value

	passages        [geom.Directions]passage
	full, near      zones
	pins            [4]set // our pinned pieces, by axis
	pinned, opens   set    // ours; theirs that give check when they leave a rank or a diagonal
	holder, bound   set    // that hold the only pin of their lane; squares to which these cannot go simply
	freed           set    // a number
	rest, king, sum set    // numbers
	change          []set  // by bits, of both signs
	see             [4][]set
	hit             [geom.Directions]set // that our sliders attack
	single          set                  // squares near our king that one of their pieces attacks
	way             set                  // squares in front of our pawns that have not moved

	danger, mask, theirPinned set // squares that we attack, their king being transparent; that answer our check
	theirPins                 [4]set
	hits                      [2]set // all of hit on ranks and files, and on diagonals
	moved, movedNear          set    // numbers of simple moves
	touched                   []set  // squares that these leave and reach, by the bits of how often
}

// countSimple emits all and returns the number of answers to simple moves.
func (q *siblings) countSimple() (total set) {
	q.nothing, q.all = q.variable(q.constant(0)), q.constant(^uint64(0))
	q.occ = q.or(q.us, q.them)
	q.empty = q.xor(q.occ, q.all)
	q.lines()
	q.mobility()
	q.theirKing()
	q.watch()
	q.movers()
	q.pawnMoves()
	q.specialMoves()
	return q.total()
}

// forDirections emits body for the directions of a kind of line, if any slider may move there.
func (q *siblings) forDirections(body func(dir int)) {
	words := [2]int{nodeStraight, nodeDiagonal}
	for first, word := range words {
		q.whenWord(word, 1, func() {
			for dir := first; dir < geom.Directions; dir += 2 {
				body(dir)
			}
		})
	}
}

// zeros returns n variables without squares.
func (q *siblings) zeros(n int) (list []set) {
	for range n {
		list = append(list, q.variable(q.constant(0)))
	}
	return list
}

// lines looks along the lines of our king.
func (q *siblings) lines() {
	q.part("the lines of our king")
	king := q.ours[kings]
	z := q.zeros(14)
	q.full.from, q.full.any, q.full.diagonal, q.full.straight = z[0], z[1], z[2], z[3]
	copy(q.pins[:], z[4:8])
	q.opens, q.holder, q.bound, q.freed, q.pinned = z[8], z[9], z[10], z[11], z[12]
	bishopLines := z[13]

	below, file, rank := q.sub(king, q.constant(1)), q.files(king), q.ranks(king)
	above := q.xor(q.or(below, king), q.all)
	var rays [geom.Directions]set
	rays[geom.North], rays[geom.South] = q.and(file, above), q.and(file, below)
	rays[geom.East], rays[geom.West] = q.and(rank, above), q.and(rank, below)
	rookLines := q.xor(q.or(file, rank), king)
	q.forDirections(func(dir int) {
		p := q.passage(q.empty, dir)
		q.passages[dir] = p
		if dir&1 != 0 {
			board := ^uint64(0)
			var open passage
			for i, by := 0, steps[dir].by; i < 3; i, by = i+1, 2*by {
				if i == 0 {
					board = steps[dir].onto
				} else if by := by / 2; by > 0 {
					board &= board << by
				} else {
					board &= board >> -by
				}
				open[i] = q.constant(board)
			}
			rays[dir] = q.xor(q.grown(king, open, dir), king)
			q.join(bishopLines, rays[dir])
		}
		q.put(rays[dir], q.slot(slotRays+dir))
		view := q.slide(king, p, dir)
		zone := q.full.straight
		if dir&1 != 0 {
			zone = q.full.diagonal
		}
		q.join(zone, q.or(view, q.slide(q.and(view, q.us), p, dir)))
	})
	q.put(rookLines, q.slot(slotRookLines))
	q.put(bishopLines, q.slot(slotBishopLines))

	sliders := q.or(q.and(q.theirs[straight], rookLines), q.and(q.theirs[diagonal], bishopLines))
	q.when(sliders, 0.5, func() {
		q.forDirections(func(dir int) {
			q.when(q.and(q.theirs[sliding(dir)], rays[dir]), 0.2, func() { q.line(dir, rays[dir]) })
		})
		q.assign(q.pinned, q.any(q.pins[0], q.pins[1], q.pins[2], q.pins[3]))
		several := q.and(q.pinned, q.sub(q.pinned, q.constant(1)))
		q.join(q.full.from, q.where(q.holder, q.meet(several, several)))
	})
	q.put(q.pins[2], q.slot(slotRankPins))
	q.full.knight, q.full.pawn = q.knightSteps(king), q.upward(king)
	q.put(q.full.knight, q.slot(slotKnight))
	q.put(q.full.pawn, q.slot(slotPawn))
}

// line looks along a line of our king on which a slider of theirs is.
func (q *siblings) line(dir int, ray set) {
	p, sliders := q.passages[dir], q.theirs[sliding(dir)]
	view := q.slide(q.ours[kings], p, dir)
	first := q.and(view, q.occ)
	beyond := q.slide(first, p, dir)
	second := q.and(beyond, q.occ)
	behind := q.and(q.slide(second, p, dir), sliders)
	ours, theirs := q.and(first, q.us), q.and(first, q.them)
	next := q.and(second, sliders)

	pin := q.where(ours, q.meet(next, next))
	pinned := q.meet(pin, pin)
	q.join(q.pins[dir&3], pin)
	q.join(q.full.any, q.where(q.or(view, beyond), pinned))
	q.join(q.holder, q.where(second, pinned))
	q.join(q.bound, q.where(ray, pinned))
	check := q.where(theirs, q.meet(next, next))
	if dir&3 != 0 {
		q.join(q.opens, check)
	}
	pins := q.or(q.where(q.and(second, q.them), q.meet(ours, ours)), q.where(theirs, q.meet(second, q.us)))
	q.join(q.full.from, q.or(check, q.where(pins, q.meet(behind, behind))))
}
