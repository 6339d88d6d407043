package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/games"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/syzygy"
	"github.com/tabula-chess/tabula/syzygy/retro"
	"github.com/tabula-chess/tabula/test/kit"
)

// session is a client of the SDK connected to the server.
type session struct {
	*testing.T
	client *sdk.ClientSession
}

// played are games of the database.
const played = `[White "Anna"]
[Black "Bela"]
[WhiteElo "2000"]
[BlackElo "2100"]

1. e4 c5 2. Nf3 1-0

[White "Carl"]
[Black "Anna"]

1. e4 c5 2. d4 0-1
`

func connect(t *testing.T, directories ...string) session {
	t.Helper()
	engine, err := search.NewEngine(4)
	kit.Succeed(t, err)
	t.Cleanup(engine.Close)
	tables, err := syzygy.Open(directories...)
	kit.Succeed(t, err)
	dir := t.TempDir()
	if db, err := games.Update(dir); err != nil {
		t.Fatal(err)
	} else if _, err := db.Import(t.Context(), games.Source{PGN: strings.NewReader(played)}); err != nil {
		t.Fatal(err)
	} else if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	db, err := games.Open(dir)
	kit.Succeed(t, err)
	t.Cleanup(func() { _ = db.Close() })
	here, there := sdk.NewInMemoryTransports()
	if _, err := newServer(t.Context(), ServerSettings{Version: "1", Engine: engine, Tables: tables, Games: db}).Connect(t.Context(), here, nil); err != nil {
		t.Fatal(err)
	}
	c, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), there, nil)
	kit.Succeed(t, err)
	t.Cleanup(func() { _ = c.Close() })
	return session{t, c}
}

