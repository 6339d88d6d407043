package match

import (
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/syzygy"
	"github.com/tabula-chess/tabula/test/kit"
	"github.com/tabula-chess/tabula/train/record"
)

func TestAdjudicator(t *testing.T) {
	repeat := func(n int, s ...int16) (all []int16) {
		for range n {
			all = append(all, s...)
		}
		return all
	}
	for _, tt := range []struct {
		name   string
		scores []int16
		at     int // index of the score that ends the game, -1 for none
		result record.HalfPoints
	}{
		{"white wins", repeat(10, winScore), winPlies - 1, record.WhiteWins},
		{"black wins", repeat(10, -winScore), winPlies - 1, record.BlackWins},
		{"no agreement", repeat(20, winScore, winScore-1), -1, record.Draw},
		{"turns round", append(repeat(winPlies-1, winScore), repeat(winPlies, -winScore)...), 2*winPlies - 2, record.BlackWins},
		{"even to the end", repeat(maxPlies, 0), -1, record.Draw},
		{"mate", repeat(10, 31990), winPlies - 1, record.WhiteWins},
	} {
		for _, sign := range []int16{1, -1} {
			var a Adjudicator
			at, want := -1, tt.result
			if sign < 0 {
				want = record.WhiteWins - want
			}
			for i, s := range tt.scores {
				if r, over := a.See(sign * s); over {
					at = i
					if r != want {
						t.Errorf("%s (sign %d): result %s, want %s", tt.name, sign, r, want)
					}
					break
				}
			}
			if at != tt.at {
				t.Errorf("%s (sign %d): ended at %d, want %d", tt.name, sign, at, tt.at)
			}
		}
	}
}

func TestKnown(t *testing.T) {
	tables, err := syzygy.Open() // three men
	kit.Succeed(t, err)
	for _, tt := range []struct {
		name, fen string
		over      bool
		want      record.HalfPoints
	}{
		{"White wins", "8/8/8/4k3/8/8/8/KQ6 w - - 0 1", true, record.WhiteWins},
		{"White wins, Black to move", "8/8/8/4k3/8/8/8/KQ6 b - - 0 1", true, record.WhiteWins},
		{"Black wins", "8/8/8/4K3/8/8/8/kq6 w - - 0 1", true, record.BlackWins},
		{"a draw", "8/8/8/8/8/4k3/4p3/4K3 w - - 0 1", true, record.Draw},
		{"not after a capture", "8/8/8/4k3/8/8/8/KQ6 w - - 3 1", false, record.Draw},
		{"castling", "4k3/8/8/8/8/8/8/4K2R w K - 0 1", false, record.Draw},
		{"four men", "4k3/8/8/8/8/8/8/3QK2R w - - 0 1", false, record.Draw},
	} {
		p := kit.Position(t, tt.fen)
		if r, over := Known(p, tables); over != tt.over || r != tt.want {
			t.Errorf("%s: %v, %v; want %v, %v", tt.name, r, over, tt.want, tt.over)
		}
	}
}

// TestPlayEndsAtTables ends a game when a capture leads into a known ending.
func TestPlayEndsAtTables(t *testing.T) {
	tables, err := syzygy.Open()
	kit.Succeed(t, err)
	e, err := NewEngine(1, nil)
	kit.Succeed(t, err)
	p, err := chess.ParseFEN("8/8/8/8/3k4/8/3q4/K2Q4 w - - 0 1") // White takes at once
	kit.Succeed(t, err)
	game, err := Play(t.Context(), p, [2]Player{e, e}, &Rules{Nodes: 500, Tables: tables})
	if err != nil || len(game.Moves) != 1 || game.Result != record.WhiteWins {
		t.Errorf("%+v, error %v; want one move and a win of White", game, err)
	}
}
