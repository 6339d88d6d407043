package retro

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/syzygy"
	"github.com/tabula-chess/tabula/syzygy/internal/layout"
	"github.com/tabula-chess/tabula/test/kit"
)

// random returns a position with pieces on random squares, and as package chess
// reads it, nil where it is not legal.
func random(r *rand.Rand, codes []layout.Code) (placement, *chess.Position) {
	q := placement{codes: codes, turn: chess.Color(r.IntN(2))}
	for i, s := range r.Perm(64)[:len(codes)] {
		q.square[i] = chess.Square(s)
	}
	p, err := q.setup().Position()
	if err != nil {
		return q, nil
	}
	return q, p
}

// follows returns the value of a position as the rules of chess and of counting
// give it from the values of those one move on.
func follows(s *Solver, p *chess.Position) Value {
	win, loss, draw := Value(1<<14), Value(0), false
	moves := movegen.Legal(p, nil)
	for _, m := range moves {
		zeroing := p.Piece(m.From()).Type() == chess.Pawn || p.IsCapture(m)
		p.Make(m)
		v := s.value(p)
		p.Unmake()
		plies := max(v, -v-1) + 1
		if zeroing {
			plies = 1
			if v.WDL()*v.WDL() == 1 {
				plies = 101
			}
		}
		switch {
		case v < 0:
			win = min(win, plies)
		case v > 0:
			loss = max(loss, plies)
		default:
			draw = true
		}
	}
	switch {
	case win < 1<<14:
		return win
	case draw || len(moves) == 0 && !p.InCheck():
		return 0
	}
	return -loss - 1
}

// fill gives all legal positions of an ending a win for White in the given plies.
func (s *Solver) fill(t *testing.T, name string, plies Value) {
	t.Helper()
	for _, slice := range solve(t, s, name).slices {
		for i, v := range slice {
			switch {
			case v == Illegal:
			case i < len(slice)/2:
				slice[i] = plies
			default:
				slice[i] = -plies - 1
			}
		}
	}
}

// TestValuesFollow derives the value of random positions from those one move on.
// The mates of the pieces that a pawn becomes come later in some rounds, before
// and beyond the fifty moves, and in others knight or bishop win too, so that
// each promotion and each bound counts.
func TestValuesFollow(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, change := range []func(s *Solver){
		func(*Solver) {},
		func(s *Solver) { s.delay("KQvK", 85); s.delay("KRvK", 81) },
		func(s *Solver) { s.delay("KQvK", 100); s.delay("KRvK", 100) },
		func(s *Solver) { s.fill(t, "KNvK", 30) },
		func(s *Solver) { s.fill(t, "KBvK", 30) },
	} {
		s := NewSolver()
		for i, name := range []string{"KQvK", "KRvK", "KPvK"} {
			e := solve(t, s, name)
			wrong := 0
			for range 6000 {
				q, p := random(r, e.codes)
				if name == "KPvK" && (q.square[0] < 8 || q.square[0] > 55) {
					continue
				}
				slice, number := e.number(&q)
				got, want := e.slices[slice][number], Illegal
				if p != nil {
					want = follows(s, p)
				}
				if got != want || p != nil && s.value(p) != want {
					if wrong++; wrong < 4 {
						t.Errorf("%s, %v to move: %d, want %d", p, q.turn, got, want)
					}
				}
			}
			if i == 1 {
				change(s)
			}
		}
	}
}

// TestColours looks positions up with the colours exchanged.
func TestColours(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	s := NewSolver()
	for _, name := range []string{"KPvK", "KQvK"} {
		e := solve(t, s, name)
		for range 3000 {
			_, p := random(r, e.codes)
			if p == nil {
				continue
			}
			if got, want := s.value(p.Mirror()), s.value(p); got != want {
				t.Errorf("%s: %d, with the colours exchanged %d", p.FEN(), want, got)
			}
		}
	}
}

