package pgn_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/pgn"
)

func TestParseTimeControl(t *testing.T) {
	for text, want := range map[string]pgn.TimeControl{
		"600": {0, 600 * time.Second, 0}, " 180+2 ": {0, 180 * time.Second, 2 * time.Second},
		"8+0.08":                 {0, 8 * time.Second, 80 * time.Millisecond},
		"40/7200:20/3600+30:900": {40, 7200 * time.Second, 0},
		"40/5400+30:1800+30":     {40, 5400 * time.Second, 30 * time.Second},
		"1/86400":                {1, 24 * time.Hour, 0},
		"":                       {}, "-": {}, "?": {}, "*180": {}, "inf": {}, "nan": {}, "-5": {}, "0+1": {}, "1e99": {}, "300+": {}, "300+x": {},
		"0/300": {}, "x/300": {}, "40/": {}, "70000/1": {}, ":300": {}, "90 min + 30 sec": {}, "300+2+1": {},
	} {
		got, ok := pgn.ParseTimeControl(text)
		if got != want || ok != (want.Base > 0) {
			t.Errorf("%q is %+v, %v, want %+v", text, got, ok, want)
		}
	}
}

// timesText returns a word for each move: seconds left/spent of base, "-" for unknown, ! for trouble, * for a fast
// move.
func timesText(g *pgn.Game) string {
	var words []string
	seconds := func(d *time.Duration) string {
		if d == nil {
			return "-"
		}
		return fmt.Sprint(d.Seconds())
	}
	for _, m := range g.Times() {
		word := fmt.Sprintf("%s/%s of %v", seconds(m.Left), seconds(m.Spent), m.Base.Seconds())
		if m.Trouble() {
			word += "!"
		}
		if m.Fast() {
			word += "*"
		}
		words = append(words, word)
	}
	return strings.Join(words, ", ")
}

