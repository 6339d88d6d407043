package record

import (
	"math"
	"math/bits"
	"slices"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
)

const (
	maxRank  = 24 // ranks from here on share their chances
	gaps     = 16 // kinds of distance between two moves in the order
	contexts = 5  // of a move

	historySize = 16 * 64 // 12 of the kinds are used

	group = 8 // keys whose largest is known while the move is looked for, which makes reading 1.4 times as fast
)

// moveModel predicts moves. It orders the legal ones, the most likely first, by the
// position and the moves before in the block, and codes the rank of the one played.
type moveModel struct {
	hit     [contexts][maxRank][gaps]odds // that the move of a rank is the one, by how far it is ahead of the next
	history [historySize]uint16           // by piece and square: how often such moves were played, or passed over
	moves   [chess.MaxMoves]chess.Move
	keys    [chess.MaxMoves]int64
	tops    [chess.MaxMoves / group]int64 // the largest key of each group
	places  [chess.MaxMoves]uint16        // of the moves in history
	view    view
}

// forget begins a block.
func (m *moveModel) forget() {
	for i := range m.hit {
		for j := range m.hit[i] {
			forget(m.hit[i][j][:])
		}
	}
	m.history = [historySize]uint16{}
}

// code codes a move of p, which came about by a capture or move to the square
// before. ok is false where no such move is legal.
func (m *moveModel) code(c *coder, p *chess.Position, played chess.Move, before chess.Square,
	context int) (move chess.Move, ok bool) {
	moves := movegen.Legal(p, m.moves[:0])
	if len(moves) == 0 {
		return 0, false
	}
	m.view.look(p, before)
	m.order(p, moves)
	at := -1
	if !c.reading {
		if at = slices.Index(moves, played); at < 0 {
			return 0, false
		}
	}
	return moves[m.rank(c, len(moves), at, context)], true
}

// order sets keys and places of the moves.
func (m *moveModel) order(p *chess.Position, moves []chess.Move) {
	keys, places := m.keys[:len(moves)], m.places[:len(moves)]
	v := &m.view
	var piece mover
	for i := 0; i < len(moves); {
		from := moves[i].From()
		piece.look(p, v, from)
		for ; i < len(moves) && moves[i].From() == from; i++ { // the moves of a piece mostly follow each other
			mv := moves[i]
			to := mv.To()
			place := piece.places | uint16(to)
			places[i] = place
			key := piece.leave
			if taken := p.Piece(to); taken == chess.NoPiece {
				key -= int32(piece.half>>to&1)*(piece.value/2) + int32(piece.little>>to&1)*20
			} else {
				key += 100 + values[taken.Type()&7]
				if to == v.before {
					key += 200
				}
				if v.attacked.Has(to) {
					key -= piece.value * 3 / 4
				}
			}
			key += int32(piece.checks>>to&1) * 100
			if mv.Kind() != chess.Normal {
				key = special(key, mv)
			}
			key += int32(m.history[place%historySize]) / 4
			// Squares and pieces order moves that are equal otherwise.
			keys[i] = int64(key)<<keyShift | int64(mv&(1<<12-1))<<10 | int64(mv>>12&3)<<8 | int64(i)
		}
	}
}

// special returns the key of a castling move, en passant or a promotion, for the key of
// a normal move.
func special(key int32, mv chess.Move) int32 {
	switch {
	case mv.Kind() == chess.Castling:
		return 0
	case mv.Kind() != chess.Promotion:
		return key
	case mv.PromotionType() == chess.Queen:
		return key + 600
	}
	return key - 1000
}

// keyShift is where in a key the place in the order begins; below are its
// squares, its promotion and its place in the list of moves, which has 8 bits.
const keyShift = 22

// rank codes which of n moves was played: the one with the largest key, the next, and
// so on. It overwrites the keys. The history learns which move was played and which
// were passed over.
func (m *moveModel) rank(c *coder, n, at, context int) int {
	groups := m.begin(n)
	top := m.largest(groups)
	best := uint(top & 255)
	for rank := 0; rank < n-1; rank++ {
		m.keys[best] = math.MinInt64
		m.tops[best/group] = largest((*[group]int64)(m.keys[best&^(group-1):]))
		second := m.largest(groups)
		hit := 0
		if best == uint(at) {
			hit = 1
		}
		if c.bit(hit, &m.hit[context][min(rank, maxRank-1)][gap(top>>keyShift-second>>keyShift)]) != 0 {
			break
		}
		h := &m.history[m.places[best]%historySize]
		*h -= *h >> 5
		top, best = second, uint(second&255)
	}
	h := &m.history[m.places[best]%historySize]
	*h += (2048 - *h) >> 4
	return int(best)
}