// call calls a tool with arguments in JSON and returns the answer, JSON too, or the text of an error.
func (s session) call(tool, arguments string) (answer, failure string) {
	s.Helper()
	r, err := s.client.CallTool(s.Context(), &sdk.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
	if err != nil {
		return "", err.Error()
	}
	text := r.Content[0].(*sdk.TextContent).Text
	if r.IsError {
		return "", text
	}
	return text, ""
}

// TestTools makes positions and asks every tool about them, sensibly and otherwise.
func TestTools(t *testing.T) {
	s := connect(t)
	tools, err := s.client.ListTools(t.Context(), nil)
	if err != nil || len(tools.Tools) != 9 {
		t.Errorf("%d tools, %v", len(tools.Tools), err)
	}
	for _, c := range []struct{ tool, arguments, want string }{
		{"set_position", `{"moves":["e4","c7c5"]}`, `"fen":"rnbqkbnr/pp1ppppp/8/2p5/4P3/8/PPPP1PPP/RNBQKBNR w KQkq c6 0 2"`},
		{"set_position", `{"moves":["1. e4","1...","C7-C5"]}`, `"position":"p2"`},
		{"play", `{"position":"p1","moves":["Nf3","d6","O-O"]}`, "error: move 3 of 3: "},
		{"play", `{"position":"p1","moves":["Nf3","e8e7"]}`, "error: move 2 of 2: \"e8e7\" is not legal: "},
		{"play", `{"position":"p1","moves":["Nf3","d6"]}`, `"turn":"white"`},
		{"opening", `{"position":"p3"}`, `"eco":"B50"`},
		{"legal_moves", `{"position":"p1"}`, `"Qh5"`},
		{"explain_move", `{"position":"p1","move":"e1g1"}`, `"legal":false`},
		{"explain_move", `{"position":"p1","move":"g1f3"}`, `"legal":true,`},
		{"explain_move", `{"position":"p1","move":"perhaps"}`, "error: move: move \"perhaps\": it names no square"},
		{"set_position", `{"fen":"8/P3k3/8/8/8/8/8/4K3 w - - 0 1","moves":["a7a8"]}`, `"a7a8" is not legal: The legal move is a7a8q.`},
		{"set_position", `{"fen":"8/8/8/8/8/8/8/8 w - - 0 1"}`, "error: "},
		{"set_position", `{"fen":"6k1/5ppp/8/8/8/8/8/R5K1 w - - 0 1"}`, `"position":"p4"`},
		{"analyse", `{"position":"p4","nodes":2000,"lines":2}`, `"moves":"1. Ra8#"`},
		{"analyse", `{"position":"p4","nodes":1}`, "error: nodes 1, lines 1: "},
		{"play", `{"position":"p4","moves":["Ra8"]}`, `"outcome":"checkmate"`},
		{"analyse", `{"position":"p5"}`, `"lines":[]`},
		{"endgame_table", `{"position":"p4"}`, "error: "},
		{"set_position", `{"fen":"8/8/8/8/8/4k3/8/4K2R w - - 0 1"}`, `"position":"p6"`},
		{"endgame_table", `{"position":"p6"}`, `"moves":[{"dtz":19,"move":"Rh4","result":"win"}`},
		{"set_position", `{"fen":"8/8/4k3/8/8/8/8/KR6 w - - 97 100"}`, `"position":"p7"`},
		{"endgame_table", `{"position":"p7"}`, `"result":"cursed win (a draw by the fifty-move rule)","turn":"white"`},
		{"endgame_table", `{"position":"p7"}`, `"moves":[{"dtz":29,"move":"Kb2","result":"cursed win (a draw by the fifty-move rule)"}`},
		{"analyse", `{"position":"p7","nodes":2000}`, `"score":"+0.00"`},
		{"opening", `{"position":"p99"}`, `error: position "p99": unknown name`},
		{"legal_moves", `{"position":"8/8/8/8/8/4k3/8/4K2R w - - 0 1"}`, "error: position "},
		{"review_game", `{"pgn":"1. f3 e5 2. g4 Qh4# 0-1","nodes":2000}`, `"judgment":"blunder"`},
		{"review_game", `{"pgn":"1. f3 e5 2. g4 Qh4# 0-1","nodes":2000,"why":true}`, `"text":"Allows 2... Qh4#: mate in 1."`},
		{"review_game", `{"pgn":"1. f3 e5 2. g4 Qh4# 0-1","nodes":2000,"why":true}`, `"change":"without 2... Qh4#"`},
		{"games", `{"position":"p1"}`, `"total":{"black":1,"draws":0,"games":2,`},
		{"games", `{"position":"p1","player":"Carl"}`, `"moves":[{"black":1,"draws":0,"games":1,"san":"d4",`},
		{"games", `{"position":"p1","minRating":2000}`, `"games":["Anna - Bela 1-0, , ????.??.??"]`},
		{"games", `{"position":"p4"}`, `"games":[],"moves":[]`},
		{"review_game", `{"pgn":"1. f4"}`, `"final":`},
		{"review_game", `{"pgn":"1. f5"}`, "error: pgn: "},
		{"review_game", `{"pgn":"1. f3 e5 2. g5","nodes":1000}`, `"warning":"game 1, line 1, column 13: move \"g5\": illegal`},
		{"review_game", `{"pgn":"1. e4 d5 2. Bb5+ -- *","nodes":1000}`,
			`"final":{"board":"","check":false,"fen":"rnbqkbnr/ppp1pppp/8/1B1p4/4P3/8/PPPP1PPP/RNBQK1NR w KQkq - 2 3","outcome":"","position":"","turn":""}`},
		{"review_game", `{"pgn":""}`, "error: pgn: want a game"},
		{"set_position", `{"fen":"1k6/5nP1/4bN2/4B3/3R4/2Q5/8/4K3 b Kk - 0 1"}`, `"warning":"FEN castling: 'K', but white has no such rook (at byte 34): castling rights Kk dropped; this is 1k6/5nP1/4bN2/4B3/3R4/2Q5/8/4K3 b - - 0 1"`},
		{"set_position", `{"fen":"position startpos moves e2e4","moves":["1. ... e5 2. g1-f3"]}`, `"fen":"rnbqkbnr/pppp1ppp/8/4p3/4P3/5N2/PPPP1PPP/RNBQKB1R b KQkq - 1 2"`},
		{"set_position", `{"fen":"e4"}`, "is no board"},
		{"set_position", `{"moves":["e4 e5","2. Ke3"]}`, `error: move 2 of 2: "Ke3" is not legal: `},
		{"set_position", `{"moves":["1. e9"]}`, "error: move 1 of 1: move \"e9\": e9 is no square"},
		{"review_game", `{"pgn":"1. e4 * 1. d4 *"}`, "error: pgn: want only one game"},
	} {
		text, failure := s.call(c.tool, c.arguments)
		if failure != "" {
			text = "error: " + failure
		} else if !strings.Contains(text, `"fen":"`) || !strings.Contains(text, `"board":"`) {
			t.Errorf("%s %s: no FEN or board in %s", c.tool, c.arguments, text)
		}
		if !strings.Contains(text, c.want) {
			t.Errorf("%s %s: no %s in %s", c.tool, c.arguments, c.want, text)
		}
	}
}

// TestNoDTZ: where tables say results alone, no move has a DTZ.
func TestNoDTZ(t *testing.T) {
	dir, solver := t.TempDir(), retro.NewSolver()
	ending, err := solver.Solve(t.Context(), "KNvKN")
	kit.Succeed(t, err)
	kit.Write(t, filepath.Join(dir, ending.Name()+".rtbw"), solver.WDL(ending))
	s := connect(t, dir)
	s.call("set_position", `{"fen":"kn6/8/1K6/3N4/8/8/8/8 w - - 0 1"}`)
	if text, failure := s.call("endgame_table", `{"position":"p1"}`); !strings.Contains(text, `"exact":false`) || strings.Contains(text, "dtz") || !strings.Contains(text, `{"move":"Nc7#","result":"win"}`) {
		t.Errorf("%s%s", text, failure)
	}
}

// hello initializes a session of a version of the protocol.
const hello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"%s","capabilities":{},"clientInfo":{"name":"t","version":"1"}}}`

// call returns the line that calls a tool.
func call(id int, tool, arguments string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`+"\n", id, tool, arguments)
}

