package eval

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
)

// positions are taken for symmetry, allocation and speed.
var positions = []string{
	chess.StartFEN,
	"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
	"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
	"r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b KQ - 0 1",
	"rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
	"r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
	"8/8/4kpp1/3p1b2/p6P/2B5/6P1/6K1 b - - 0 47",
	"8/8/8/4k3/8/8/1PK5/8 w - - 0 1",
	"7k/8/8/8/8/8/P1B5/K7 w - - 0 1",
	"8/8/8/3k4/8/8/8/KBN5 w - - 0 1",
	"k7/8/8/8/8/8/8/KNN5 w - - 0 1",
	"2k5/8/1p6/p1p1p1pp/P1P1PpPP/1P3P2/8/2K5 b - - 0 1",
}

func parse(t testing.TB, fen string) *chess.Position {
	t.Helper()
	p, err := chess.ParseFEN(fen)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestMirrorGivesSameScore(t *testing.T) {
	e := New()
	for _, fen := range positions {
		mirrored := mirror(t, fen)
		got, want := e.Evaluate(parse(t, mirrored)), e.Evaluate(parse(t, fen))
		if got != want {
			t.Errorf("%s: %d, mirrored %s: %d", fen, want, mirrored, got)
		}
	}
}

// mirror returns the FEN of the position with the colours exchanged.
func mirror(t testing.TB, fen string) string {
	t.Helper()
	f := strings.Fields(fen)
	ranks := strings.Split(f[0], "/")
	slices.Reverse(ranks)
	swap := func(r rune) rune {
		switch {
		case unicode.IsUpper(r):
			return unicode.ToLower(r)
		case unicode.IsLower(r):
			return unicode.ToUpper(r)
		}
		return r
	}
	f[0] = strings.Map(swap, strings.Join(ranks, "/"))
	f[1] = map[string]string{"w": "b", "b": "w"}[f[1]]
	castling := strings.Map(swap, f[2])
	f[2] = strings.Trim(castling, "kq") + strings.Trim(castling, "KQ")
	if castling == "-" {
		f[2] = "-"
	}
	if f[3] != "-" {
		f[3] = f[3][:1] + string('9'-f[3][1]+'0')
	}
	return strings.Join(f, " ")
}

func TestMirrorAlongRandomGames(t *testing.T) {
	e := New()
	r := rand.New(rand.NewPCG(3, 1))
	for range 20 {
		p := parse(t, chess.StartFEN)
		for range 120 {
			moves := movegen.Legal(p, nil)
			if len(moves) == 0 {
				break
			}
			p.Make(moves[r.IntN(len(moves))])
			fen := p.FEN()
			mirrored := mirror(t, fen)
			if got, want := e.Evaluate(parse(t, mirrored)), e.Evaluate(p); got != want {
				t.Fatalf("%s: %d, mirrored %s: %d", fen, want, mirrored, got)
			}
		}
	}
}

// TestMemoryOfPawnsChangesNothing compares an evaluator that has seen a whole
// game with one that starts afresh at every position.
func TestMemoryOfPawnsChangesNothing(t *testing.T) {
	e, fresh := New(), New()
	r := rand.New(rand.NewPCG(5, 1))
	p := parse(t, chess.StartFEN)
	for range 200 {
		moves := movegen.Legal(p, nil)
		if len(moves) == 0 {
			break
		}
		p.Make(moves[r.IntN(len(moves))])
		fresh.Forget()
		if got, want := e.Evaluate(p), fresh.Evaluate(p); got != want {
			t.Fatalf("%s: %d, without memory %d", p, got, want)
		}
	}
}

func TestKnownEndgames(t *testing.T) {
	e := New()
	for _, tt := range []struct {
		name, fen string
		low, high Score
	}{
		{"two knights", "8/8/8/3k4/8/8/8/KNN5 w - - 0 1", -20, 20},
		{"a lone bishop", "8/8/8/3k4/8/8/8/KB6 w - - 0 1", -20, 20},
		{"wrong bishop, king in the corner", "k7/8/8/8/8/P7/5B2/K7 w - - 0 1", -20, 60},
		{"queen", "8/8/8/3k4/8/8/8/KQ6 w - - 0 1", 800, Limit},
		{"rook", "8/8/8/3k4/8/8/8/KR6 w - - 0 1", 400, Limit},
		{"bishop and knight", "8/8/8/3k4/8/8/8/KBN5 w - - 0 1", 400, Limit},
		{"two bishops", "8/8/8/3k4/8/8/8/KBB5 w - - 0 1", 400, Limit},
	} {
		for _, fen := range []string{tt.fen, mirror(t, tt.fen)} {
			if got := e.Evaluate(parse(t, fen)); got < tt.low || got > tt.high {
				t.Errorf("%s: %s: %d, want %d to %d", tt.name, fen, got, tt.low, tt.high)
			}
		}
	}
	right := e.Evaluate(parse(t, "7k/8/5K2/8/8/8/8/2BN4 w - - 0 1"))
	wrong := e.Evaluate(parse(t, "k7/8/2K5/8/8/8/8/2BN4 w - - 0 1"))
	if right <= wrong {
		t.Errorf("bishop and knight: %d with the king in the bishop's corner, %d in the other", right, wrong)
	}
}

func TestNoAllocation(t *testing.T) {
	e := New()
	for _, fen := range positions {
		p := parse(t, fen)
		if n := testing.AllocsPerRun(10, func() { e.Evaluate(p) }); n != 0 {
			t.Errorf("%s: %v allocations", fen, n)
		}
	}
}

func BenchmarkEvaluate(b *testing.B) {
	e := New()
	var all []*chess.Position
	for _, fen := range positions {
		all = append(all, parse(b, fen))
	}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		e.Evaluate(all[i%len(all)])
	}
}
