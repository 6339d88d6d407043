package pgn_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/pgn"
	"github.com/tabula-chess/tabula/test/kit"
)

// words writes down what it is told.
type words struct{ out []string }

func (w *words) add(format string, args ...any) { w.out = append(w.out, fmt.Sprintf(format, args...)) }

func (w *words) Move(p *chess.Position, m chess.Move) { w.add("%s", p.SAN(m)) }
func (w *words) NAG(n pgn.NAG)                        { w.add("%v", n) }
func (w *words) Comment(text string)                  { w.add("{%s}", text) }
func (w *words) Begin(p *chess.Position)              { w.add("(%d", p.Plies()) }
func (w *words) End(p *chess.Position)                { w.add("%d)", p.Plies()) }

// tree writes down a line of a game as a Visitor is told of it.
func (w *words) tree(p *chess.Position, l *pgn.Line) {
	for _, c := range l.Comments {
		w.Comment(c)
	}
	for i := range l.Moves {
		n := &l.Moves[i]
		w.Move(p, n.Move)
		for _, nag := range n.NAGs {
			w.NAG(nag)
		}
		for _, c := range n.Comments {
			w.Comment(c)
		}
		for j := range n.Variations {
			w.Begin(p)
			w.tree(p.Clone(), &n.Variations[j])
			n.Play(p)
			w.End(p)
			p.Unmake()
		}
		n.Play(p)
	}
}

// TestVisitMoves tells a visitor of games what the tree has, in its order.
func TestVisitMoves(t *testing.T) {
	for _, text := range []string{
		"{first} 1. e4! {a} e5 (1... c5 {b} 2. Nf3 (2. c3 d5) (2. Nc3) 2... d6 $14) (1... e6) 2. Nf3 1-0",
		"1. e4 (1. d4 -- 2. c4) e5 2. Ke3 (2. Nf3) Nc6 *",
		"1. e4 perhaps e5 (1... Ke3 2. d4) 2. Nf3 1-0 {the end}",
	} {
		text = "[White \"A\"]\n\n" + text + "\n\n[White \"B\"]\n\n1. d4 *\n"
		whole := pgn.NewReader(strings.NewReader(text))
		r := pgn.NewReader(strings.NewReader(text))
		for range 2 {
			want, err := whole.Read()
			kit.Succeed(t, err)
			g, err := r.ReadTags()
			kit.Succeed(t, err)
			var got, tree words
			kit.Succeed(t, r.VisitMoves(g, &got))
			tree.tree(want.Position(), &want.Main)
			if !slices.Equal(got.out, tree.out) || len(g.Main.Moves)+len(g.Main.Comments) > 0 || g.Result != want.Result ||
				g.Shortened != want.Shortened || fmt.Sprint(g.Warning) != fmt.Sprint(want.Warning) {
				t.Errorf("%s\n%q, %+v\nwant %q, %v", text, got.out, g, tree.out, want.Warning)
			}
		}
	}
}

// TestVisitBeforeFirstMove tells of what stands before the first move in the order of the text.
func TestVisitBeforeFirstMove(t *testing.T) {
	r := pgn.NewReader(strings.NewReader("[White \"A\"]\n\n$1 (1. d4 d5) 1. e4 *"))
	g, err := r.ReadTags()
	kit.Succeed(t, err)
	var got words
	kit.Succeed(t, r.VisitMoves(g, &got))
	if text := strings.Join(got.out, " "); text != "! (0 d4 d5 0) e4" {
		t.Errorf("%s", text)
	}
}
