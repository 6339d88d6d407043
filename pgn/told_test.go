package pgn_test

import (
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/tabula-chess/tabula/pgn"
)

// told returns the games of a text as the table has them.
func told(t *testing.T, games iter.Seq2[*pgn.Game, error]) string {
	t.Helper()
	var all []string
	for g, err := range games {
		if err != nil {
			all = append(all, "ERR "+err.Error())
			continue
		}
		text := movetext(t, g)
		names := g.Tag("White") + "/" + g.Tag("Black")
		for _, tag := range g.Tags {
			if !strings.Contains("Event White Black Result FEN SetUp", tag.Name) {
				names += " " + tag.Name + "=" + tag.Value
			}
		}
		if len(names) > 1 {
			text = names + ": " + text
		}
		if g.Warning != nil {
			text += fmt.Sprintf(" [%s]", g.Warning.Reason)
		}
		all = append(all, text)
	}
	return strings.Join(all, " | ")
}

// agrees reports whether what was told is what the table has: errors and warnings in part.
func agrees(got, want string) bool {
	gots, wants := strings.Split(got, " | "), strings.Split(want, " | ")
	if len(gots) != len(wants) {
		return false
	}
	for i, w := range wants {
		text, warning, warned := w, "", strings.HasSuffix(w, "]")
		if j := strings.LastIndex(w, " ["); warned {
			text, warning = w[:j], w[j+2:len(w)-1]
		}
		switch g := gots[i]; {
		case strings.HasPrefix(w, "ERR "):
			if !strings.HasPrefix(g, "ERR ") || !strings.Contains(g, strings.TrimPrefix(w, "ERR ")) {
				return false
			}
		case !warned && g != w, warned && (!strings.HasPrefix(g, text+" [") || !strings.Contains(g, warning)):
			return false
		}
	}
	return true
}

// TestTexts reads each text, whole, in pieces and by its tags first; what is written of it reads
// back as the same, without a word lost.
func TestTexts(t *testing.T) {
	for _, c := range texts {
		t.Run(c.name, func(t *testing.T) {
			got := told(t, pgn.NewReader(strings.NewReader(c.text)).Games())
			if !agrees(got, strings.ReplaceAll(c.want, "⏎", " ")) {
				t.Errorf("%q\n got %s\nwant %s", c.text, got, c.want)
			}
			for _, pieces := range []func(io.Reader) io.Reader{iotest.OneByteReader, iotest.HalfReader, iotest.DataErrReader} {
				if again := told(t, pgn.NewReader(pieces(strings.NewReader(c.text))).Games()); again != got {
					t.Errorf("%q\nin pieces %s\nwhole     %s", c.text, again, got)
				}
			}
			if again := told(t, pgn.ByTags(c.text)); again != got {
				t.Errorf("%q\nby tags %s\nwhole   %s", c.text, again, got)
			}
			if again := told(t, pgn.Parallel(strings.NewReader(c.text), 2)); again != got {
				t.Errorf("%q\nparallel %s\nwhole    %s", c.text, again, got)
			}
			var tags, passed []string // of the games that have any, all read and moves passed over
			for g, err := range pgn.NewReader(strings.NewReader(c.text)).Games() {
				if err != nil {
					return
				}
				roundTrip(t, g)
				tags = append(tags, fmt.Sprint(g.Tags))
			}
			r := pgn.NewReader(iotest.HalfReader(strings.NewReader(c.text)))
			for g, err := r.ReadTags(); err != io.EOF; g, err = r.ReadTags() {
				passed = append(passed, fmt.Sprint(g.Tags))
			}
			none := func(text string) bool { return text == "[]" }
			if d := cmp.Diff(slices.DeleteFunc(tags, none), slices.DeleteFunc(passed, none)); d != "" {
				t.Errorf("%q\ntags (-read +passed over):\n%s", c.text, d)
			}
		})
	}
}

// TestWarningPlace holds where a warning is said to be, and that it is one for each game.
func TestWarningPlace(t *testing.T) {
	games, errs := readAll("[Event \"a\"]\n\n1. e4 e5\n2. Nf3 Resigns {x} now 1-0\n\n" +
		"[Event \"b\"]\n\n1. e4,\n*\n\n[Event \"c\"]\n\n1. e4 *\n")
	var got []string
	for _, g := range games {
		got = append(got, fmt.Sprint(g.Warning))
	}
	want := []string{
		`game 1, line 4, column 8: "Resigns" is no move: kept as a comment (and 1 more)`,
		`game 2, line 8, column 6: unexpected ",": dropped`, "<nil>",
	}
	if d := cmp.Diff(want, got); d != "" || len(errs) > 0 {
		t.Errorf("%v (-want +got):\n%s", errs, d)
	}
}
