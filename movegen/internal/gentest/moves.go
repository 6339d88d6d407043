package gentest

import (
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/chesstest"
)

// testCastling tests each square of the castling king's way, and that squares
// only the rook crosses may be attacked.
func testCastling(t *testing.T, construct New) {
	for _, tc := range []struct{ name, fen, want string }{
		{"free", "4k3/8/8/8/8/8/8/R3K2R w KQ - 0 1", "e1g1 e1c1"},
		{"in check", "4k3/8/8/8/4r3/8/8/R3K2R w KQ - 0 1", ""},
		{"f1 attacked", "4k3/8/8/8/5r2/8/8/R3K2R w KQ - 0 1", "e1c1"},
		{"g1 attacked", "4k3/8/8/8/6r1/8/8/R3K2R w KQ - 0 1", "e1c1"},
		{"h1 attacked", "4k3/8/8/8/7r/8/8/R3K2R w KQ - 0 1", "e1g1 e1c1"},
		{"d1 attacked", "4k3/8/8/8/3r4/8/8/R3K2R w KQ - 0 1", "e1g1"},
		{"c1 attacked", "4k3/8/8/8/2r5/8/8/R3K2R w KQ - 0 1", "e1g1"},
		{"b1 attacked", "4k3/8/8/8/1r6/8/8/R3K2R w KQ - 0 1", "e1g1 e1c1"},
		{"a1 attacked", "4k3/8/8/8/r7/8/8/R3K2R w KQ - 0 1", "e1g1 e1c1"},
		{"b1 occupied", "4k3/8/8/8/8/8/8/RN2K2R w KQ - 0 1", "e1g1"},
		{"f1 occupied", "4k3/8/8/8/8/8/8/R3Kn1R w KQ - 0 1", "e1c1"},
		{"short right only", "4k3/8/8/8/8/8/8/R3K2R w K - 0 1", "e1g1"},
		{"long right only", "4k3/8/8/8/8/8/8/R3K2R w Q - 0 1", "e1c1"},
		{"no right", "4k3/8/8/8/8/8/8/R3K2R w - - 0 1", ""},
		{"knight on the way", "4k3/8/8/8/8/4n3/8/R3K2R w KQ - 0 1", ""},
		{"pawn on the way", "4k3/8/8/8/8/8/7p/R3K2R w KQ - 0 1", "e1c1"},
		{"king on the way", "8/8/8/8/8/8/6k1/R3K2R w Q - 0 1", "e1c1"},
		{"Shredder letters", "4k3/8/8/8/8/8/8/R3K2R w HA - 0 1", "e1g1 e1c1"},
	} {
		b := mustNew(t, construct, tc.fen)
		moves := slices.DeleteFunc(b.Legal(nil), func(m chess.Move) bool { return m.Kind() != chess.Castling })
		compare(t, tc.fen, tc.name, moves, strings.Fields(tc.want))
	}
}

