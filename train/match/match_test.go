package match

import (
	"bytes"
	"context"
	"errors"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/pgn"
	"github.com/tabula-chess/tabula/test/kit"
	"github.com/tabula-chess/tabula/work"
)

// short returns a short match of the embedded network with itself.
func short() *Match {
	m := newMatch(work.Env{})
	m.Players, m.Pairs, m.Nodes, m.Seed, m.Hash = make([]Side, 2), 6, 60, 1, 1
	return m
}

// again returns a match with the same settings that has played nothing.
func (m *Match) again() *Match {
	return &Match{
		Players: slices.Clone(m.Players), Gauntlet: m.Gauntlet, Rules: m.Rules, Seed: m.Seed, Chess960: m.Chess960,
		Book: m.Book, Hash: m.Hash, Pairs: m.Pairs, Test: m.Test, env: m.env, engines: m.engines,
	}
}

// play plays a match on two threads.
func play(t *testing.T, m *Match, in ...[]byte) *Match {
	t.Helper()
	kit.Succeed(t, playIn(t.Context(), "", m, 2, in...))
	return m
}

// playIn plays a match that a journal stores.
func playIn(ctx context.Context, journal string, k work.Kind, threads int, in ...[]byte) error {
	s, err := Type().Spec(k, 0, work.Files(in).Sums()...)
	if err != nil {
		return err
	}
	return work.Run(ctx, s, k, work.Local(threads), work.RunOptions{Journal: journal, Inputs: work.Files(in).Get})
}

// TestEven: a network against itself plays the two games of every pair alike,
// so that each pair is one point of two.
func TestEven(t *testing.T) {
	m := short()
	if s := play(t, m).standings[0]; s.Pairs != (Pairs{0, 0, 6, 0, 0}) || s.Won != s.Lost || s.Won+s.Drawn+s.Lost != 12 {
		t.Errorf("%+v", s)
	}
	// So do those of a clock that nodes drive, whatever else the machine does.
	m = short()
	m.Nodes, m.Clock = 0, TimeControl{Base: 20 * time.Millisecond, Inc: time.Millisecond, NodeTime: 100}
	if s := play(t, m).standings[0]; s.Pairs != (Pairs{0, 0, 6, 0, 0}) || s.Won != s.Lost || s.Late != [2]int{} {
		t.Errorf("by a clock of nodes: %+v", s)
	}
}

// weak returns the file of a network that does not know what anything is worth.
func weak(t *testing.T) []byte {
	t.Helper()
	shape := nnue.Shape{Width: nnue.WidthStep, Outputs: 1, Scale: 150}
	n, err := nnue.New(shape, nnue.NewWeights(shape), nnue.Provenance{})
	kit.Succeed(t, err)
	var file bytes.Buffer
	_, err = n.WriteTo(&file)
	kit.Succeed(t, err)
	return file.Bytes()
}

// TestBetter: the embedded network must beat an empty one, from either side of
// the match.
func TestBetter(t *testing.T) {
	m := short()
	m.Players[1].Network = 1
	turned := m.again()
	slices.Reverse(turned.Players)
	if s := play(t, m, weak(t)).standings[0]; s.Won <= s.Lost+4 {
		t.Errorf("against nothing: %+v", s)
	}
	if s := play(t, turned, weak(t)).standings[0]; s.Won >= s.Lost {
		t.Errorf("turned round: %+v", s)
	}
}

// trio returns a round robin of three with games as PGN, and the network among them.
func trio(t *testing.T) (*Match, [][]byte) {
	m := short()
	m.Players, m.Pairs = []Side{{Name: "A"}, {Name: "B", Network: 1}, {Name: "C", Params: map[string]int{"LMRBase": 1}}}, 2
	return m, [][]byte{weak(t)}
}

// stops is a match that is broken off once a number of pairs count.
type stops struct {
	*Match
	after int
	stop  func()
}

func (s stops) Add(index int, data []byte) error {
	if s.played+1 >= s.after {
		s.stop()
	}
	return s.Match.Add(index, data)
}

