package perft

import (
	"math/rand/v2"
	"testing"

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

// TestPathsAgree compares every path with the plain Go one on positions
// reached at random: a million of them, fewer in short mode.
func TestPathsAgree(t *testing.T) {
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
			if path.Supported() != nil {
				continue
			}
			if got := CountMoves(path, f, g); got != count {
				t.Fatalf("%+v\n%+v\n%v counts %d moves, want %d", *f, *g, path, got, count)
			}
			if got := CountLeaves(path, f, g, &steps); got != leaves {
				t.Fatalf("%+v\n%+v\n%v counts %d leaves, want %d", *f, *g, path, got, leaves)
			}
		}
	}
	if checks < positions/50 || captures < positions/5000 {
		t.Errorf("only %d checks and %d en-passant captures among %d positions", checks, captures, positions)
	}
}