// output is what a server writes: after some bytes, nothing can be written.
type output struct {
	bytes.Buffer
	room int
}

var errFull = errors.New("no space left")

func (o *output) Write(b []byte) (int, error) {
	if o.Len()+len(b) > o.room {
		return 0, errFull
	}
	return o.Buffer.Write(b)
}

func (o *output) Close() error { return nil }

// TestWholeInput: requests that come all at once are answered, each after those that make its position, before the end
// of the input ends the server. An output that is full ends it with an error.
func TestWholeInput(t *testing.T) {
	engine, err := search.NewEngine(1)
	kit.Succeed(t, err)
	defer engine.Close()
	begin := fmt.Sprintf(hello, "2025-06-18") + "\n"
	const ready = `{"jsonrpc":"2.0","method":"notifications/initialized"}` + "\n"
	for _, tt := range []struct {
		input string
		room  int
		want  map[string]string // by id, a part of the answer
		err   error
	}{
		{"", 1 << 20, nil, nil},
		{begin, 1 << 20, map[string]string{"0": "tabula"}, nil},
		{strings.TrimSpace(begin), 1 << 20, map[string]string{"0": "tabula"}, nil},
		{begin + ready + call(1, "set_position", "{}") + call(2, "play", `{"position":"p1","moves":["e4"]}`) + call(3, "analyse", `{"position":"p2","nodes":5000}`) +
			"hello\n" + call(4, "legal_moves", `{"position":"p2"}`) + `{"jsonrpc":"2.0","id":"x","method":"ping"}` + "\n" + call(5, "analyse", `{"position":"p9"}`),
			1 << 20, map[string]string{"0": "tabula", "1": "p1", "2": "p2", "3": `"lines"`, "null": "no JSON", "4": "Nf6", `"x"`: "{}", "5": "unknown name"}, nil},
		{begin + ready + call(1, "set_position", "{}") + strings.Repeat(call(2, "analyse", `{"position":"p1","nodes":5000}`), 2), // an id twice
			1 << 20, map[string]string{"0": "tabula", "1": "p1", "2": `"lines"`}, nil},
		{begin + ready + call(1, "set_position", "{}"), 0, nil, errFull},
		{"hello\n", 0, nil, errFull},
	} {
		out := &output{room: tt.room}
		if err := Run(t.Context(), ServerSettings{Version: "1", Engine: engine}, strings.NewReader(tt.input), out); !errors.Is(err, tt.err) && (tt.err != nil || err != io.EOF) {
			t.Errorf("%.200q: ended with %v, want %v", tt.input, err, tt.err)
		}
		got := map[string]bool{}
		for line := range strings.Lines(out.String()) {
			var answer struct{ ID json.RawMessage }
			kit.Succeed(t, json.Unmarshal([]byte(line), &answer))
			id := string(answer.ID)
			if got[id] = true; !strings.Contains(line, tt.want[id]) || tt.want[id] == "" {
				t.Errorf("%.200q: answer %s, want one with %q", tt.input, line, tt.want[id])
			}
		}
		if len(got) != len(tt.want) {
			t.Errorf("%.200q: %d answers, want %d", tt.input, len(got), len(tt.want))
		}
	}
}

