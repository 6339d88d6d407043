package pgn_test

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/pgn"
)

// traps is a file whose movetext looks like tags here and there.
const traps = "\xef\xbb\xbf[Event \"one\"]\n[Elo \"1\"]\n\n1. e4 {a comment\n[Site \"not a tag\"]\n} e5 1-0\n\n" +
	"[Event \"two\"]\n[Elo \"2\"]\n\n1. d4 ; { no brace\n1-0\n\n" +
	"[Event \"three\"]\r\n[Elo \"3\"]\r\n\r\n1. c4 {x} {y\r\n[Event \"four\"]\r\n[Elo \"4\"]\r\n\r\n1. Nf3 *\r\n" +
	"[Event \"five\"]\n[Elo \"5\"]\n[Event \"six\"]\n[Elo   \"6\" ]\n\n*\n" +
	"[Event \"seven \\\"x\\\"\"]\n[Elo \"7\"]\n\n1. e4 e5 1/2-1/2"

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
	if err := r.ReadMoves(g); err != nil {
		t.Errorf("read again: %v", err)
	}
	if _, err := r.ReadTags(); err != io.EOF {
		t.Errorf("at the end: %v", err)
	}
}

// TestReadTagsBehindComments: comments in braces and comments to the end of the line within each other. Only the reader
// of moves looks at every byte; the tags alone have to part the games alike.
func TestReadTagsBehindComments(t *testing.T) {
	long := strings.Repeat("x ", 80_000) // no window holds the line
	for _, moves := range []string{
		"1. e4 {a ; b} ; {no brace", "1. e4 {a} ; {no brace", "1. e4 {a;b} {c;d} e5 ; } {", "1. e4 ; a } b {",
		"1. e4 {a\n; b} e5 ; {", "1. e4 {a {b} ; {", "1. e4 {;} e5 {;} ; {;", "1. e4 ;{}{", "{;} 1. e4 ; {",
		"1. e4 ; " + long + "{", "1. e4 {" + long + "; } ; {", "1. e4 {;" + long + "} ; {",
	} {
		text := "[Event \"a\"]\n\n" + moves + "\n1-0\n\n[White \"b\"]\n\n1. d4 *\n\n[White \"c\"]\n\n1. c4 *\n"
		names := func(next func(*pgn.Reader) (*pgn.Game, error)) (all []string) {
			r := pgn.NewReader(strings.NewReader(text))
			for g, err := next(r); err != io.EOF; g, err = next(r) {
				if err != nil {
					t.Fatalf("%.40q: %v", moves, err)
				}
				all = append(all, g.Tag("White"))
			}
			return all
		}
		read, skipped := names((*pgn.Reader).Read), names((*pgn.Reader).ReadTags)
		if len(read) != 3 || !slices.Equal(read, skipped) {
			t.Errorf("%.40q: by tags %q, read %q", moves, skipped, read)
		}
	}
}
