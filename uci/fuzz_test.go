package uci

import (
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
)

// FuzzSession sends any bytes as a session, to an engine that does not search and to the
// real one.
func FuzzSession(f *testing.F) {
	for _, s := range []string{
		"uci\nisready\nposition startpos moves e2e4 e7e5\ngo wtime 100 btime 100\nstop\n",
		"position fen 4k3/8/8/8/8/8/8/rR2K1N1 w Q - 0 1\nd\neval\ngo depth 3 searchmoves e1d1 b1a1\n",
		"setoption name UCI_Chess960 value true\nposition fen bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9\ngo infinite\n",
		"go ponder wtime 1 btime -1 winc 0 movestogo 0\nponderhit\ndebug on\nposition startpos\nwait\n",
		"setoption name Hash value 999999999\nsetoption name Clear Hash\nsetoption name MultiPV value x\n",
		"position fen blah\nposition startpos moves e2e5\n\x00\xff\xfe\r\n\r\r\ngo\ngo\ngo mate 2\n",
		"joho debug on\nponderhit\nucinewgame\ncompiler\nposition fen 8/8/8/8/8/8/8/8 w - - 0 1",
		"position fen R5k1/5ppp/8/8/8/8/8/K7 b - - 0 1\ngo depth 5\nposition fen 7k/5Q2/6K1/8/8/8/8/8 b - - 99 9999 moves h8g8\n",
		"setoption name MultiPV value 4\nposition fen 7k/5Q2/6K1/8/8/8/8/8 b - - 99 99 moves h8g8\ngo nodes 9\ngo ponder\nponderhit\n",
	} {
		f.Add([]byte(s))
	}
	e := realEngine(f)
	f.Fuzz(func(t *testing.T, data []byte) {
		// These end the session, run for minutes or open files, as they should.
		for _, word := range []string{"quit", "perft", "bench", "genfens", "EvalFile", "evalfile"} {
			data = bytes.ReplaceAll(data, []byte(word), []byte("-"))
		}
		fake := &fakeEngine{}
		runSession(t, fake, string(data), func() int { return len(fake.limits) })
		if fake.overlaps != 0 {
			t.Fatalf("%d calls reached the engine during a search", fake.overlaps)
		}
		realSession(t, e, strings.ReplaceAll(string(data), "wait", "-"))
	})
}

// runSession sends a session to an engine and demands what any session must bring: it lives
// on, prints whole lines without control characters, and answers each search once.
func runSession(t *testing.T, e Searcher, input string, searches func() int) {
	t.Helper()
	out := script(t, e, testConfig, input+"\nstop\nisready\n")
	if n := len(out); n == 0 || out[n-1] != "readyok" {
		t.Fatalf("no readyok at the end of %q: %q", input, out)
	}
	if got := countLines(out, "bestmove "); got != searches() {
		t.Fatalf("%d bestmove lines for %d searches of %q: %q", got, searches(), input, out)
	}
	for _, l := range out {
		if strings.ContainsFunc(l, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			t.Fatalf("control character in %q", l)
		}
	}
}

// FuzzUCIMove reads any text as a move: it is refused with a *chess.MoveError,
// or it is a legal move whose own text, in both forms, reads back as itself.
func FuzzUCIMove(f *testing.F) {
	for _, fen := range []string{
		chess.StartFEN, "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "1r3k1r/P7/8/8/8/8/7p/1R3K1R b KQkq - 0 1",
		"4k3/8/8/2pP4/8/8/8/4K3 w - c6 0 2",
	} {
		for _, move := range []string{"e2e4", "e1g1", "e1h1", "a7b8q", "h2h1N", "d5c6", "0000", "e2e4x", "é2e4", ""} {
			f.Add(fen, move)
		}
	}
	f.Fuzz(func(t *testing.T, fen, text string) {
		p, err := chess.ParseFEN(fen)
		if err != nil {
			return
		}
		m, err := p.ParseUCI(text)
		if err != nil {
			if refused := (*chess.MoveError)(nil); !errors.As(err, &refused) {
				t.Fatalf("%s: %q: error %v is no *chess.MoveError", fen, text, err)
			}
			return
		}
		if !p.IsLegal(m) {
			t.Fatalf("%s: %q gives the illegal move %v", fen, text, m)
		}
		// In standard text a castling king may land where a step would; only
		// there may the move read differ.
		for _, chess960 := range []bool{true, p.Chess960()} {
			own := string(appendMove(nil, m, chess960))
			if again, err := p.ParseUCI(own); err != nil || again != m {
				t.Fatalf("%s: %q gives %v, whose text %q gives %v, %v", fen, text, m, own, again, err)
			}
		}
	})
}
