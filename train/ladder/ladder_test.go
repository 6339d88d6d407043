package ladder

import (
	"context"
	"errors"
	"os/exec"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/train/selfplay"
)

// fake plays the first or the last move of the list, taking its time.
type fake struct {
	last  bool
	takes time.Duration
	games []uint64
	err   error
}

func (f *fake) Begin(_ context.Context, game uint64) error {
	f.games = append(f.games, game)
	return nil
}

func (f *fake) Move(_ context.Context, p *chess.Position, _ selfplay.Clock, _ [2]time.Duration) (chess.Move, time.Duration, error) {
	moves := movegen.Legal(p, nil)
	if f.last {
		return moves[len(moves)-1], f.takes, f.err
	}
	return moves[0], f.takes, f.err
}

// TestMatchCounts holds the score of a match to its games.
func TestMatchCounts(t *testing.T) {
	a, b := &fake{}, &fake{last: true}
	told := 0
	s, err := Match(context.Background(), a, b, Config{Pairs: 3, Seed: 4}, func(Score) { told++ })
	if err != nil {
		t.Fatal(err)
	}
	if s.Won+s.Drawn+s.Lost != 6 || s.Pairs.Total() != 3 || s.Late != 0 || told != 3 || s.Points() < 0 || s.Points() > 1 {
		t.Errorf("%+v, told %d times", s, told)
	}
	numbers := map[uint64]bool{}
	for _, n := range a.games {
		numbers[n] = true
	}
	if len(a.games) != 6 || len(numbers) != 6 || len(b.games) != 6 {
		t.Errorf("games %v and %v: want six numbers for each", a.games, b.games)
	}
	broken := errors.New("broken")
	if s, err := Match(context.Background(), &fake{err: broken}, b, Config{Pairs: 1}, nil); !errors.Is(err, broken) || s.Pairs.Total() != 0 {
		t.Errorf("%+v, %v: want the player's error", s, err)
	}
}

// TestSlowPlayersLose by the clock, with either colour.
func TestSlowPlayersLose(t *testing.T) {
	c := Config{Pairs: 1, Clock: selfplay.Clock{Base: 3 * time.Second, Inc: time.Minute}}
	s, err := Match(context.Background(), &fake{takes: 4 * time.Second}, &fake{last: true}, c, nil)
	if err != nil || s.Lost != 2 || s.Late != 2 {
		t.Errorf("%+v, %v: want two games lost on time", s, err)
	}
}

// TestStrongerWins plays strengths that lie far apart.
func TestStrongerWins(t *testing.T) {
	weak, err := Own(search.LeastElo)
	if err != nil {
		t.Fatal(err)
	}
	strong, err := Own(2000)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Match(context.Background(), strong, weak, Config{Pairs: 4, Seed: 1}, nil)
	if err != nil || s.Points() < 0.8 {
		t.Errorf("%+v, %v: want nearly every point", s, err)
	}
	again, err := Match(context.Background(), strong, weak, Config{Pairs: 4, Seed: 1}, nil)
	if err != nil || again != s {
		t.Errorf("%+v, %v: want the same games again, %+v", again, err, s)
	}
	if _, err := Own(100); err == nil {
		t.Error("Elo 100 was taken")
	}
}

// byNodes is a pair of games by a clock of nodes.
var byNodes = Config{Pairs: 1, Seed: 2, Clock: selfplay.Clock{Base: 100 * time.Millisecond, Inc: time.Millisecond, NodeTime: 10}}

// TestNodeTime plays by a clock of nodes: the same games again, however long they
// take, and none lost on time.
func TestNodeTime(t *testing.T) {
	players := [2]Player{}
	for i, elo := range []int{search.LeastElo, search.MostElo} {
		var err error
		if players[i], err = Own(elo); err != nil {
			t.Fatal(err)
		}
	}
	first, err := Match(context.Background(), players[0], players[1], byNodes, nil)
	if err != nil || first.Late != 0 {
		t.Fatalf("%+v, %v: want no loss on time", first, err)
	}
	if again, err := Match(context.Background(), players[0], players[1], byNodes, nil); err != nil || again != first {
		t.Errorf("%+v, %v: want the same games again, %+v", again, err, first)
	}
}

// TestRivalByNodes plays against Stockfish by a clock of nodes.
func TestRivalByNodes(t *testing.T) {
	path, err := exec.LookPath("stockfish")
	if err != nil {
		t.Skip("there is no stockfish")
	}
	rival, err := Rival(t.Context(), path, 1600, 0, 10)
	if err != nil {
		t.Fatal(err)
	}
	player, err := Own(1600)
	if err != nil {
		t.Fatal(err)
	}
	s, err := Match(t.Context(), player, rival, byNodes, nil)
	if err != nil || s.Late != 0 || s.Won+s.Drawn+s.Lost != 2 {
		t.Errorf("%+v, %v: want two games", s, err)
	}
}