// TestResume breaks a match off after each pair; the scores and the games must be those of one run, whatever the number
// of threads.
func TestResume(t *testing.T) {
	m, in := trio(t)
	var want, got bytes.Buffer
	m.Games = &want
	play(t, m, in...)
	name := filepath.Join(t.TempDir(), "m")
	for runs := 1; ; runs++ {
		ctx, cancel := context.WithCancel(t.Context())
		got.Reset()
		part := m.again()
		part.Games = &got
		err := playIn(ctx, name, stops{part, runs, cancel}, 1+runs%3, in...)
		cancel()
		if err != nil && !errors.Is(err, context.Canceled) || part.played < min(runs, m.played) {
			t.Fatalf("start %d: %d pairs, %v", runs, part.played, err)
		}
		if err != nil {
			continue
		}
		if !reflect.DeepEqual(part.standings, m.standings) || got.String() != want.String() {
			t.Errorf("in parts %+v, at once %+v\n%s", part.standings, m.standings, &got)
		}
		return
	}
}

// stuck is a match whose first pair does not end. It counts those behind.
type stuck struct {
	*Match
	done chan int
}

type stuckWorker struct {
	work.JobWorker
	done chan int
}

func (s stuck) Open(ctx context.Context, in work.Inputs) (work.JobWorker, error) {
	w, err := s.Match.Open(ctx, in)
	return stuckWorker{w, s.done}, err
}

func (w stuckWorker) Do(ctx context.Context, j work.Job) ([]byte, float64, error) {
	if j.Index == 0 && cap(w.done) == 0 {
		<-ctx.Done()
		return nil, 0, ctx.Err()
	}
	w.done <- j.Index
	return w.JobWorker.Do(ctx, j)
}

// TestKeepsPairsBehindALongOne interrupts a match while its first pair is played and others have ended: they are not
// played again.
func TestKeepsPairsBehindALongOne(t *testing.T) {
	m, in := trio(t)
	want := play(t, m.again(), in...)
	name := filepath.Join(t.TempDir(), "m")
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan int)
	go func() {
		for index := range done {
			if index == 5 { // of 0 to 5; one thread has played 1 to 4
				cancel()
			}
		}
	}()
	first := m.again()
	if err := playIn(ctx, name, stuck{first, done}, 2, in...); !errors.Is(err, context.Canceled) || first.played != 0 {
		t.Fatalf("%v, %d pairs count", err, first.played)
	}
	close(done)
	again := make(chan int, 6)
	kit.Succeed(t, playIn(t.Context(), name, stuck{m, again}, 2, in...))
	close(again)
	for index := range again {
		if index > 0 && index < 5 {
			t.Errorf("pair %d is played again", index)
		}
	}
	if !reflect.DeepEqual(m.standings, want.standings) {
		t.Errorf("%+v, want %+v", m.standings, want.standings)
	}
}

// TestFurther plays on with more pairs, with a test, and without.
func TestFurther(t *testing.T) {
	m, in := trio(t)
	m.Players = m.Players[:2]
	name := filepath.Join(t.TempDir(), "m")
	var games bytes.Buffer
	for _, tt := range []struct {
		pairs, played int
		test          *Test
	}{
		{2, 2, nil}, {4, 4, nil}, {3, 3, nil},
		{1000, 0, &Test{Elo0: 0, Elo1: 100, Alpha: 0.05, Beta: 0.05}}, // ends when it has a verdict
		{10, 10, nil},
	} {
		next := m.again()
		games.Reset()
		next.Pairs, next.Test, next.Games = tt.pairs, tt.test, &games
		kit.Succeed(t, playIn(t.Context(), name, next, 2, in...))
		pairs := next.standings[0].Pairs
		if tt.test == nil && next.played != tt.played || pairs.Total() != next.played ||
			strings.Count(games.String(), "[Event ") != 2*next.played {
			t.Errorf("%d pairs: %d are played, %+v", tt.pairs, next.played, next.standings)
		}
		if tt.test != nil && (tt.test.Verdict(pairs) != Accepted || next.played >= tt.pairs || next.played < 4) {
			t.Errorf("%+v: want an early acceptance", pairs)
		}
	}
}

