package datagen

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/test/kit"
	"github.com/tabula-chess/tabula/train/match"
	"github.com/tabula-chess/tabula/train/record"
	"github.com/tabula-chess/tabula/train/traintest"
	"github.com/tabula-chess/tabula/work"
)

// quick returns n games that take milliseconds, in jobs of 128.
func quick(n int) *Games {
	return &Games{Run: 11, Nodes: 60, Chess960: 0.5, Want: n}
}

// positions returns n games of one position each, without an engine.
func positions(n int) *Games { return &Games{Run: 5, Nodes: 1, Material: true, Want: n} }

// play runs g into a file, which it continues.
func play(ctx context.Context, name string, g *Games, at work.Executor) error {
	log, err := record.OpenLog(name)
	if err != nil {
		return err
	}
	first, err := g.Continue(log)
	var s *work.Spec
	if err == nil {
		s, err = Type().Spec(g, 0)
	}
	if err == nil {
		err = work.Run(ctx, s, g, at, work.RunOptions{First: first})
	}
	return errors.Join(err, log.Close())
}

// generate returns the file of g.
func generate(t *testing.T, g *Games, threads int) []byte {
	t.Helper()
	name := filepath.Join(t.TempDir(), "games.tbg")
	kit.Succeed(t, play(t.Context(), name, g, work.Local(threads)))
	return kit.Read(t, name)
}

// numbers returns the numbers of the games of a file, in its order.
func numbers(t *testing.T, name string) (all []uint32) {
	t.Helper()
	log, err := record.OpenLog(name)
	kit.Succeed(t, err)
	defer log.Close()
	ids, err := log.IDs()
	kit.Succeed(t, err)
	for _, id := range ids {
		all = append(all, id.Number)
	}
	return all
}

// upTo returns the numbers from first to below end.
func upTo(first, end uint32) (all []uint32) {
	for ; first < end; first++ {
		all = append(all, first)
	}
	return all
}

// TestOneFile plays with any number of threads and in several starts: the file is the same byte for byte where each
// start ends with a job, and has the same games in the same order elsewhere.
func TestOneFile(t *testing.T) {
	want := generate(t, quick(260), 1)
	if !bytes.Equal(want, generate(t, quick(260), 5)) {
		t.Error("five threads write another file than one")
	}
	whole := filepath.Join(t.TempDir(), "whole.tbg")
	kit.Write(t, whole, want)
	games := traintest.Read(t, whole)
	for _, tt := range []struct {
		steps []int
		same  bool
	}{{[]int{128, 256, 260}, true}, {[]int{1, 40, 200, 200, 260}, false}} {
		name := filepath.Join(t.TempDir(), "games.tbg")
		for _, n := range tt.steps {
			g := quick(n)
			kit.Succeed(t, play(t.Context(), name, g, work.Local(3)))
			if got := numbers(t, name); !slices.Equal(got, upTo(0, uint32(n))) || g.Counts().Games != n {
				t.Errorf("%d games: %d are there, in the order %v", n, g.Counts().Games, got)
			}
		}
		if same := bytes.Equal(kit.Read(t, name), want); same != tt.same {
			t.Errorf("in steps of %v: the same bytes: %v", tt.steps, same)
		}
		if diff := cmp.Diff(games, traintest.Read(t, name)); diff != "" {
			t.Errorf("in steps of %v (-want +got):\n%s", tt.steps, diff)
		}
	}
	other := quick(270)
	other.Run++
	kit.Succeed(t, play(t.Context(), whole, other, work.Local(2)))
	if got := numbers(t, whole); !slices.Equal(got, append(upTo(0, 260), upTo(0, 10)...)) {
		t.Errorf("another run behind 260 games: %v", got)
	}
	for id, g := range traintest.Read(t, whole) {
		if id.Run == other.Run && cmp.Equal(g, games[quick(0).id(id.Number)]) {
			t.Errorf("game %d is the same in another run", id.Number)
		}
	}
}

// TestFirst begins in the middle of a job.
func TestFirst(t *testing.T) {
	name := filepath.Join(t.TempDir(), "games.tbg")
	for _, games := range []int{10, 70} {
		g := quick(games)
		g.First = 100
		kit.Succeed(t, play(t.Context(), name, g, work.Local(2)))
		if got := numbers(t, name); !slices.Equal(got, upTo(100, 100+uint32(games))) {
			t.Errorf("games %v", got)
		}
	}
}

