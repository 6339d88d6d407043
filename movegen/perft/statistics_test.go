package perft

import (
	"context"
	"errors"
	"math/bits"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/test/kit"
)

// TestStatistics holds the counts to the tables of CPW "Perft Results", whose 2,637 double
// checks of the second position at depth 5 lack promotions that uncover a second checker.
func TestStatistics(t *testing.T) {
	for fen, want := range map[string][]Statistics{
		chess.StartFEN: {
			{20, 0, 0, 0, 0, 0, 0, 0, 0}, {400, 0, 0, 0, 0, 0, 0, 0, 0}, {8902, 34, 0, 0, 0, 12, 0, 0, 0},
			{197281, 1576, 0, 0, 0, 469, 0, 0, 8}, {4865609, 82719, 258, 0, 0, 27351, 6, 0, 347},
			{119060324, 2812008, 5248, 0, 0, 809099, 329, 46, 10828},
		},
		"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1": {
			{48, 8, 0, 2, 0, 0, 0, 0, 0}, {2039, 351, 1, 91, 0, 3, 0, 0, 0}, {97862, 17102, 45, 3162, 0, 993, 0, 0, 1},
			{4085603, 757163, 1929, 128013, 15172, 25523, 42, 6, 43},
			{193690690, 35043416, 73365, 4993637, 8392, 3309887, 19883, 2645, 30171},
		},
		"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1": {
			{14, 1, 0, 0, 0, 2, 0, 0, 0}, {191, 14, 0, 0, 0, 10, 0, 0, 0}, {2812, 209, 2, 0, 0, 267, 3, 0, 0},
			{43238, 3348, 123, 0, 0, 1680, 106, 0, 17}, {674624, 52051, 1165, 0, 0, 52950, 1292, 3, 0},
			{11030083, 940350, 33325, 0, 7552, 452473, 26067, 0, 2733},
			{178633661, 14519036, 294874, 0, 140024, 12797406, 370630, 3612, 87},
		},
		"r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1": {
			{6, 0, 0, 0, 0, 0, 0, 0, 0}, {264, 87, 0, 6, 48, 10, 0, 0, 0}, {9467, 1021, 4, 0, 120, 38, 2, 0, 22},
			{422333, 131393, 0, 7795, 60032, 15492, 19, 0, 5},
			{15833292, 2046173, 6512, 0, 329464, 200568, 11621, 50, 50562},
		},
		"rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8": {
			{44, 6, 0, 1, 4, 0, 0, 0, 0}, {1486, 222, 0, 0, 0, 117, 0, 0, 0}, {62379, 8517, 0, 1081, 5068, 1201, 0, 0, 44},
			{2103487, 296153, 0, 0, 0, 158486, 10877, 1770, 240},
			{89941194, 12320378, 140, 1240828, 6655216, 3078299, 7459, 58, 137306},
		},
		"r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10": {
			{46, 4, 0, 0, 0, 1, 0, 0, 0}, {2079, 203, 0, 0, 0, 40, 0, 0, 0}, {89890, 9470, 0, 0, 0, 1783, 0, 0, 0},
			{3894594, 440388, 0, 0, 0, 68985, 62, 20, 0}, {164075551, 19528068, 122, 0, 0, 2998608, 10687, 2960, 228},
		},
	} {
		if testing.Short() {
			want = want[:4]
		}
		got, branches, err := CountStatistics(t.Context(), kit.Position(t, fen), len(want), Options{Threads: 2})
		kit.Succeed(t, err)
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("%s, depth %d:\n%v, want\n%v", fen, i+1, &got[i], &want[i])
			}
		}
		if sum, err := Sum(branches); sum != want[len(want)-1].Nodes || err != nil {
			t.Errorf("%s: the branches add up to %d, %v; want %d", fen, sum, err, want[len(want)-1].Nodes)
		}
	}
}

// played adds the moves of p, and to depth plies those below them, by playing them.
func played(p *chess.Position, out []Statistics) {
	p.Reserve(len(out))
	s := &out[0]
	for _, m := range movegen.Legal(p, nil) {
		s.Nodes++
		switch {
		case m.Kind() == chess.EnPassant:
			s.EnPassant++
			s.Captures++
		case m.Kind() == chess.Castling:
			s.Castles++
		case p.Piece(m.To()) != chess.NoPiece:
			s.Captures++
		}
		if m.Kind() == chess.Promotion {
			s.Promotions++
		}
		p.Make(m)
		checkers := uint64(p.Checkers())
		switch {
		case bits.OnesCount64(checkers) > 1:
			s.Double++
		case checkers != 0 && m.Kind() != chess.Castling && checkers != uint64(m.To().Bitboard()):
			s.Discovered++
		}
		if checkers != 0 {
			s.Checks++
			if !p.HasLegalMove() {
				s.Mates++
			}
		}
		if len(out) > 1 {
			played(p, out[1:])
		}
		p.Unmake()
	}
}

// TestStatisticsByPlaying compares with moves that are played, in Chess960 too.
func TestStatisticsByPlaying(t *testing.T) {
	fens := []string{
		"8/8/8/R2pP2k/8/8/8/4K3 w - d6 0 1", "8/8/4k3/3pP3/8/8/B7/4RK2 w - d6 0 1", "8/8/8/K7/1R3p1k/8/4P3/8 w - - 0 1",
		"3k4/8/8/8/8/8/8/R3K3 w Q - 0 1", "2k5/P7/8/8/8/8/8/R3K3 w Q - 0 1", "8/k1P5/8/1K6/8/8/8/8 w - - 0 1",
	}
	for _, line := range kit.Suite(t, "chess960.epd") {
		fens = append(fens, line.FEN)
	}
	for i, fen := range fens {
		if testing.Short() && i%20 > 6 {
			continue
		}
		p := kit.Position(t, fen)
		want := make([]Statistics, 2)
		played(p.Clone(), want)
		for _, depth := range []int{1, 2} {
			got, _, err := CountStatistics(t.Context(), p, depth, Options{})
			if err != nil || got[depth-1] != want[depth-1] {
				t.Errorf("%s, depth %d: %v\n%v, want\n%v", fen, depth, err, &got[depth-1], &want[depth-1])
			}
		}
	}
}

func TestStatisticsEnd(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	go cancel()
	_, _, err := CountStatistics(ctx, chess.NewPosition(), 9, Options{Threads: 2})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
	for _, depth := range []int{0, MaxDepth + 1} {
		if s, _, err := CountStatistics(t.Context(), chess.NewPosition(), depth, Options{}); err == nil || s != nil {
			t.Errorf("depth %d: %v, %v", depth, s, err)
		}
	}
	// Without a legal move there is nothing to count.
	got, _, err := CountStatistics(t.Context(), kit.Position(t, "8/8/8/8/8/k7/p7/K7 w - - 0 1"), 3, Options{Threads: 8})
	if err != nil || got[0] != (Statistics{}) || got[2] != (Statistics{}) {
		t.Errorf("stalemate: %v, %v", got, err)
	}
}
