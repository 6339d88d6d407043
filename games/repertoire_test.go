package games

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/pgn"
	"github.com/tabula-chess/tabula/test/kit"
)

// repertoires reads a PGN; told has its errors and warnings.
func repertoires(t *testing.T, text string, color *chess.Color) (all []*Repertoire, told []string) {
	t.Helper()
	tell := func(kind string) func(error) {
		return func(err error) { told = append(told, kind+err.Error()) }
	}
	all, err := ReadRepertoires(strings.NewReader(text), color, tell(""), tell("warning: "))
	if err != nil {
		told = append(told, "end: "+err.Error())
	}
	return all, told
}

// compared returns what a repertoire's report says of games that are moves, results behind them: in words, "left" or
// "gap", the line, what the repertoire has there, and how the games went.
func compared(t *testing.T, repertoire, tags string, played ...string) string {
	t.Helper()
	all, told := repertoires(t, repertoire, nil)
	if len(all) != 1 || told != nil {
		t.Fatalf("%s: %d repertoires, %q", repertoire, len(all), told)
	}
	var text strings.Builder
	for i, moves := range played {
		names := [2]string{"Anna Berg", "Ben"}
		if all[0].Color == chess.Black {
			slices.Reverse(names[:])
		}
		fmt.Fprintf(&text, "[Event \"%d\"]\n[White %q]\n[Black %q]\n%s\n\n%s\n\n", i, names[0], names[1], tags, moves)
		fmt.Fprintf(&text, "[Event \"%d, other side\"]\n[White %q]\n[Black %q]\n%s\n\n%s\n\n", i, names[1], names[0], tags, moves)
	}
	db, err := Update(filepath.Join(t.TempDir(), "db"))
	kit.Succeed(t, err)
	defer db.Close()
	_, err = db.Import(t.Context(), Source{PGN: strings.NewReader(text.String())})
	kit.Succeed(t, err)
	r, err := db.Repertoire(t.Context(), all[0], Filter{Player: "anna"})
	kit.Succeed(t, err)
	if r.Games != len(played) {
		t.Errorf("%d games, want the %d of her color", r.Games, len(played))
	}
	words := []string{fmt.Sprintf("%s, %d answers, %d within, %d outside", r.Color, r.Answers, r.Within, r.Outside)}
	for i, d := range slices.Concat(r.Left, r.Gaps) {
		what := "left"
		if i >= len(r.Left) {
			what = "gap"
		}
		score := "-"
		if d.Score != nil {
			score = fmt.Sprint(*d.Score)
		}
		words = append(words, fmt.Sprintf("%s %s (%s for %s), %d games +%d=%d-%d %s", what, d.Line, d.SAN, strings.Join(d.Says, " "), len(d.Games), d.Wins, d.Draws, d.Losses, score))
		for _, g := range d.Games {
			if g.Ply < 1 || g.Event == "" {
				t.Errorf("game %+v of %s", g, d.Line)
			}
		}
	}
	return strings.Join(words, "; ")
}

