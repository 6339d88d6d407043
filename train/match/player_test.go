package match

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/test/kit"
	"github.com/tabula-chess/tabula/train/record"
	"github.com/tabula-chess/tabula/train/traintest"
	"github.com/tabula-chess/tabula/uci/client"
)

func TestMain(m *testing.M) { traintest.Main(m) }

// program returns a side that is this test as an engine.
func program(t *testing.T, fault string) Side { return Side{Command: traintest.Command(t, fault)} }

// TestPrograms plays the engine in this process against the same as a program, without
// the endgame tables that only a program has: at fixed nodes both search alike, so each
// pair is even.
func TestPrograms(t *testing.T) {
	m := short()
	m.Pairs, m.Nodes, m.Players[1] = 2, 300, program(t, "none")
	m.Players[1].Options = map[string]string{"SyzygyProbeLimit": "0"}
	if s := play(t, m).standings[0]; s.Pairs != (Pairs{0, 0, 2, 0, 0}) || s.Broken > 0 {
		t.Errorf("%+v", s)
	}
	m = m.again()
	m.Players[1] = program(t, "breaks")
	if s := play(t, m).standings[0]; s.Won != 4 || s.Broken != 4 {
		t.Errorf("against one that breaks off: %+v", s)
	}
	m = m.again()
	m.Players[1], m.Pairs = program(t, "sleeps"), 1
	m.Nodes, m.Clock = 0, TimeControl{Base: 500 * time.Millisecond, Inc: 20 * time.Millisecond}
	if s := play(t, m).standings[0]; s.Won != 2 || s.Late != [2]int{0, 2} {
		t.Errorf("against one that sleeps: %+v", s)
	}
}

// TestForeign plays a program in a folder of its own, which goes with it.
func TestForeign(t *testing.T) {
	m := short()
	dir := filepath.Join(t.TempDir(), "engines")
	m.env.Foreign, m.engines.Dir = true, dir
	m.Pairs, m.Nodes, m.Players[1] = 1, 50, program(t, "none")
	during := 0
	err := playIn(t.Context(), "", stops{m, 1, func() { during = len(entries(t, dir)) }}, 1)
	if left := entries(t, dir); err != nil || during != 1 || len(left) != 0 || m.played != 1 {
		t.Errorf("%d folders during the match, then %v; %v", during, left, err)
	}
}

// entries returns what a folder holds.
func entries(t *testing.T, dir string) []os.DirEntry {
	t.Helper()
	all, err := os.ReadDir(dir)
	kit.Succeed(t, err)
	return all
}

// TestProgramRefuses: a program that knows no Chess960 has lost no game of it; the match ends with an error.
func TestProgramRefuses(t *testing.T) {
	m := short()
	m.Pairs, m.Nodes, m.Players[1], m.Book = 1, 50, program(t, "standard"), 1
	book := []byte("bqnb1rkr/pp3ppp/3ppn2/2p5/5P2/P2P4/NPP1P1PP/BQ1BNRKR w HFhf - 2 9\n")
	err := playIn(t.Context(), "", m, 1, book)
	if err == nil || !strings.Contains(err.Error(), "UCI_Chess960") || m.played != 0 {
		t.Errorf("%s: %v", m.Text(), err)
	}
}

// TestProgramHash: the size of the match's table does not replace one that the player's options set, in any case of
// letters.
func TestProgramHash(t *testing.T) {
	command := traintest.Command(t, "none")
	for _, tt := range []struct{ option, value, want string }{
		{"hash", "7", "7"}, {"HASH", "7", "7"}, {"Hash", "7", "7"}, {"Ponder", "false", "3"},
	} {
		p, err := NewProgram(t.Context(), client.Launch{Path: command[0], Args: command[1:], Timeout: time.Minute}, 3,
			map[string]string{tt.option: tt.value})
		kit.Succeed(t, err)
		if got := p.client.Value("Hash"); got != tt.want {
			t.Errorf("with the option %s: a table of %s MiB, want %s", tt.option, got, tt.want)
		}
		kit.Succeed(t, p.Close())
	}
}