// TestStrangeLines sends what is no message: each is answered by an error, and the positions stay.
func TestStrangeLines(t *testing.T) {
	engine, err := search.NewEngine(1)
	kit.Succeed(t, err)
	defer engine.Close()
	tables, err := syzygy.Open()
	kit.Succeed(t, err)
	in, to := io.Pipe()
	from, out := io.Pipe()
	done := make(chan error, 1)
	go func() {
		done <- Run(t.Context(), ServerSettings{Version: "1", Engine: engine, Tables: tables}, in, out)
	}()
	answers := bufio.NewReader(from)
	send := func(line string) (answer struct {
		ID     any
		Result json.RawMessage
		Error  *struct {
			Code    int
			Message string
		}
	}) {
		t.Helper()
		_, err := io.WriteString(to, line)
		kit.Succeed(t, err)
		text, err := answers.ReadBytes('\n')
		kit.Succeed(t, err)
		kit.Succeed(t, json.Unmarshal(text, &answer))
		return answer
	}
	send(fmt.Sprintf(hello, "2025-06-18") + "\n")
	_, err = io.WriteString(to, `{"jsonrpc":"2.0","method":"notifications/initialized"}`+" \r\n \n\n")
	kit.Succeed(t, err)
	if a := send(call(1, "set_position", `{"moves":["e4"]}`)); a.Error != nil || !strings.Contains(string(a.Result), "p1") {
		t.Fatalf("a position: %+v", a)
	}
	deep := strings.Repeat("[", 5000)
	for i, tt := range []struct {
		line string
		code int
		id   any
	}{
		{"hello", -32700, nil}, {`{"jsonrpc":"2.0","id":7,`, -32700, nil}, {"{}{}", -32700, nil}, {"\xff\xfe\x00", -32700, nil}, {deep, -32700, nil},
		{"\xef\xbb\xbf{}", -32700, nil}, {strings.Repeat("[", 20_000) + strings.Repeat("]", 20_000), -32700, nil},
		{`{"jsonrpc":"2.0","id":7,"method":"ping","params":` + deep + strings.Repeat("]", 5000) + "}", -32600, 7.},
		{strings.Repeat("x", 20<<20), -32600, nil}, {`{"jsonrpc":"2.0","id":7,"x":"` + strings.Repeat("x", mostMessage) + `"}`, -32600, nil},
		{"{}", -32600, nil}, {"null", -32600, nil}, {"7", -32600, nil}, {"[]", -32600, nil}, {`[{"jsonrpc":"2.0","id":7,"method":"ping"}]`, -32600, nil},
		{`{"jsonrpc":"1.0","id":"a","method":"ping"}`, -32600, "a"}, {`{"jsonrpc":"2.0","id":{},"method":"ping"}`, -32600, nil},
		{`{"jsonrpc":"2.0","id":7,"method":7}`, -32600, 7.}, {`{"jsonrpc":"2.0","id":1e999,"method":"ping"}`, -32600, nil},
		{`{"jsonrpc":"2.0","id":1.5,"method":"ping"}`, -32600, nil}, {`{"jsonrpc":"2.0","id":true,"method":"ping"}`, -32600, nil},
		{`{"jsonrpc":"2.0","id":null,"method":"ping"}`, -32600, nil}, {`{"jsonrpc":"2.0","id":9007199254740993,"method":"ping"}`, -32600, nil},
		{`{"jsonrpc":"2.0","id":"1.5","method":7}`, -32600, "1.5"},
		{`{"jsonrpc":"2.0","id":7,"method":"nothing"}`, -32601, 7.},
		{`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":[]}`, 0, 7.}, {`{"jsonrpc":"2.0","id":7,"method":"tools/call","params":7}`, 0, 7.},
	} {
		a := send(tt.line + "\n")
		if a.Error == nil || tt.code != 0 && a.Error.Code != tt.code || a.ID != tt.id || len(a.Error.Message) > 500 {
			t.Errorf("%.60q: id %v, %v, want %v, %d", tt.line, a.ID, a.Error, tt.id, tt.code)
		}
		if a := send(call(10+i, "legal_moves", `{"position":"p1"}`)); a.Error != nil || !strings.Contains(string(a.Result), "Nf6") {
			t.Fatalf("after %.60q: %+v", tt.line, a)
		}
	}
	kit.Succeed(t, to.Close())
	if err := <-done; err != nil && !errors.Is(err, io.EOF) {
		t.Errorf("ended with %v", err)
	}
}

