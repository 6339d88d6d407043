package pgn_test

import (
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/tabula-chess/tabula/internal/testkit"
	"github.com/tabula-chess/tabula/pgn"
)

// traps is a file whose movetext looks like tags here and there.
const traps = "\xef\xbb\xbf[Event \"one\"]\n[Elo \"1\"]\n\n1. e4 {a comment\n[Site \"not a tag\"]\n} e5 1-0\n\n" +
	"[Event \"two\"]\n[Elo \"2\"]\n\n1. d4 ; { no brace\n1-0\n\n" +
	"[Event \"three\"]\r\n[Elo \"3\"]\r\n\r\n1. c4 {x} {y\r\n[Event \"four\"]\r\n[Elo \"4\"]\r\n\r\n1. Nf3 *\r\n" +
	"[Event \"five\"]\n[Elo \"5\"]\n[Event \"six\"]\n[Elo   \"6\" ]\n\n*\n" +
	"[Event \"seven \\\"x\\\"\"]\n[Elo \"7\"]\n\n1. e4 e5 1/2-1/2"

// tags reads all tags, and the moves of the games whose number is in moves.
func tags(t *testing.T, r *pgn.Reader, moves string) (seen []string) {
	t.Helper()
	for {
		g, err := r.ReadTags()
		if err == io.EOF {
			return seen
		}
		testkit.Succeed(t, err)
		text := g.Tag("Event") + g.Tag("Elo")
		if strings.Contains(moves, g.Tag("Elo")) {
			err := r.ReadMoves(g)
			var bad *pgn.Error
			switch {
			case errors.As(err, &bad):
				text += fmt.Sprintf(" error in game %d line %d", bad.Game, bad.Line)
			default:
				text += fmt.Sprintf(" %d moves", len(g.Main.Moves))
			}
			if err := r.ReadMoves(g); err != nil {
				t.Errorf("%s: read again: %v", text, err)
			}
		}
		seen = append(seen, text)
	}
}

// TestReadTags: what is passed over ends where the games end that Read reads.
func TestReadTags(t *testing.T) {
	for _, tt := range []struct {
		moves string
		want  []string
	}{
		{"", []string{"one1", "two2", "three3", "four4", "five5", "six6", `seven "x"7`}},
		{"1234567", []string{
			"one1 2 moves", "two2 1 moves", "three3 1 moves", "four4 1 moves", "five5 0 moves", "six6 0 moves",
			`seven "x"7 2 moves`,
		}},
		{"27", []string{"one1", "two2 1 moves", "three3", "four4", "five5", "six6", `seven "x"7 2 moves`}},
	} {
		whole := func(r io.Reader) io.Reader { return r }
		for _, pieces := range []func(io.Reader) io.Reader{whole, iotest.OneByteReader, iotest.HalfReader, iotest.DataErrReader} {
			if d := cmp.Diff(tt.want, tags(t, pgn.NewReader(pieces(strings.NewReader(traps))), tt.moves)); d != "" {
				t.Errorf("moves of %q (-want +got):\n%s", tt.moves, d)
			}
		}
	}
}

// TestReadTagsThenRead mixes the two ways of reading.
func TestReadTagsThenRead(t *testing.T) {
	r := pgn.NewReader(strings.NewReader("[Event \"a\"]\n\n1. e5 *\n\n[Event \"b\"]\n\n1. e4 *\n\n[Result \"0-1\"]\n[Variant \"Atomic\"]\n\n1. e4"))
	if g, err := r.ReadTags(); err != nil || g.Tag("Event") != "a" {
		t.Fatal(g, err)
	}
	if g, err := r.Read(); err != nil || g.Tag("Event") != "b" || len(g.Main.Moves) != 1 {
		t.Fatal(g, err)
	}
	g, err := r.ReadTags()
	if err != nil || g.Result.String() != "0-1" {
		t.Fatalf("tags of an unknown variant: %v, %v", g, err)
	}
	var bad *pgn.Error
	if err := r.ReadMoves(g); !errors.As(err, &bad) || bad.Line != 10 || bad.Game != 3 {
		t.Errorf("moves of an unknown variant: %v", err)
	}
	if _, err := r.ReadTags(); err != io.EOF {
		t.Errorf("at the end: %v", err)
	}
}

// FuzzReadTags: with all moves read, the same games as Read gives.
func FuzzReadTags(f *testing.F) {
	f.Add(traps)
	f.Add("1. e4 *\n\n{x}\n[A \"b\"]\n\n*")
	for _, c := range odd {
		f.Add(c.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		want := outcome(pgn.NewReader(strings.NewReader(text)).Games())
		got := outcome(byTags(text))
		if d := cmp.Diff(want, got); d != "" {
			t.Errorf("%q (-Read +ReadTags and ReadMoves):\n%s", text, d)
		}
		for r := pgn.NewReader(strings.NewReader(text)); ; {
			if _, err := r.ReadTags(); err == io.EOF {
				break
			}
		}
	})
}