// TestHoles continues a file that lacks games within others: they are played first.
func TestHoles(t *testing.T) {
	name := filepath.Join(t.TempDir(), "games.tbg")
	kit.Write(t, name, generate(t, quick(300), 2))
	games := traintest.Read(t, name)
	var data []byte
	for _, part := range [][]uint32{{1, 0}, upTo(4, 8), upTo(140, 142)} {
		var p record.Packer
		for _, n := range part {
			id := quick(0).id(n)
			p.Add(id, games[id])
		}
		var err error
		data, err = p.Append(data)
		kit.Succeed(t, err)
	}
	kit.Write(t, name, data)
	kit.Succeed(t, play(t.Context(), name, quick(300), work.Local(2)))
	want := slices.Concat([]uint32{1, 0}, upTo(4, 8), upTo(140, 142), upTo(2, 4), upTo(8, 140), upTo(142, 300))
	if got := numbers(t, name); !slices.Equal(got, want) {
		t.Errorf("games %v", got)
	}
	if diff := cmp.Diff(games, traintest.Read(t, name)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	other := quick(310)
	other.Nodes++
	err := play(t.Context(), name, other, work.Local(2))
	if exit.Code(err) != exit.Usage || !strings.Contains(err.Error(), "60 nodes, not 61") {
		t.Errorf("with other nodes: %v", err)
	}
}

// killedName names the file of the process that is killed.
const killedName = "TABULA_DATAGEN_KILLED"

// TestKilled kills runs, later ones after a longer time, until one comes to its end: finished games stay, and the file
// is that of a run without interruption.
func TestKilled(t *testing.T) {
	if name := os.Getenv(killedName); name != "" {
		kit.Succeed(t, play(t.Context(), name, positions(20_000), work.Local(3)))
		return
	}
	name, games := filepath.Join(t.TempDir(), "games.tbg"), 0
	for kills := 0; ; kills++ {
		cmd := exec.Command(os.Args[0], "-test.run=^TestKilled$")
		cmd.Env = append(os.Environ(), killedName+"="+name)
		kit.Succeed(t, cmd.Start())
		timer := time.AfterFunc(rand.N(40*time.Millisecond)<<(kills/5), func() { cmd.Process.Kill() })
		err := cmd.Wait()
		timer.Stop()
		if got := numbers(t, name); len(got) < games || !slices.Equal(got, upTo(0, uint32(len(got)))) {
			t.Fatalf("%d games after %d, or in another order", len(got), games)
		} else {
			games = len(got)
		}
		if err == nil || kills == 100 {
			t.Logf("%d kills, then %v", kills, err)
			break
		}
	}
	if !bytes.Equal(kit.Read(t, name), generate(t, positions(20_000), 1)) {
		t.Errorf("the file has %d games, or other ones", len(numbers(t, name)))
	}
}

// TestInterrupted stops a run as a user does and starts it again.
func TestInterrupted(t *testing.T) {
	name := filepath.Join(t.TempDir(), "games.tbg")
	ctx, cancel := context.WithCancel(t.Context())
	if err := play(ctx, name, positions(5000), stops{cancel, 3}); !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	if got := numbers(t, name); len(got) == 0 || len(got) == 5000 || !slices.Equal(got, upTo(0, uint32(len(got)))) {
		t.Fatalf("stopped with %d games, or in another order", len(got))
	}
	kit.Succeed(t, play(t.Context(), name, positions(5000), work.Local(2)))
	if !bytes.Equal(kit.Read(t, name), generate(t, positions(5000), 2)) {
		t.Error("the file is another one than without interruption")
	}
}

// stops is a place that is interrupted when so many jobs are done.
type stops struct {
	cancel func()
	jobs   int
}

func (p stops) Do(ctx context.Context, s *work.Spec, k work.Kind, in work.Inputs,
	next func(context.Context) (work.Job, bool), got func(work.JobResult) error) error {
	return work.Local(2).Do(ctx, s, k, in, next, func(r work.JobResult) error {
		err := got(r)
		if r.Index >= p.jobs {
			p.cancel()
		}
		return err
	})
}

// TestFullDisk ends a run whose file has no space, and continues it with space.
func TestFullDisk(t *testing.T) {
	dir := kit.SmallDisk(t, 128<<10)
	name, ballast := filepath.Join(dir, "games.tbg"), filepath.Join(dir, "ballast")
	kit.Write(t, ballast, make([]byte, 64<<10))
	if err := play(t.Context(), name, positions(3000), work.Local(2)); !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("error %v", err)
	}
	kit.Succeed(t, os.Remove(ballast))
	kit.Succeed(t, play(t.Context(), name, positions(3000), work.Local(2)))
	if !bytes.Equal(kit.Read(t, name), generate(t, positions(3000), 2)) {
		t.Error("with space the file is another one")
	}
}

