package match

import (
	"testing"

	"github.com/tabula-chess/tabula/train/games"
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
		first  int // ply
		scores []int16
		at     int // index of the score that ends the game, -1 for none
		result games.Result
	}{
		{"white wins", 8, repeat(10, winScore), winPlies - 1, games.WhiteWins},
		{"black wins", 8, repeat(10, -winScore), winPlies - 1, games.BlackWins},
		{"no agreement", 8, repeat(20, winScore, winScore-1), -1, games.Draw},
		{"turns round", 8, append(repeat(winPlies-1, winScore), repeat(winPlies, -winScore)...), 2*winPlies - 2, games.BlackWins},
		{"draw", drawFrom, repeat(20, drawScore, -drawScore), drawPlies - 1, games.Draw},
		{"draw, but early", drawFrom - 5, repeat(20, 0), drawPlies + 4, games.Draw},
		{"almost even", drawFrom, repeat(20, 0, 0, drawScore+1), -1, games.Draw},
		{"mate", 8, repeat(10, 31990), winPlies - 1, games.WhiteWins},
	} {
		for _, sign := range []int16{1, -1} {
			var a Adjudicator
			at, want := -1, tt.result
			if sign < 0 {
				want = games.WhiteWins - want
			}
			for i, s := range tt.scores {
				if r, over := a.See(tt.first+i, sign*s); over {
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