// TestProgramGone: a program that crashed and cannot be started again is an error, and can be closed.
func TestProgramGone(t *testing.T) {
	self, err := os.Executable()
	kit.Succeed(t, err)
	copied := filepath.Join(t.TempDir(), "engine"+filepath.Ext(self))
	kit.Write(t, copied, kit.Read(t, self))
	kit.Succeed(t, os.Chmod(copied, 0o755))
	p, err := NewProgram(t.Context(), client.Launch{Path: copied, Args: []string{traintest.Name, "breaks"}}, 1, nil)
	kit.Succeed(t, err)
	for range 5 {
		if m, err := p.Move(t.Context(), chess.NewPosition(), &Rules{Nodes: 10}, [2]time.Duration{}); err != nil || m.Broken {
			break
		}
	}
	if os.Remove(copied) != nil {
		t.Skip("a program that runs cannot be removed")
	}
	if err := p.Begin(t.Context(), 0); err == nil {
		t.Error("begun without a program")
	}
	if err := p.Begin(t.Context(), 0); err == nil {
		t.Error("begun again")
	}
	_ = p.Close()
}

// TestProgramHangs: the time of a program that does not answer counts.
func TestProgramHangs(t *testing.T) {
	const wait = 3 * time.Second             // in which a program begins on a busy machine
	command := traintest.Command(t, "hangs") // from its fourth move on
	p, err := NewProgram(t.Context(), client.Launch{Path: command[0], Args: command[1:], Timeout: wait}, 1, nil)
	kit.Succeed(t, err)
	defer p.Close()
	r := &Rules{Clock: TimeControl{Base: 50 * time.Millisecond}}
	var m PlayedMove
	for range 5 {
		if m, err = p.Move(t.Context(), chess.NewPosition(), r, [2]time.Duration{r.Clock.Base, r.Clock.Base}); m.Broken {
			break
		}
	}
	if err != nil || !m.Broken || m.Took < wait {
		t.Errorf("%+v, %v", m, err)
	}
}

// TestLimits: the engine holds back some of a real clock's time, and nothing of a clock
// of nodes.
func TestLimits(t *testing.T) {
	left := [2]time.Duration{time.Second, time.Minute}
	for c, overhead := range map[TimeControl]time.Duration{{}: 0, {Base: time.Minute, Inc: 2}: moveOverhead, {Base: time.Minute, NodeTime: 100}: 0} {
		want := search.Limits{Time: left, Inc: [2]time.Duration{c.Inc, c.Inc}, Timed: [2]bool{true, true}, NodeTime: c.NodeTime}
		if c == (TimeControl{}) {
			want = search.Limits{}
		}
		l, o := c.limits(left)
		if l.Start.IsZero() != (c == TimeControl{}) {
			t.Errorf("%+v: the search starts at %v", c, l.Start)
		}
		l.Start = time.Time{}
		if o.MoveOverhead != overhead || !reflect.DeepEqual(l, want) {
			t.Errorf("%+v: %+v, %v held back; want %+v, %v", c, l, o.MoveOverhead, want, overhead)
		}
	}
}

// TestNodes: a move of a match takes exactly the nodes it may, one of training data ends with an iteration.
func TestNodes(t *testing.T) {
	e, err := NewEngine(1, nil)
	kit.Succeed(t, err)
	defer e.Close()
	p, differ := chess.NewPosition(), false
	for _, move := range []string{"", "e2e4", "c7c5", "g1f3", "d7d6"} {
		if move != "" {
			kit.Succeed(t, p.PlayText(move))
		}
		var moves [2]PlayedMove
		for i, want := range []search.Limits{{Nodes: 3000}, search.Soft(3000)} {
			e.Clear()
			res := e.Search(p, want, search.Options{}, nil)
			e.Clear()
			m, err := e.Move(t.Context(), p, &Rules{Nodes: 3000, Soft: i == 1}, [2]time.Duration{})
			if moves[i] = m; err != nil || m.Move != res.Best || m.Score != res.Score || m.Depth != int(res.Depth) {
				t.Errorf("after %q, soft %v: %+v, %v; want %+v", move, i == 1, m, err, res)
			}
		}
		differ = differ || moves[0] != moves[1]
	}
	if !differ {
		t.Error("a soft limit is as a hard one")
	}
}

