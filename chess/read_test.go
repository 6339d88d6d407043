package chess_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/test/kit"
)

// TestReadPosition reads positions as people paste and type them.
func TestReadPosition(t *testing.T) {
	const (
		path    = "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R"
		want    = path + " w KQkq - 2 3"
		escaped = "r1bqkbnr%2Fpppp1ppp%2f2n5%2F4p3%2F4P3%2F5N2%2FPPPP1PPP%2FRNBQKB1R"
		rook    = "4k3/8/8/8/8/8/8/4K2R w K - 0 1"
		castled = "4k3/8/8/8/8/8/8/5RK1 b - - 1 1"
		afterE4 = "rnbqkbnr/pppppppp/8/8/4P3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1"
	)
	for _, c := range []struct {
		name, in, want, warning string
		plies                   int
	}{
		{"a FEN", want, want, "", 0},
		{"a FEN with the word", "fen " + want, want, "", 0},
		{"a board", "4k3/8/8/8/8/8/8/4K2R", "4k3/8/8/8/8/8/8/4K2R w - - 0 1", "w - - 0 1 is assumed", 0},
		{"startpos", " startpos\n", chess.StartFEN, "", 0},
		{"UCI", "position startpos moves e2e4", afterE4, "", 1},
		{"UCI with a FEN", "position fen " + rook + " moves e1g1", castled, "", 1},
		{"UCI with a short FEN", "position fen 4k3/8/8/8/8/8/8/4K2R w K - moves e1h1", castled, "", 1},
		{"UCI without the word", "position " + rook, rook, "", 0},
		{"UCI with a right that cannot be", "position fen 4k3/8/8/8/8/8/8/4K2R w KQk - 0 1 moves e1g1", castled, "'Q', but white has no such rook (at byte 37): castling rights Qk dropped", 1},
		{"moves with numbers", "startpos 1. e4", afterE4, "", 1},
		{"numbers apart", "startpos moves 1. E2-E4 e5 2 . nf3 2... b8-c6", "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - 2 3", "", 4},
		{"moves behind a FEN", rook + " O-O Kd7", "8/3k4/8/8/8/8/8/5RK1 w - - 2 2", "", 2},
		{"moves behind a FEN with underscores", "4k3/8/8/8/8/8/8/4K2R_w_K_-_0_1 1.0-0", castled, "", 1},
		{"a wrong en-passant square before numbers", chess.StartFEN[:len(chess.StartFEN)-5] + "e4 0 1", chess.StartFEN, "e4", 0},
		{"a move in its place", chess.StartFEN[:len(chess.StartFEN)-5] + "e4", afterE4, "", 1},
		{"EPD", "r1bqkbnr/pppp1ppp/2n5/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R w KQkq - bm Bb5; id \"x; y\";", path + " w KQkq - 0 1", "", 0},
		{"EPD without a semicolon", rook[:len(rook)-4] + " bm O-O", rook, "", 0},
		{"EPD with a clock", rook[:len(rook)-4] + " hmvc 7; fmvn 9;", "4k3/8/8/8/8/8/8/4K2R w K - 7 9", "", 0},
		{"EPD of six fields", rook + " ;D1 15 ;D2 66", rook, "", 0},
		{"EPD with a time", rook[:len(rook)-4] + " bm O-O; 00:00;", rook, "EPD opcode: '0', want a letter", 0},
		{"EPD behind a word", "fen 4k3/8/8/8/8/8/8/4K2R w Kk - bm O-O;", rook, "'k', but black has no such rook (at byte 28): castling rights k dropped", 0},
		{"analysis", "https://lichess.org/analysis/standard/" + path + "_w_KQkq_-_2_3?color=black#12", want, "", 0},
		{"editor", "lichess.org/editor/" + path + "%20w%20KQkq%20-%202%203", want, "", 0},
		{"a parameter", "https://www.chess.com/analysis?flip=false&fen=" + escaped + "+w+KQkq+-+2+3&tab=analysis", want, "", 0},
		{"a parameter in capitals", "www.chess.com/dynboard?FEN=" + path + "%20w%20KQkq%20-%202%203&size=2", want, "", 0},
		{"a parameter of a board alone", "https://www.chess.com/dynboard?fen=" + path, path + " w - - 0 1", "is assumed", 0},
		{"a fragment", "http://127.0.0.1:8080/#fen=" + path + "_w_KQkq_-_2_3&at=3", want, "", 0},
		{"another host", "http://example.net/" + path + "_w_KQkq_-_2_3", want, "", 0},
		{"a right that only Chess960 has, and a move by it", "4k3/8/8/8/8/8/8/4K1R1 w K - 0 1 O-O", "4k3/8/8/8/8/8/8/5RK1 b - - 1 1", "", 1},
		{"the same, and a move of standard chess", "4k3/8/8/8/8/8/8/4K1R1 w K - 0 1 Kf2", "4k3/8/8/8/8/8/5K2/6R1 b - - 1 1", "only Chess960", 1},
		{"moves behind an address", "http://example.net/4k3/8/8/8/8/8/8/4K2R_w_K_-_0_1 O-O", castled, "", 1},
		{"Chess960 by address", "https://lichess.org/analysis/chess960/4k3/8/8/8/8/8/8/4K1R1_w_K_-_0_1", "4k3/8/8/8/8/8/8/4K1R1 w G - 0 1", "", 0},
		{"the same, of standard chess", "https://lichess.org/analysis/4k3/8/8/8/8/8/8/4K1R1_w_K_-_0_1", "4k3/8/8/8/8/8/8/4K1R1 w - - 0 1", "only Chess960", 0},
	} {
		p, warning, err := chess.ReadPosition(c.in)
		told := ""
		if warning != nil {
			told = warning.Error()
		}
		if err != nil || p.FEN() != c.want || p.Plies() != c.plies || !strings.Contains(told, c.warning) || (told == "") != (c.warning == "") {
			t.Errorf("%s: %q\n got %v, warning %q, %v\nwant %s after %d plies, warning %q", c.name, c.in, p, told, err, c.want, c.plies, c.warning)
		}
	}
}