// TestRefused hands over what is not the games of a job, and does jobs that are none.
func TestRefused(t *testing.T) {
	g := quick(200)
	_, err := g.Continue(nil)
	kit.Succeed(t, err)
	w, err := g.Open(t.Context(), nil)
	kit.Succeed(t, err)
	defer w.Close()
	do := func(index int) []byte {
		input, err := g.Next(index)
		kit.Succeed(t, err)
		data, units, err := w.Do(t.Context(), work.Job{Index: index, Input: input})
		kit.Succeed(t, err)
		if units < 1000 {
			t.Errorf("job %d: %v positions", index, units)
		}
		return data
	}
	first, second := do(0), do(1)
	file, err := record.NewFile(bytes.NewReader(first), int64(len(first)))
	kit.Succeed(t, err)
	var b record.Block
	kit.Succeed(t, file.Read(0, &b))
	pack := func(change func(i int, id *record.ID, g *record.ScoredGame) bool) []byte {
		var p record.Packer
		i := 0
		for id, game := range b.Games() {
			c := *game
			c.Plies = slices.Clone(c.Plies)
			if change(i, &id, &c) {
				p.Add(id, &c)
			}
			i++
		}
		data, err := p.Append(nil)
		kit.Succeed(t, err)
		return data
	}
	for name, lie := range map[string][]byte{
		"another job's": second, "cut": first[:len(first)-1], "twice": append(bytes.Clone(first), first...),
		"nothing": nil, "junk": []byte("x"),
		"a game too few":     pack(func(i int, _ *record.ID, _ *record.ScoredGame) bool { return i > 0 }),
		"another run":        pack(func(i int, id *record.ID, _ *record.ScoredGame) bool { id.Run += uint64(i); return true }),
		"other nodes":        pack(func(i int, id *record.ID, _ *record.ScoredGame) bool { id.Nodes++; return true }),
		"an illegal move":    pack(func(i int, _ *record.ID, g *record.ScoredGame) bool { g.Plies[0].Move = 0; return true }),
		"an illegal start":   pack(func(i int, _ *record.ID, g *record.ScoredGame) bool { clear(g.Start[:8]); return true }),
		"the last game only": pack(func(i int, _ *record.ID, _ *record.ScoredGame) bool { return i == mostGames-1 }),
	} {
		if err := g.Add(0, lie); err == nil || g.Counts().Games != 0 {
			t.Errorf("%s: folded: %v", name, g.Text())
		}
	}
	kit.Succeed(t, g.Add(0, first))
	kit.Succeed(t, g.Add(1, second))
	if _, err := g.Next(2); err != io.EOF || g.Counts().Games != 200 {
		t.Errorf("a third job: %v, %s", err, g.Text())
	}
	many := "[" + strings.Repeat("0,", mostGames) + "0]"
	for _, input := range []string{"", "x", "[-1]", "[1,0]", "[4294967296]", many} {
		if data, _, err := w.Do(t.Context(), work.Job{Input: []byte(input)}); err == nil || len(data) > 0 {
			t.Errorf("input %.20q: %v", input, err)
		}
	}
	g.Men = 3
	if _, err := g.Open(t.Context(), nil); err == nil || !strings.Contains(err.Error(), "tables of 3 men") {
		t.Errorf("without tables: %v", err)
	}
}

// TestRepeats plays games of a file again: with other settings they come out otherwise, whether the file names these or not.
func TestRepeats(t *testing.T) {
	name := filepath.Join(t.TempDir(), "games.tbg")
	kit.Succeed(t, play(t.Context(), name, quick(40), work.Local(2)))
	for what, tt := range map[string]struct {
		change func(g *Games)
		want   bool
	}{
		"the same":    {func(*Games) {}, true},
		"more games":  {func(g *Games) { g.Want = 900 }, true},
		"another run": {func(g *Games) { g.Run++ }, true}, // the file has none of it
		"no Chess960": {func(g *Games) { g.Chess960 = 0 }, false},
	} {
		g := quick(0)
		tt.change(g)
		if same, err := g.repeats(t.Context(), name, nil); err != nil || same != tt.want {
			t.Errorf("%s: %t, %v", what, same, err)
		}
	}
}