func TestResumeRefuses(t *testing.T) {
	name := filepath.Join(t.TempDir(), "m")
	m := short()
	m.Pairs = 1
	kit.Succeed(t, playIn(t.Context(), name, m, 1))
	for want, change := range map[string]func(*Match) [][]byte{
		"Nodes 60, not 61": func(m *Match) [][]byte { m.Nodes++; return nil },
		"Seed 1, not 2":    func(m *Match) [][]byte { m.Seed++; return nil },
		"Players":          func(m *Match) [][]byte { m.Players[0].Params = map[string]int{"LMRBase": 1}; return nil },
		"other input files": func(m *Match) [][]byte {
			m.Players[1].Network = 1
			return [][]byte{weak(t)}
		},
	} {
		other := m.again()
		in := change(other)
		if err := playIn(t.Context(), name, other, 1, in...); err == nil || !strings.Contains(err.Error(), want) ||
			!strings.Contains(err.Error(), name) {
			t.Errorf("error %v, want one with %q that names the file", err, want)
		}
	}
}

// TestClock: games by the clock end, and who has no time left loses.
func TestClock(t *testing.T) {
	m := short()
	m.Nodes, m.Pairs, m.Clock = 0, 1, TimeControl{Base: time.Nanosecond}
	if s := play(t, m).standings[0]; s.Late != [2]int{1, 1} || s.Won != 1 || s.Lost != 1 {
		t.Errorf("with no time: %+v, want White to lose both", s)
	}
}

// TestScaled: the clock of a fast machine is shorter, in proportion, unless nodes drive it.
func TestScaled(t *testing.T) {
	for nps, want := range map[float64]time.Duration{0: 8 * time.Second, referenceNPS: 8 * time.Second,
		4 * referenceNPS: 2 * time.Second, referenceNPS / 2: 16 * time.Second} {
		m := short()
		m.env.NPS, m.Nodes, m.Clock = nps, 0, TimeControl{Base: 8 * time.Second, Inc: 80 * time.Millisecond}
		if c := m.rules().Clock; c.Base != want || c.Inc != want/100 {
			t.Errorf("%.0f nodes a second: %v + %v, want %v", nps, c.Base, c.Inc, want)
		}
		m.Clock.NodeTime = 100
		if c := m.rules().Clock; c != m.Clock {
			t.Errorf("%.0f nodes a second, a clock of nodes: %v, want %v", nps, c, m.Clock)
		}
	}
}

// TestOpenings: every opening is played once before one is played again.
func TestOpenings(t *testing.T) {
	m := short()
	book := "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\n4k3/8/8/8/8/8/3P4/4K3 w - - 0 1\n4k3/8/8/8/8/8/2P5/4K3 w - - 0 1\n"
	m.Book = 2
	w, err := m.Open(t.Context(), work.Files{nil, []byte(book)}.Get)
	kit.Succeed(t, err)
	defer w.Close()
	for round := range 3 {
		seen := map[string]bool{}
		for i := range 3 {
			p, err := w.(*seats).opening(t.Context(), round*3+i)
			kit.Succeed(t, err)
			if seen[p.FEN()] = true; !strings.Contains(book, p.FEN()) {
				t.Errorf("opening %v", p)
			}
		}
		if len(seen) != 3 {
			t.Errorf("round %d: %d of 3 openings", round, len(seen))
		}
	}
}

func TestCheck(t *testing.T) {
	for what, change := range map[string]func(*Match){
		"1 player":         func(m *Match) { m.Players = m.Players[:1] },
		"nodes":            func(m *Match) { m.Nodes = 0 },
		"clock":            func(m *Match) { m.Clock.Base = 1 },
		"clock -1ns":       func(m *Match) { m.Nodes, m.Clock.Base = 0, -1 },
		"chess960":         func(m *Match) { m.Chess960 = 2 },
		"hash size ":       func(m *Match) { m.Hash = 0 },
		"player 1":         func(m *Match) { m.Players[0].Params = map[string]int{"reach": 1} },
		"player 2: streng": func(m *Match) { m.Players[1].Elo = 1 },
		"player 2: commit": func(m *Match) { m.Players[1].Commit = "../../evil" },
	} {
		m := short()
		change(m)
		if err := m.Check(); err == nil || !strings.Contains(err.Error(), what) {
			t.Errorf("%s: error %v", what, err)
		}
	}
}

