package generator

import (
	"github.com/tabula-chess/tabula/chess"
)

// TestPosition is a test position for perft speeds.
type TestPosition struct {
	Name string // in tables
	Key  string // in benchmark names and JSON
	FEN  string
	// counts holds the published perft counts of depths 1, 2, …
	counts []uint64
}

// Nodes returns the published count of a depth, or 0 if there is none.
func (p *TestPosition) Nodes(depth int) uint64 {
	if depth < 1 || depth > len(p.counts) {
		return 0
	}
	return p.counts[depth-1]
}

// Positions returns the six positions of CPW "Perft Results" with
// their published counts, the start position and Kiwipete first. All are
// standard chess, so that every generator can count them.
func Positions() []*TestPosition {
	return []*TestPosition{
		{"start position", "start", chess.StartFEN,
			[]uint64{20, 400, 8902, 197281, 4865609, 119060324, 3195901860}},
		{"Kiwipete", "kiwipete", "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
			[]uint64{48, 2039, 97862, 4085603, 193690690, 8031647685}},
		{"rook endgame", "endgame", "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
			[]uint64{14, 191, 2812, 43238, 674624, 11030083, 178633661, 3009794393}},
		{"promotions", "promotions", "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
			[]uint64{6, 264, 9467, 422333, 15833292, 706045033}},
		{"open king", "openking", "rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
			[]uint64{44, 1486, 62379, 2103487, 89941194}},
		{"middle game", "middlegame", "r4rk1/1pp1qppp/p1np1n2/2b1p1B1/2B1P1b1/P1NP1N2/1PP1QPPP/R4RK1 w - - 0 10",
			[]uint64{46, 2079, 89890, 3894594, 164075551, 6923051137}},
	}
}