// TestEndsDuringTool: a search ends with the server.
func TestEndsDuringTool(t *testing.T) {
	engine, err := search.NewEngine(1)
	kit.Succeed(t, err)
	defer engine.Close()
	ctx, end := context.WithCancel(t.Context())
	here, there := sdk.NewInMemoryTransports()
	_, err = newServer(ctx, ServerSettings{Version: "1", Engine: engine}).Connect(t.Context(), here, nil)
	kit.Succeed(t, err)
	c, err := sdk.NewClient(&sdk.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), there, nil)
	kit.Succeed(t, err)
	defer c.Close()
	s := session{t, c}
	if _, failure := s.call("set_position", "{}"); failure != "" {
		t.Fatal(failure)
	}
	time.AfterFunc(50*time.Millisecond, end)
	if answer, failure := s.call("analyse", fmt.Sprintf(`{"position":"p1","nodes":%d}`, mostNodes)); failure != context.Canceled.Error() {
		t.Errorf("%s, error %q", answer, failure)
	}
}

// TestLongGames plays on from position to position: a game ends at some length, and of many long
// ones the oldest are forgotten.
func TestLongGames(t *testing.T) {
	moves := strings.Repeat(`"Nf3","Nf6","Ng1","Ng8",`, mostMoves/4)
	moves = "[" + strings.TrimSuffix(moves, ",") + "]"
	s := &server{positions: map[string]*chess.Position{}}
	var in playIn
	kit.Succeed(t, json.Unmarshal([]byte(`{"moves":`+moves+`}`), &in))
	for range 2 * mostPlies / mostGame {
		at, err := s.setPosition(t.Context(), setPositionIn{})
		kit.Succeed(t, err)
		for n := mostMoves; ; n += mostMoves {
			p, err := s.find(at.Position)
			kit.Succeed(t, err)
			next, err := s.play(t.Context(), p, in)
			if (err != nil) != (n > mostGame) {
				t.Fatalf("%d plies: %v", n, err)
			}
			if err != nil {
				break
			}
			at = next
		}
	}
	sum := 0
	for _, p := range s.positions {
		sum += p.Plies()
	}
	if sum > mostPlies || sum < mostPlies/2 || sum != s.plies || len(s.positions) != len(s.names) {
		t.Errorf("%d plies are held in %d positions, %d counted", sum, len(s.positions), s.plies)
	}
}

// TestPositionsAreBounded forgets the oldest position.
func TestPositionsAreBounded(t *testing.T) {
	s := connect(t)
	for range mostPositions + 1 {
		if _, failure := s.call("set_position", `{}`); failure != "" {
			t.Fatal(failure)
		}
	}
	if _, failure := s.call("legal_moves", `{"position":"p1"}`); failure == "" {
		t.Error("the first position is still there")
	}
	if _, failure := s.call("legal_moves", fmt.Sprintf(`{"position":"p%d"}`, mostPositions+1)); failure != "" {
		t.Error(failure)
	}
}
