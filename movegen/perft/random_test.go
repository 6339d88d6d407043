package perft

import (
	"math/rand/v2"
	"testing"

	"github.com/tabula-chess/tabula/internal/geom"
	"github.com/tabula-chess/tabula/movegen"
)

// player plays random games and hands out the positions on the way.
type player struct {
	rng   *rand.Rand
	frame Frame
	geo   Geometry
	steps Steps
	left  int
}

// next returns a position that is legal by construction: one of a random game
// from a random Chess960 or double-Chess960 start, or from a random placement
// of pieces.
func (p *player) next() (*Frame, *Geometry) {
	n := 0
	if p.left > 0 {
		n = List(&p.frame, &p.geo, &p.steps)
	}
	if n == 0 {
		if p.rng.IntN(3) == 0 {
			p.scatter()
		} else {
			p.start()
		}
		return &p.frame, &p.geo
	}
	var child Frame
	p.frame.Make(p.steps[p.rng.IntN(n)], &p.geo, &child)
	p.frame, p.geo = child, p.geo.Flip()
	p.left--
	return &p.frame, &p.geo
}

// start sets up both first ranks at random, castling rights included.
func (p *player) start() {
	p.left = 10 + p.rng.IntN(150)
	us, them := p.rank(), p.rank()
	if p.rng.IntN(2) == 0 {
		them = us
	}
	p.frame = us.frame
	other := them.frame.Flip()
	p.frame.TP, p.frame.TN, p.frame.TD, p.frame.TH, p.frame.TK = other.TP, other.TN, other.TD, other.TH, other.TK
	p.frame.Castle |= other.Castle
	p.geo = Geometry{Us: us.wings, Them: them.wings}
}

type firstRank struct {
	frame Frame
	wings [2]Wing
}

func (p *player) rank() firstRank {
	for {
		files := p.rng.Perm(8)
		king, left, right := files[0], files[1], files[2]
		if !(left < king && king < right) {
			continue
		}
		bit := func(i int) uint64 { return 1 << files[i] }
		r := firstRank{
			frame: Frame{
				P: 0xff00, K: bit(0), H: bit(1) | bit(2) | bit(3), D: bit(3) | bit(4) | bit(5), N: bit(6) | bit(7),
				Castle: bit(1) | bit(2),
			},
			wings: [2]Wing{NewWing(king, right), NewWing(king, left)},
		}
		return r
	}
}

// scatter puts up to sixteen pieces a side anywhere, which makes many checks,
// pins and promotions, and no castling.
func (p *player) scatter() {
	p.left = 20
	wings := [2]Wing{NewWing(4, 7), NewWing(4, 0)}
	p.geo = Geometry{Us: wings, Them: wings}
	for {
		f := Frame{}
		squares := p.rng.Perm(64)
		f.K, f.TK = 1<<squares[0], 1<<squares[1]
		for _, sq := range squares[2 : 2+p.rng.IntN(26)] {
			bit := uint64(1) << sq
			sets := [][]*uint64{{&f.P}, {&f.N}, {&f.D}, {&f.H}, {&f.D, &f.H}, {&f.TP}, {&f.TN}, {&f.TD}, {&f.TH}, {&f.TD, &f.TH}}
			for _, set := range sets[p.rng.IntN(len(sets))] {
				*set |= bit
			}
		}
		if f.Check() == nil {
			p.frame = f
			return
		}
	}
}

// TestBackendsAgree compares every path with the plain Go one on positions
// reached at random: a million of them, fewer in short mode.
func TestBackendsAgree(t *testing.T) {
	positions := 1_000_000
	if testing.Short() {
		positions = 20_000
	}
	p := player{rng: rand.New(rand.NewPCG(20, 26))}
	var steps Steps
	checks, captures := 0, 0
	for range positions {
		f, g := p.next()
		count, leaves := plainCount(f, g), plainLeaves(f, g, &steps)
		if f.Checkers() != 0 {
			checks++
		}
		if f.EnPassant != 0 {
			captures++
		}
		for path := movegen.Pext; path <= movegen.NEON; path++ {
			b, err := For(path)
			if err != nil {
				continue
			}
			if got := b.Count(f, g); got != count {
				t.Fatalf("%+v\n%+v\n%v counts %d moves, want %d", *f, *g, path, got, count)
			}
			if got := b.Leaves(f, g, &steps); got != leaves {
				t.Fatalf("%+v\n%+v\n%v counts %d leaves, want %d", *f, *g, path, got, leaves)
			}
		}
	}
	if checks < positions/50 || captures < positions/5000 {
		t.Errorf("only %d checks and %d en-passant captures among %d positions", checks, captures, positions)
	}
}