// TestNumbers: the numbers of games have 32 bits.
func TestNumbers(t *testing.T) {
	g := positions(0)
	g.First = math.MaxUint32 - 9
	name := filepath.Join(t.TempDir(), "games.tbg")
	for range 2 {
		kit.Succeed(t, play(t.Context(), name, g, work.Local(2)))
		if got := numbers(t, name); len(got) != 10 || got[9] != math.MaxUint32 {
			t.Errorf("games %v", got)
		}
	}
}

// TestGamesAreGood replays games as they are before a file rounds their scores: they
// are legal, about even at the start, and end as recorded.
func TestGamesAreGood(t *testing.T) {
	games := 30
	if testing.Short() {
		games = 10
	}
	k := quick(games)
	w, err := k.Open(t.Context(), nil)
	kit.Succeed(t, err)
	defer w.Close()
	chess960, sides := 0, [2]int{}
	for number := range games {
		id := k.id(uint32(number))
		g, err := w.(*gameWorker).Play(t.Context(), id)
		kit.Succeed(t, err)
		p := new(chess.Position)
		var j match.Adjudicator
		var judged bool
		var result record.HalfPoints
		err = g.Verify(p, func(p *chess.Position, ply record.Ply) {
			if judged {
				t.Errorf("game %d goes on after its end at %s", id.Number, p.FEN())
			}
			result, judged = j.See(ply.Score)
			if _, over := match.Ended(p); over {
				t.Errorf("game %d goes on after its end by the rules at %s", id.Number, p.FEN())
			}
		})
		if err != nil {
			t.Fatalf("game %d: %v", id.Number, err)
		}
		if !judged {
			result, judged = match.Ended(p)
		}
		if !judged || result != g.Result() {
			t.Errorf("game %d ends with %s in %s, want %s (over: %v)", id.Number, g.Result(), p.FEN(), result, judged)
		}
		start, err := g.Start.Position()
		kit.Succeed(t, err)
		if start.Chess960() {
			chess960++
		}
		sides[start.SideToMove()]++
		if n := 2*(start.FullmoveNumber()-1) + int(start.SideToMove()); n != match.RandomPlies && n != match.RandomPlies+1 {
			t.Errorf("game %d starts at ply %d: %s", id.Number, n, start.FEN())
		}
		checkBalance(t, id, start)
	}
	if chess960 == 0 || chess960 == games || sides[0] == 0 || sides[1] == 0 {
		t.Errorf("%d of %d games are Chess960, sides to move %v", chess960, games, sides)
	}
}

// checkBalance searches a start position as the generator has, but with an
// empty table.
func checkBalance(t *testing.T, id record.ID, start *chess.Position) {
	t.Helper()
	e, err := search.NewEngine(1)
	kit.Succeed(t, err)
	res := e.Search(start, search.Soft(match.OpeningNodes), search.Options{}, nil)
	if res.Score > 2*match.OpeningBalance || res.Score < -2*match.OpeningBalance {
		t.Errorf("game %d starts with score %d at %s", id.Number, res.Score, start.FEN())
	}
}

func TestCheck(t *testing.T) {
	for field, bad := range map[string]*Games{
		"nodes 0":             {},
		"nodes 4294967296":    {Nodes: 1 << 32},
		"chess960 share 1.5":  {Nodes: 1, Chess960: 1.5},
		"chess960 share NaN":  {Nodes: 1, Chess960: math.NaN()},
		"chess960 share -0.1": {Nodes: 1, Chess960: -0.1},
		"games -1":            {Nodes: 1, Want: -1},
	} {
		if err := bad.Check(); exit.Code(err) != exit.Usage || !strings.HasPrefix(err.Error(), field) {
			t.Errorf("%s: error %v", field, err)
		}
	}
	for nodes, want := range map[uint64]int{1: 128, 78: 128, 200: 50, 5000: 2, 10_000: 1, math.MaxUint32: 1} {
		if got := (&Games{Nodes: nodes}).PerJob(); got != want {
			t.Errorf("%d nodes: %d games in a job, want %d", nodes, got, want)
		}
	}
}