func TestRepertoire(t *testing.T) {
	const spanish = "1. e4 e5 (1... c5 2. Nf3) 2. Nf3 Nc6 3. Bb5 (3. Bc4 Bc5 4. c3) 3... a6 4. Ba4 *"
	for _, tt := range []struct {
		name, repertoire, tags string
		games                  []string
		want                   string
	}{
		{"two own moves are two right answers", spanish, "", []string{"1. e4 e5 2. Nf3 Nc6 3. Bb5 *", "1. e4 e5 2. Nf3 Nc6 3. Bc4 *"}, "white, 6 answers, 2 within, 0 outside"},
		{"the player left, counts and score", spanish, "", []string{"1. e4 e5 2. Nf3 Nc6 3. d3 d6 1-0", "1. e4 e5 2. Nf3 Nc6 3. d3 0-1", "1. e4 e5 2. Nf3 Nc6 3. d3 1/2-1/2", "1. e4 e5 2. Nf3 Nc6 3. d3 1-0", "1. d4 *"},
			"white, 6 answers, 0 within, 0 outside; left 1. e4 e5 2. Nf3 Nc6 3. d3 (d3 for Bb5 Bc4), 4 games +2=1-1 0.625; left 1. d4 (d4 for e4), 1 games +0=0-0 -"},
		{"only the first move that leaves counts", spanish, "", []string{"1. e4 e5 2. Nc3 Nc6 3. a3 a6 1-0"}, "white, 6 answers, 0 within, 0 outside; left 1. e4 e5 2. Nc3 (Nc3 for Nf3), 1 games +1=0-0 1"},
		{"an opponent's move without an answer", spanish, "", []string{"1. e4 c6 2. d4 0-1", "1. e4 c6 2. Nc3 1/2-1/2", "1. e4 c6 *"},
			"white, 6 answers, 0 within, 0 outside; gap 1. e4 c6 (c6 for e5 c5), 3 games +0=1-1 0.25"},
		{"a line that ends with an opponent's move", "[Orientation \"white\"]\n\n1. e4 e5 (1... c5) 2. Nf3 *", "", []string{"1. e4 c5 2. Nf3 1-0"},
			"white, 2 answers, 0 within, 0 outside; gap 1. e4 c5 (c5 for e5 c5), 1 games +1=0-0 1"},
		{"the end of the repertoire is no departure", spanish, "", []string{"1. e4 c5 2. Nf3 d6 3. d4 1-0", "1. e4 1-0"}, "white, 6 answers, 2 within, 0 outside"},
		{"another order of moves", spanish, "", []string{"1. Nf3 Nc6 2. e4 e5 3. d4 1-0", "1. e4 e5 2. Nf3 Nc6 3. d4 0-1", "1. e4 Nc6 2. Nf3 e5 3. Bb5 1-0"},
			"white, 6 answers, 1 within, 0 outside; left 1. Nf3 Nc6 2. e4 e5 3. d4 (d4 for Bb5 Bc4), 2 games +1=0-1 0.5"},
		{"lines of the repertoire meet", "1. d4 d5 (1... Nf6 2. c4 e6 3. Nc3 d5 4. Bg5) 2. c4 e6 3. Nc3 Nf6 4. cxd5 *", "", []string{"1. d4 d5 2. c4 e6 3. Nc3 Nf6 4. Bg5 *", "1. c4 e6 2. d4 Nf6 3. Nc3 d5 4. cxd5 *"},
			"white, 6 answers, 2 within, 0 outside"},
		{"as Black", "1. e4 (1. d4 d5) 1... e5 2. Nf3 Nc6 *", "", []string{"1. e4 e5 2. Nf3 Nf6 1-0", "1. d4 d5 2. c4 0-1", "1. c4 e5 1-0"},
			"black, 3 answers, 1 within, 0 outside; left 1. e4 e5 2. Nf3 Nf6 (Nf6 for Nc6), 1 games +0=0-1 0; gap 1. c4 (c4 for e4 d4), 1 games +0=0-1 0"},
		{"an own move marked as a mistake is no answer", "1. e4 e5 2. Nf3 (2. f4? exf4) 2... Nc6 3. Bb5 (3. d4 $4) *", "", []string{"1. e4 e5 2. f4 exf4 0-1"},
			"white, 3 answers, 0 within, 0 outside; left 1. e4 e5 2. f4 (f4 for Nf3), 1 games +0=0-1 0"},
		{"an opponent's mistake has an answer", "1. e4 e5 (1... f6?? 2. d4) 2. Nf3 *", "", []string{"1. e4 f6 2. d4 *"}, "white, 3 answers, 1 within, 0 outside"},
		{"from a FEN", "[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n\n1. e4 Kd7 2. e5 *", "[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 5 9\"]", []string{"9. e4 Kd7 10. Kd2 1-0", "9. e3 *", "9. e4 Kf7 *"},
			"white, 2 answers, 0 within, 0 outside; left 9. e4 Kd7 10. Kd2 (Kd2 for e5), 1 games +1=0-0 1; left 9. e3 (e3 for e4), 1 games +0=0-0 -; gap 9. e4 Kf7 (Kf7 for Kd7), 1 games +0=0-0 -"},
		{"a FEN that the games do not have", "[FEN \"4k3/8/8/8/8/8/4P3/4K3 w - - 0 1\"]\n\n1. e4 *", "", []string{"1. e4 *"}, "white, 1 answers, 0 within, 1 outside"},
		{"games come to a FEN", "[FEN \"rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 2\"]\n\n2. Nf3 *", "", []string{"1. e4 e5 2. f4 *"}, "white, 1 answers, 0 within, 0 outside; left 1. e4 e5 2. f4 (f4 for Nf3), 1 games +0=0-0 -"},
		{"a null move ends a line", "[Orientation \"white\"]\n\n1. e4 e5 2. Nf3 -- 3. Nxe5 *", "", []string{"1. e4 e5 2. Nf3 *", "1. e4 -- 2. d4 *"},
			"white, 2 answers, 1 within, 0 outside; gap 1. e4 -- (-- for e5), 1 games +0=0-0 -"},
	} {
		if got := compared(t, tt.repertoire, tt.tags, tt.games...); got != tt.want {
			t.Errorf("%s:\n got %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

func TestRepertoireColor(t *testing.T) {
	for _, tt := range []struct {
		text  string
		color *chess.Color
		want  string
	}{
		{"1. e4 e5 2. Nf3 *", nil, "white"}, {"1. e4 e5 *", nil, "black"}, {"1. e4 e5 *", new(chess.White), "white"},
		{"[Orientation \"White\"]\n\n1. e4 e5 *", nil, "white"}, {"[Orientation \"white\"]\n\n1. e4 e5 *", new(chess.Black), "black"},
		{"1. e4 (1. d4 d5 2. c4) e5 2. Nf3 *", nil, "white"}, {"1. e4 e5 (1... c5 2. Nf3 d6) (1... e6) (1... c6) 2. Nf3 *", nil, "white"},
		{"1. e4 e5 (1... c5) 2. Nf3 *", nil, "white"}, {"1. e4 e5 (1... c5 2. Nf3 d6) 2. Nf3 Nc6 3. Bb5 *", nil, "white"},
		{"1. e4 (1. d4) e5 *", nil, "black"}, {"[FEN \"4k3/8/8/8/8/8/4P3/4K3 b - - 0 1\"]\n\n1... Kd7 *", nil, "black"},
	} {
		all, told := repertoires(t, tt.text, tt.color)
		if len(all) != 1 || all[0].Color.String() != tt.want {
			t.Errorf("%s: %d repertoires, %q, want %s", tt.text, len(all), told, tt.want)
		}
	}
	both, told := repertoires(t, "[Orientation \"black\"]\n\n1. e4 e5 *\n\n[Event \"\"]\n\n1. d4 *\n\n[Event \"\"]\n\n1. d4 d5 2. c4 *", nil)
	if len(both) != 2 || told != nil || both[0].Color != chess.White || len(both[0].order) != 4 || len(both[1].order) != 3 {
		t.Errorf("chapters of both colors: %d, %q", len(both), told)
	}
}

// TestBadRepertoire: an illegal end of a line is dropped with a warning, as the reader drops it; an unreadable game is
// told of, and the others count.
func TestBadRepertoire(t *testing.T) {
	all, told := repertoires(t, "1. e4 e5 (1... c5 2. Nf3 Nc7 3. d4) 2. Nf3 Qh5 3. d4 *\n\n[Event \"2\"]\n\n1. e5 *\n\n[Event \"3\"]\n\n*\n\n[Event \"4\"]\n\n1. d4 d5 2. c4 *", nil)
	if len(all) != 1 || len(told) != 2 || !strings.Contains(told[0], "warning: game 1, line 1, column 44: move \"Qh5\": illegal") || !strings.Contains(told[0], "(and 1 more)") || !strings.Contains(told[1], "game 2, line 5, column 4: move \"e5\": illegal") {
		t.Fatalf("%d, %q", len(all), told)
	}
	var moves []string
	for _, n := range all[0].order {
		p, err := chess.ParseFEN(n.fen)
		kit.Succeed(t, err)
		for _, m := range n.moves {
			moves = append(moves, p.SAN(m))
		}
	}
	if got := strings.Join(moves, " "); got != "e4 d4 e5 c5 Nf3 Nf3 d5 c4" {
		t.Errorf("its moves are %s", got)
	}
	for text, want := range map[string]string{
		"": "end: no game with a move that can be read", "hello": "end: no game", "1. e5 *": "game 1, line 1", "[FEN \"x\"]\n\n1. e4 *": "game 1",
	} {
		if all, told := repertoires(t, text, nil); len(all) != 0 || !strings.Contains(strings.Join(told, "\n"), want) {
			t.Errorf("%q: %d, %q, want %q", text, len(all), told, want)
		}
	}
	if _, err := ReadRepertoires(failingReader{}, nil, nil, nil); !errors.Is(err, errStop) {
		t.Errorf("a source that fails: %v", err)
	}
	db, err := Update(filepath.Join(t.TempDir(), "db"))
	kit.Succeed(t, err)
	defer db.Close()
	if _, err := db.Repertoire(t.Context(), all[0], Filter{}); !errors.Is(err, ErrQuery) || !strings.Contains(err.Error(), "player") {
		t.Errorf("without a player: %v", err)
	}
}

type failingReader struct{}

func (failingReader) Read([]byte) (int, error) { return 0, errStop }

func TestWriteExercises(t *testing.T) {
	all, _ := repertoires(t, "[Event \"Mine\"]\n\n1. e4 e5 (1... c5) 2. Nf3 Nc6 3. Bb5 (3. Bc4 Bc5 4. c3) 3... a6 4. Ba4 (4. Bxc6) *", nil)
	var text strings.Builder
	kit.Succeed(t, WriteExercises(&text, all...))
	var got []string
	for g, err := range pgn.NewReader(strings.NewReader(text.String())).Games() {
		kit.Succeed(t, err)
		words := []string{g.Tag("Event"), g.Tag("Exercise")}
		lines := []pgn.Line{g.Main}
		lines = append(lines, g.Main.Moves[0].Variations...)
		for i := range lines {
			var moves []chess.Move
			for j := range lines[i].Moves {
				moves = append(moves, lines[i].Moves[j].Move)
			}
			line, err := g.Position().SANLine(moves)
			kit.Succeed(t, err)
			words = append(words, line)
		}
		got = append(got, strings.Join(words, " | "))
	}
	if want := []string{
		"Mine | repertoire | 1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4", "Mine | repertoire | 2. Nf3 Nc6 3. Bb5 a6 4. Ba4",
		"Mine | repertoire | 3. Bb5 a6 4. Ba4 | 3. Bc4 Bc5 4. c3", "Mine | repertoire | 4. c3", "Mine | repertoire | 4. Ba4 | 4. Bxc6",
	}; !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	// Lines that come back to a position end.
	all, _ = repertoires(t, "[Orientation \"white\"]\n\n1. Nf3 Nf6 2. Ng1 Ng8 *", nil)
	text.Reset()
	kit.Succeed(t, WriteExercises(&text, all...))
	if n := strings.Count(text.String(), "[Exercise \"repertoire\"]"); n != 2 {
		t.Errorf("%d exercises of a line that comes back, want 2", n)
	}
}
