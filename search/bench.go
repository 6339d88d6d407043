package search

import (
	"context"
	"fmt"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval/nnue"
)

// BenchDepth is the usual depth of [Bench].
const BenchDepth = 14

// benchPositions are the positions of [Bench]: openings, middlegames and endgames
// from the engine's own games, Chess960 start positions, and studies. Changing them
// changes the signature.
var benchPositions = [50]string{
	chess.StartFEN,
	"r1bqkbnr/pp3ppp/2n1p3/2pp4/2P5/2N1P3/PP1PBPPP/R1BQK1NR w KQkq - 0 1",
	"r1bqkb1r/1p1ppp1p/p1n2np1/2p5/2P5/PP4P1/3PPPBP/RNBQK1NR w KQkq - 0 1",
	"rnbqkb1r/p2ppp1p/1p3np1/2p5/2PP4/4PN2/PP3PPP/RNBQKB1R w KQkq - 0 1",
	"r1bqk2r/pp1pbppp/2n2n2/2p1p3/4P3/2NP3P/PPP1BPP1/R1BQK1NR w KQkq - 0 1",
	"rnb1kb1r/p3ppp1/2q5/PpppP3/5Pnp/3P2P1/1PPN2BP/R1BQK1NR w KQkq - 1 5",
	"1r1qkb1r/pp1bpp1p/2n2np1/2p5/2Pp4/1Q1PP1P1/PP2NPBP/RNB1K2R w KQk - 6 5",
	"r2q1rk1/p1p1bppp/np3n2/3p4/3P1P2/P3PN2/1P4PP/RNBQK2R w KQ - 0 5",
	"1r1q1rk1/p1pbbppp/4p3/2ppP3/2P5/P2PBN2/2P2PPP/R2Q1RK1 w - - 0 9",
	"r1b2rk1/4ppb1/1qnp1npp/1Np5/4P3/PQ1P1NPP/1P1B1P2/R3KB1R w KQ - 3 9",
	"r1bq1rk1/2p2pp1/ppn2b1p/3p4/1P6/P2B3P/1BPPNPP1/RQ3RK1 w - - 0 9",
	"r2q1rk1/1p1bpp1n/p1np3B/2pNb3/P1P4R/1P1P1Pp1/4P1B1/R2QKN2 w Q - 1 13",
	"r2qkb1r/p4pp1/bp2p3/3p3P/2Pnn1B1/1P2PN1P/P2NQP2/2KR3R w kq - 0 13",
	"r4rk1/2pn1pp1/p1b1pn2/1p4R1/3P4/q1NQ1N1P/2PBBP2/2KR4 w - - 0 13",
	"2kr4/1p1nqpb1/pnp3p1/8/3P2P1/PP2PN2/5PQ1/R1B1K2B w Q - 3 17",
	"2r3k1/p4pp1/1p3n1p/4bP2/1p1p2P1/1P1P3P/PBr2RB1/R5K1 w - - 2 17",
	"r6r/2n1kp2/4q1pp/pp1n4/2P1Q3/1P2B1PP/5PB1/R4RK1 w - - 5 21",
	"2r1k1r1/5n2/p1bp2pp/1p2pp2/2PR2PP/PPN5/1K2BP2/3R4 w - - 0 21",
	"r6k/3nq1pp/1pp2r2/p3p3/PbQ1P3/1P3N1P/4BPP1/1R3R1K w - - 2 21",
	"2k2r2/3rq3/p1n1p3/1pp4p/P3p3/1PP4Q/4NPP1/3R1R1K w - - 0 25",
	"2rr3k/5p1p/pp3p2/2pp1N2/P5P1/4PN1P/2n1KP2/RR6 w - - 9 25",
	"2r5/2q4p/1p1b2pk/pQpP1p2/P1Pp1P2/3P2PP/3B2K1/4R3 w - - 1 29",
	"5rk1/1p1r3p/p4Ppq/8/P1P2R2/1Q6/6B1/5R1K w - - 1 29",
	"7r/R3p1k1/1B1b1p2/1P3b1p/P7/1n6/2B3PP/6K1 w - - 0 33",
	"6r1/2p1kp2/pp2p3/6PR/P7/1PNP4/4K1b1/8 w - - 3 33",
	"3r3k/4p1b1/2R3P1/4P2r/2Q2B2/6P1/4R1K1/3q4 w - - 3 37",
	"5qk1/8/1R4pr/3pP1Q1/3P1N2/6KP/8/8 w - - 5 41",
	"8/8/1p2k3/6q1/Pb6/4p3/2b4B/5K2 w - - 0 46",
	"8/8/1K6/B1p2P2/P1N1n3/8/4kb2/8 w - - 1 51",
	"4b3/4k3/8/4p3/3r4/5K2/8/8 w - - 2 56",
	"8/7R/6R1/8/4k3/6K1/8/8 w - - 0 61",
	"8/8/1r6/3R4/1PK5/5k2/8/8 w - - 1 66",
	"R7/3k4/2n5/4K3/4B3/8/8/8 w - - 6 71",
	// Chess960.
	"bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w HFhf - 0 1",
	"nrbbqkrn/pppppppp/8/8/8/8/PPPPPPPP/NRBBQKRN w GBgb - 0 1",
	"rnkqbbnr/pppppppp/8/8/8/8/PPPPPPPP/RNKQBBNR w HAha - 0 1",
	"qrknbbrn/pppppppp/8/8/8/8/PPPPPPPP/QRKNBBRN w GBgb - 0 1",
	// The wiki's perft positions 2, 4 and 5.
	"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
	"r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
	"rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
	// Elementary mates and draws.
	"8/8/8/3k4/8/8/8/KBN5 w - - 0 1",
	"8/8/8/3k4/8/8/8/KQ6 w - - 0 1",
	"8/8/8/3k4/8/3r4/8/KQ6 w - - 0 1",
	"8/4k3/8/4K3/4P3/8/8/8 w - - 0 1",
	"R7/8/8/8/8/4k3/8/4K3 w - - 95 150",
	// A mate on the back rank, a smothered one.
	"6k1/5ppp/8/8/8/8/8/R6K w - - 0 1",
	"r4r1k/6pp/7N/8/2Q5/8/6PP/6K1 w - - 0 1",
	// Lasker and Reichhelm 1901, Réti 1921, Saavedra and Barbier 1895.
	"8/k7/3p4/p2P1p2/P2P1P2/8/8/K7 w - - 0 1",
	"7K/8/k1P5/7p/8/8/8/8 w - - 0 1",
	"8/8/1KP5/3r4/8/8/8/k7 w - - 0 1",
}