// begin finds the largest key of each group of the first n keys and returns the
// number of groups. It fills up whole groups of groups with values below
// every key.
func (m *moveModel) begin(n int) (groups int) {
	groups = (n + group - 1) / group
	for i := n; i < groups*group; i++ {
		m.keys[i&(len(m.keys)-1)] = math.MinInt64
	}
	for g := range groups {
		m.tops[g&(len(m.tops)-1)] = largest((*[group]int64)(m.keys[g*group:]))
	}
	for g := groups; g%group != 0; g++ {
		m.tops[g&(len(m.tops)-1)] = math.MinInt64
	}
	return groups
}

// largest returns the largest key of all groups.
func (m *moveModel) largest(groups int) int64 {
	top := largest((*[group]int64)(m.tops[:]))
	for g := group; g < groups; g += group {
		top = max(top, largest((*[group]int64)(m.tops[g:])))
	}
	return top
}

// largest returns the largest key of a group.
func largest(k *[group]int64) int64 {
	return max(max(max(k[0], k[1]), max(k[2], k[3])), max(max(k[4], k[5]), max(k[6], k[7])))
}

// gap returns a number from 0 to gaps-1 for a distance.
func gap(d int64) int { return int(gapOf[min(uint64(d), uint64(len(gapOf)-1))]) }

// gapOf is the number of a distance: itself up to 7, by its length from there on.
var gapOf = func() (g [1<<10 + 1]uint8) {
	for d := range g {
		g[d] = uint8(d)
		if d >= 8 {
			g[d] = uint8(min(bits.Len(uint(d))+4, gaps-1))
		}
	}
	return g
}()

// values are what pieces are worth in the order, by kind. They are part of the
// format, as is the whole order.
var values = [8]int32{chess.Pawn: 100, chess.Knight: 300, chess.Bishop: 310, chess.Rook: 500, chess.Queen: 900,
	chess.King: 2000}

// view is what the order of moves depends on in a position.
type view struct {
	threats  [8]chess.Bitboard // by kind of piece: squares that pieces worth less attack
	checks   [8]chess.Bitboard // by kind of piece: squares from which it gives check
	attacked chess.Bitboard    // by the other side
	guarded  chess.Bitboard    // by the side to move
	before   chess.Square      // where the last move went
}

// look sets v for p.
func (v *view) look(p *chess.Position, before chess.Square) {
	us := p.SideToMove()
	them := us.Other()
	occ := p.Occupied()
	v.before = before
	pawns, minors, rooks, others := p.AttackedBy(them)
	v.threats[chess.Knight], v.threats[chess.Bishop] = pawns, pawns
	v.threats[chess.Rook] = pawns | minors
	v.threats[chess.Queen] = pawns | minors | rooks
	v.attacked = pawns | minors | rooks | others
	pawns, minors, rooks, others = p.AttackedBy(us)
	v.guarded = pawns | minors | rooks | others
	king := p.King(them)
	v.checks[chess.Pawn], v.checks[chess.Knight] = chess.PawnAttacks(them, king), chess.KnightAttacks(king)
	v.checks[chess.Bishop], v.checks[chess.Rook] = chess.BishopAttacks(king, occ), chess.RookAttacks(king, occ)
	v.checks[chess.Queen] = v.checks[chess.Bishop] | v.checks[chess.Rook]
}

// mover is what the order of moves depends on in a piece of the side to move.
type mover struct {
	places       uint16         // its first place in the history
	value, leave int32          // what it is worth, and gains by leaving its square
	half, little chess.Bitboard // squares that cost it half its value, or little, where it captures nothing
	checks       chess.Bitboard // from which it gives check
}

// look sets m for the piece on a square, field by field, which is faster than a copy.
func (m *mover) look(p *chess.Position, v *view, from chess.Square) {
	pc := p.Piece(from)
	t := pc.Type() & 7
	loose := v.attacked &^ v.guarded
	m.places = uint16(pc&15) << 6
	m.value = values[t]
	m.leave = int32((v.threats[t]|loose)>>from&1) * (m.value / 2)
	m.half, m.little, m.checks = v.threats[t], 0, v.checks[t]
	if t != chess.Pawn {
		m.half |= loose
		m.little = v.attacked & v.guarded &^ v.threats[t]
	}
}
