package mailbox

import (
	"slices"
	"testing"

	"github.com/tabula-chess/tabula/chess"
)

func TestSquares(t *testing.T) {
	want := chess.Square(0)
	for row := 20; row <= 90; row += 10 {
		for sq := row + 1; sq <= row+8; sq++ {
			if got := square(sq); got != want {
				t.Errorf("square(%d) = %v, want %v", sq, got, want)
			}
			if got := index(want); got != sq {
				t.Errorf("index(%v) = %d, want %d", want, got, sq)
			}
			want++
		}
	}
	if want != chess.NoSquare {
		t.Errorf("the board has %d squares, want 64", want)
	}
}

// board returns the board of a FEN.
func board(t *testing.T, fen string) *Board {
	t.Helper()
	p, err := chess.ParseFEN(fen)
	if err != nil {
		t.Fatal(err)
	}
	b, err := New(p)
	if err != nil {
		t.Fatalf("New(%s): %v", fen, err)
	}
	return b
}

// TestBorder tries each step of each piece from each square: it ends on the
// board or on a border cell inside the array.
func TestBorder(t *testing.T) {
	b := board(t, "4k3/8/8/8/8/8/8/4K3 w - - 0 1")
	for from := a1; from <= h8; from++ {
		if b.cells[from] == border {
			continue
		}
		for files := -2; files <= 2; files++ {
			for ranks := -2; ranks <= 2; ranks++ {
				file, rank := from%10+files, from/10+ranks
				outside := file < 1 || file > 8 || rank < 2 || rank > 9
				if max(files, -files)*max(ranks, -ranks) == 4 {
					continue // nothing jumps two files and two ranks
				}
				if max(files, -files) == 2 && ranks == 0 || max(ranks, -ranks) == 2 && files == 0 {
					continue
				}
				if to := from + files + 10*ranks; (b.cells[to] == border) != outside {
					t.Errorf("%v with %d files and %d ranks, cell %d: border %v, want %v",
						square(from), files, ranks, to, !outside, outside)
				}
			}
		}
	}
}

func TestState(t *testing.T) {
	for _, tc := range []struct {
		name, fen                           string
		passant, whiteKing, blackKing, side int
		flags                               state
	}{
		{"start", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", 0, e1, e8, 0,
			whiteShort | whiteLong | blackShort | blackLong},
		{"passant", "4k2r/8/8/3pP3/8/8/8/K7 w k d6 0 1", 74, a1, e8, 0, blackShort},
		{"corner", "7k/8/8/8/3pP3/8/8/R3K3 b Q e3 0 1", 45, e1, h8, 1, whiteLong},
	} {
		b := board(t, tc.fen)
		want := state(tc.passant) | state(tc.whiteKing)<<7 | state(tc.blackKing)<<14 | state(tc.side)<<21 | tc.flags
		if b.state != want {
			t.Errorf("%s: %s: state %026b, want %026b", tc.name, tc.fen, b.state, want)
		}
		if b.state.enPassant() != tc.passant || b.state.king(0) != tc.whiteKing ||
			b.state.king(1) != tc.blackKing || b.state.side() != tc.side {
			t.Errorf("%s: %s: the word says en passant %d, kings %d %d, side %d", tc.name, tc.fen,
				b.state.enPassant(), b.state.king(0), b.state.king(1), b.state.side())
		}
	}
}

// TestTacticalOnly asks that the mode skips quiet moves, not only hides them.
func TestTacticalOnly(t *testing.T) {
	const fen = "r3k2r/1P1p4/8/2pP1q2/8/1B4N1/8/R3K2R w KQkq c6 0 1"
	b := board(t, fen)
	var all, tactical vector
	b.generate(&all, false)
	b.generate(&tactical, true)
	if !slices.Equal(all.tactical, tactical.tactical) {
		t.Errorf("%s: tactical-only %v, tactical of all %v", fen, tactical.tactical, all.tactical)
	}
	if len(tactical.quiet) != 0 || len(all.quiet) == 0 {
		t.Errorf("%s: %d quiet moves in tactical-only mode, want 0 of %d", fen, len(tactical.quiet), len(all.quiet))
	}
}
