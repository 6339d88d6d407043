package eval

import (
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/tabula-chess/tabula/chess"
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
