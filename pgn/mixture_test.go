package pgn

import (
	"fmt"
	"iter"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// scraps are pieces of texts that may be tags, movetext, remarks or lines that part games.
var scraps = []string{
	"[Event \"a\"]\n", "[Event \"b\"]\n", "[White \"w\"]\n", "[Black \"b\"] ", "  [Site \"s\"]\n",
	"[Result \"1-0\"]\n", "[note] ", "[White w]\n", "[Event \"in [b \"1\"] x\"]\n", "\n", "\n\n", "\n\n", " ",
	"1. e4 ", "1. e4 e5 1-0\n\n", "e4 ", "Nf3", "2. d4 ", "1. foo", "24. Nf3 ", "*", " *\n", " 1-0", " 1-0\n",
	"\n1/2-1/2\n\n", "1/2\n", "3\n", "12.05.2024\n", "Round 3\n", "foo foo\n", "Anna - Ben 1-0\n", "...", "--",
	"--- Game 2 ---\n", "-----\n", "=====\n", "{c} ", "{c\n", "}", "(", ")", "(1. d4) ", "( 1-0\n", "; c\n",
	";", "% c\n", "% c", "[%clk 1:00] ", "[% ", "{[%clk 0:01:00]} ", "\"", "<a> ", "<", "Sf3 ", "&nbsp;", "$1 ",
	"***\n", "* * *\n", "** Game **\n", "-- My games --\n", "pass ", "resigns in view of Nf3 and mate ", "0-0 ",
}

// mixture makes a text of scraps.
func mixture(r *rand.Rand) string {
	var b strings.Builder
	for range 1 + r.IntN(14) {
		b.WriteString(scraps[r.IntN(len(scraps))])
		if r.IntN(8) == 0 {
			b.WriteString([]string{"1-0", " 0-1", " 1/2-1/2 ", "*", " 1-0\n"}[r.IntN(5)] + "\n[Event \"q\"]\n")
		}
	}
	return b.String()
}

// outline writes games and errors as text.
func outline(games iter.Seq2[*Game, error]) (lines []string) {
	for g, err := range games {
		if err != nil {
			lines = append(lines, err.(*Error).Reason)
			continue
		}
		lines = append(lines, fmt.Sprint(g.Tags, g.Main, g.Result, g.Warning != nil))
	}
	return lines
}

// TestMixtures: wherever a file may be cut, its games are the same, whether their tags are read first or not.
func TestMixtures(t *testing.T) {
	cuts := 0
	for seed := range uint64(5_000) {
		text := mixture(rand.New(rand.NewPCG(seed, 0)))
		whole := outline(NewReader(strings.NewReader(text)).Games())
		for end := len(text); end > 0; {
			end = lastGame([]byte(text[:end]), 0)
			if end == 0 {
				break
			}
			cuts++
			before, behind := NewReader(strings.NewReader(text[:end])), NewReader(strings.NewReader(text[end:]))
			if parts := append(outline(before.Games()), outline(behind.Games())...); !slices.Equal(whole, parts) {
				t.Fatalf("seed %d: %q cut before %q:\nwhole %q\nparts %q", seed, text[:end], text[end:], whole, parts)
			}
		}
		tagsFirst := outline(ByTags(text))
		if !slices.Equal(whole, tagsFirst) {
			t.Fatalf("seed %d: %q\nwhole      %q\ntags first %q", seed, text, whole, tagsFirst)
		}
	}
	if cuts < 1000 {
		t.Errorf("%d cuts", cuts)
	}
}