func TestTimes(t *testing.T) {
	for _, tt := range []struct{ name, control, moves, want string }{
		{"no clocks", "300", "1. e4 {best} e5", ""},
		{"a clock without a meaning", "300", "1. e4 {[%clk soon]} e5", ""},
		{"increment", "180+2", "1. e4 {[%clk 0:03:00]} e5 {[%clk 0:03:00]} 2. d4 {[%clk 0:02:52]} d5 {[%clk 0:03:01]} 3. c4 {[%clk 0:00:17]}",
			"180/- of 180, 180/- of 180, 172/10 of 180, 181/1 of 180*, 17/157 of 180!"},
		{"a tenth is no trouble", "180", "1. e4 {[%clk 0:00:18]} e5 {[%clk 0:00:17.9]}", "18/162 of 180, 17.9/162.1 of 180!"},
		{"two seconds are not fast", "180", "1. e4 {[%clk 0:02:58]} e5 {[%clk 0:02:58.1]}", "178/2 of 180, 178.1/1.9 of 180*"},
		{"elapsed counts before the clock", "180", "1. e4 {[%clk 0:02:50] [%emt 0:00:04]}", "170/4 of 180"},
		{"elapsed alone", "60+1", "1. e4 {[%emt 0:00:05]} e5 {[%emt 1]} 2. d4 {[%emt 0:00:54]} d5 2. c4 c5 {[%emt 3]}",
			"56/5 of 60, 60/1 of 60*, 3/54 of 60!, -/- of 60, -/- of 60, -/3 of 60"},
		{"more elapsed than there is", "60", "1. e4 {[%emt 90]}", "-/90 of 60"},
		{"elapsed, no control", "", "1. e4 {[%emt 0:00:05]} e5 {[%emt 1]}", "-/5 of 0, -/1 of 0*"},
		{"no control", "?", "1. e4 {[%clk 0:10:00]} e5 {[%clk 0:09:00]} 2. d4 {[%clk 0:00:59]} d5 {[%clk 0:00:54]}",
			"600/- of 600, 540/- of 540, 59/- of 600!, 54/- of 540"},
		{"control in minutes", "90+30", "1. e4 {[%clk 1:30:30]} e5 {[%clk 1:30:00]} 2. d4 {[%clk 0:09:00]}", "5430/- of 5430, 5400/- of 5400, 540/- of 5430!"},
		{"a gap", "180", "1. e4 {[%clk 0:02:50]} e5 2. d4 d5 {[%clk 0:02:50]} 3. c4 {[%clk 0:02:00]} c5 {[%clk 0:02:40]}",
			"170/10 of 180, -/- of 180, -/- of 180, 170/- of 180, 120/- of 180, 160/10 of 180"},
		{"a clock that gained", "180", "1. e4 {[%clk 0:02:50]} e5 2. d4 {[%clk 0:02:55]} d5 3. c4 {[%clk 0:02:50]}",
			"170/10 of 180, -/- of 180, 175/- of 180, -/- of 180, 170/5 of 180"},
		{"each move its own time", "1/86400", "1. e4 {[%clk 23:59:50]} e5 {[%clk 12:00:00]} 2. d4 {[%clk 2:00:00]} d5 {[%emt 60]}",
			"86390/10 of 86400, 43200/43200 of 86400, 7200/79200 of 86400!, 86340/60 of 86400"},
		{"time is added", "2/100:50", "1. e4 {[%clk 0:00:40]} e5 2. d4 {[%clk 0:01:20]} d5 3. c4 {[%clk 0:01:15]} c5 4. a3 {[%clk 0:00:09]}",
			"40/60 of 100, -/- of 100, 80/- of 100, -/- of 100, 75/5 of 100, -/- of 100, 9/66 of 100!"},
		{"time is added unseen", "2/100", "1. e4 {[%emt 60]} e5 2. d4 {[%emt 30]} d5 3. c4 {[%emt 10]}",
			"40/60 of 100, -/- of 100, -/30 of 100, -/- of 100, -/10 of 100"},
		{"berserk", "180+2", "1. e4 {[%clk 0:01:30]} e5 {[%clk 0:03:00]} 2. d4 {[%clk 0:01:29]} d5 {[%clk 0:03:01]} " +
			"3. c4 {[%clk 0:01:27]} c5 {[%clk 0:03:00]} 4. a3 {[%clk 0:01:25]} a6 {[%clk 0:00:17]} " +
			"5. b3 {[%clk 0:00:09]} b6 6. h3 {[%clk 0:00:08.9]}",
			"90/- of 90, 180/- of 180, 89/1 of 90*, 181/1 of 180*, 87/2 of 90, 180/3 of 180, 85/2 of 90, 17/165 of 180!, " +
				"9/76 of 90, -/- of 180, 8.9/0.1 of 90!*"},
		{"berserk without an increment", "60",
			"1. e4 {[%clk 0:01:00]} e5 {[%clk 0:00:30]} 2. d4 {[%clk 0:00:30]} d5 {[%clk 0:00:29]}",
			"60/- of 60, 30/- of 30, 30/30 of 60, 29/1 of 30*"},
		{"berserk in odd seconds", "15", "1. e4 {[%clk 0:00:08]} e5 {[%clk 0:00:07]} 2. d4 {[%clk 0:00:07.5]}",
			"8/- of 8, 7/- of 7, 7.5/0.5 of 8*"},
		{"berserk, and the time of the move", "60+1", "1. e4 {[%clk 0:00:30] [%emt 3]} *", "30/3 of 30"},
		{"nearly half", "180+2", "1. e4 {[%clk 0:01:29]} e5 {[%clk 0:01:32]} 2. d4 {[%clk 0:01:30]} d5 {[%clk 0:01:30.5]}",
			"89/93 of 180, 92/90 of 180, 90/1 of 180*, 90.5/3.5 of 180"},
		{"the largest clock", "180", "1. e4 {[%clk 1048575:59:59]} e5 {[%clk 0:00:00]}", "3.774873599e+09/- of 3.774873599e+09, 0/180 of 180!"},
	} {
		g := oneGame(t, fmt.Sprintf("[TimeControl %q]\n\n%s *", tt.control, tt.moves))
		if got := timesText(g); got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, got, tt.want)
		}
	}
	g := oneGame(t, "[TimeControl \"60\"]\n[FEN \"4k3/8/8/8/8/8/8/4K2R b K - 0 1\"]\n\n1... Kd7 {[%clk 0:00:50]} 2. O-O {[%clk 0:00:40]} Kd6 {[%clk 0:00:30]} *")
	if got, want := timesText(g), "50/10 of 60, 40/20 of 60, 30/20 of 60"; got != want {
		t.Errorf("from a FEN:\n got %s\nwant %s", got, want)
	}
	if got := g.Times(); got[0].Left == got[2].Left {
		t.Error("moves share a value")
	}
}
