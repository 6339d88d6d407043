package terminal

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/test/kit"
)

const twoGames = `[White "A"]
[Black "B"]

1. e4 e5 2. Nf3 *

[White "C"]

1. d4 Ke7 *

`

func TestTargets(t *testing.T) {
	const rook, afterE4 = "4k3/8/8/8/8/8/8/4K2R w K - 0 1", "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1"
	const start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
	dir := t.TempDir()
	file := func(name, text string) string {
		name = filepath.Join(dir, name)
		kit.Write(t, name, []byte(text))
		return name
	}
	games := file("games.pgn", twoGames)
	odd := file("odd", "\n"+twoGames)
	epd := file("some.epd", rook+"\n# more\n\n4k3/8/8/8/8/8/8/4K2R w K - bm O-O; id \"second\";\n")
	for _, tt := range []struct {
		name string
		args []string
		at   Moment
		want []string // FENs
		err  string
	}{
		{name: "nothing", want: []string{start}},
		{name: "startpos", args: []string{"startpos"}, want: []string{start}},
		{name: "moves behind startpos", args: []string{"startpos", "moves", "e2e4"}, want: []string{afterE4}},
		{name: "moves alone", args: []string{"e4"}, want: []string{afterE4}},
		{name: "moves with numbers", args: []string{"1. d4 d5", "2.c4"}, want: []string{"rnbqkbnr/ppp1pppp/8/3p4/2PP4/8/PP2PPPP/RNBQKBNR b KQkq c3 0 2"}},
		{name: "numbers apart", args: []string{"1.", "e4"}, want: []string{afterE4}},
		{name: "FEN", args: []string{rook}, want: []string{rook}},
		{name: "FEN by field", args: strings.Fields(rook), want: []string{rook}},
		{name: "FEN with the word", args: []string{"fen", rook}, want: []string{rook}},
		{name: "moves behind a FEN", args: []string{rook, "O-O", "Kd7"}, want: []string{"8/3k4/8/8/8/8/8/5RK1 w - - 2 2"}},
		{name: "moves behind a short FEN", args: []string{"4k3/8/8/8/8/8/8/4K2R w K -", "e1g1"}, want: []string{"4k3/8/8/8/8/8/8/5RK1 b - - 1 1"}},
		{name: "last position of a PGN", args: []string{games}, want: []string{"rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2"}},
		{name: "before a move", args: []string{games}, at: Moment{1, "1..."}, want: []string{afterE4}},
		{name: "before the first", args: []string{games}, at: Moment{1, "1"}, want: []string{start}},
		{name: "behind the last", args: []string{games}, at: Moment{1, "2..."}, want: []string{"rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2"}},
		{name: "a PGN by its content", args: []string{odd}, at: Moment{1, "1."}, want: []string{start}},
		{name: "EPD", args: []string{epd}, want: []string{rook, rook}},
		{name: "no such move", args: []string{games}, at: Moment{1, "3"}, err: "game 1: there is no move 3"},
		{name: "no number", args: []string{games}, at: Moment{1, "x"}, err: "--move"},
		{name: "behind a null move in check", args: []string{file("null.pgn", "1. f3 e5 2. g4 Qh4+ --")}, err: "null move in check"},
		{name: "a shortened game", args: []string{games}, at: Moment{2, ""}, want: []string{"rnbqkbnr/pppppppp/8/8/3P4/8/PPP1PPPP/RNBQKBNR b KQkq d3 0 1"}},
		{name: "a shortened game behind its end", args: []string{games}, at: Moment{2, "2"}, err: `game 2: there is no move 2; move "Ke7": illegal`},
		{name: "a broken game", args: []string{file("broken.pgn", "1. Ke7 *")}, err: "broken.pgn: game 1, line 1, column 4"},
		{name: "no such game", args: []string{games}, at: Moment{3, ""}, err: "has 2 games, not 3"},
		{name: "no such file", args: []string{"nowhere.pgn"}, err: "nowhere.pgn"},
		{name: "a line of an EPD file is bad", args: []string{file("bad.epd", rook+"\nx\n"+rook+"\n")}, want: []string{rook, "line 2", rook}},
		{name: "a FEN with underscores", args: []string{"4k3/8/8/8/8/8/8/4K2R_w_K_-_0_1", "O-O"}, want: []string{"4k3/8/8/8/8/8/8/5RK1 b - - 1 1"}},
		{name: "an address", args: []string{"https://lichess.org/analysis/4k3/8/8/8/8/8/8/4K2R_w_K_-_0_1"}, want: []string{rook}},
		{name: "a board", args: []string{"4k3/8/8/8/8/8/8/4K2R"}, want: []string{"4k3/8/8/8/8/8/8/4K2R w - - 0 1"}},
		{name: "a wrong side", args: []string{"4k3/8/8/8/8/8/8/4K2R", "W", "K", "-"}, err: `FEN side: "W", want w or b`},
		{name: "a wrong en-passant square", args: []string{start[:len(start)-5] + "e4 0 1"}, want: []string{start}},
		{name: "a rook that has moved", args: []string{"4k3/8/8/8/8/8/8/4K1R1 w K - 0 1"}, want: []string{"4k3/8/8/8/8/8/8/4K1R1 w - - 0 1"}},
		{name: "a move in its place", args: []string{start[:len(start)-5], "e4"}, want: []string{afterE4}},
		{name: "a wrong clock", args: []string{start[:len(start)-3] + "0.5 1"}, err: `FEN halfmove clock: "0.5"`},
		{name: "a dash too many", args: []string{start[:len(start)-3] + "- -"}, err: `FEN halfmove clock: "-"`},
		{name: "an operation of EPD", args: []string{start[:len(start)-3] + "bm e4;"}, want: []string{start}},
		{name: "a line of UCI", args: strings.Fields("position fen " + rook + " moves e1g1"), want: []string{"4k3/8/8/8/8/8/8/5RK1 b - - 1 1"}},
		{name: "long moves", args: []string{"e2-e4", "E7-E5", "g1-f3"}, want: []string{"rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2"}},
		{name: "an address with the FEN escaped", args: []string{"https://www.chess.com/analysis?fen=4k3%2F8%2F8%2F8%2F8%2F8%2F8%2F4K2R+w+K+-+0+1&tab=analysis"}, want: []string{rook}},
		{name: "castling by zeros", args: []string{rook, "1.0-0"}, want: []string{"4k3/8/8/8/8/8/8/5RK1 b - - 1 1"}},
		{name: "an empty EPD", args: []string{file("empty.epd", "\n")}, err: "no position"},
		{name: "a game of a FEN", args: []string{rook}, at: Moment{2, ""}, err: "only with PGN files"},
		{name: "a misspelt startpos", args: []string{"start"}, err: "did you mean startpos?"},
		{name: "a mistyped startpos", args: []string{"satrtpos"}, err: "did you mean startpos?"},
		{name: "a mistyped flag without dashes", args: []string{"depht", "5"}, err: "did you mean --depth?"},
		{name: "a flag without dashes", args: []string{"depth", "5"}, err: "did you mean --depth?"},
		{name: "half a FEN", args: []string{"8/8/8/8 w - -"}, err: "seven slashes"},
		{name: "a file that is not there", args: []string{"games.txt"}, err: "no file"},
		{name: "a word", args: []string{"xyzzy"}, err: "want a FEN, startpos or moves; analyse also reads .pgn and .epd files"},
		{name: "an illegal move", args: []string{"e4", "Ke3"}, err: `move "Ke3": illegal in rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b`},
		{name: "an illegal first move", args: []string{"e5"}, err: `move "e5": illegal in ` + start},
		{name: "an illegal first move by squares", args: []string{"1.", "e2e5"}, err: `move "e2e5": illegal`},
		{name: "a directory", args: []string{dir}, err: "it is a directory"},
		{name: "a bad FEN", args: []string{"9/8/8/8/8/8/8/8 w - - 0 1"}, err: "FEN placement"},
		{name: "rubbish behind a FEN", args: []string{rook, "-seconds"}, err: `move "-seconds": it names no square; only moves may follow a position; flags begin with two dashes`},
		{name: "no square behind a FEN", args: []string{rook, "e9"}, err: "e9 is no square"},
		{name: "no square", args: []string{"e9"}, err: `position "e9": e9 is no square; want a FEN`},
	} {
		if tt.at.Game == 0 {
			tt.at.Game = 1
		}
		got, err := Targets(tt.args, tt.at)
		if tt.err != "" {
			if err == nil || !strings.Contains(err.Error(), tt.err) {
				t.Errorf("%s: %v, want %q", tt.name, err, tt.err)
			}
			continue
		}
		if err != nil || len(got) != len(tt.want) {
			t.Errorf("%s: %d positions, %v; want %d", tt.name, len(got), err, len(tt.want))
			continue
		}
		for i := range got {
			text := ""
			if got[i].Err != nil {
				text = got[i].Err.Error()
			} else {
				text = got[i].Position.FEN()
			}
			if !strings.Contains(text, tt.want[i]) {
				t.Errorf("%s: %s, want %s", tt.name, text, tt.want[i])
			}
		}
	}
}

