package generator

import (
	"bytes"
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
)

// faultyBoard is the search's generator with a fault.
type faultyBoard struct {
	position PositionBoard
	list     func(p *chess.Position, moves []chess.Move) []chess.Move
	made     func(b *faultyBoard)
}

func (b *faultyBoard) Legal(buf []chess.Move) []chess.Move {
	moves := b.position.Legal(buf)
	if b.list != nil {
		moves = b.list(b.position.Position, moves)
	}
	return moves
}

func (b *faultyBoard) Make(m chess.Move) {
	b.position.Make(m)
	if b.made != nil {
		b.made(b)
	}
}

func (b *faultyBoard) Count() int             { return b.position.Count() }
func (b *faultyBoard) InCheck() bool          { return b.position.InCheck() }
func (b *faultyBoard) Perft(depth int) uint64 { return b.position.Perft(depth) }

// faulty registers a board with a fault among the other generators.
func faulty(fault faultyBoard) []*Generator {
	return append(Supported(), &Generator{Name: "faulty", Chess960: true, Construct: func(p *chess.Position) (Board, error) {
		b := fault
		b.position = PositionBoard{Position: p.Clone()}
		return &b, nil
	}})
}

// faults are broken on purpose, each in a way that a real fault could be.
var faults = []struct {
	name      string
	fault     faultyBoard
	check     string
	moves     int // of the reduced line
	maxPieces int // left on the board of the reduced line
	want      string
}{
	{
		"castling through check", faultyBoard{list: func(p *chess.Position, moves []chess.Move) []chess.Move {
			us := p.SideToMove()
			rook := p.CastlingRook(us, chess.KingSide)
			if rook == chess.NoSquare || p.InCheck() || p.Occupied()&chess.Between(p.King(us), rook) != 0 {
				return moves
			}
			if m := chess.NewMove(p.King(us), rook, chess.Castling); !slices.Contains(moves, m) {
				moves = append(moves, m)
			}
			return moves
		}}, "legal moves", 0, 8, "(castling)",
	},
	{
		"en passant pin ignored", faultyBoard{list: func(p *chess.Position, moves []chess.Move) []chess.Move {
			if p.EnPassant() == chess.NoSquare || p.EnPassantLegal() {
				return moves
			}
			for _, m := range movegen.Pseudo(p, nil) {
				if m.Kind() == chess.EnPassant {
					moves = append(moves, m)
				}
			}
			return moves
		}}, "legal moves", 0, 8, "(en passant)",
	},
	{
		"promotion to knight missing", faultyBoard{list: func(_ *chess.Position, moves []chess.Move) []chess.Move {
			return slices.DeleteFunc(moves, func(m chess.Move) bool { return m.PromotionType() == chess.Knight })
		}}, "legal moves", 0, 3, "n\n",
	},
	{
		// Only a line with the double push shows this one.
		"en passant square forgotten", faultyBoard{made: func(b *faultyBoard) {
			fields := strings.Fields(b.position.FEN())
			fields[3] = "-"
			if p, err := chess.ParseFEN(strings.Join(fields, " ")); err == nil {
				b.position.Position = p
			}
		}}, "legal moves", 1, 4, "(en passant)",
	},
	{
		"panic with few pieces", faultyBoard{list: func(p *chess.Position, moves []chess.Move) []chess.Move {
			if p.Occupied().Count() < 6 {
				panic("out of pieces")
			}
			return moves
		}}, "legal moves", 0, 5, "out of pieces",
	},
}

// TestFuzzFindsFaults breaks a generator and expects the fault to be found and
// reduced.
func TestFuzzFindsFaults(t *testing.T) {
	for _, c := range faults {
		t.Run(c.name, func(t *testing.T) {
			f := &Fuzzer{gens: faulty(c.fault), Seed: 1, Games: 2000, Threads: 1}
			var out bytes.Buffer
			err := f.Run(context.Background(), &out, &out)
			if err == nil || !strings.Contains(err.Error(), "the generators differ in "+c.check) {
				t.Fatalf("found %v, want a difference in %s\n%s", err, c.check, &out)
			}
			printed := regexp.MustCompile(`after (\d+) moves?, reduced from \d+\nFEN:  (\S+)`).FindStringSubmatch(out.String())
			if printed == nil || printed[1] != fmt.Sprint(c.moves) || !strings.Contains(out.String(), c.want) {
				t.Fatalf("printed\n%swant %d moves and %q", &out, c.moves, c.want)
			}
			if n := len(regexp.MustCompile(`[A-Za-z]`).FindAllString(printed[2], -1)); n > c.maxPieces {
				t.Errorf("%s: reduced to %d pieces, want at most %d", printed[2], n, c.maxPieces)
			}
			t.Logf("\n%s", &out)
		})
	}
}
