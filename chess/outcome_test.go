package chess_test

import (
	"strconv"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
)

//conformance:35 repetition counts from the game, and what cannot be captured en passant makes no difference
//conformance:37 Outcome tells mate, stalemate, dead position, fifty and seventy-five moves, three and five repetitions, without allocating
func TestOutcome(t *testing.T) {
	shuffle := func(n int) string { return strings.TrimSpace(strings.Repeat("g1f3 g8f6 f3g1 f6g8 ", n)) }
	const rooks = "4k3/8/8/8/8/8/8/R3K3 w - - "
	cases := []struct {
		name, fen, moves string
		want             chess.Outcome
		result           chess.Result
	}{
		{"start", chess.StartFEN, "", chess.Ongoing, chess.NoResult},
		{"fool's mate", chess.StartFEN, "f2f3 e7e5 g2g4 d8h4", chess.Checkmate, chess.BlackWins},
		{"back rank", "6k1/5ppp/8/8/8/8/8/R3K3 w - - 0 1", "a1a8", chess.Checkmate, chess.WhiteWins},
		{"smothered", "6rk/5Npp/8/8/8/8/8/4K3 b - - 0 1", "", chess.Checkmate, chess.WhiteWins},
		{"stalemate in the corner", "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", "", chess.Stalemate, chess.Draw},
		{"stalemate with a pinned piece", "kb5R/8/1K6/8/8/8/8/8 b - - 0 1", "", chess.Stalemate, chess.Draw},
		{"blocked pawns are no stalemate while the king moves", "4k3/4p3/4P3/4K3/8/8/8/8 b - - 0 1", "", chess.Ongoing, chess.NoResult},
		{"en passant is the only move", "7k/5Q2/8/8/pP6/P7/8/K7 b - b3 0 1", "", chess.Ongoing, chess.NoResult},
		{"bare kings", "8/8/4k3/8/8/3K4/8/8 w - - 0 1", "", chess.DeadPosition, chess.Draw},
		{"a bishop", "8/8/4k3/8/8/3K4/3B4/8 w - - 0 1", "", chess.DeadPosition, chess.Draw},
		{"a knight", "8/8/4k3/8/8/3K4/3n4/8 w - - 0 1", "", chess.DeadPosition, chess.Draw},
		{"bishops of one square colour", "5b2/8/4k3/8/8/3K4/3B4/8 w - - 0 1", "", chess.DeadPosition, chess.Draw},
		{"bishops of the light squares", "2b5/8/4k3/8/8/3K4/8/5B2 w - - 0 1", "", chess.DeadPosition, chess.Draw},
		{"five bishops of the light squares", "2b3b1/7b/4k3/8/8/3K4/8/3B1B2 w - - 0 1", "", chess.DeadPosition, chess.Draw},
		{"bishops of both square colours", "4b3/8/4k3/8/8/3K4/3B4/8 w - - 0 1", "", chess.Ongoing, chess.NoResult},
		{"two knights can mate with help", "8/8/4k3/8/8/3K4/2NN4/8 w - - 0 1", "", chess.Ongoing, chess.NoResult},
		{"knight against bishop can mate with help", "5b2/8/4k3/8/8/3K4/3N4/8 w - - 0 1", "", chess.Ongoing, chess.NoResult},
		{"a pawn", "8/8/4k3/8/8/3K4/3P4/8 w - - 0 1", "", chess.Ongoing, chess.NoResult},
		{"the capture leaves too little", "8/8/4k3/8/8/3K4/3q4/8 w - - 0 1", "d3d2", chess.DeadPosition, chess.Draw},
		{"99 plies", rooks + "99 80", "", chess.Ongoing, chess.NoResult},
		{"100 plies", rooks + "99 80", "a1a2", chess.FiftyMoves, chess.NoResult},
		{"149 plies", rooks + "149 90", "", chess.FiftyMoves, chess.NoResult},
		{"150 plies", rooks + "149 90", "a1a2", chess.SeventyFiveMoves, chess.Draw},
		{"mate goes before seventy-five moves", "6k1/5ppp/8/8/8/8/8/R3K3 w - - 149 90", "a1a8", chess.Checkmate, chess.WhiteWins},
		{"stalemate goes before seventy-five moves", "7k/8/6K1/8/8/8/8/5Q2 w - - 149 90", "f1f7", chess.Stalemate, chess.Draw},
		{"a pawn move ends the count", "4k3/8/8/8/8/8/P7/4K3 w - - 149 90", "a2a3", chess.Ongoing, chess.NoResult},
		{"twice", chess.StartFEN, shuffle(1), chess.Ongoing, chess.NoResult},
		{"thrice", chess.StartFEN, shuffle(2), chess.ThreefoldRepetition, chess.NoResult},
		{"four times", chess.StartFEN, shuffle(3), chess.ThreefoldRepetition, chess.NoResult},
		{"five times", chess.StartFEN, shuffle(4), chess.FivefoldRepetition, chess.Draw},
		{"the position without the castling right is another", "r3k3/8/8/8/8/8/8/4K2R w K - 0 1",
			"h1g1 a8b8 g1h1 b8a8 h1g1 a8b8 g1h1 b8a8", chess.Ongoing, chess.NoResult},
		{"an unplayable en-passant square makes no difference", "4k3/8/8/8/8/8/4P3/R3K3 w - - 0 1",
			"e2e4 e8d8 a1a2 d8e8 a2a1 e8d8 a1a2 d8e8 a2a1", chess.ThreefoldRepetition, chess.NoResult},
		{"a playable one does", "4k3/8/8/8/3p4/8/4P3/R3K3 w - - 0 1",
			"e2e4 e8d8 a1a2 d8e8 a2a1 e8d8 a1a2 d8e8 a2a1", chess.Ongoing, chess.NoResult},
	}
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			p, err := chess.ParseFEN(c.fen)
			if err != nil {
				t.Fatal(err)
			}
			for _, text := range strings.Fields(c.moves) {
				m, err := p.ParseUCI(text)
				if err != nil {
					t.Fatal(err)
				}
				p.Make(m)
			}
			if got := p.Outcome(); got != c.want {
				t.Errorf("%s: outcome %v, want %v", p, got, c.want)
			}
			if got := p.Result(); got != c.result {
				t.Errorf("%s: result %v, want %v", p, got, c.result)
			}
			winner, won := p.Winner()
			if want := c.want == chess.Checkmate; won != want || won && (winner == chess.White) != (c.result == chess.WhiteWins) {
				t.Errorf("%s: winner %v, %v, want a winner: %v", p, winner, won, want)
			}
			if over, want := c.want.Over(), c.result != chess.NoResult; over != want {
				t.Errorf("%v: over = %v, want %v", c.want, over, want)
			}
			claim := c.want == chess.FiftyMoves || c.want == chess.ThreefoldRepetition
			if c.want.Claimable() != claim {
				t.Errorf("%v: claimable = %v, want %v", c.want, c.want.Claimable(), claim)
			}
			if n := testing.AllocsPerRun(10, func() { p.Outcome() }); n != 0 {
				t.Errorf("%s: %v allocations, want 0", p, n)
			}
		})
	}
}