// TestEnPassant gives positions with en passant the better of the capture and
// what they are worth without, which the test makes up.
func TestEnPassant(t *testing.T) {
	s := NewSolver()
	solve(t, s, "KPvK")
	for _, tt := range []struct {
		fen      string
		without  Value
		wdl, dtz int
	}{
		{"8/1K6/8/3pP3/8/8/8/7k w - d6 0 1", 0, 2, 1},        // only the capture wins
		{"8/1K6/8/3pP3/8/8/8/7k w - d6 0 1", 60, 2, 1},       // it comes before other wins
		{"8/1K6/8/3pP3/8/8/8/7k w - d6 0 1", 120, 2, 1},      // and before late ones
		{"8/8/2k5/3pP3/8/8/8/7K w - d6 0 1", 60, 2, 60},      // the capture draws
		{"8/8/2k5/3pP3/8/8/8/7K w - d6 0 1", -60, 0, 0},      // which is better than a loss
		{"7k/8/8/8/3Pp3/8/1K6/8 b - d3 0 1", -60, 0, 0},      // Black, who is too slow to win
		{"7K/8/8/8/3Pp3/8/1k6/8 b - d3 0 1", 0, 2, 1},        // and who is not
		{"8/8/8/K2p4/3P4/8/8/7k w - d6 0 1", -7, -2, -6},     // no pawn can take
		{"8/8/8/K2p4/3P4/8/8/7k w - d6 0 1", -112, -1, -111}, // nor does it matter how late the loss is
	} {
		p := kit.Position(t, tt.fen)
		if behind := behindPawns(p); behind != p.EnPassant().Bitboard() {
			t.Errorf("%s: behind pawns are\n%v", tt.fen, behind)
		}
		if wdl, dtz := s.withPassant(p, tt.without); wdl != tt.wdl || dtz != tt.dtz {
			t.Errorf("%s, without %d: %d, %d; want %d, %d", tt.fen, tt.without, wdl, dtz, tt.wdl, tt.dtz)
		}
	}
}

// TestCompareFindsDifferences delays one mate of an ending, which is described, and then
// all: every win and loss differs.
func TestCompareFindsDifferences(t *testing.T) {
	tables, err := syzygy.Open()
	kit.Succeed(t, err)
	s := NewSolver()
	e := solve(t, s, "KRvK")
	before, err := s.Compare(context.Background(), e, tables, 1)
	if err != nil || before != (Comparison{Positions: before.Positions}) || before.Positions == 0 {
		t.Fatalf("%+v, %v", before, err)
	}
	won := slices.IndexFunc(e.slices[0], func(v Value) bool { return v > 0 })
	e.slices[0][won] += 3
	one, err := s.Compare(context.Background(), e, tables, 1)
	if err != nil || one.Differences != 1 || !strings.Contains(one.First, "the tables say") {
		t.Errorf("one mate delayed: %+v, %v", one, err)
	}
	e.slices[0][won] -= 3
	for _, plies := range []Value{3, 90} {
		legal, decided := 0, 0
		e.each(func(_ *placement, v Value) bool {
			legal++
			if v != 0 {
				decided++
			}
			return true
		})
		s.delay("KRvK", plies)
		c, err := s.Compare(context.Background(), e, tables, 1)
		if err != nil || c.Positions != before.Positions || c.Positions != legal || c.Differences != decided {
			t.Errorf("%d plies: %+v of %d positions, %d of them decided (%v)", plies, c, legal, decided, err)
		}
		if some, err := s.Compare(context.Background(), e, tables, 7); err != nil || some.Positions < legal/8 || some.Positions > legal/6 {
			t.Errorf("every seventh: %+v (%v)", some, err)
		}
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if _, err := s.Compare(ctx, e, tables, 1); err == nil {
		t.Error("no error after the context ended")
	}
	if _, err := NewSolver().Solve(ctx, "KRvK"); err == nil {
		t.Error("no error after the context ended")
	}
}

// TestSolveNames refuses names of no ending and of one that is called otherwise.
func TestSolveNames(t *testing.T) {
	for _, name := range []string{"", "KRK", "KvKR", "KXvK"} {
		if e, err := NewSolver().Solve(context.Background(), name); e != nil || err == nil {
			t.Errorf("%q: no error", name)
		}
	}
	for men, want := range map[int]int{3: 5, 4: 30, 5: 110} {
		names := Names(men)
		if len(names) != want || !slices.IsSortedFunc(names, func(a, b string) int { return strings.Count(a, "P") - strings.Count(b, "P") }) {
			t.Errorf("%d pieces: %q, want %d names, those with fewer pawns first", men, names, want)
		}
	}
}
