package pgn_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/tabula-chess/tabula/pgn"
)

// TestStrayLines: a line among the tags leaves them those of one game. It becomes a comment, or is dropped where it has
// neither letters nor digits, with a warning.
func TestStrayLines(t *testing.T) {
	const head = "[Event \"e\"]\n[Site \"s\"]\n"
	const tail = "\n[White \"Anna\"]\n[Black \"Ben\"]\n\n1. e4 e5 1-0\n\n[Event \"next\"]\n\n*\n"
	for _, line := range []string{
		"3", "50", "1.", "...", "*", "1-0", "12.05.2024", "1/2", "--", "e4", "Round 3", "Board 3:", "Game 12",
		"-----", "=====", "<br>", "# c", "Elo: 2000", "White \"Anna\"", "A00", "Anna - Ben", "// comment",
		"&nbsp;", "hello", "Team A1 - Team B2", "(Board 3)", "0-0", "$1", "\n3\n", "\nRound 3\n",
		"Round 3\nBoard 4", "\n1. resigned\n", "\n-----\n", "--- Game 2 ---", "3 % not an escape", "½",
		"1. pass?",
	} {
		text := head + line + tail
		for what, games := range map[string][]*pgn.Game{
			"read": allOf(pgn.NewReader(strings.NewReader(text)).Games()), "tags first": allOf(pgn.ByTags(text)),
		} {
			if len(games) != 2 {
				t.Errorf("%q, %s: %d games", line, what, len(games))
				continue
			}
			g := games[0]
			tags := fmt.Sprint(g.Tags)
			if tags != "[{Event e} {Site s} {White Anna} {Black Ben}]" || len(g.Main.Moves) != 2 || g.Result.String() != "1-0" {
				t.Errorf("%q, %s: %s with %d moves, %v", line, what, tags, len(g.Main.Moves), g.Result)
			}
			if g.Warning == nil || g.Warning.Line < 3 || strings.Contains(g.Warning.Reason, "more") {
				t.Errorf("%q, %s: warning %v", line, what, g.Warning)
			}
			words := strings.Join(strings.Fields(line), " ")
			comment := strings.Join(g.Main.Comments, " ")
			said := func(c rune) bool { return unicode.IsLetter(c) || unicode.IsNumber(c) }
			if comment != words && strings.ContainsFunc(words, said) {
				t.Errorf("%q, %s: kept as %q", line, what, comment)
			}
		}
	}
}

// allOf returns the games that can be read.
func allOf(games func(func(*pgn.Game, error) bool)) (all []*pgn.Game) {
	for g, err := range games {
		if err == nil {
			all = append(all, g)
		}
	}
	return all
}

// TestGamesOfTags: moves, results and repeated tags part games, also where tags follow.
func TestGamesOfTags(t *testing.T) {
	for text, want := range map[string][]int{ // tags of each game
		"[White \"w\"]\n\n*\n\n[Event \"e\"]\n[White \"x\"]\n\n1. e4 *":          {1, 2},
		"[White \"w\"]\n*\n[Event \"e\"]\n\n1. e4 *":                             {1, 1},
		"[White \"w\"]\n1-0\n[White \"x\"]\n\n1. e4 *":                           {1, 1},
		"[White \"w\"]\n\n1/2-1/2\n\n[Black \"b\"]\n\n1. e4 *":                   {1, 1},
		"[White \"w\"]\n3\n[White \"x\"]\n\n1. e4 *":                             {1, 1},
		"[White \"w\"]\n1. e4\n[Black \"b\"]\n\n1. d4 *":                         {1, 1},
		"[White \"w\"]\ne4 e5\n[Black \"b\"]\n\n1. d4 *":                         {1, 1},
		"[White \"w\"]\n\ne4\n\n[Black \"b\"]\n\n1. d4 *":                        {1, 1},
		"[White \"w\"]\n(1. e4)\n[Black \"b\"]\n\n1. d4 *":                       {1, 1},
		"[White \"w\"]\nfoo foo\n[Event \"q\"]\n\n1. d4 *":                       {2},
		"[White \"w\"]\nfoo " + strings.Repeat("3 ", 600) + "\n[Black \"b\"]\n*": {1, 1}, // too long to be a remark
	} {
		var got []int
		for _, g := range allOf(pgn.NewReader(strings.NewReader(text)).Games()) {
			got = append(got, len(g.Tags))
		}
		if !slices.Equal(got, want) {
			t.Errorf("%.60q: %v, want %v", text, got, want)
		}
	}
}
