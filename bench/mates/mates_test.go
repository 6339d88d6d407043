package mates

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/internal/testkit"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/search/plain"
)

// suite returns the entries of a committed suite.
func suite(t *testing.T, name string) []Entry {
	t.Helper()
	file, err := os.Open(filepath.Join("testdata", name+".epd"))
	testkit.Succeed(t, err)
	defer file.Close()
	entries, err := Read(file)
	testkit.Succeed(t, err)
	return entries
}

// TestSuite searches the suite with few nodes: no mate may be false, and the
// shares found are those of a search that prunes as it should.
func TestSuite(t *testing.T) {
	entries := suite(t, "mates")
	for _, e := range entries {
		if plies := 2*e.Moves - 1; e.Moves <= Proven && plain.MateIn(e.Position.Clone(), plies) != plies {
			t.Errorf("%s: no mate in %d, or a shorter one", e.Position, e.Moves)
		}
	}
	e, err := search.NewEngine(16)
	testkit.Succeed(t, err)
	report := Run(e, entries, Effort{Nodes: 50_000})
	var table strings.Builder
	report.Write(&table)
	t.Log("\n" + table.String())
	if report.Total.False > 0 {
		t.Errorf("%d false mates: %q", report.Total.False, report.Faults)
	}
	for moves, least := range map[int]float64{1: 100, 2: 95, 3: 90, 4: 75, 5: 65} {
		if c := report.Distances[moves]; c == nil || 100*float64(c.Found) < least*float64(c.All) {
			t.Errorf("mates in %d: %+v, want %v %% found", moves, c, least)
		}
	}
	if found := 100 * float64(report.Total.Found) / float64(report.Total.All); found < leastFound {
		t.Errorf("%.1f %% of the mates found, want %v", found, leastFound)
	}
	if seen := 100 * float64(report.Total.All-report.Total.Missed()) / float64(report.Total.All); seen < leastSeen {
		t.Errorf("%.1f %% of the positions came out with a mate, want %v", seen, leastSeen)
	}
}

// TestProven searches mates in 2, 3 and 4, proven by trying all moves, to depth
// 2N + 6 and proves them again. Before windows that ask for a mate were told
// apart, 6 came out without a mate and 98 with the shortest.
func TestProven(t *testing.T) {
	entries := suite(t, "proven")
	g := Generator{Longest: 4, known: make([]proof, proofEntries)}
	for _, e := range entries {
		if testing.Short() && e.Moves == 4 {
			continue
		}
		if moves := g.shortest(e.Position.Clone()); moves != e.Moves {
			t.Errorf("%s: mate in %d, the suite says %d", e.Position, moves, e.Moves)
		}
	}
	e, err := search.NewEngine(16)
	testkit.Succeed(t, err)
	report := Run(e, entries, Effort{Beyond: 6})
	var table strings.Builder
	report.Write(&table)
	t.Log("\n" + table.String())
	if c := report.Total; c.False > 0 || c.Missed() > 4 || c.Found < 104 {
		t.Errorf("%+v, %d missed: want no false mate, 4 missed at most and 104 found at their distance\n%s", c, c.Missed(), &table)
	}
}

// TestShortest proves distances that are known, and runs out of its budget
// without a word.
func TestShortest(t *testing.T) {
	for _, tt := range []struct {
		fen  string
		want int
	}{
		{"6k1/5ppp/8/8/8/8/8/R6K w - - 0 1", 1},
		{"7k/8/8/8/8/8/R7/1R5K w - - 0 1", 2},
		{"8/8/8/8/8/8/7k/K7 w - - 0 1", 0},
		{"k7/8/1K6/8/8/8/8/8 w - - 0 1", 0},
	} {
		p := testkit.Position(t, tt.fen)
		g := Generator{Longest: 3, known: make([]proof, proofEntries)}
		if got := g.shortest(p); got != tt.want {
			t.Errorf("%s: mate in %d, want %d", tt.fen, got, tt.want)
		}
		g = Generator{Longest: 3, known: make([]proof, proofEntries)}
		if g.left = 2; tt.want == 2 && g.mates(p, 2) {
			t.Errorf("%s: a mate proven with two positions", tt.fen)
		}
	}
}

// Shares in percent that the whole suite must reach with 50,000 nodes.
const (
	leastFound = 72.0
	leastSeen  = 85.0
)

// TestJudgement counts results that are right, longer, shorter and false.
func TestJudgement(t *testing.T) {
	entries, err := Read(strings.NewReader("8/8/8/8/8/1K6/7R/k7 w - - 0 1 dm 5;\n"))
	testkit.Succeed(t, err)
	const mate = 32000
	mateIn := func(moves int) search.Result {
		if moves < 0 {
			return search.Result{Score: eval.Score(-mate - 2*moves)}
		}
		return search.Result{Score: eval.Score(mate - 2*moves + 1)}
	}
	var c Count
	for _, moves := range []int{5, 7, 3, 2, -2} {
		note(entries[0], mateIn(moves), &c)
	}
	note(entries[0], search.Result{Score: 900}, &c)
	if want := (Count{All: 6, Found: 1, Longer: 1, Shorter: 1, False: 2}); c != want || c.Missed() != 1 {
		t.Errorf("counted %+v, want %+v and one missed", c, want)
	}
}

func TestReadErrors(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"", "no positions"}, {"8/8/8/8/8/1K6/7R/k7 w - - 0 1 bm Rh1;\n", "line 1: want the operation dm"},
		{"8/8/8/8/8/1K6/7R/k7 w - - 0 1 dm 0;\n", "dm \"0\""}, {"8/8/8/8 w - - 0 1 dm 2;\n", "line 1"},
	} {
		if _, err := Read(strings.NewReader(tt.text)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%q: error %v, want %q", tt.text, err, tt.want)
		}
	}
}

// TestGenerate writes a small suite twice, alike, and reads it.
func TestGenerate(t *testing.T) {
	var once, again strings.Builder
	for _, out := range []*strings.Builder{&once, &again} {
		g := Generator{Seed: 3, Each: 2, Longest: 3}
		testkit.Succeed(t, g.Generate(t.Context(), out))
	}
	entries, err := Read(strings.NewReader(once.String()))
	if err != nil || len(entries) != 4 || once.String() != again.String() {
		t.Fatalf("%d entries, %v:\n%s\n%s", len(entries), err, &once, &again)
	}
	for _, e := range entries {
		if plies := 2*e.Moves - 1; plain.MateIn(e.Position, plies) != plies {
			t.Errorf("%s: no shortest mate in %d", e.Position, e.Moves)
		}
	}
}
