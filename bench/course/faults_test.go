package course

import (
	"slices"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/examples/course/array"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/test/kit"
)

// A fault is a mistake in a generator, made on purpose: it drops moves, adds some, or does both.
type fault struct {
	name  string
	stage string // which teaches what is wrong, and has to notice it
	drop  test
	add   func(g *game, add adder)
}

type (
	// test tells moves apart.
	test func(g *game, m array.Move) bool
	// adder adds a move, a promotion with the letter of the new piece.
	adder func(from, to int, promotion ...byte)
)

// faults collects the faults of a stage.
type faults struct {
	stage string
	all   []fault
}

func (f *faults) drop(name string, is test) { f.change(name, is, nil) }

func (f *faults) add(name string, add func(g *game, add adder)) { f.change(name, nil, add) }

func (f *faults) change(name string, drop test, add func(g *game, add adder)) {
	f.all = append(f.all, fault{name, f.stage, drop, add})
}

// blind adds the fault of a program that does not see some attacks on its king.
func (f *faults) blind(name string, unseen func(g *game, m array.Move, h hit) bool) {
	f.add(name, func(g *game, add adder) {
		for m, attackers := range g.unsafe {
			switch {
			case slices.ContainsFunc(attackers, func(h hit) bool { return !unseen(g, m, h) }):
			case m.Promotion != 0:
				add(m.From, m.To, m.Promotion)
			default:
				add(m.From, m.To)
			}
		}
	})
}

// TestFaults lets each stage judge generators with one fault in what the stage teaches, which White and Black make, or
// one of them. The positions themselves show it, without those after their moves: so the tests of a starter folder do.
func TestFaults(t *testing.T) {
	games := map[string]*game{}
	notices := func(s *suite, f *fault, side int) bool {
		_, failed, err := s.examine(function{moves: func(p *chess.Position) ([]string, error) {
			g := games[p.FEN()]
			if g == nil {
				g = newGame(p.Clone())
				games[p.FEN()] = g
			}
			return f.moves(g, side), nil
		}}, false)
		kit.Succeed(t, err)
		return failed != nil
	}
	all := slices.Concat(pieceFaults(), pawnFaults(), checkFaults(), pinFaults(), castlingFaults(), passantFaults())
	for _, f := range all {
		taught := slices.IndexFunc(basics, func(s suite) bool { return strings.HasPrefix(s.name, f.stage) })
		for side, name := range []string{"", ", White", ", Black"} {
			if !notices(&basics[taught], &f, side) {
				t.Errorf("%q does not notice the fault: %s%s", basics[taught].name, f.name, name)
			}
			for i := range basics[:taught] { // nothing is in the way before it is taught
				if f.stage == way && notices(&basics[i], &f, side) {
					t.Errorf("%q is too early for the fault: %s%s", basics[i].name, f.name, name)
				}
			}
		}
	}
}

// moves returns the moves of a position with the fault, which both sides make (0), or White (1) or Black (2) alone.
func (f *fault) moves(g *game, side int) (texts []string) {
	makes := side == 0 || g.White == (side == 1)
	for _, m := range g.legal {
		if !makes || f.drop == nil || !f.drop(g, m) {
			texts = append(texts, m.String())
		}
	}
	if makes && f.add != nil {
		f.add(g, func(from, to int, promotion ...byte) {
			text := text(from) + text(to) + string(promotion)
			if !slices.Contains(texts, text) {
				texts = append(texts, text)
			}
		})
	}
	return texts
}

// text returns the name of a square, also above and below the board.
func text(square int) string { return string([]byte{'a' + byte(square&7), '1' + byte(square>>3)}) }

// game is a position in a fault's terms: a board of letters, and the moves that are right.
type game struct {
	array.Position
	p     *chess.Position
	legal []array.Move
}

func newGame(p *chess.Position) *game {
	b, _ := array.ReadFEN(p.FEN())
	return &game{b, p, b.Legal()}
}

// kind returns the kind of the piece on a square, in lower case.
func (g *game) kind(square int) byte { return g.Board[square] | 32 }

