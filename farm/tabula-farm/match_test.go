package main

import (
	"bytes"
	"fmt"
	"maps"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/testkit"
	"github.com/tabula-chess/tabula/pgn"

	"github.com/tabula-chess/tabula/farm/run"
	"github.com/tabula-chess/tabula/train/match"
	"github.com/tabula-chess/tabula/train/traintest"
)

// startMatch is a match of two engines that are this test, and its openings.
func startMatch(t *testing.T, p *matchRun, how string) (*run.Manifest, run.Inputs) {
	t.Helper()
	p.A = side{Name: "A", Command: traintest.Command(t, "none")}
	p.B = side{Name: "B", Command: traintest.Command(t, how)}
	p.Hash, p.PerJob = 1, 2
	return manifestOf(t, "match", 1, p), held([][]byte{[]byte(
		"rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2\n" +
			"rnbqkb1r/ppp1pppp/5n2/3p4/3P4/5N2/PPP1PPPP/RNBQKB1R w KQkq - 2 3\n8/5k2/8/4p3/4P3/8/5K2/8 b - - 0 40\n")})
}

// openMatch opens a match.
func openMatch(t *testing.T, m *run.Manifest) *matchRun {
	t.Helper()
	p := &matchRun{cache: &engineCache{dir: t.TempDir()}}
	testkit.Succeed(t, m.Read(p))
	return p
}

// playMatch does all jobs and folds them, and returns the games.
func playMatch(t *testing.T, m *run.Manifest, in run.Inputs) (*matchRun, []byte) {
	t.Helper()
	var all []byte
	fold := openMatch(t, m)
	for index := 0; index < m.Jobs && !fold.Done(); index++ {
		j := run.Job{Run: m.ID(), Index: index}
		data, _, err := fold.Do(t.Context(), j, in)
		testkit.Succeed(t, err)
		all = append(all, data...)
		testkit.Succeed(t, fold.Add(j, data))
	}
	return fold, all
}

// pgnOf returns a game for each letter, in which A, who is White in the first, third …, wins (w),
// draws (d), loses (l), loses on time (t) or crashes (c).
func pgnOf(letters string) []byte {
	var text strings.Builder
	for i, letter := range letters {
		result, reason := "0-1", "normal"
		switch {
		case letter == 'd':
			result = "1/2-1/2"
		case (letter == 'w') == (i%2 == 0):
			result = "1-0"
		}
		switch letter {
		case 't':
			reason = match.TimeForfeit
		case 'c':
			reason = match.Infraction
		}
		fmt.Fprintf(&text, "[Termination %q]\n[Result %q]\n\n1. e4 %s\n\n", reason, result, result)
	}
	return []byte(text.String())
}

// TestMatchIsExact plays a match at fixed nodes twice: the games are the same byte for byte, and
// the fold counts them.
func TestMatchIsExact(t *testing.T) {
	m, in := startMatch(t, &matchRun{Blocks: run.Blocks{Items: 3}, Rules: match.Rules{Nodes: 300}}, "none")
	fold, text := playMatch(t, m, in)
	if _, again := playMatch(t, m, in); !bytes.Equal(text, again) {
		t.Errorf("%s\nthen\n%s", text, again)
	}
	n := 0
	for g, err := range pgn.NewReader(bytes.NewReader(text)).Games() {
		testkit.Succeed(t, err)
		if want := fmt.Sprintf("%d.%d", n/2+1, n%2+1); g.Tag("Round") != want || g.Result == chess.NoResult ||
			len(g.Main.Moves) == 0 {
			t.Errorf("game %d: round %s, result %v, %d moves", n, g.Tag("Round"), g.Result, len(g.Main.Moves))
		}
		n++
	}
	if n != 6 || fold.Won+fold.Drawn+fold.Lost != 6 || fold.Pairs.Total() != 3 || fold.Folded != m.Jobs ||
		fold.Broken != 0 {
		t.Errorf("%d games, %s", n, fold.Text())
	}
}