// BenchSettings are the settings of [Bench].
type BenchSettings struct {
	Depth   Depth
	Threads int // 1 to MaxThreads
	Hash    int // MiB, 1 to MaxHash

	Params map[string]int // of the search, by their names in [Tunables], that differ from the defaults
}

// DefaultBench returns the settings for which the node count of [Bench] is the
// signature of the search with its network.
func DefaultBench() BenchSettings { return BenchSettings{Depth: BenchDepth, Threads: 1, Hash: 16} }

// signatureDepth is that of [Signature].
const signatureDepth = 9

// Signature returns the nodes of a short [Bench] with a network and the parameters that differ from the defaults: a
// number that tells one search from another. An error is the cause of the end of ctx, or names a parameter.
func Signature(ctx context.Context, network *nnue.Network, params map[string]int) (nodes uint64, err error) {
	s := DefaultBench()
	s.Depth, s.Params = signatureDepth, params
	nodes, _, err = Bench(ctx, network, s, nil)
	return nodes, err
}

// Bench searches fifty positions, each with an empty table and empty histories, and
// returns the nodes and the time. With one thread the node count is the same on every
// run and machine. It calls progress, if not nil, after the i-th of n positions. An
// error names the setting that is out of bounds, or is the cause of the end of ctx.
func Bench(
	ctx context.Context, network *nnue.Network, s BenchSettings, progress func(i, n int),
) (nodes uint64, elapsed time.Duration, err error) {
	if s.Depth < 1 {
		return 0, 0, fmt.Errorf("bench depth %d: want at least 1", s.Depth)
	}
	e, err := NewEngine(s.Hash)
	if err != nil {
		return 0, 0, err
	}
	defer e.Close()
	if err := e.SetThreads(s.Threads); err != nil {
		return 0, 0, err
	}
	if err := e.SetParamsByName(s.Params); err != nil {
		return 0, 0, err
	}
	e.SetNetwork(network)
	start := time.Now()
	for i, fen := range benchPositions {
		p, err := chess.ParseFEN(fen)
		if err != nil {
			return 0, 0, fmt.Errorf("bench position %d: %w", i+1, err)
		}
		e.Clear()
		a, err := e.Analyse(ctx, p, Limits{Depth: s.Depth}, Options{MultiPV: 1}, nil)
		if err != nil {
			return 0, 0, err
		}
		nodes += a.Nodes
		if progress != nil {
			progress(i+1, len(benchPositions))
		}
	}
	return nodes, time.Since(start), nil
}