// TestCountBySlowWalk compares the plain Go path with moves tried out one by
// one on a board walked square by square.
func TestCountBySlowWalk(t *testing.T) {
	positions := 20_000
	if testing.Short() {
		positions = 2_000
	}
	p := player{rng: rand.New(rand.NewPCG(19, 50))}
	for range positions {
		f, g := p.next()
		if got, want := plainCount(f, g), slowCount(f, g); got != want {
			t.Fatalf("%+v\n%+v\ncounts %d moves, want %d", *f, *g, got, want)
		}
		if n := List(f, g, &p.steps); uint64(n) != plainCount(f, g) {
			t.Fatalf("%+v\nlists %d moves, counts %d", *f, n, plainCount(f, g))
		}
	}
}

// slowAttacked reports whether the other side attacks any square of set.
func slowAttacked(f *Frame, set uint64) bool {
	occ := f.Us() | f.Them()
	for sq := range geom.Squares(set) {
		if geom.Bishop(sq, occ)&f.TD|geom.Rook(sq, occ)&f.TH|geom.Knight(sq)&f.TN|
			geom.King(sq)&f.TK|geom.Pawn(0, sq)&f.TP != 0 {
			return true
		}
	}
	return false
}

// slowCount tries out every pseudo-legal move.
func slowCount(f *Frame, g *Geometry) uint64 {
	us, occ := f.Us(), f.Us()|f.Them()
	var n uint64
	try := func(from, to int, kind Kind) {
		var child Frame
		f.Make(Step{geom.Bit(from) | geom.Bit(to), kind}, g, &child)
		if back := child.Flip(); !slowAttacked(&back, back.K) {
			n++
		}
	}
	for from := range geom.Squares(us) {
		bit := geom.Bit(from)
		var targets uint64
		kind := KnightStep
		switch {
		case f.P&bit != 0:
			slowPawn(f, from, try)
			continue
		case f.K&bit != 0:
			targets, kind = geom.King(from), KingStep
		case f.N&bit != 0:
			targets = geom.Knight(from)
		case f.D&f.H&bit != 0:
			targets, kind = geom.Bishop(from, occ)|geom.Rook(from, occ), QueenStep
		case f.D&bit != 0:
			targets, kind = geom.Bishop(from, occ), BishopStep
		case f.H&bit != 0:
			targets, kind = geom.Rook(from, occ), RookStep
		}
		for to := range geom.Squares(targets &^ us) {
			try(from, to, kind)
		}
	}
	for i, w := range g.Us {
		if f.Castle&w.Rook != 0 && occ&w.Empty == 0 && !slowAttacked(f, w.Safe) {
			var child Frame
			f.Make(Step{w.King | w.Rook, CastleKing + Kind(i)}, g, &child)
			if back := child.Flip(); !slowAttacked(&back, back.K) {
				n++
			}
		}
	}
	return n
}

// slowPawn tries out the moves of a pawn.
func slowPawn(f *Frame, from int, try func(from, to int, kind Kind)) {
	occ := f.Us() | f.Them()
	advance := func(to int) {
		if to < 56 {
			try(from, to, PawnStep)
			return
		}
		for k := PromoteKnight; k <= PromoteQueen; k++ {
			try(from, to, k)
		}
	}
	if occ&geom.Bit(from+8) == 0 {
		advance(from + 8)
		if from < 16 && occ&geom.Bit(from+16) == 0 {
			try(from, from+16, DoublePush)
		}
	}
	for to := range geom.Squares(geom.Pawn(0, from)) {
		switch {
		case f.Them()&geom.Bit(to) != 0:
			advance(to)
		case f.EnPassant == geom.Bit(to):
			try(from, to, EnPassantStep)
		}
	}
}
