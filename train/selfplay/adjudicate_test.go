package selfplay

import (
	"testing"

	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/train/record"
)

func TestJudge(t *testing.T) {
	repeat := func(n int, s ...eval.Score) (all []eval.Score) {
		for range n {
			all = append(all, s...)
		}
		return all
	}
	for _, tt := range []struct {
		name   string
		first  int // ply
		scores []eval.Score
		at     int // index of the score that ends the game, -1 for none
		result record.Result
	}{
		{"white wins", 8, repeat(10, winScore), winPlies - 1, record.WhiteWins},
		{"black wins", 8, repeat(10, -winScore), winPlies - 1, record.BlackWins},
		{"no agreement", 8, repeat(20, winScore, winScore-1), -1, record.Draw},
		{"turns round", 8, append(repeat(winPlies-1, winScore), repeat(winPlies, -winScore)...), 2*winPlies - 2, record.BlackWins},
		{"draw", drawFrom, repeat(20, drawScore, -drawScore), drawPlies - 1, record.Draw},
		{"draw, but early", drawFrom - 5, repeat(20, 0), drawPlies + 4, record.Draw},
		{"almost even", drawFrom, repeat(20, 0, 0, drawScore+1), -1, record.Draw},
		{"mate", 8, repeat(10, 31990), winPlies - 1, record.WhiteWins},
	} {
		for _, sign := range []eval.Score{1, -1} {
			var j Judge
			at, want := -1, tt.result
			if sign < 0 {
				want = record.WhiteWins - want
			}
			for i, s := range tt.scores {
				if r, over := j.See(tt.first+i, sign*s); over {
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
