package datagen

import (
	"context"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/testkit"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/train/match"
	"github.com/tabula-chess/tabula/train/record"
	"github.com/tabula-chess/tabula/train/traintest"
)

// quick are settings for games that take milliseconds.
func quick() Config {
	return Config{Nodes: 60, Chess960: 0.5, Threads: 2, Hash: 1, Seed: 11, Seeded: true}
}

// generate runs c into a new file and returns its games.
func generate(t *testing.T, c Config) map[record.ID]*record.Game {
	t.Helper()
	name := filepath.Join(t.TempDir(), "games.tbg")
	if _, err := Run(t.Context(), name, c, nil, nil); err != nil {
		t.Fatal(err)
	}
	return traintest.Read(t, name)
}

func TestSameSeedSameGames(t *testing.T) {
	c := quick()
	c.Games = 12
	two := generate(t, c)
	c.Threads = 1
	one := generate(t, c)
	if len(two) != c.Games {
		t.Errorf("%d games, want %d", len(two), c.Games)
	}
	if diff := cmp.Diff(two, one); diff != "" {
		t.Errorf("two threads and one (-want +got):\n%s", diff)
	}
	c.Seed++
	for id, g := range generate(t, c) {
		if cmp.Equal(g, two[record.ID{Run: id.Run - 1, Number: id.Number, Nodes: id.Nodes}]) {
			t.Errorf("game %d is the same for another seed", id.Number)
		}
	}
}

// TestResume stops a run in the middle, as a user does, and starts it again:
// the games are those of a run without a break.
func TestResume(t *testing.T) {
	c := quick()
	c.Games = 40 // more than are played while the writer is stalled
	want := generate(t, c)
	name := filepath.Join(t.TempDir(), "games.tbg")
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	p, err := Run(ctx, name, c, nil, func(p Progress) {
		if p.Games >= 5 {
			cancel()
		}
	})
	if err != nil || p.Totals.Games >= c.Games || p.Totals.Games < 5 {
		t.Fatalf("%d games after a stop at 5, error %v", p.Totals.Games, err)
	}
	before := p.Totals.Games
	p, err = Run(t.Context(), name, c, nil, nil)
	if err != nil || p.Totals.Games != c.Games || p.Games != c.Games-before {
		t.Fatalf("%d games, %d of them new, error %v", p.Totals.Games, p.Games, err)
	}
	if diff := cmp.Diff(want, traintest.Read(t, name)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if p, err = Run(t.Context(), name, c, nil, nil); err != nil || p.Games != 0 {
		t.Errorf("a finished run played %d games, error %v", p.Games, err)
	}
}

func TestRandomRunsDiffer(t *testing.T) {
	c := quick()
	c.Seeded, c.Games = false, 3
	seen := map[uint64]bool{}
	for range 2 {
		for id := range generate(t, c) {
			seen[id.Run] = true
		}
	}
	if len(seen) != 2 {
		t.Errorf("%d different runs, want 2", len(seen))
	}
}

// TestGamesAreGood replays games as they are before a file rounds their scores: they
// are legal, about even at the start, and end as recorded.
func TestGamesAreGood(t *testing.T) {
	c := quick()
	if c.Games = 30; testing.Short() {
		c.Games = 10
	}
	player, err := NewPlayer(&c)
	testkit.Succeed(t, err)
	chess960, sides := 0, [2]int{}
	for number := range c.Games {
		id := record.ID{Run: c.Seed, Number: uint32(number), Nodes: uint32(c.Nodes)}
		g, err := player.Play(t.Context(), id)
		testkit.Succeed(t, err)
		p := new(chess.Position)
		var j match.Adjudicator
		var judged bool
		var result record.Result
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
		testkit.Succeed(t, err)
		if start.Chess960() {
			chess960++
		}
		sides[start.SideToMove()]++
		if n := 2*(start.FullmoveNumber()-1) + int(start.SideToMove()); n != match.RandomPlies && n != match.RandomPlies+1 {
			t.Errorf("game %d starts at ply %d: %s", id.Number, n, start.FEN())
		}
		checkBalance(t, id, start)
	}
	if chess960 == 0 || chess960 == c.Games || sides[0] == 0 || sides[1] == 0 {
		t.Errorf("%d of %d games are Chess960, sides to move %v", chess960, c.Games, sides)
	}
}

// checkBalance searches a start position as the generator has, but with an
// empty table.
func checkBalance(t *testing.T, id record.ID, start *chess.Position) {
	t.Helper()
	e, err := search.NewEngine(1)
	testkit.Succeed(t, err)
	res := e.Search(start, search.Soft(match.OpeningNodes), search.Options{}, nil)
	if res.Score > 2*match.OpeningBalance || res.Score < -2*match.OpeningBalance {
		t.Errorf("game %d starts with score %d at %s", id.Number, res.Score, start.FEN())
	}
}

func TestLimits(t *testing.T) {
	c := quick()
	c.Time = 50 * time.Millisecond
	// Without its limit it would not end.
	if p, err := Run(t.Context(), filepath.Join(t.TempDir(), "a"), c, nil, nil); err != nil || p.Elapsed < c.Time || p.Done != 1 {
		t.Errorf("ran %v, done %v, error %v, want %v or more", p.Elapsed, p.Done, err, c.Time)
	}
}

func TestConfigErrors(t *testing.T) {
	for _, tt := range []struct {
		field  string
		change func(*Config)
	}{
		{"nodes", func(c *Config) { c.Nodes = 0 }},
		{"chess960", func(c *Config) { c.Chess960 = 1.5 }},
		{"threads", func(c *Config) { c.Threads = 0 }},
		{"games", func(c *Config) { c.Games = -1 }},
		{"time", func(c *Config) { c.Time = -1 }},
		{"hash", func(c *Config) { c.Hash = 0 }},
	} {
		c := quick()
		c.Games = 1
		tt.change(&c)
		if _, err := Run(t.Context(), filepath.Join(t.TempDir(), "a"), c, nil, nil); err == nil || !strings.Contains(err.Error(), tt.field) {
			t.Errorf("%s: error %v, want one that names it", tt.field, err)
		}
	}
}