// fake plays the first move of the list, taking its time.
type fake struct {
	takes  time.Duration
	games  []uint64
	broken bool
	err    error
}

func (f *fake) Begin(_ context.Context, game uint64) error {
	f.games = append(f.games, game)
	return nil
}

func (f *fake) Move(_ context.Context, p *chess.Position, _ *Rules, _ [2]time.Duration) (PlayedMove, error) {
	return PlayedMove{Move: movegen.Legal(p, nil)[0], Took: f.takes, Broken: f.broken}, f.err
}

func (f *fake) Close() error { return nil }

// TestPlayPair holds what a pair comes to against its games.
func TestPlayPair(t *testing.T) {
	slow, quick := &fake{takes: 4 * time.Second}, &fake{}
	r := &Rules{Clock: TimeControl{Base: 3 * time.Second, Inc: time.Minute}}
	pair, err := PlayPair(t.Context(), chess.NewPosition(), slow, quick, r, 7)
	if err != nil || pair[0].Result != record.BlackWins || pair[1].Result != record.WhiteWins ||
		pair[1].Reason != "time forfeit" {
		t.Errorf("%+v, error %v", pair, err)
	}
	numbers := append(slow.games, quick.games...)
	slices.Sort(numbers)
	if len(slices.Compact(numbers)) != 4 { // each player of each game makes other mistakes
		t.Errorf("games %v and %v", slow.games, quick.games)
	}
	broken := errors.New("broken")
	if _, err := PlayPair(t.Context(), chess.NewPosition(), &fake{err: broken}, quick, r, 7); !errors.Is(err, broken) {
		t.Errorf("error %v, want the player's", err)
	}
	for takes, reason := range map[time.Duration]string{2 * time.Second: Infraction, 4 * time.Second: TimeForfeit} {
		hangs := &fake{takes: takes, broken: true}
		if g, err := Play(t.Context(), chess.NewPosition(), [2]Player{hangs, quick}, r); err != nil || g.Reason != reason || g.Result != record.BlackWins {
			t.Errorf("without a move for %v: %+v, %v", takes, g, err)
		}
	}
	g, err := Play(t.Context(), chess.NewPosition(), [2]Player{quick, quick}, &Rules{Nodes: 1})
	if err != nil || len(g.Moves) > maxPlies {
		t.Errorf("%d moves, error %v", len(g.Moves), err)
	}
}

// TestStrengths plays strengths that lie far apart, and the same games again.
func TestStrengths(t *testing.T) {
	m := short()
	m.Nodes, m.Pairs, m.Players = 0, 4, []Side{{Elo: 2000}, {Elo: search.LeastElo}}
	first := play(t, m).standings[0]
	if first.Won < 6 {
		t.Errorf("%+v: want nearly every game", first)
	}
	if again := play(t, m.again()).standings[0]; again != first {
		t.Errorf("%+v: want the same games again, %+v", again, first)
	}
}

// TestCentipawns takes the score of a program in centipawns, mates as the largest.
func TestCentipawns(t *testing.T) {
	for _, tt := range []struct {
		kind  client.ScoreKind
		value int
		want  eval.Score
		ok    bool
	}{
		{client.Centipawns, 30, 30, true}, {client.Centipawns, -30, -30, true},
		{client.Centipawns, 30000, 20000, true}, {client.Centipawns, -30000, -20000, true},
		{client.Mate, 3, 20000, true}, {client.Mate, -3, -20000, true}, {0, 0, 0, false},
	} {
		if got, ok := centipawns(client.EngineScore{Kind: tt.kind, Value: tt.value}); got != tt.want || ok != tt.ok {
			t.Errorf("%+v: %v %v", tt, got, ok)
		}
	}
}
