package movegen_test

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
)

// starts are positions from which random games visit castling, en passant,
// promotion, checks and pins, in standard chess and Chess960.
var starts = []string{
	chess.StartFEN,
	"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
	"8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
	"r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
	"rnbq1k1r/pp1Pbppp/2p5/8/2B5/8/PPP1NnPP/RNBQK2R w KQ - 1 8",
	"nrbbkqrn/pppppppp/8/8/8/8/PPPPPPPP/NRBBKQRN w KQkq - 0 1",
	"1r2k1r1/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
	"rk2r1r1/8/8/8/8/8/8/RK2R1R1 w EQeq - 0 1",
	"2rkr3/8/8/8/8/8/8/2RKR3 w KQkq - 0 1",
	"8/PPPk4/8/8/8/8/4Kppp/8 w - - 0 1",
}

// visit plays random games and calls check on every position.
func visit(t *testing.T, games int, check func(p *chess.Position, legal []chess.Move, r *rand.Rand)) {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	var buf [chess.MaxMoves]chess.Move
	for i := range games {
		p, err := chess.ParseFEN(starts[i%len(starts)])
		if err != nil {
			t.Fatal(err)
		}
		for range 120 {
			legal := movegen.Legal(p, buf[:0])
			check(p, legal, r)
			if len(legal) == 0 || p.InsufficientMaterial() {
				break
			}
			p.Make(legal[r.IntN(len(legal))])
		}
	}
}

func games(long int) int {
	if testing.Short() {
		return long / 10
	}
	return long
}

// TestLegalAgainstMakeAndLook filters the pseudo-legal list by playing each
// move and looking whether the king can be taken.
func TestLegalAgainstMakeAndLook(t *testing.T) {
	visit(t, games(600), func(p *chess.Position, legal []chess.Move, _ *rand.Rand) {
		var want []chess.Move
		us := p.SideToMove()
		for _, m := range movegen.Pseudo(p, nil) {
			p.Make(m)
			if !p.Attacked(p.King(us), us.Other(), p.Occupied()) {
				want = append(want, m)
			}
			p.Unmake()
		}
		got := slices.Clone(legal)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Fatalf("%s:\n got %v\nwant %v", p, got, want)
		}
		stages := movegen.Quiets(p, movegen.Captures(p, nil))
		slices.Sort(stages)
		if !slices.Equal(got, stages) {
			t.Fatalf("%s: captures and quiets\n got %v\nwant %v", p, stages, got)
		}
		for _, m := range movegen.Captures(p, nil) {
			if p.Piece(m.To()) == chess.NoPiece && m.Kind() != chess.EnPassant && m.Kind() != chess.Promotion || m.Kind() == chess.Castling {
				t.Fatalf("%s: %v among the captures", p, m)
			}
		}
	})
}

// TestIsLegalAllEncodings asks every 16-bit value on thousands of positions.
func TestIsLegalAllEncodings(t *testing.T) {
	n := 0
	visit(t, games(60), func(p *chess.Position, legal []chess.Move, _ *rand.Rand) {
		if n++; n%2 == 0 && !testing.Short() {
			return
		}
		var member [1 << 16]bool
		for _, m := range legal {
			member[m] = true
		}
		for i := range 1 << 16 {
			if m := chess.Move(i); p.IsLegal(m) != member[i] {
				t.Fatalf("%s: IsLegal(%v = %#04x) = %v, list says %v", p, m, i, p.IsLegal(m), member[i])
			}
		}
	})
}

// TestMakeUnmake checks at every node that the key equals the computed one,
// that unmake restores an equal position, gives-check equals checkers, and
// the FEN reads back as the same position.
func TestMakeUnmake(t *testing.T) {
	visit(t, games(300), func(p *chess.Position, legal []chess.Move, _ *rand.Rand) {
		fen, key, pawnKey := p.FEN(), p.Key(), p.PawnKey()
		back, err := chess.ParseFEN(fen)
		if err != nil {
			t.Fatalf("ParseFEN(%q): %v", fen, err)
		}
		if !back.Equal(p) || back.Key() != key || back.PawnKey() != pawnKey || back.Checkers() != p.Checkers() {
			t.Fatalf("%s reads back as %s with key %x, want %x", fen, back, back.Key(), key)
		}
		for _, m := range legal {
			gives, rights, after := p.GivesCheck(m), p.Castling(), p.KeyAfter(m)
			p.Make(m)
			if m.Kind() == chess.Normal && p.Castling() == rights && !p.EnPassantLegal() && p.Key() != after {
				t.Fatalf("%s: KeyAfter(%v) = %x, want %x", fen, m, after, p.Key())
			}
			if p.Key() != p.ComputeKey() {
				t.Fatalf("%s after %v: key %x, computed anew %x", fen, m, p.Key(), p.ComputeKey())
			}
			if gives != p.InCheck() {
				t.Fatalf("%s: GivesCheck(%v) = %v, checkers after it: %v", fen, m, gives, p.InCheck())
			}
			if p.HasLegalMove() != (len(movegen.Legal(p, nil)) > 0) {
				t.Fatalf("%s: HasLegalMove = %v", p, p.HasLegalMove())
			}
			p.Unmake()
			if !p.Equal(back) || p.Key() != key || p.PawnKey() != pawnKey || p.FEN() != fen {
				t.Fatalf("%s after %v and back: %s, key %x, want %x", fen, m, p, p.Key(), key)
			}
		}
		if p.InCheck() {
			return
		}
		after := p.KeyAfterNull()
		p.MakeNull()
		null, err := chess.ParseFEN(p.FEN())
		if err != nil || null.Key() != p.Key() || p.Key() != p.ComputeKey() || p.Key() != after {
			t.Fatalf("%s after a null move: %s, key %x, foreseen %x, %v", fen, p, p.Key(), after, err)
		}
		got, want := movegen.Legal(p, nil), movegen.Legal(null, nil)
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Fatalf("%s after a null move:\n got %v\nwant %v", fen, got, want)
		}
		p.Unmake()
		if !p.Equal(back) || p.Key() != key {
			t.Fatalf("%s after a null move and back: %s", fen, p)
		}
	})
}

func TestTextBothWays(t *testing.T) {
	visit(t, games(60), func(p *chess.Position, legal []chess.Move, _ *rand.Rand) {
		seen := map[string]chess.Move{}
		for _, m := range legal {
			san := p.SAN(m)
			if other, ok := seen[san]; ok {
				t.Fatalf("%s: %v and %v are both %s", p, m, other, san)
			}
			seen[san] = m
			if back, err := p.ParseSAN(san); err != nil || back != m {
				t.Fatalf("%s: ParseSAN(%s) = %v, %v, want %v", p, san, back, err, m)
			}
			if back, err := p.ParseUCI(m.String()); err != nil || back != m {
				t.Fatalf("%s: ParseUCI(%s) = %v, %v", p, m, back, err)
			}
		}
	})
}

func TestNoAllocations(t *testing.T) {
	p, err := chess.ParseFEN(starts[1])
	if err != nil {
		t.Fatal(err)
	}
	p.Reserve(8)
	buf := make([]chess.Move, 0, chess.MaxMoves)
	if n := testing.AllocsPerRun(100, func() {
		for _, m := range movegen.Legal(p, buf) {
			p.Make(m)
			p.Unmake()
		}
	}); n != 0 {
		t.Errorf("generate, make and unmake: %v allocations a run, want 0", n)
	}
}
