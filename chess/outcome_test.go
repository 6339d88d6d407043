package chess_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/test/kit"
)

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
		p := kit.Position(t, c.fen, strings.Fields(c.moves)...)
		if p.Outcome() != c.want || p.Result() != c.result {
			t.Errorf("%s: %s: %v, %v, want %v, %v", c.name, p, p.Outcome(), p.Result(), c.want, c.result)
		}
		winner, won := p.Winner()
		if want := c.want == chess.Checkmate; won != want || won && (winner == chess.White) != (c.result == chess.WhiteWins) {
			t.Errorf("%s: %s: winner %v, %v, want a winner: %v", c.name, p, winner, won, want)
		}
		claim := c.want == chess.FiftyMoves || c.want == chess.ThreefoldRepetition
		if c.want.Over() != (c.result != chess.NoResult) || c.want.Claimable() != claim {
			t.Errorf("%v: over %v, claimable %v", c.want, c.want.Over(), c.want.Claimable())
		}
		if n := testing.AllocsPerRun(10, func() { p.Outcome() }); n != 0 {
			t.Errorf("%s: %v allocations, want 0", p, n)
		}
	}
}

// TestIsRepetition asks from searches that began at each ply: one recurrence
// is a draw where it comes after the root, and not where it is the root's or
// lies before; two are a draw anywhere.
func TestIsRepetition(t *testing.T) {
	p := chess.NewPosition()
	play := func(text string) {
		for _, text := range strings.Fields(text) {
			p.Make(kit.Move(t, p, text))
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

// TestNullMovesEndRepetition comes back to a position by null moves: that is no repetition.
func TestNullMovesEndRepetition(t *testing.T) {
	p := chess.NewPosition()
	for _, text := range []string{"g1f3", "f3g1"} {
		p.Make(kit.Move(t, p, text))
		p.MakeNull()
	}
	if n := p.Repetitions(); n != 0 {
		t.Errorf("%d repetitions across null moves", n)
	}
}

// TestBishopsOfOneColour puts two bishops on all pairs of squares.
func TestBishopsOfOneColour(t *testing.T) {
	const kings = 1<<chess.E1 | 1<<chess.E8
	for a := chess.A1; a <= chess.H8; a++ {
		for b := chess.A1; b < a; b++ {
			if (a.Bitboard()|b.Bitboard())&kings != 0 {
				continue
			}
			p, err := bare(func(s *chess.Setup) {
				s.Side = chess.Black
				s.Put(chess.MakePiece(chess.White, chess.Bishop), a, b)
			}).Position()
			kit.Succeed(t, err)
			if want := (a.Rank()+a.File())%2 == (b.Rank()+b.File())%2; p.InsufficientMaterial() != want {
				t.Errorf("%s: InsufficientMaterial = %v", p, !want)
			}
		}
	}
}

// TestCanRepeat compares CanRepeat, along random games that often turn back,
// with trying every legal move.
func TestCanRepeat(t *testing.T) {
	fens := []string{
		chess.StartFEN,
		"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
		"7k/8/8/3q4/8/8/1R6/K3N3 w - - 0 1",
		"8/2b5/4k3/8/8/3K4/5B2/8 w - - 0 1",
		"bnrkqnrb/pppppppp/8/8/8/8/PPPPPPPP/BNRKQNRB w GCgc - 0 1",
	}
	r := rand.New(rand.NewPCG(7, 7))
	yes, no := 0, 0
	for range 400 {
		p, err := chess.ParseFEN(fens[r.IntN(len(fens))])
		kit.Succeed(t, err)
		var keys []chess.Key
		start := r.IntN(12) // ply at which the search starts
		null := 0           // ply of the last null move
		for ply := range 60 {
			keys = append(keys, p.Key())
			if ply >= start {
				within := ply - start
				want := bringsBack(p, keys, min(within, ply-null+1))
				if got := p.CanRepeat(within); got != want {
					t.Fatalf("%s, %d plies from the start of the search: CanRepeat %v, trying says %v", p, within, got, want)
				}
				if want {
					yes++
				} else {
					no++
				}
			}
			if r.IntN(25) == 0 && !p.InCheck() {
				p.MakeNull()
				null = ply + 1
				continue
			}
			if p.InsufficientMaterial() || !turnBack(p, r) && movegen.RandomWalk(p, r, 1) == 0 {
				break
			}
		}
	}
	if yes < 500 || no < 500 {
		t.Errorf("%d positions with and %d without a repetition at hand: too few to tell", yes, no)
	}
}

// bringsBack reports whether a legal move leads to a position that stood on the
// board before; keys has those of all so far, of which the last within count.
func bringsBack(p *chess.Position, keys []chess.Key, within int) bool {
	for _, m := range movegen.Legal(p, nil) {
		p.Make(m)
		back := min(p.HalfmoveClock(), within)
		found := false
		for i := 4; i <= back; i += 2 {
			found = found || keys[len(keys)-i] == p.Key()
		}
		p.Unmake()
		if found {
			return true
		}
	}
	return false
}

// turnBack takes, two times in three, the last move of the side to move back,
// where that is legal.
func turnBack(p *chess.Position, r *rand.Rand) bool {
	if p.Plies() < 2 || r.IntN(3) == 0 {
		return false
	}
	m := p.Step(1).Move
	back := chess.NewMove(m.To(), m.From(), chess.Normal)
	if m.Kind() != chess.Normal || !p.IsLegal(back) {
		return false
	}
	p.Make(back)
	return true
}
