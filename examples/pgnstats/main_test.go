package main

import (
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
)

const file = `[WhiteElo "2500"]
[BlackElo "2450"]

1. f3 e5 2. g4 Qh4# 0-1

[WhiteElo "2500"]
[BlackElo "1200"]

1. e4 (1. d4) e5 1/2-1/2

[WhiteElo "2600"]
[BlackElo "2700"]

1. e5 *

[Event "no ratings"]

1. e4 -- 2. d4 1-0
`

func TestStats(t *testing.T) {
	for _, tt := range []struct {
		elo  int
		want string
	}{
		{0, "games: 3, unreadable: 1, plies each: 3.0, mates: 1\n*             0\n1-0           1\n0-1           1\n1/2-1/2       1\n1. e4         2\n1. f3         1\n"},
		{2400, "games: 1, unreadable: 1, plies each: 4.0, mates: 1\n*             0\n1-0           0\n0-1           1\n1/2-1/2       0\n1. f3         1\n"},
	} {
		s := stats{results: map[chess.Result]int{}, first: map[string]int{}}
		if err := s.count(strings.NewReader(file), tt.elo); err != nil {
			t.Fatal(err)
		}
		var out strings.Builder
		if s.print(&out); out.String() != tt.want {
			t.Errorf("from %d: got\n%swant\n%s", tt.elo, out.String(), tt.want)
		}
	}
}