// TestMatchFaults lets an engine break off: it loses, and the next game is played all the same.
func TestMatchFaults(t *testing.T) {
	m, in := startMatch(t, &matchRun{Blocks: run.Blocks{Items: 1}, Rules: match.Rules{Nodes: 200}}, "breaks")
	if fold, _ := playMatch(t, m, in); fold.Won != 2 || fold.Broken != 2 {
		t.Errorf("%s; want +2, 2 crashes", fold.Text())
	}
}

// TestTestEndsTheMatch folds pairs until the test has a verdict, that of the
// pairs in their order.
func TestTestEndsTheMatch(t *testing.T) {
	test := &match.Test{Elo0: 0, Elo1: 40, Alpha: 0.05, Beta: 0.05}
	m, _ := startMatch(t, &matchRun{Blocks: run.Blocks{Items: 2000}, Rules: match.Rules{Nodes: 1}, Test: test}, "none")
	fold := openMatch(t, m)
	var seen match.Pairs
	for index := 0; !fold.Done(); index++ {
		testkit.Succeed(t, fold.Add(run.Job{Index: index}, pgnOf("wdwl")))
		seen[3]++
		seen[2]++
	}
	if fold.Pairs != seen || fold.verdict != match.Accepted || fold.Folded >= m.Jobs {
		t.Errorf("%s after %d of %d jobs", fold.Text(), fold.Folded, m.Jobs)
	}
	names := map[string]bool{}
	for _, n := range fold.Numbers() {
		names[n.Name] = true
	}
	if !names["llr"] || !names["elo"] {
		t.Errorf("numbers %v", fold.Numbers())
	}
}

// TestMatchLies refuses games that are not those of a job, and folds nothing of them.
func TestMatchLies(t *testing.T) {
	m, _ := startMatch(t, &matchRun{Blocks: run.Blocks{Items: 2}, Rules: match.Rules{Nodes: 100}}, "none")
	good := pgnOf("wdlw")
	for name, lie := range map[string][]byte{
		"a game less": pgnOf("wdl"), "a pair more": pgnOf("wdlwww"), "no games": nil,
		"no result":       bytes.Replace(good, []byte("1-0"), []byte("*"), 2),
		"an illegal move": bytes.Replace(good, []byte("e4"), []byte("Ke8"), 1),
	} {
		fold := openMatch(t, m)
		if err := fold.Add(run.Job{}, lie); err == nil || fold.Won+fold.Drawn+fold.Lost+fold.Folded != 0 {
			t.Errorf("%s: folded: %s", name, fold.Text())
		}
	}
	testkit.Succeed(t, openMatch(t, m).Add(run.Job{}, good))
}

// TestClocks shows that the clock of a fast machine is shorter, in proportion.
func TestClocks(t *testing.T) {
	plan := matchRun{Rules: match.Rules{Clock: match.Clock{Base: 8 * time.Second, Inc: 80 * time.Millisecond}}}
	for nps, want := range map[float64]time.Duration{0: 8 * time.Second, referenceNPS: 8 * time.Second,
		4 * referenceNPS: 2 * time.Second, referenceNPS / 2: 16 * time.Second} {
		plan.nps = nps
		if c := plan.clock(); c.Base != want || c.Inc != want/100 {
			t.Errorf("%.0f nodes a second: %v + %v, want %v", nps, c.Base, c.Inc, want)
		}
	}
}

// TestMatchParams refuses parameters out of range, naming the field.
func TestMatchParams(t *testing.T) {
	good := func() *matchRun {
		return &matchRun{
			A: side{Name: "a", Command: []string{"a"}}, B: side{Name: "b", Source: 1, Bench: 1},
			Blocks: run.Blocks{Items: 10, PerJob: 2}, Rules: match.Rules{Nodes: 100}, Hash: 1,
		}
	}
	testkit.Succeed(t, good().Check())
	for field, spoil := range map[string]func(*matchRun){
		"pairs": func(p *matchRun) { p.Items = 0 },
		"nodes": func(p *matchRun) { p.Nodes = 0 },
		"clock": func(p *matchRun) { p.Nodes, p.Clock = 0, match.Clock{Inc: 1} },
		"hash":  func(p *matchRun) { p.Hash = 0 },
		"SPRT":  func(p *matchRun) { p.Test = &match.Test{} },
	} {
		p := good()
		spoil(p)
		if err := p.Check(); err == nil || !strings.Contains(err.Error(), field) {
			t.Errorf("%s: %v; want an error that names it", field, err)
		}
	}
}

