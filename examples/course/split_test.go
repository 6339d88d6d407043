package course_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/examples/course/mailbox"
	"github.com/tabula-chess/tabula/examples/course/rays"
	"github.com/tabula-chess/tabula/examples/course/x88"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/test/kit"
)

// splits are the generators that list captures and promotions apart from quiet moves.
var splits = map[string]func(fen string) (tactical, quiet []string){"mailbox": mailbox.Split, "x88": x88.Split, "rays": rays.Split}

// TestSplit compares the lists of the position of the article on a generator in Lisp, which counts 10 and 36 moves, and
// those of the suites with the moves that package movegen calls pseudo-legal.
func TestSplit(t *testing.T) {
	const article = "r3k2r/1p2b1p1/b1n1p3/2pp2qp/3PP1B1/1Q3pP1/PB1N4/R3K2R w KQkq -"
	wantTactical := strings.Fields("b3b7 b3d5 b3f3 d2f3 d4c5 e4d5 g4e6 g4f3 g4h5 h1h5")
	for name, split := range splits {
		tactical, quiet := split(article)
		if slices.Sort(tactical); !slices.Equal(tactical, wantTactical) || len(quiet) != 36 {
			t.Errorf("%s: tactical %v, %d quiet, want %v and 36", name, tactical, len(quiet), wantTactical)
		}
		for _, castling := range []string{"e1g1", "e1c1"} {
			if !slices.Contains(quiet, castling) {
				t.Errorf("%s: %s is missing in %v", name, castling, quiet)
			}
		}
		if tactical, quiet := split("8/8 w - -"); tactical != nil || quiet != nil {
			t.Errorf("%s: an invalid FEN has the moves %v and %v", name, tactical, quiet)
		}
	}
	for _, suite := range []string{"published.epd", "random.epd"} {
		for _, line := range kit.Suite(t, suite) {
			for _, fen := range []string{line.FEN, kit.Mirror(line.FEN)} {
				wantTactical, wantQuiet := pseudoSplit(kit.Position(t, fen))
				for name, split := range splits {
					tactical, quiet := split(fen)
					slices.Sort(tactical)
					slices.Sort(quiet)
					if !slices.Equal(tactical, wantTactical) || !slices.Equal(quiet, wantQuiet) {
						t.Errorf("%s: %s\n got %v %v\nwant %v %v", name, fen, tactical, quiet, wantTactical, wantQuiet)
					}
				}
				alone := mailbox.Tactical(fen)
				if slices.Sort(alone); !slices.Equal(alone, wantTactical) {
					t.Errorf("%s: tactical moves alone: %v, want %v", fen, alone, wantTactical)
				}
			}
		}
	}
}

// pseudoSplit returns the pseudo-legal moves of a position, sorted: castling is one if nothing but an attack forbids
// it.
func pseudoSplit(p *chess.Position) (tactical, quiet []string) {
	for _, m := range movegen.Pseudo(p, nil) {
		switch {
		case m.Kind() == chess.Castling:
		case p.Piece(m.To()) != chess.NoPiece, m.Kind() == chess.Promotion, m.Kind() == chess.EnPassant:
			tactical = append(tactical, p.UCI(m))
		default:
			quiet = append(quiet, p.UCI(m))
		}
	}
	us := p.SideToMove()
	for _, wing := range []chess.Wing{chess.KingSide, chess.QueenSide} {
		if rook := p.CastlingRook(us, wing); rook != chess.NoSquare {
			m := chess.NewMove(p.King(us), rook, chess.Castling)
			attackOnly := func(r movegen.Reason) bool {
				return r.Rule == movegen.RuleCastlingInCheck || r.Rule == movegen.RuleCastlingAttacked
			}
			if !slices.ContainsFunc(movegen.Explain(p, m), func(r movegen.Reason) bool { return !attackOnly(r) }) {
				quiet = append(quiet, p.UCI(m))
			}
		}
	}
	slices.Sort(tactical)
	slices.Sort(quiet)
	return tactical, quiet
}
