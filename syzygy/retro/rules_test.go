package retro

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/testkit"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/syzygy"
	"github.com/tabula-chess/tabula/syzygy/internal/layout"
)

// ofChess returns a position of package chess as one of this package.
func ofChess(p *chess.Position) position {
	q := position{turn: p.SideToMove()}
	for s := range p.Occupied().Squares() {
		q.code[q.n], q.square[q.n] = layout.MakeCode(p.Piece(s).Color(), p.Piece(s).Type()), s
		q.n++
	}
	q.place()
	return q
}

// random returns a position with pieces on random squares, and as package chess
// reads it, nil where it is not legal.
func random(r *rand.Rand, codes []layout.Code) (position, *chess.Position) {
	q := position{n: len(codes), turn: chess.Color(r.IntN(2))}
	for i, s := range r.Perm(64)[:q.n] {
		q.code[i], q.square[i] = codes[i], chess.Square(s)
	}
	if !q.place() {
		panic("two pieces on a square")
	}
	p, err := q.setup(chess.NoSquare).Position()
	if err != nil {
		return q, nil
	}
	return q, p
}

// fen returns the position as text, or why it is none.
func (p *position) fen(passant chess.Square) string {
	q, err := p.setup(passant).Position()
	if err != nil {
		return err.Error()
	}
	return q.FEN()
}

func codesOf(t *testing.T, name string) []layout.Code {
	t.Helper()
	m, err := layout.ParseMaterial(name)
	testkit.Succeed(t, err)
	return layout.Pieces(m)
}

// TestMovesFollowTheRules compares captures, pawn moves with all promotions, en
// passant, checks and stalemate with package movegen in random positions.
func TestMovesFollowTheRules(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	for _, name := range []string{"KPvKP", "KPPvKN", "KQvKRP", "KPvKBP", "KRPvKP"} {
		codes := codesOf(t, name)
		for range 3000 {
			q, p := random(r, codes)
			if p == nil {
				continue
			}
			for _, passant := range append(q.passantSquares(), chess.NoSquare) {
				checkMoves(t, &q, passant)
			}
		}
	}
}

func checkMoves(t *testing.T, q *position, passant chess.Square) {
	t.Helper()
	p, err := q.setup(passant).Position()
	if err != nil {
		return // the pawn's move did not end the check that there was before it
	}
	var want, wantPassant, got, gotPassant []string
	quiet := false
	for _, m := range movegen.Legal(p, nil) {
		square, pawn := chess.NoSquare, p.Piece(m.From()).Type() == chess.Pawn
		if pawn && m.From()^m.To() == 16 {
			square = (m.From() + m.To()) / 2
		}
		zeroing, kind := pawn || p.IsCapture(m), m.Kind()
		p.Make(m)
		after := ofChess(p)
		p.Unmake()
		switch {
		case kind == chess.EnPassant:
			wantPassant = append(wantPassant, after.fen(square))
		case zeroing:
			want = append(want, after.fen(square))
		default:
			quiet = true
		}
	}
	q.zeroingMoves(func(after *position, square chess.Square) bool {
		got = append(got, after.fen(square))
		return true
	})
	if passant != chess.NoSquare {
		for _, after := range q.passantMoves(passant) {
			gotPassant = append(gotPassant, after.fen(chess.NoSquare))
		}
	}
	for _, list := range [4][]string{want, got, wantPassant, gotPassant} {
		slices.Sort(list)
	}
	if !slices.Equal(got, want) || !slices.Equal(gotPassant, wantPassant) {
		t.Errorf("%s: captures and pawn moves %q, %q; want %q, %q", p.FEN(), got, gotPassant, want, wantPassant)
	}
	if q.stuck() == (quiet || len(want) > 0) || q.exposed(q.turn) != p.InCheck() {
		t.Errorf("%s: no move %v, check %v", p.FEN(), q.stuck(), q.exposed(q.turn))
	}
}

// follows returns the value of a position as the rules of chess and of counting
// give it from the values of those one move on.
func follows(s *Solver, p *chess.Position) Value {
	win, loss, draw := Value(1<<14), Value(0), false
	moves := movegen.Legal(p, nil)
	for _, m := range moves {
		zeroing := p.Piece(m.From()).Type() == chess.Pawn || p.IsCapture(m)
		p.Make(m)
		q := ofChess(p)
		p.Unmake()
		v := s.value(&q)
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
			codes, wrong := codesOf(t, name), 0
			for range 6000 {
				q, p := random(r, codes)
				if name == "KPvK" && (q.square[0] < 8 || q.square[0] > 55) {
					continue
				}
				got, want := s.value(&q), Illegal
				if p != nil {
					want = follows(s, p)
				}
				if e != s.solved[e.material] || got != want {
					if wrong++; wrong < 4 {
						t.Errorf("%s: %d, want %d", q.fen(chess.NoSquare), got, want)
					}
				}
			}
			if i == 1 {
				change(s)
			}
		}
	}
}

// TestColours looks positions up with the colours exchanged and the pieces in
// any order.
func TestColours(t *testing.T) {
	r := rand.New(rand.NewPCG(5, 6))
	s := NewSolver()
	solve(t, s, "KPvK")
	for _, name := range []string{"KPvK", "KQvK"} {
		codes := codesOf(t, name)
		for range 3000 {
			q, p := random(r, codes)
			if p == nil {
				continue
			}
			mirror := position{n: q.n, turn: q.turn.Other()}
			for i, from := range r.Perm(q.n) {
				mirror.code[i], mirror.square[i] = q.code[from]^8, q.square[from]^56
			}
			if got, want := s.value(&mirror), s.value(&q); got != want {
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
		p := testkit.Position(t, tt.fen)
		q := ofChess(p)
		square, _ := chess.ParseSquare(strings.Fields(tt.fen)[3])
		if squares := q.passantSquares(); !slices.Equal(squares, []chess.Square{square}) {
			t.Errorf("%s: en passant on %v", tt.fen, squares)
		}
		if wdl, dtz := s.passantValue(&q, tt.without, square); wdl != tt.wdl || dtz != tt.dtz {
			t.Errorf("%s, without %d: %d, %d; want %d, %d", tt.fen, tt.without, wdl, dtz, tt.wdl, tt.dtz)
		}
	}
}

// TestCompareFindsDifferences delays one mate of an ending, which is described, and then
// all: every win and loss differs.
func TestCompareFindsDifferences(t *testing.T) {
	tables, err := syzygy.Open()
	testkit.Succeed(t, err)
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
		e.Each(func(_ []layout.Code, _ []chess.Square, _ chess.Color, v Value) bool {
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
			t.Errorf("%d men: %q, want %d names, those with fewer pawns first", men, names, want)
		}
	}
}
