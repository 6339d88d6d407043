package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/testkit"
	"github.com/tabula-chess/tabula/pgn"

	"github.com/tabula-chess/tabula/farm/run"
	"github.com/tabula-chess/tabula/train/match"
	"github.com/tabula-chess/tabula/train/traintest"
)

// here returns a place with a folder.
func here(t *testing.T) place { return place{dir: t.TempDir(), errOut: os.Stderr} }

// startMatch orders a match of two engines that are this test at 300 nodes.
func startMatch(t *testing.T, pairs int, how string) (*run.Manifest, run.Inputs) {
	t.Helper()
	p := newMatch(here(t))
	s := &spec{
		A:     "exec:" + strings.Join(traintest.Command(t, "none"), " "),
		B:     "exec:" + strings.Join(traintest.Command(t, how), " "),
		Nodes: 300, Pairs: pairs, Hash: 1, Seed: 1,
	}
	_, inputs, err := p.order(t.Context(), s, here(t))
	testkit.Succeed(t, err)
	return manifestOf(t, "match", 1, p), held(inputs)
}

// playMatch does all jobs of a match and folds them, and returns the games.
func playMatch(t *testing.T, m *run.Manifest, in run.Inputs) (*matchRun, []byte) {
	t.Helper()
	fold, all := newMatch(here(t)), []byte(nil)
	testkit.Succeed(t, m.Read(fold))
	for index := 0; index < m.Jobs && !fold.Done(); index++ {
		j := run.Job{Run: m.ID(), Index: index}
		data, _, err := fold.Do(t.Context(), j, in)
		testkit.Succeed(t, err)
		all = append(all, data...)
		testkit.Succeed(t, fold.Add(j, data))
	}
	return fold, all
}

// TestMatchIsExact plays a match at fixed nodes twice: the games are the same byte for byte, and
// the fold counts them.
func TestMatchIsExact(t *testing.T) {
	m, in := startMatch(t, 3, "none")
	fold, text := playMatch(t, m, in)
	if _, again := playMatch(t, m, in); !bytes.Equal(text, again) {
		t.Errorf("%s\nthen\n%s", text, again)
	}
	n := 0
	for g, err := range pgn.NewReader(bytes.NewReader(text)).Games() {
		testkit.Succeed(t, err)
		if want := fmt.Sprintf("%d.%d", n/2+1, n%2+1); g.Tag("Round") != want || g.Result == chess.NoResult ||
			len(g.Main.Moves) == 0 || g.Tag("White") != filepath.Base(os.Args[0]) {
			t.Errorf("game %d: %v, result %v, %d moves", n, g.Tags, g.Result, len(g.Main.Moves))
		}
		n++
	}
	if s := fold.standing(); n != 6 || s.Won+s.Drawn+s.Lost != 6 || s.Pairs.Total() != 3 || s.Broken != 0 {
		t.Errorf("%d games, %s", n, fold.Text())
	}
	m, in = startMatch(t, 1, "breaks")
	if fold, _ := playMatch(t, m, in); fold.standing().Won != 2 || fold.standing().Broken != 2 {
		t.Errorf("against one that breaks off: %s; want +2, 2 crashes", fold.Text())
	}
}

// TestMatchOrder: options are part of a player's name, and an error names what is wrong.
func TestMatchOrder(t *testing.T) {
	book := filepath.Join(t.TempDir(), "book")
	testkit.Write(t, book, []byte(chess.StartFEN+"\n4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\n"))
	engine := "exec:" + strings.Join(traintest.Command(t, "none"), " ")
	for _, tt := range []struct {
		tc, sprt, options string
		pairs             int
		want              string // in the title or the error
		accepted          bool
	}{
		{"", "", "", 2, "20000 nodes", true},
		{"", "", "", 3, "--pairs 3: there are 2 openings", false},
		{"", "", ",uci_elo=1800", 3, ",uci_elo=1800 against", true},
		{"3+0.03", "", "", 3, "3+0.03", true},
		{"", "8,0", "", 2, "SPRT", false},
		{"soon", "", "", 2, "--tc", false},
	} {
		p := newMatch(here(t))
		s := &spec{A: engine + tt.options, B: engine, TC: tt.tc, SPRT: tt.sprt, Nodes: 20_000, Pairs: tt.pairs}
		s.Hash, s.Openings = 1, book
		title, _, err := p.order(t.Context(), s, here(t))
		if got := title + fmt.Sprint(err); (err == nil) != tt.accepted || !strings.Contains(got, tt.want) {
			t.Errorf("%+v: %q", tt, got)
		}
	}
}

// TestMatchNumbers tells what is plotted of a match: the score counts a draw as half, and
// what cannot be told yet is left out.
func TestMatchNumbers(t *testing.T) {
	m, _ := startMatch(t, 42, "none")
	fold := newMatch(here(t))
	testkit.Succeed(t, m.Read(fold))
	game := func(result, reason string) string {
		return fmt.Sprintf("[Termination %q]\n[Result %q]\n\n1. e4 %s\n\n", reason, result, result)
	}
	for i, want := range []map[string]float64{
		{"games": 0, "late": 0, "faults": 0, "pairs_0": 0, "pairs_1": 0, "pairs_2": 0, "pairs_3": 0, "pairs_4": 0},
		{"games": 40, "score": 0.625, "late": 10, "faults": 0, "pairs_0": 0, "pairs_1": 10, "pairs_2": 0, "pairs_3": 0,
			"pairs_4": 10},
	} {
		for index := range 20 * i {
			pair := game("1-0", "normal") + game("0-1", "normal")
			if index%2 == 1 {
				pair = game("1/2-1/2", "normal") + game("1-0", match.TimeForfeit)
			}
			testkit.Succeed(t, fold.Add(run.Job{Index: index}, []byte(pair)))
		}
		if i == 1 {
			elo, margin := fold.standing().Pairs.Elo()
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
}