// TestSetupOfFile: where only a position is wanted, a file is called one.
func TestSetupOfFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.pgn")
	kit.Write(t, name, []byte("1. e4 *"))
	if _, _, err := Setup([]string{name}); err == nil || !strings.Contains(err.Error(), "it is a file; want a FEN") {
		t.Error(err)
	}
}

// TestWarning: what of a game was not understood is told with the position.
func TestWarning(t *testing.T) {
	name := filepath.Join(t.TempDir(), "x.pgn")
	kit.Write(t, name, []byte("1. e4 Resigns 1-0"))
	got, err := Targets([]string{name}, Moment{Game: 1})
	want := name + `: game 1, line 1, column 7: "Resigns" is no move: kept as a comment`
	if err != nil || got[0].Warning == nil || got[0].Warning.Error() != want {
		t.Errorf("%v, warning %v, want %s", err, got[0].Warning, want)
	}
	got, err = Targets([]string{chess.StartFEN[:len(chess.StartFEN)-5] + "e4 0 1"}, Moment{Game: 1})
	if want := "FEN en passant: e4"; err != nil || got[0].Warning == nil || !strings.HasPrefix(got[0].Warning.Error(), want) {
		t.Errorf("%v, warning %v, want %s", err, got[0].Warning, want)
	}
}
