package perft

import (
	"math/rand/v2"
)

// key is 128 bits that stand for a position and a depth: the first word finds the bucket
// of a table, the second tells positions in it apart.
type key struct{ index, check uint64 }

func (k *key) xor(o *key) { k.index ^= o.index; k.check ^= o.check }

// keys holds random words whose exclusive or is the key of a position. Positions are seen
// by the side to move at the root, so that a step changes few of them. Source: CPW
// "Zobrist Hashing".
type keys struct {
	pieces    [2][6][64]key // side to move at the root first; pawn, knight, bishop, rook, queen, king
	castle    [64]key       // by the rook's square
	enPassant [64]key       // by the target
	odd       key           // the other side is to move
	depth     [MaxDepth + 1]key
}

// Indices of pieces.
const (
	pawn = iota
	knight
	bishop
	rook
	queen
	king
)

// newKeys returns the words of a seed. Positions that meet under the keys of one seed meet
// under those of another only by a chance as small as the first.
func newKeys(seed uint64) *keys {
	random := rand.New(rand.NewPCG(seed, 0x6a09e667f3bcc909))
	k := &keys{}
	fill := func(words []key) {
		for i := range words {
			words[i] = key{random.Uint64(), random.Uint64()}
		}
	}
	for side := range k.pieces {
		for piece := range k.pieces[side] {
			fill(k.pieces[side][piece][:])
		}
	}
	fill(k.castle[:])
	fill(k.enPassant[:])
	fill(k.depth[:])
	k.odd = key{random.Uint64(), random.Uint64()}
	return k
}

// of returns the key of a frame that lies an even or, if odd is 1, an odd number of plies
// below the root.
func (k *keys) of(f *Frame, odd, depth int) key {
	sum := k.depth[depth]
	turn := uint8(56 * odd)
	if odd != 0 {
		sum.xor(&k.odd)
	}
	add := func(words *[64]key, set uint64) {
		for ; set != 0; set &= set - 1 {
			sum.xor(&words[square(set)^turn])
		}
	}
	for side, s := range [2][5]uint64{{f.P, f.N, f.D, f.H, f.K}, {f.TP, f.TN, f.TD, f.TH, f.TK}} {
		words := &k.pieces[side^odd]
		add(&words[pawn], s[0])
		add(&words[knight], s[1])
		add(&words[bishop], s[2]&^s[3])
		add(&words[rook], s[3]&^s[2])
		add(&words[queen], s[2]&s[3])
		add(&words[king], s[4])
	}
	add(&k.castle, f.Castle)
	add(&k.enPassant, f.EnPassant)
	return sum
}

// mover tells, for each kind of step, which piece leaves and which arrives.
var mover = [...][2]uint8{
	PawnStep: {pawn, pawn}, KnightStep: {knight, knight}, BishopStep: {bishop, bishop}, RookStep: {rook, rook},
	QueenStep: {queen, queen}, KingStep: {king, king}, DoublePush: {pawn, pawn}, EnPassantStep: {pawn, pawn},
	PromoteKnight: {pawn, knight}, PromoteBishop: {pawn, bishop}, PromoteRook: {pawn, rook}, PromoteQueen: {pawn, queen},
}

// after writes to out the keys of the frames that the steps lead to, with the depth one
// less: what of returns for them. from is the key of f.
func (k *keys) after(from key, f *Frame, g *Geometry, odd, depth int, steps []Step, out []key) {
	base, turn := from, uint8(56*odd)
	base.xor(&k.depth[depth])
	base.xor(&k.depth[depth-1])
	base.xor(&k.odd)
	if f.EnPassant != 0 {
		base.xor(&k.enPassant[square(f.EnPassant)^turn])
	}
	us, them := f.Us(), f.Them()
	ours, theirs := &k.pieces[odd&1], &k.pieces[odd&1^1]
	answers := f.TP<<1&notA | f.TP>>1&notH // squares where a double push may be captured en passant
	for i := range steps {
		s, sum := &steps[i], base
		if s.Kind == CastleKing || s.Kind == CastleQueen {
			w := &g.Us[s.Kind-CastleKing]
			sum.xor(&ours[king][square(w.King)^turn])
			sum.xor(&ours[king][square(w.KingTo)^turn])
			sum.xor(&ours[rook][square(w.Rook)^turn])
			sum.xor(&ours[rook][square(w.RookTo)^turn])
			k.toggleRights(&sum, f.Castle&rank1, turn)
			out[i] = sum
			continue
		}
		to := s.Mask &^ us
		place := (square(to) ^ turn) & 63
		pieces := mover[s.Kind&15]
		sum.xor(&ours[pieces[0]%6][(square(s.Mask&us)^turn)&63])
		sum.xor(&ours[pieces[1]%6][place])
		if to&them != 0 {
			sum.xor(&theirs[f.captured(to)][place])
		}
		switch {
		case s.Kind == DoublePush && to&answers != 0:
			sum.xor(&k.enPassant[square(to>>8)^turn])
		case s.Kind == EnPassantStep:
			sum.xor(&theirs[pawn][square(to>>8)^turn])
		}
		if lost := s.Mask & f.Castle; lost != 0 {
			k.toggleRights(&sum, lost, turn)
		}
		if s.Kind == KingStep && f.Castle&rank1 != 0 {
			k.toggleRights(&sum, f.Castle&rank1, turn)
		}
		out[i] = sum
	}
}

// toggleRights adds the rights of the given rooks to a key, or takes them out.
func (k *keys) toggleRights(sum *key, rights uint64, turn uint8) {
	for ; rights != 0; rights &= rights - 1 {
		sum.xor(&k.castle[square(rights)^turn])
	}
}

// captured returns which piece of theirs stands on a square.
func (f *Frame) captured(to uint64) int {
	switch {
	case f.TP&to != 0:
		return pawn
	case f.TN&to != 0:
		return knight
	case f.TD&f.TH&to != 0:
		return queen
	case f.TD&to != 0:
		return bishop
	}
	return rook
}