// TestOutcomeWords checks that every outcome and result has a text of its own.
func TestOutcomeWords(t *testing.T) {
	seen := map[string]bool{}
	for o := chess.Ongoing; o <= chess.ThreefoldRepetition; o++ {
		if seen[o.String()] {
			t.Errorf("outcome %d: the text %q is taken", o, o)
		}
		seen[o.String()] = true
	}
	for r := chess.NoResult; r <= chess.Draw; r++ {
		if back, err := chess.ParseResult(r.String()); err != nil || back != r {
			t.Errorf("ParseResult(%q) = %v, %v", r, back, err)
		}
	}
	if r, err := chess.ParseResult("2-0"); err == nil {
		t.Errorf("ParseResult(2-0) = %v, want an error", r)
	}
}

// TestIsRepetition asks from searches that began at each ply: one recurrence
// is a draw where it comes after the root, and not where it is the root's or
// lies before; two are a draw anywhere.
func TestIsRepetition(t *testing.T) {
	p := chess.NewPosition()
	play := func(text string) {
		for _, text := range strings.Fields(text) {
			m, err := p.ParseUCI(text)
			if err != nil {
				t.Fatal(err)
			}
			p.Make(m)
		}
	}
	check := func(root string, ply int, want bool) {
		if got := p.IsRepetition(ply); got != want {
			t.Errorf("%d plies, %s: IsRepetition(%d) = %v, want %v", p.Plies(), root, ply, got, want)
		}
	}
	play("e2e4 e7e5")
	check("nothing comes again", 2, false)
	play("g1f3 g8f6 f3g1 f6g8")
	check("the search begins here", 0, false)
	check("the first occurrence is before the root", 3, false)
	check("the first occurrence is the root", 4, false)
	check("the first occurrence is one ply after the root", 5, true)
	play("b1c3 b8c6 c3b1 c6b8")
	check("two occurrences before the root", 0, true)
	check("two occurrences, one of them the root", 4, true)
	play("a2a3")
	check("a position that is new", 11, false)
}

// TestNullMovesEndRepetition comes back to a position by null moves, which is none of the
// same game.
func TestNullMovesEndRepetition(t *testing.T) {
	p := chess.NewPosition()
	for _, move := range []string{"g1f3", "f3g1"} {
		m, err := p.ParseUCI(move)
		if err != nil {
			t.Fatal(err)
		}
		p.Make(m)
		p.MakeNull()
	}
	if n := p.Repetitions(); n != 0 {
		t.Errorf("%d repetitions across null moves", n)
	}
}

// TestBishopsOfOneColour puts two bishops on all pairs of squares.
func TestBishopsOfOneColour(t *testing.T) {
	for a := range 64 {
		for b := range a {
			board := []byte(strings.Repeat("1", 64))
			for s, c := range map[int]byte{a: 'B', b: 'B', 4: 'K', 60: 'k'} {
				board[(7-s/8)*8+s%8] = c
			}
			if a == 60 || b == 60 || a == 4 || b == 4 {
				continue
			}
			var ranks []string
			for r := range 8 {
				ranks = append(ranks, string(board[8*r:8*r+8]))
			}
			text := strings.Join(ranks, "/")
			for n := 8; n > 1; n-- {
				text = strings.ReplaceAll(text, strings.Repeat("1", n), strconv.Itoa(n))
			}
			p, err := chess.ParseFEN(text + " b - - 0 1")
			if err != nil {
				t.Fatal(err)
			}
			if want := (a/8+a%8)%2 == (b/8+b%8)%2; p.InsufficientMaterial() != want {
				t.Errorf("%s: InsufficientMaterial = %v", p, !want)
			}
		}
	}
}
