package main

import (
	"regexp"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/uci"
)

func mustMover(t *testing.T, args ...string) *mover {
	t.Helper()
	m, err := newMover(args)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// TestGreedy: it mates, takes what is worth taking and keeps what it has.
func TestGreedy(t *testing.T) {
	for _, tt := range []struct{ name, fen, want string }{
		{"a mate before a queen", "6k1/5ppp/8/8/8/8/1q3PPP/B3R1K1 w - - 0 1", "Re8#"},
		{"the larger piece", "k7/8/8/2q1r3/3P4/8/8/K7 w - - 0 1", "dxc5"},
		{"not what is protected", "k7/8/4p3/3p4/8/8/8/K2R4 w - - 0 1", "-Rxd5"},
		{"a protected piece that is worth more", "k7/8/4p3/3q4/8/8/8/K2R4 w - - 0 1", "Rxd5"},
		{"a piece under attack moves away, and not to where it is taken", "k7/8/8/8/5p2/4Q3/8/K7 w - - 0 1", "Q"},
		{"a queen by promotion", "8/P6k/8/8/8/8/8/K7 w - - 0 1", "a8=Q"},
		{"en passant", "k7/8/8/3pP3/8/8/8/K7 w - d6 0 2", "exd6"},
	} {
		p, err := chess.ParseFEN(tt.fen)
		if err != nil {
			t.Fatal(err)
		}
		for _, number := range []string{"1", "2", "3"} {
			san := p.SAN(mustMover(t, "greedy", number).choose(p, movegen.Legal(p, nil)))
			if other, not := strings.CutPrefix(tt.want, "-"); not == strings.HasPrefix(san, other) {
				t.Errorf("%s: %s, want %s", tt.name, san, tt.want)
			}
		}
	}
}

// TestRandom: in a hundred games every first move is played, none in a third of them, and a game can be repeated.
func TestRandom(t *testing.T) {
	p := chess.NewPosition()
	legal, count := movegen.Legal(p, nil), map[chess.Move]int{}
	for number := range 100 {
		m := mustMover(t, "random")
		m.seed = uint64(number)
		move := m.choose(p, legal)
		if again := m.choose(p, legal); again != move {
			t.Errorf("number %d plays %v and %v", number, move, again)
		}
		count[move]++
	}
	for _, m := range legal {
		if count[m] < 1 || count[m] > 33 {
			t.Errorf("%v is played %d times in a hundred", m, count[m])
		}
	}
}

// TestProtocol plays by UCI: one legal move for each go, searchmoves is kept, and a position without moves has none.
func TestProtocol(t *testing.T) {
	for _, kind := range []string{"random", "greedy"} {
		var out strings.Builder
		in := "uci\nposition startpos moves e2e4 f7f5\ngo nodes 20000\ngo wtime 1000 btime 1000\ngo searchmoves a2a3\n" +
			"position fen k7/2Q5/1K6/8/8/8/8/8 b - - 0 1\ngo depth 3\nquit\n"
		if err := uci.Run(t.Context(), strings.NewReader(in), &out, mustMover(t, kind).open, uci.SessionConfig{}); err != nil {
			t.Fatal(err)
		}
		best := regexp.MustCompile(`(?m)^bestmove (\S+)`).FindAllStringSubmatch(out.String(), -1)
		if len(best) != 4 || best[0][1] != best[1][1] || best[2][1] != "a2a3" || best[3][1] != "(none)" {
			t.Errorf("%s: %q", kind, best)
		}
		if kind == "greedy" && len(best) > 0 && best[0][1] != "e4f5" {
			t.Errorf("greedy: %v", best[0])
		}
	}
}

// TestArguments refuses what no mover understands.
func TestArguments(t *testing.T) {
	for _, args := range [][]string{nil, {"best"}, {"random", "x"}, {"random", "-1"}, {"greedy", "1", "2"}} {
		if _, err := newMover(args); err == nil {
			t.Errorf("%q is accepted", args)
		}
	}
}
