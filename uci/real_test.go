package uci

import (
	"errors"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/test/kit"
)

// boundedEngine is the real engine with searches and a table of such size that
// any session ends soon.
type boundedEngine struct {
	*search.Engine
	t        *testing.T
	searches int
}

func (b *boundedEngine) SetHash(mib int) error {
	if mib > 16 {
		return errors.New("more than this test has")
	}
	return b.Engine.SetHash(mib)
}

// SetThreads refuses what costs this test more than it shows.
func (b *boundedEngine) SetThreads(n int) error {
	if n > 2 {
		return errors.New("more than this test has")
	}
	return b.Engine.SetThreads(n)
}

// Prepare bounds the nodes and holds every report and the result to the rules.
func (b *boundedEngine) Prepare(p *chess.Position, l search.Limits, o search.Options,
	report func(search.Info)) func() search.Result {
	b.searches++
	if l.Nodes == 0 || l.Nodes > 400 {
		l.Nodes = 400
	}
	o.MultiPV = min(o.MultiPV, 5)
	run := b.Engine.Prepare(p, l, o, func(i search.Info) {
		q := p.Clone()
		for _, m := range i.PV {
			if !q.IsLegal(m) {
				b.t.Errorf("%s: the line %v holds the illegal move %v", p, i.PV, m)
				break
			}
			q.Make(m)
		}
		report(i)
	})
	return func() search.Result {
		result := run()
		if result.Best != chess.NoMove && !p.IsLegal(result.Best) || result.Best == chess.NoMove && p.HasLegalMove() {
			b.t.Errorf("%s: best move %v", p, result.Best)
		}
		return result
	}
}

func realEngine(t testing.TB) *search.Engine {
	t.Helper()
	e, err := search.NewEngine(1)
	kit.Succeed(t, err)
	return e
}

func realSession(t *testing.T, e *search.Engine, input string) {
	t.Helper()
	e.Clear()
	b := &boundedEngine{Engine: e, t: t}
	runSession(t, b, input, func() int { return b.searches })
}

// position returns a position command with a random game of up to 60 plies.
func position(t *testing.T, r *rand.Rand) string {
	t.Helper()
	fens := [...]string{
		chess.StartFEN, "8/8/4k3/8/2KQ4/8/8/7r w - - 97 120", "8/1P6/8/k1K5/8/8/6p1/8 w - - 0 1",
		"r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1", "7k/5K2/6Q1/8/8/8/8/8 b - - 0 1",
		"bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9",
	}
	fen := fens[r.IntN(len(fens))]
	p := kit.Position(t, fen)
	text := []byte("position fen " + fen)
	for i := range r.IntN(60) {
		moves := movegen.Legal(p, nil)
		if len(moves) == 0 {
			break
		}
		if i == 0 {
			text = append(text, " moves"...)
		}
		m := moves[r.IntN(len(moves))]
		text = appendMove(append(text, ' '), m, p.Chess960())
		p.Make(m)
	}
	return string(text)
}

// TestGenFENsOfABook: the lines of a book that hold a position are used, blank ones
// are not, and a book without any is refused.
func TestGenFENsOfABook(t *testing.T) {
	e := realEngine(t)
	genfens := func(book string) []string {
		name := filepath.Join(t.TempDir(), "book.epd")
		kit.Write(t, name, []byte(book))
		return script(t, &boundedEngine{Engine: e, t: t}, testConfig, "genfens 6 seed 3 book "+name+"\n")
	}
	// Pawns that cannot leave their files and kings that do not get past them.
	got := genfens("\n  \n4k3/8/8/p1p1p1p1/P1P1P1P1/8/8/4K3 w - - id \"a\";\n\n")
	if countLines(got, "info string genfens ") != 6 {
		t.Fatalf("want 6 positions: %q", got)
	}
	for _, l := range got {
		if !strings.Contains(l, "/p1p1p1p1/P1P1P1P1/") {
			t.Errorf("%q does not come from the book", l)
		}
	}
	if got := genfens("\ufeff# pawns\n4k3/8/8/p1p1p1p1/P1P1P1P1/8/8/4K3 w - -\n"); countLines(got, "info string genfens ") != 6 {
		t.Errorf("a book with a remark: %q", got)
	}
	if got := genfens("4k3/8/8/8/8/8/8/4K3 w - -\n\n4k3/8/8 w - -\n"); len(got) != 1 || !strings.Contains(got[0], "book.epd: line 3: ") {
		t.Errorf("a damaged book is answered %q", got)
	}
	if got := genfens("\n \n"); len(got) != 1 || !strings.Contains(got[0], "no position in it") {
		t.Errorf("an empty book is answered %q", got)
	}
}

func TestGenFENsDiffer(t *testing.T) {
	e := realEngine(t)
	seen := map[string]bool{}
	for _, l := range script(t, &boundedEngine{Engine: e, t: t}, testConfig, "genfens 8 seed 3 book None\n") {
		if fen, ok := strings.CutPrefix(l, "info string genfens "); ok {
			seen[fen] = true
		}
	}
	if len(seen) < 7 {
		t.Errorf("8 positions of genfens: %d different ones", len(seen))
	}
}
