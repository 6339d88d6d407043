package session

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/syzygy"
	"github.com/tabula-chess/tabula/test/kit"
)

func TestPosition(t *testing.T) {
	b := start(t, Config{})
	for _, tt := range []struct {
		name, request string
		want          string // of the result, in the order of show below
	}{
		{"start", `{}`, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 white 20 ongoing * check=false 960=false"},
		{"moves of both kinds", `{"moves":["e4","e7e5","Nf3"]}`,
			"rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2 black 29 ongoing * check=false 960=false"},
		{"a null move", `{"moves":["--"]}`, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR b KQkq - 1 1 black 20 ongoing * check=false 960=false"},
		{"a null move in check", `{"moves":["e4","f5","Qh5","--","a3"]}`, "rnbqkbnr/ppppp1pp/8/5p1Q/4P3/P7/1PPP1PPP/RNB1KBNR b KQkq - 0 3 black 1 ongoing * check=true 960=false"},
		{"mate", `{"moves":["f3","e5","g4","Qh4"]}`, "rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3 white 0 checkmate 0-1 check=true 960=false"},
		{"stalemate", `{"fen":"7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"}`, "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1 black 0 stalemate 1/2-1/2 check=false 960=false"},
		{"a claim", `{"moves":["Nf3","Nf6","Ng1","Ng8","Nf3","Nf6","Ng1","Ng8"]}`,
			"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 8 5 white 20 threefold repetition * check=false 960=false"},
		{"Chess960", `{"chess960":0}`, "bbqnnrkr/pppppppp/8/8/8/8/PPPPPPPP/BBQNNRKR w KQkq - 0 1 white 20 ongoing * check=false 960=true"},
		{"the standard start as one of Chess960", `{"chess960":518}`, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 white 20 ongoing * check=false 960=false"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			p := result[jsonPosition](t, b, `{"id":1,"do":"position","position":`+tt.request+`}`)
			got := fmt.Sprintf("%s %s %d %s %s check=%t 960=%t", p.FEN, p.Turn, len(p.Legal), p.Outcome.Reason, p.Outcome.Result, p.Check, p.Chess960)
			if got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// TestPasted reads positions as people paste them; what was dropped or assumed is told, with every request.
func TestPasted(t *testing.T) {
	b := start(t, Config{})
	for _, tt := range []struct{ fen, want, warning string }{
		{"1k6/5nP1/4bN2/4B3/3R4/2Q5/8/4K3 b Kk - 0 1", "1k6/5nP1/4bN2/4B3/3R4/2Q5/8/4K3 b - - 0 1", "FEN castling: 'K', but white has no such rook (at byte 34): castling rights Kk dropped; this is 1k6/5nP1"},
		{"k7/8/8/3pP3/8/7n/5K2/8 w - d6 0 1", "k7/8/8/3pP3/8/7n/5K2/8 w - - 0 1", "FEN en passant: "},
		{"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQK1R1 w KQkq - 0 1", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQK1R1 w Qkq - 0 1", "only Chess960"},
		{"4k3/8/8/8/8/8/8/4K2R", "4k3/8/8/8/8/8/8/4K2R w - - 0 1", "w - - 0 1 is assumed"},
		{"https://www.chess.com/analysis?fen=4k3%2F8%2F8%2F8%2F8%2F8%2F8%2F4K2R+w+K+-+0+1&tab=analysis", "4k3/8/8/8/8/8/8/4K2R w K - 0 1", ""},
		{"position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1 moves e1g1 e8d7", "8/3k4/8/8/8/8/8/5RK1 w - - 2 2", ""},
		{"position startpos", "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1", ""},
		{"4k3/8/8/8/8/8/8/4K2R w K - bm O-O; id \"x\"; 00:00;", "4k3/8/8/8/8/8/8/4K2R w K - 0 1", "EPD opcode: '0'"},
	} {
		for _, do := range []string{"position", "evaluate"} {
			reply := ask(t, b, fmt.Sprintf(`{"id":1,"do":%q,"position":{"fen":%s}}`, do, quoted(tt.fen)))[0]
			var p jsonPosition
			if reply.Error != nil || !strings.HasPrefix(reply.Warning, tt.warning) && !strings.Contains(reply.Warning, tt.warning) ||
				(reply.Warning == "") != (tt.warning == "") {
				t.Errorf("%s %s: %+v, want the warning %q", do, tt.fen, reply, tt.warning)
			} else if do == "position" && (json.Unmarshal(reply.Result, &p) != nil || p.FEN != tt.want) {
				t.Errorf("%s: %+v, want %s", tt.fen, p, tt.want)
			}
		}
	}
	p := result[jsonPosition](t, b, `{"id":1,"do":"position","position":{"fen":"startpos moves e2e4","moves":["1... E7-E5","---"]}}`)
	if len(p.Played) != 3 || p.Played[2].SAN != "--" || p.Start != "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1" {
		t.Errorf("%+v, want three moves from the start position", p)
	}
}

// The opening is that of the last position with a name, whatever the order of moves.
func TestOpening(t *testing.T) {
	b := start(t, Config{})
	p := result[jsonPosition](t, b, `{"id":1,"do":"position","position":{"moves":["c4","e6","d4","d5","Nc3","Nf6","a3","h6","h3"]}}`)
	if o := p.Opening; o == nil || o.ECO[0] != 'D' || !strings.HasPrefix(o.Name, "Queen's Gambit Declined") {
		t.Errorf("%+v", o)
	}
	p = result[jsonPosition](t, b, `{"id":1,"do":"position","position":{"fen":"4k3/8/8/8/8/8/8/4RK2 b - - 0 1"}}`)
	if p.Opening != nil {
		t.Errorf("%+v", p.Opening)
	}
}

func TestLegalMoves(t *testing.T) {
	b := start(t, Config{})
	for _, tt := range []struct{ fen, san, want string }{
		{"r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1", "O-O", `{"uci":"e1g1","san":"O-O","from":"e1","to":"g1","castling":{"king":"g1","rookFrom":"h1","rook":"f1"}}`},
		{"r3k2r/8/8/8/8/8/8/R3K2R b KQkq - 0 1", "O-O-O", `{"uci":"e8c8","san":"O-O-O","from":"e8","to":"c8","castling":{"king":"c8","rookFrom":"a8","rook":"d8"}}`},
		{"4k3/8/8/8/8/8/8/1R3K1R w HB - 0 1", "O-O", `{"uci":"f1h1","san":"O-O","from":"f1","to":"h1","castling":{"king":"g1","rookFrom":"h1","rook":"f1"}}`},
		{"4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1", "exd6", `{"uci":"e5d6","san":"exd6","from":"e5","to":"d6","capture":"d5"}`},
		{"3rk3/4P3/8/8/8/8/8/4K3 w - - 0 1", "exd8=N", `{"uci":"e7d8n","san":"exd8=N","from":"e7","to":"d8","promotion":"n","capture":"d8"}`},
	} {
		p := result[jsonPosition](t, b, fmt.Sprintf(`{"id":1,"do":"position","position":{"fen":%q}}`, tt.fen))
		i := slices.IndexFunc(p.Legal, func(l Legal) bool { return l.SAN == tt.san })
		if i < 0 {
			t.Errorf("%s: no move %s in %v", tt.fen, tt.san, p.Legal)
			continue
		}
		if got, _ := json.Marshal(p.Legal[i]); string(got) != tt.want {
			t.Errorf("%s\n got %s\nwant %s", tt.fen, got, tt.want)
		}
	}
}

func TestPlayed(t *testing.T) {
	b := start(t, Config{})
	p := result[jsonPosition](t, b, `{"id":1,"do":"position","position":{"fen":"1r3k1r/8/8/8/8/8/8/1R3K1R w HBhb - 0 1","moves":["Rb5","Rb6","O-O"]}}`)
	want := []Played{
		{jsonMove: jsonMove{UCI: "b1b5", SAN: "Rb5"}, FEN: "1r3k1r/8/8/1R6/8/8/8/5K1R b Hhb - 1 1"},
		{jsonMove: jsonMove{UCI: "b8b6", SAN: "Rb6"}, FEN: "5k1r/8/1r6/1R6/8/8/8/5K1R w Hh - 2 2"},
		{jsonMove: jsonMove{UCI: "f1h1", SAN: "O-O+"}, FEN: "5k1r/8/1r6/1R6/8/8/8/5RK1 b h - 3 2"},
	}
	if !slices.Equal(p.Played, want) || p.FEN != want[2].FEN || !p.Check || !slices.Equal(p.Checkers, []string{"f1"}) {
		t.Errorf("played %+v, check %t by %v\nwant   %+v", p.Played, p.Check, p.Checkers, want)
	}
}

// A queen has a value for its owner, a king has none, and in check nothing has.
func TestEvaluate(t *testing.T) {
	b := start(t, Config{})
	e := result[Evaluation](t, b, `{"id":1,"do":"evaluate","position":{"moves":["e4","e5"]}}`)
	if e.Eval == nil || len(e.Pieces) != 30 {
		t.Fatalf("evaluation %v, %d pieces, want one and 30", e.Eval, len(e.Pieces))
	}
	for _, w := range e.Pieces {
		if w.Piece == "Q" && w.CP < 300 || w.Piece == "q" && w.CP > -300 || strings.EqualFold(w.Piece, "k") {
			t.Errorf("%+v", w)
		}
	}
	e = result[Evaluation](t, b, `{"id":1,"do":"evaluate","position":{"fen":"4k3/8/8/8/8/8/8/4RK2 b - - 0 1"}}`)
	if e.Eval != nil || len(e.Pieces) != 0 {
		t.Errorf("in check: evaluation %v, pieces %v", e.Eval, e.Pieces)
	}
}

func TestTablebase(t *testing.T) {
	b := start(t, Config{})
	tb := result[Tablebase](t, b, `{"id":1,"do":"tablebase","position":{"fen":"8/8/8/4k3/8/8/8/KQ6 w - - 0 1"}}`)
	if !tb.Known || *tb.WDL != 2 || *tb.DTZ != 17 || len(tb.Moves) != 22 || tb.Moves[0].WDL != 2 || tb.Moves[21].WDL != 0 {
		t.Errorf("%+v", tb)
	}
	for fen, want := range map[string]syzygy.WDL{
		"8/8/4k3/8/8/8/8/KR6 w - - 71 100": 2, "8/8/4k3/8/8/8/8/KR6 w - - 72 100": 1, // mate takes 29 plies
		"8/8/4k3/8/8/8/8/KR6 w - - 97 100": 1, "8/8/4k3/8/8/8/8/KR6 w - - 99 100": 1, "8/8/8/4k3/8/1K6/1R6/8 b - - 98 100": -1,
	} {
		tb := result[Tablebase](t, b, `{"id":1,"do":"tablebase","position":{"fen":"`+fen+`"}}`)
		if *tb.WDL != want || tb.Moves[0].WDL != want || tb.Maybe || tb.Moves[0].Maybe {
			t.Errorf("%s: %d, the best move %+v, want %d", fen, *tb.WDL, tb.Moves[0], want)
		}
	}
	if tb := result[Tablebase](t, b, `{"id":1,"do":"tablebase"}`); tb.Known || tb.WDL != nil {
		t.Errorf("the start is in no table: %+v", tb)
	}
	dir := t.TempDir()
	kit.Write(t, filepath.Join(dir, "KRvK.rtbz"), []byte("damaged"))
	reply := ask(t, start(t, Config{Tables: []string{dir}}), `{"id":1,"do":"tablebase","position":{"fen":"8/8/8/4k3/8/8/8/KR6 w - - 0 1"}}`)[0]
	tb = Tablebase{}
	kit.Succeed(t, json.Unmarshal(reply.Result, &tb))
	if !tb.Known || *tb.WDL != 2 || tb.DTZ != nil || len(tb.Moves) == 0 || !strings.Contains(reply.Warning, "KRvK.rtbz") {
		t.Errorf("with a damaged DTZ table: %+v, warning %q", tb, reply.Warning)
	}
}

func TestOptions(t *testing.T) {
	b := start(t, Config{})
	replies := ask(t, b,
		`{"id":1,"do":"option","name":"hash","value":"2"}`, `{"id":2,"do":"option","name":"Move Overhead","value":"77"}`,
		`{"id":3,"do":"option","name":"Syzygy50MoveRule","value":"false"}`, `{"id":4,"do":"option","name":"Clear Hash","value":""}`)
	for _, r := range replies {
		if r.Error != nil {
			t.Error(r.Error)
		}
	}
	values := func(h Hello) map[string]string {
		out := map[string]string{}
		for _, o := range h.Options {
			out[o.Name] = o.Value
		}
		return out
	}
	// Another session has the engine's new size and options of its own.
	if v := values(result[Hello](t, b, `{"id":1,"do":"hello"}`)); v["Hash"] != "2" || v["Move Overhead"] != "10" || v["Syzygy50MoveRule"] != "true" {
		t.Errorf("options of another session: %v", v)
	}
	var same Optioned
	kit.Succeed(t, json.Unmarshal(replies[slices.IndexFunc(replies, func(r reply) bool { return string(r.ID) == "3" })].Result, &same))
	if v := values(Hello{Options: same.Options}); v["Move Overhead"] != "77" || v["Syzygy50MoveRule"] != "false" {
		t.Errorf("options of the same session: %v", v)
	}
}

// TestFixedOptions: what a board says is fixed is refused, and nothing else.
func TestFixedOptions(t *testing.T) {
	for _, shared := range []bool{false, true} {
		b := start(t, Config{Shared: shared})
		fixed := 0
		for _, o := range result[Hello](t, b, `{"id":1,"do":"hello"}`).Options {
			if o.Fixed {
				fixed++
			}
			if r := ask(t, b, fmt.Sprintf(`{"id":1,"do":"option","name":%q,"value":%q}`, o.Name, o.Value))[0]; (r.Error != nil) != o.Fixed {
				t.Errorf("shared %v: %s is fixed: %v, but set to %q: %v", shared, o.Name, o.Fixed, o.Value, r.Error)
			}
		}
		if (fixed > 0) != shared {
			t.Errorf("shared %v: %d options are fixed", shared, fixed)
		}
	}
}
