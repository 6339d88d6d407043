package command

import (
	"bytes"
	"context"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/command"
)

// TestPerftByTable counts published positions by a table, on one thread and two:
// trees in which boards come up again with another right, en-passant square or
// side to move.
func TestPerftByTable(t *testing.T) {
	for _, tt := range []struct {
		fen, depth, nodes string
	}{
		{chess.StartFEN, "6", "119060324 nodes"},
		{"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", "4", "4085603 nodes"},
		{"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1", "5", "674624 nodes"},
		{"r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1", "4", "422333 nodes"},
		{"r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b KQ - 0 1", "4", "422333 nodes"},
		{"r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", "5", "7594526 nodes"},
	} {
		for _, threads := range []string{"1", "2"} {
			out, errOut, code := call(t, "perft", "--fen", tt.fen, "--depth", tt.depth, "--hash", "16", "--threads", threads)
			if code != 0 || !strings.Contains(out, tt.nodes) {
				t.Errorf("%s, depth %s, %s threads: exit code %d\n%s%s\nwant %s", tt.fen, tt.depth, threads, code, out, errOut, tt.nodes)
			}
		}
	}
}

func TestPerftInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var out, errOut bytes.Buffer
	code := run(ctx, []string{"bench", "perft", "--depth", "9"}, &out, &errOut)
	if code != command.Interrupted || out.Len() > 0 {
		t.Errorf("exit code %d, %q, %q", code, out.String(), errOut.String())
	}
}