// TestMatchOrder: options are part of a player's name, a limited strength plays to the end, long games come in smaller
// jobs, and no game is played twice.
func TestMatchOrder(t *testing.T) {
	book := filepath.Join(t.TempDir(), "book")
	testkit.Write(t, book, []byte(chess.StartFEN+"\n4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\n"))
	engine := "exec:" + strings.Join(traintest.Command(t, "none"), " ")
	for _, tt := range []struct {
		tc       string
		nodes    uint64
		pairs    int
		options  string
		perJob   int
		want     string // in the title or the error
		limited  bool
		accepted bool
	}{
		{"", 20_000, 2, "", 4, "against", false, true},
		{"", 20_000, 3, "", 4, "--pairs 3: there are 2 openings", false, false},
		{"", 20_000, 3, ",uci_elo=1800", 4, ",UCI_LimitStrength=true,uci_elo=1800 against", true, true},
		{"3+0.03", 0, 3, "", 4, "3+0.03", false, true},
		{"60+0.6", 0, 3, "", 2, "60+0.6", false, true},
		{"600+5", 0, 3, "", 1, "600+5", false, true},
	} {
		p := new(matchRun)
		s := &spec{A: engine + tt.options, B: engine, TC: tt.tc, Nodes: tt.nodes, Pairs: tt.pairs, Hash: 1, Openings: book}
		title, _, err := p.order(t.Context(), s, place{})
		if got := title + fmt.Sprint(err); (err == nil) != tt.accepted || !strings.Contains(got, tt.want) {
			t.Errorf("%+v: %q", tt, got)
		}
		if p.PerJob != tt.perJob || p.ToTheEnd != tt.limited {
			t.Errorf("%+v: %d pairs a job, to the end %v", tt, p.PerJob, p.ToTheEnd)
		}
	}
}

// TestMatchNumbers tells what is plotted of a match: the score counts a draw as half, and
// what cannot be told yet is left out.
func TestMatchNumbers(t *testing.T) {
	m, _ := startMatch(t, &matchRun{Blocks: run.Blocks{Items: 42}, Rules: match.Rules{Nodes: 1}}, "none")
	fold := openMatch(t, m)
	for i, want := range []map[string]float64{
		{"games": 0, "late": 0, "faults": 0, "pairs_0": 0, "pairs_1": 0, "pairs_2": 0, "pairs_3": 0, "pairs_4": 0},
		{"games": 80, "score": 0.625, "late": 10, "faults": 10, "pairs_0": 0, "pairs_1": 20, "pairs_2": 0, "pairs_3": 0,
			"pairs_4": 20},
	} {
		if i == 1 {
			for index := range 20 {
				testkit.Succeed(t, fold.Add(run.Job{Index: index}, pgnOf([]string{"wwdt", "wwdc"}[index%2])))
			}
			elo, margin := fold.Pairs.Elo()
			if want["elo"], want["elo_margin"] = elo, margin; !(elo > 0 && margin > 0) {
				t.Errorf("elo %v ± %v", elo, margin)
			}
		}
		got := map[string]float64{}
		for _, n := range fold.Numbers() {
			got[n.Name] = n.Value
		}
		if !maps.Equal(got, want) {
			t.Errorf("%v, want %v", got, want)
		}
	}
	if text := fold.Text(); !strings.HasPrefix(text, "+40 =20 -20, ") || !strings.Contains(text, "10 lost by a crash") ||
		strings.Contains(text, "on time") {
		t.Errorf("%q", text)
	}
}