// pgnOf returns a pair of games, in which A, who is White in the first, wins (w), draws (d), loses (l), loses on time
// (t) or crashes (c).
func pgnOf(letters string) []byte {
	var text bytes.Buffer
	for i, letter := range letters {
		g := &pgn.Game{Result: chess.WhiteWins}
		if (letter == 'w') != (i%2 == 0) {
			g.Result = chess.BlackWins
		}
		if letter == 'd' {
			g.Result = chess.Draw
		}
		reason := map[rune]string{'t': TimeForfeit, 'c': Infraction}[letter]
		g.SetTag("Termination", reason)
		g.Main.Moves = []pgn.Node{{Move: chess.NewMove(chess.E2, chess.E4, chess.Normal)}}
		if err := pgn.NewWriter(&text).Write(g); err != nil {
			panic(err)
		}
	}
	return text.Bytes()
}

// TestAdd counts what games come to, and refuses what is no pair of games, folding nothing of it.
func TestAdd(t *testing.T) {
	m := short()
	kit.Succeed(t, m.Check())
	for i, pair := range []string{"wd", "lw", "tl", "cw", "dd"} {
		kit.Succeed(t, m.Add(i, pgnOf(pair)))
	}
	tally := Tally{Won: 3, Drawn: 3, Lost: 4, Late: [2]int{1, 0}, Broken: 1}
	want := Standing{B: 1, Tally: tally, Pairs: Pairs{1, 0, 3, 1, 0}}
	if m.standings[0] != want || m.played != 5 {
		t.Errorf("%+v, want %+v", m.standings[0], want)
	}
	if text := m.Text(); !strings.HasPrefix(text, "+3 =3 -4, Elo") || !strings.Contains(text, "1 lost by a crash") ||
		strings.Contains(text, "on time") || !strings.HasSuffix(text, ", 2 games left") {
		t.Errorf("%q", text)
	}
	good := pgnOf("wd")
	for name, lie := range map[string][]byte{
		"a game less": pgnOf("w"), "a game more": pgnOf("wdl"), "no games": nil,
		"no result":       bytes.ReplaceAll(good, []byte("1-0"), []byte("*")),
		"an illegal move": bytes.Replace(good, []byte("e4"), []byte("Ke8"), 1),
	} {
		if err := m.Add(5, lie); err == nil || m.standings[0] != want || m.played != 5 {
			t.Errorf("%s: folded: %s, %v", name, m.Text(), err)
		}
	}
	full := errors.New("full")
	m.Games = broken{full}
	if !errors.Is(m.Add(5, good), full) || m.played != 5 {
		t.Error("folded though the games cannot be written")
	}
	m.Games = nil
	kit.Succeed(t, m.Add(5, good))
}

type broken struct{ error }

func (b broken) Write([]byte) (int, error) { return 0, b.error }

// TestGames: the games have the names and numbers of who played them, the scores of moves and, by the clock, their
// times.
func TestGames(t *testing.T) {
	if testing.Short() {
		t.Skip("plays whole games, one after the other")
	}
	m, in := trio(t)
	var text bytes.Buffer
	m.Pairs, m.Games = 1, &text
	m.Nodes, m.Clock = 0, TimeControl{Base: time.Second, Inc: 10 * time.Millisecond, NodeTime: 1000}
	play(t, m, in...)
	n := 0
	for g, err := range pgn.NewReader(&text).Games() {
		kit.Succeed(t, err)
		want := [][3]string{
			{"1.1", "A", "B"}, {"1.2", "B", "A"}, {"2.1", "A", "C"}, {"2.2", "C", "A"}, {"3.1", "B", "C"}, {"3.2", "C", "B"},
		}[n]
		got := [3]string{g.Tag("Round"), g.Tag("White"), g.Tag("Black")}
		if got != want || g.Tag("TimeControl") != "1+0.01" || g.Tag("Termination") == "" || g.Result == chess.NoResult ||
			g.Warning != nil {
			t.Errorf("game %d: %v, %v %v", n, g.Tags, g.Result, g.Warning)
		}
		said := g.Main.Moves[0].Comments[0]
		if len(g.Main.Moves) == 0 || !strings.Contains(said, "/") || !strings.HasSuffix(said, "s") {
			t.Errorf("game %d: %d moves, comment %q", n, len(g.Main.Moves), said)
		}
		n++
	}
	if n != 6 {
		t.Errorf("%d games", n)
	}
}
