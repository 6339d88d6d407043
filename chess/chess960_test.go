package chess_test

import (
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
)

func TestChess960Starts(t *testing.T) {
	seen := map[string]int{}
	for n := range chess.Chess960Starts {
		p, err := chess.NewChess960(n)
		if err != nil {
			t.Fatalf("start %d: %v", n, err)
		}
		fen := p.FEN()
		if other, ok := seen[fen]; ok {
			t.Errorf("starts %d and %d are both %s", other, n, fen)
		}
		seen[fen] = n
		rank := fen[:8]
		for piece, want := range map[string]int{"k": 1, "q": 1, "r": 2, "b": 2, "n": 2} {
			if got := strings.Count(rank, piece); got != want {
				t.Errorf("start %d, %s: %d of %s, want %d", n, rank, got, piece, want)
			}
		}
		if (strings.Index(rank, "b")+strings.LastIndex(rank, "b"))%2 == 0 {
			t.Errorf("start %d, %s: bishops on squares of one colour", n, rank)
		}
		if k := strings.Index(rank, "k"); k < strings.Index(rank, "r") || k > strings.LastIndex(rank, "r") {
			t.Errorf("start %d, %s: king not between the rooks", n, rank)
		}
		if p.Castling() != chess.AllCastling || p.Chess960() != (rank[0] != 'r' || rank[4] != 'k' || rank[7] != 'r') {
			t.Errorf("start %d, %s: castling rights %04b, Chess960 %v", n, fen, p.Castling(), p.Chess960())
		}
		if none := parse(t, fen[:43]+" w - - 0 1"); none.Chess960() {
			t.Errorf("%s: Chess960 without a right to castle", none)
		}
		// Published numbers.
		if want := map[int]string{0: "bbqnnrkr", chess.StandardStart: "rnbqkbnr", 534: "rnbkqbnr", 959: "rkrnnqbb"}[n]; want != "" && rank != want {
			t.Errorf("start %d: %s, want %s", n, rank, want)
		}
	}
}

func TestDoubleChess960(t *testing.T) {
	p, err := chess.NewDoubleChess960(chess.StandardStart, 0)
	if want := "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"; err != nil || p.FEN() != want {
		t.Errorf("got %v, %v, want %s", p, err, want)
	}
	for _, c := range []struct {
		white, black int
		want         string
	}{
		{-1, 0, "Chess960 start -1, want 0 to 959 for white"}, {960, 0, "Chess960 start 960, want 0 to 959 for white"},
		{0, -1, "Chess960 start -1, want 0 to 959 for black"}, {960, 960, "Chess960 start 960, want 0 to 959"},
	} {
		if p, err := chess.NewDoubleChess960(c.white, c.black); err == nil || err.Error() != c.want {
			t.Errorf("starts %d and %d: %v, %v, want %s", c.white, c.black, p, err, c.want)
		}
	}
}