func (g *game) own(square int) bool {
	return g.Board[square] != '.' && g.Board[square] < 'a' == g.White
}
func (g *game) enemy(square int) bool { return g.Board[square] != '.' && !g.own(square) }

// up returns the direction of the own pawns.
func (g *game) up() int {
	if g.White {
		return 1
	}
	return -1
}

// rank returns the rank of a square as the side to move counts it, from 0.
func (g *game) rank(square int) int {
	if g.White {
		return square / 8
	}
	return 7 - square/8
}

// pieces yields the squares of the own pieces of a kind.
func (g *game) pieces(kind byte) (squares []int) {
	for square := range g.Board {
		if g.own(square) && g.kind(square) == kind {
			squares = append(squares, square)
		}
	}
	return squares
}

var (
	straight = [][2]int{{0, 1}, {1, 0}, {0, -1}, {-1, 0}}
	oblique  = [][2]int{{1, 1}, {1, -1}, {-1, -1}, {-1, 1}}
	royal    = append(straight[:4:4], oblique...)
	ways     = map[byte][][2]int{'b': oblique, 'r': straight, 'q': royal, 'k': royal,
		'n': {{1, 2}, {2, 1}, {2, -1}, {1, -2}, {-1, -2}, {-2, -1}, {-2, 1}, {-1, 2}}}
)

func slides(kind byte) bool { return kind == 'b' || kind == 'r' || kind == 'q' }

// distance returns the number of steps of a king from a square to another one.
func distance(a, b int) int { return max(a%8-b%8, b%8-a%8, a/8-b/8, b/8-a/8) }

// along reports whether a move of a piece that is no pawn goes in a direction.
func along(m array.Move, d [2]int) bool {
	n := distance(m.From, m.To)
	if d[0]*d[1] == 2 || d[0]*d[1] == -2 {
		n = 1
	}
	return m.To%8-m.From%8 == n*d[0] && m.To/8-m.From/8 == n*d[1]
}

// A hit is a piece that attacks a square: its kind, where it stands, in which direction from the square and how far.
type hit struct {
	kind byte
	at   int
	d    [2]int
	far  int
}

// hits returns the pieces of a side that attack a square. Sliders look through the pieces on transparent squares.
func hits(b *array.Position, square int, white bool, transparent ...int) (all []hit) {
	pawns := [][2]int{{-1, 1}, {1, 1}}
	if white {
		pawns = [][2]int{{-1, -1}, {1, -1}}
	}
	for _, kind := range []byte("nbrqkp") {
		directions := ways[kind]
		if kind == 'p' {
			directions = pawns
		}
		for _, d := range directions {
			for n := 1; n == 1 || slides(kind); n++ {
				to, ok := array.Step(square, n*d[0], n*d[1])
				if !ok {
					break
				}
				piece := b.Board[to]
				if piece|32 == kind && piece < 'a' == white {
					all = append(all, hit{kind, to, d, n})
				}
				if piece != '.' && !slices.Contains(transparent, to) {
					break
				}
			}
		}
	}
	return all
}

// home returns the square of the own king on a board.
func (g *game) home(b *array.Position) int {
	king := "k"
	if g.White {
		king = "K"
	}
	return strings.Index(string(b.Board[:]), king)
}

// checkers returns what gives check.
func (g *game) checkers() []hit { return hits(&g.Position, g.home(&g.Position), !g.White) }

// after returns what attacks the king after a move.
func (g *game) after(m array.Move) []hit {
	b := g.Make(m)
	return hits(&b, g.home(&b), !g.White)
}

// unsafe yields the moves that obey all rules but the safety of the king, with what attacks it afterwards.
func (g *game) unsafe(yield func(m array.Move, attackers []hit) bool) {
	for _, m := range movegen.Pseudo(g.p, nil) {
		text := g.p.UCI(m)
		move := array.Move{From: int(m.From()), To: int(text[2]-'a') + 8*int(text[3]-'1')}
		if len(text) > 4 {
			move.Promotion = text[4]
		}
		if attackers := g.after(move); len(attackers) > 0 && !yield(move, attackers) {
			return
		}
	}
}