func TestReadPositionRefused(t *testing.T) {
	const rook = "4k3/8/8/8/8/8/8/4K2R w K - 0 1"
	for _, c := range []struct{ text, want, at string }{
		{"", "FEN placement: missing", ""},
		{"position fen", "FEN placement: missing", ""},
		{"hello", `FEN placement: "hello" is no board`, "hello"},
		{"e4", `FEN placement: "e4" is no board`, "e4"},
		{"position fen hello", `"hello" is no board`, "hello"},
		{"https://lichess.org/AbCdEfGh", "FEN placement", "AbCd"},
		{"https://www.chess.com/analysis?tab=analysis", "FEN placement", "analysis?"},
		{"https://lichess.org/analysis/4k3/54/8/8/8/8/8/4K3_w_-_-_0_1", "two numbers", "4/8"},
		{"https://lichess.org/analysis/4k3/8/8/8/8/8/8/4K3_w_-_e9_0_1", "want a square", "e9"},
		{"https://lichess.org/analysis/4k3/8/8/8/8/8/8/P3K3_w_-_-_0_1", "pawn on a1", "P3"},
		{"position fen 4k3/8/8/8/8/8/8/4K2R x K - 0 1", "want w or b", "x K"},
		{"fen 4k3/8/8/8/8/8/8/P3K2R w K - bm O-O;", "pawn on a1", "P3"},
		{rook + " hello", `move "hello": it names no square; only moves may follow a position`, ""},
		{rook + " moves e9", `move "e9": e9 is no square`, ""},
		{rook + " O-O Ke3", `move "Ke3": illegal in 4k3/8/8/8/8/8/8/5RK1 b`, ""},
		{rook + " --", "only moves may follow", ""},
		{rook[:len(rook)-3] + "0.5 1", `FEN halfmove clock: "0.5"`, "0.5"},
		{rook[:len(rook)-3] + "- -", `FEN halfmove clock: "-"`, "- -"},
	} {
		p, warning, err := chess.ReadPosition(c.text)
		if err == nil || p != nil || warning != nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: %v, %v, %v, want %s", c.text, p, warning, err, c.want)
		}
		if wrong, ok := errors.AsType[*chess.FENError](err); ok != (c.at != "" || strings.Contains(c.want, "missing")) ||
			ok && !strings.HasPrefix(c.text[wrong.Offset:], c.at) {
			t.Errorf("%q: %v, want the place of %q", c.text, err, c.at)
		}
	}
}

// TestFENReadsBack: in whatever game, the FEN of a position is read as that position, without a word about it.
func TestFENReadsBack(t *testing.T) {
	fens := append([]string{"4k3/8/8/8/8/8/8/R3KR2 w FA - 0 1"}, rich...)
	for white := 0; white < chess.Chess960Starts; white += 97 {
		p, err := chess.NewDoubleChess960(white, white*7%chess.Chess960Starts)
		kit.Succeed(t, err)
		q, err := chess.NewChess960(white)
		kit.Succeed(t, err)
		fens = append(fens, p.FEN(), q.FEN())
	}
	letters := 0
	for _, fen := range fens {
		p := kit.Position(t, fen)
		for range 40 {
			q, warning, err := chess.ReadPosition(p.FEN())
			if err != nil || warning != nil || !q.Equal(p) || q.FEN() != p.FEN() {
				t.Errorf("%s: read as %v, %v, %v", p, q, warning, err)
			}
			if p.Chess960() && strings.ContainsAny(strings.Fields(p.FEN())[2], "ABCDEFGHabcdefgh") {
				letters++
			}
			moves := movegen.Legal(p, nil)
			if len(moves) == 0 {
				break
			}
			p.Make(moves[len(moves)*2/3])
		}
	}
	if letters < 50 {
		t.Errorf("%d positions with files for rights", letters)
	}
}