// testMake tests the whole position after one move, counters included.
func testMake(t *testing.T, construct New) {
	for _, tc := range []struct{ move, fen, want string }{
		{"g1f3", chess.StartFEN, "rnbqkbnr/pppppppp/8/8/8/5N2/PPPPPPPP/RNBQKB1R b KQkq - 1 1"},
		{"e2e4", chess.StartFEN, "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1"},
		{"e8d8", "4k3/8/8/8/8/8/4P3/4K3 b - - 7 9", "3k4/8/8/8/8/8/4P3/4K3 w - - 8 10"},
		{"d7d5", "4k3/3p4/8/4P3/8/8/8/4K3 b - - 7 9", "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 10"},
		{"e5d6", "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 10", "4k3/8/3P4/8/8/8/8/4K3 b - - 0 10"},
		{"e1e2", "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 10", "4k3/8/8/3pP3/8/8/4K3/8 b - - 1 10"},
		{"e1g1", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 3 4", "r3k2r/8/8/8/8/8/8/R4RK1 b kq - 4 4"},
		{"e1c1", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 3 4", "r3k2r/8/8/8/8/8/8/2KR3R b kq - 4 4"},
		{"a1b1", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 3 4", "r3k2r/8/8/8/8/8/8/1R2K2R b Kkq - 4 4"},
		{"h1h8", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 3 4", "r3k2R/8/8/8/8/8/8/R3K3 b Qq - 0 4"},
		{"a1a8", "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 3 4", "R3k2r/8/8/8/8/8/8/4K2R b Kk - 0 4"},
		{"a7a8n", "1r2k3/P7/8/8/8/8/8/4K3 w - - 3 4", "Nr2k3/8/8/8/8/8/8/4K3 b - - 0 4"},
		{"a7b8b", "1r2k3/P7/8/8/8/8/8/4K3 w - - 3 4", "1B2k3/8/8/8/8/8/8/4K3 b - - 0 4"},
	} {
		for _, twin := range [][3]string{
			{tc.move, tc.fen, tc.want},
			{chesstest.MirrorMove(tc.move), chesstest.Mirror(tc.fen), chesstest.Mirror(tc.want)},
		} {
			move, fen, want := twin[0], twin[1], twin[2]
			// A move of Black completes the full move.
			if fen != tc.fen {
				want = renumber(fen, want)
			}
			b := mustNew(t, construct, fen)
			legal := b.Legal(nil)
			i := slices.Index(texts(legal), move)
			if i < 0 {
				t.Errorf("%s: %s is not legal", fen, move)
				continue
			}
			b.Make(legal[i])
			if got := fenOf(b); got != want {
				t.Errorf("%s: after %s the board is\n%s, want\n%s", fen, move, got, want)
			}
			b.Unmake()
			if got := fenOf(b); got != fen {
				t.Errorf("%s: after %s and Unmake the board is\n%s", fen, move, got)
			}
			b.Unmake() // nothing left to take back
			if got := fenOf(b); got != fen {
				t.Errorf("%s: Unmake without a move made it\n%s", fen, got)
			}
		}
	}
}

// renumber gives the position after a move the number that it has when the
// position before has the given one.
func renumber(before, after string) string {
	fields, old := strings.Fields(after), strings.Fields(before)
	n, err := strconv.Atoi(old[5])
	if err != nil {
		return after
	}
	if old[1] == "b" {
		n++
	}
	fields[5] = strconv.Itoa(n)
	return strings.Join(fields, " ")
}

// doubleChecks are positions in which one of two checkers could be captured
// or blocked.
var doubleChecks = []string{
	"4r2k/8/8/8/8/5n2/6B1/4K3 w - - 0 1",
	"4r2k/8/8/8/8/5n2/R7/4K3 w - - 0 1",
	"4r2k/8/8/b7/8/8/R7/4K1B1 w - - 0 1",
	"4r1k1/8/8/8/8/3n4/P1P5/B3K2R w K - 0 1",
}

// testTree walks the first plies of the published positions and some double
// checks, and looks at every pseudo-legal move: made and unmade it restores the position; the legal
// ones are those after which the king cannot be taken; tactical and quiet
// moves are what they should be.
func testTree(t *testing.T, construct New) {
	for _, line := range Suite(t, "published.epd") {
		for _, fen := range []string{line.FEN, chesstest.Mirror(line.FEN)} {
			depth := 2
			if testing.Short() || line.Counts[0] > 15 {
				depth = 1
			}
			checkNode(t, construct, mustNew(t, construct, fen), depth)
			if t.Failed() {
				return
			}
		}
	}
	for _, fen := range doubleChecks {
		checkNode(t, construct, mustNew(t, construct, fen), 0)
		checkNode(t, construct, mustNew(t, construct, chesstest.Mirror(fen)), 0)
	}
}

func checkNode(t *testing.T, construct New, b Board, depth int) {
	fen, before := fenOf(b), b.Setup()
	pseudo := b.Pseudo(nil)
	checkSplit(t, b, fen, pseudo)
	var want []string
	for _, m := range pseudo {
		if safe(t, b, m) {
			want = append(want, uci(m))
		}
		if b.Setup() != before {
			t.Fatalf("%s: after Make and Unmake of %s the board is %s", fen, uci(m), fenOf(b))
		}
	}
	legal := b.Legal(nil)
	if b.Setup() != before {
		t.Fatalf("%s: Legal left the board at %s", fen, fenOf(b))
	}
	compare(t, fen, "legal", legal, want)
	for _, m := range legal {
		b.Make(m)
		fresh := mustNew(t, construct, fenOf(b))
		compare(t, fenOf(b), "after "+uci(m)+" from "+fen, b.Legal(nil), texts(fresh.Legal(nil)))
		if b.InCheck() != fresh.InCheck() {
			t.Errorf("%s: InCheck = %v after %s, %v from its FEN", fenOf(b), b.InCheck(), uci(m), fresh.InCheck())
		}
		if depth > 0 {
			checkNode(t, construct, b, depth-1)
		}
		b.Unmake()
	}
}

func checkSplit(t *testing.T, b Board, fen string, pseudo []chess.Move) {
	t.Helper()
	tactical, quiet := b.PseudoSplit(nil, nil)
	compare(t, fen, "pseudo", pseudo, texts(slices.Concat(tactical, quiet)))
	occupied := chess.Bitboard(0)
	for _, sets := range b.Setup().Pieces {
		for _, set := range sets {
			occupied |= set
		}
	}
	for _, m := range slices.Concat(tactical, quiet) {
		want := m.Kind() == chess.Promotion || m.Kind() == chess.EnPassant ||
			m.Kind() == chess.Normal && occupied.Has(m.To())
		if got := slices.Contains(tactical, m); got != want {
			t.Errorf("%s: %s is tactical: %v, want %v", fen, uci(m), got, want)
		}
	}
}

// safe decides the legality of a pseudo-legal move by brute force: no reply
// may capture on the king's square nor, after castling, on the squares that
// the king has left or crossed.
func safe(t *testing.T, b Board, m chess.Move) bool {
	t.Helper()
	us := b.Setup().Side
	b.Make(m)
	defer b.Unmake()
	replies := b.Pseudo(nil)
	home := b.Setup().Pieces[us][chess.King].First()
	for _, reply := range replies {
		if reply.Kind() != chess.Castling && reply.To() == home {
			return false
		}
	}
	if m.Kind() != chess.Castling {
		return true
	}
	// A king that walks the same way meets every attack on it.
	b.Unmake()
	defer b.Make(m)
	if b.InCheck() {
		return false
	}
	step := m.From() + 1
	if m.To() < m.From() {
		step = m.From() - 1
	}
	return safe(t, b, chess.NewMove(m.From(), step, chess.Normal))
}

// uci returns the move as the standard protocol writes it: castling is the
// king's move of two files.
func uci(m chess.Move) string {
	if m.Kind() == chess.Castling {
		to := m.From() + 2
		if m.To() < m.From() {
			to = m.From() - 2
		}
		return m.From().String() + to.String()
	}
	return m.String()
}

func texts(moves []chess.Move) []string {
	out := make([]string, len(moves))
	for i, m := range moves {
		out[i] = uci(m)
	}
	return out
}

// compare compares moves with UCI texts as sets without repetition.
func compare(t *testing.T, fen, what string, moves []chess.Move, want []string) {
	t.Helper()
	got := texts(moves)
	slices.Sort(got)
	want = slices.Sorted(slices.Values(want))
	if !slices.Equal(got, want) {
		t.Errorf("%s: %s moves\n got %v\nwant %v", fen, what, got, want)
	}
}
