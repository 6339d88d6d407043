package lichess

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/test/kit"
)

// fake makes the test's program a UCI engine that repeats the commands it gets as info
// strings, searches until it is stopped, or dies at go where the variable says "dies".
const fake = "TABULA_FAKE_ENGINE"

func TestMain(m *testing.M) {
	if manner := os.Getenv(fake); manner != "" {
		fakeEngine(manner)
		return
	}
	os.Exit(m.Run())
}

func fakeEngine(manner string) {
	fen := ""
	for in := bufio.NewScanner(os.Stdin); in.Scan(); {
		line := in.Text()
		switch word, _, _ := strings.Cut(line, " "); word {
		case "uci":
			fmt.Println("id name Fake\noption name Threads type spin default 1 min 1 max 64\noption name Hash type spin default 16 min 1 max 1024")
			fmt.Println("option name MultiPV type spin default 1 min 1 max 9\noption name UCI_AnalyseMode type check default false\nuciok")
		case "isready":
			fmt.Println("readyok")
		case "setoption", "position":
			fen += "|" + line
		case "go":
			if manner == "dies" {
				os.Exit(3)
			}
			fmt.Printf("info depth 1 score cp 10 pv e2e4\ninfo string %s|%s%s\nnonsense\n", fen, line, os.Getenv(tokenVariable))
			if !strings.Contains(line, "infinite") {
				fmt.Println("bestmove e2e4")
			}
		case "stop":
			fmt.Println("bestmove e2e4")
		case "quit":
			return
		}
	}
}

// lichess speaks the site's side of the protocol.
type lichess struct {
	*httptest.Server
	t       *testing.T
	mu      sync.Mutex
	calls   []string
	engines []registration
	works   chan string             // what the next request for work is answered: JSON, "" for none yet, or a status
	bodies  map[string]*requestBody // of submissions, by id of the work
}

// requestBody is a submission that goes on.
type requestBody struct {
	lines chan string
	end   chan struct{} // is closed to end the request from the server's side
}

func newLichess(t *testing.T) *lichess {
	s := &lichess{t: t, works: make(chan string, 20), bodies: map[string]*requestBody{}}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func (s *lichess) body(id string) *requestBody {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.bodies[id] == nil {
		s.bodies[id] = &requestBody{make(chan string, 1000), make(chan struct{})}
	}
	return s.bodies[id]
}

func (s *lichess) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	s.calls = append(s.calls, r.Method+" "+r.URL.Path)
	s.mu.Unlock()
	if id, ok := strings.CutPrefix(r.URL.Path, "/api/external-engine/work/"); ok {
		s.receive(w, r, s.body(id))
		return
	}
	if r.URL.Path == "/api/external-engine/work" {
		if r.Header.Get("Authorization") != "" {
			s.t.Error("the broker gets the token")
		}
		s.handOut(w, r)
		return
	}
	if r.Header.Get("Authorization") != "Bearer secret" {
		w.WriteHeader(http.StatusUnauthorized)
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.Method == http.MethodGet {
		_ = json.NewEncoder(w).Encode(s.engines)
		return
	}
	var e registration
	if err := json.NewDecoder(r.Body).Decode(&e); err != nil || len(e.ProviderSecret) < 20 {
		s.t.Errorf("registration %+v, %v", e, err)
	}
	e.ID = "id1"
	s.engines = []registration{e}
}

// receive takes a submission until it ends or is to be ended.
func (s *lichess) receive(w http.ResponseWriter, r *http.Request, b *requestBody) {
	_ = http.NewResponseController(w).EnableFullDuplex()
	lines := make(chan string)
	go func() {
		defer close(lines)
		for in := bufio.NewScanner(r.Body); in.Scan(); {
			lines <- in.Text()
		}
	}()
	for {
		select {
		case <-b.end:
			go func() {
				for range lines {
				}
			}()
			return
		case line, ok := <-lines:
			if !ok {
				close(b.lines)
				return
			}
			b.lines <- line
		}
	}
}

func (s *lichess) handOut(w http.ResponseWriter, r *http.Request) {
	if text, err := io.ReadAll(r.Body); err != nil || !strings.Contains(string(text), "providerSecret") {
		s.t.Errorf("asked for work with %q, %v", text, err)
	}
	select {
	case <-r.Context().Done():
	case text := <-s.works:
		switch {
		case text == "":
			w.WriteHeader(http.StatusNoContent)
		case strings.HasPrefix(text, "{"):
			_, _ = io.WriteString(w, text)
		default:
			w.WriteHeader(http.StatusBadGateway)
		}
	}
}

// give hands out work with limits, a JSON object without its braces.
func (s *lichess) give(id, session, limits string) {
	s.works <- fmt.Sprintf(`{"id":%q,"work":{"sessionId":%q,"threads":99,"hash":8,"multiPv":2,"variant":"chess",
		"initialFen":"rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1","moves":["e2e4","e7e5"],%s},"engine":{"id":"id1"}}`, id, session, limits)
}

// lines returns the submission of a piece of work up to a line that holds text.
func (b *requestBody) until(t *testing.T, text string) (lines []string) {
	t.Helper()
	for line := range b.lines {
		lines = append(lines, line)
		if strings.Contains(line, text) {
			return lines
		}
	}
	t.Errorf("no %q in %q", text, lines)
	return lines
}

// provide offers the fake engine to a server until ctx is done.
func provide(ctx context.Context, s *lichess, token string, w io.Writer) error {
	p := provider{
		command: []string{os.Args[0]}, threads: 4, hash: 64,
		site: server{s.URL, token}, broker: server{s.URL, ""}, log: log.New(w, "", 0), pause: time.Nanosecond,
	}
	return p.run(ctx)
}

// run offers the fake engine to a server until the test ends, and returns what the log says.
func run(t *testing.T, s *lichess, manner string) (log *strings.Builder, stop func() error) {
	t.Helper()
	t.Setenv(fake, manner)
	t.Setenv(tokenVariable, "the engine sees the token")
	log = new(strings.Builder)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		done <- provide(ctx, s, "secret", log)
	}()
	return log, func() error { cancel(); return <-done }
}

// TestWork answers two pieces of work of one session, the second after answers without
// work and faults of the server.
func TestWork(t *testing.T) {
	s := newLichess(t)
	log, stop := run(t, s, "good")
	s.give("w1", "tab", `"depth":5`)
	got := strings.Join(s.body("w1").until(t, "bestmove"), "\n")
	want := `info depth 1 score cp 10 pv e2e4
info string |setoption name Threads value 4|setoption name Hash value 8|setoption name MultiPV value 2|setoption name UCI_AnalyseMode value true|position startpos moves e2e4 e7e5|go depth 5
bestmove e2e4`
	if got != want {
		t.Errorf("sent\n%s\nwant\n%s", got, want)
	}
	s.works <- ""
	s.works <- "502"
	s.works <- `{"id":`
	s.give("w2", "tab", `"movetime":50`)
	if text := s.body("w2").until(t, "bestmove")[1]; strings.Count(text, "setoption") != 4 || !strings.HasSuffix(text, "go movetime 50") {
		t.Errorf("second work: %s", text)
	}
	if err := stop(); !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
	if s.engines[0].Name != "Fake" || s.engines[0].MaxThreads != 4 || !strings.Contains(log.String(), "502 Bad Gateway; trying again in 1ns") {
		t.Errorf("registered %+v, log %s", s.engines, log)
	}
	for _, call := range s.calls { // a fault of the server is no reason to register anew but for its status
		if strings.HasPrefix(call, "PUT") && call != "PUT /api/external-engine/id1" {
			t.Errorf("call %s", call)
		}
	}
}

// TestHasty asks a broker that has no work and says so at once, one that has the same work again
// and again, and one that sends to another host.
func TestHasty(t *testing.T) {
	t.Setenv(fake, "good")
	const pause = 100 * time.Millisecond
	for _, tt := range []struct {
		name   string
		answer http.HandlerFunc
		least  time.Duration // between two requests
	}{
		{"204", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) }, pause},
		{"{}", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "{}") }, pause},
		{"null", func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "null") }, pause},
		{"work", func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `{"id":"w","work":{"variant":"atomic"}}`)
		}, pause / 10},
	} {
		s := newLichess(t)
		asked := make(chan time.Time, 100)
		broker := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path != engines+"/work" {
				return
			}
			select {
			case asked <- time.Now():
				tt.answer(w, r)
			case <-r.Context().Done():
			}
		}))
		ctx, cancel := context.WithCancel(t.Context())
		p := provider{
			command: []string{os.Args[0]}, threads: 1, hash: 1, site: server{s.URL, "secret"}, broker: server{broker.URL, ""},
			log: log.New(io.Discard, "", 0), pause: pause,
		}
		done := make(chan error, 1)
		began := time.Now()
		go func() { done <- p.run(ctx) }()
		for n := range 6 {
			if since := (<-asked).Sub(began); since < time.Duration(n)*tt.least {
				t.Errorf("%s: request %d came after %v", tt.name, n, since)
			}
		}
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v", tt.name, err)
		}
		broker.Close()
	}
}

// TestSessions runs endless searches of two sessions beside each other: new work of one
// ends its search alone, and so does a broker that wants no more.
func TestSessions(t *testing.T) {
	s := newLichess(t)
	_, stop := run(t, s, "good")
	s.give("a1", "a", `"infinite":true`)
	s.give("b1", "b", `"infinite":true`)
	s.body("a1").until(t, "go infinite")
	s.body("b1").until(t, "go infinite")
	s.give("a2", "a", `"infinite":true`)
	s.body("a2").until(t, "go infinite")
	close(s.body("a2").end)
	s.give("a3", "a", `"nodes":7`)
	s.body("a3").until(t, "bestmove")
	select {
	case line := <-s.body("b1").lines:
		t.Errorf("the other session ended: %q", line)
	default:
	}
	if err := stop(); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestRepairedWork: a right that cannot be is dropped and told, and the position is searched.
func TestRepairedWork(t *testing.T) {
	s := newLichess(t)
	log, stop := run(t, s, "good")
	s.works <- `{"id":"r","work":{"sessionId":"tab","depth":1,"initialFen":"4k3/8/8/8/8/8/8/4K2R w Kk - 0 1","moves":["e1g1"]}}`
	if text := s.body("r").until(t, "bestmove")[1]; !strings.Contains(text, "|position fen 4k3/8/8/8/8/8/8/4K2R w K - 0 1 moves e1g1|") {
		t.Errorf("the engine got %s", text)
	}
	_ = stop()
	if want := `work "r": initialFen: FEN castling: 'k', but black has no such rook (at byte 24): castling rights k dropped`; !strings.Contains(log.String(), want) {
		t.Errorf("no %q in the log:\n%s", want, log)
	}
}

// TestWorkOfChess960: castling rights with a king and a rook on the back rank stay, whatever their squares, and moves
// are read in both forms. Rights without a rook are dropped.
func TestWorkOfChess960(t *testing.T) {
	for _, tt := range []struct {
		fen, moves, want string
		warns            bool
	}{
		{"1r2k1r1/pppppppp/8/8/8/8/PPPPPPPP/1R2K1R1 w KQ - 0 1", "e1g1", "1r2k1r1/pppppppp/8/8/8/8/PPPPPPPP/1R3RK1 b - - 1 1", false},
		{"1r2k1r1/pppppppp/8/8/8/8/PPPPPPPP/1R2K1R1 w KQ - 0 1", "", "1r2k1r1/pppppppp/8/8/8/8/PPPPPPPP/1R2K1R1 w GB - 0 1", false},
		{"nrk1brbq/pppp1ppp/8/4p3/8/8/PPPPPPPP/NR1KBR1Q b kq - 0 1", "", "nrk1brbq/pppp1ppp/8/4p3/8/8/PPPPPPPP/NR1KBR1Q b fb - 0 1", false},
		{"nrk1brbq/pppp1ppp/8/4p3/8/8/PPPPPPPP/NR1KBR1Q b kq - 0 1", "c8b8", "n1krbrbq/pppp1ppp/8/4p3/8/8/PPPPPPPP/NR1KBR1Q w - - 1 2", false},
		{"4k3/8/8/8/8/8/8/4K2R w Kk - 0 1", "e1g1", "4k3/8/8/8/8/8/8/5RK1 b - - 1 1", true},
		{"4k3/8/8/8/8/8/8/4K2R w KQ - 0 1", "e1h1", "4k3/8/8/8/8/8/8/5RK1 b - - 1 1", true},
		{chess.StartFEN, "e2e4 e7e5 g1f3 b8c6 f1e2 g8f6 e1g1", "r1bqkb1r/pppp1ppp/2n2n2/4p3/4P3/5N2/PPPPBPPP/RNBQ1RK1 b kq - 5 4", false},
	} {
		var w work
		w.Work.Variant, w.Work.InitialFEN, w.Work.Moves = "chess", tt.fen, strings.Fields(tt.moves)
		p, warning, err := w.position()
		if err != nil || p.FEN() != tt.want || (warning != nil) != tt.warns {
			t.Errorf("%s moves %s: %v, warning %v, error %v, want %s", tt.fen, tt.moves, p, warning, err, tt.want)
		}
	}
}

// TestStrangeWork hands out work that is none: nothing of it reaches the engine, and the
// next work is answered.
func TestStrangeWork(t *testing.T) {
	s := newLichess(t)
	log, stop := run(t, s, "good")
	for i, text := range []string{
		`"variant":"atomic","initialFen":"8/8/8/8/8/8/8/K1k5 w - - 0 1"`,
		`"initialFen":"8/8/8/8/8/8/8/K1k5 w - - 0 1\nsetoption name Hash value 1"`,
		`"initialFen":"4k3/8/8/8/8/8/8/4K3 w - - 0 1","moves":["e1e9"]`,
		`"initialFen":"4k3/8/8/8/8/8/8/4K3 w - - 0 1","moves":["e1e2\nquit"]`,
	} {
		id := fmt.Sprint("strange", i)
		s.works <- fmt.Sprintf(`{"id":%q,"work":{"sessionId":"tab",%s}}`, id, text)
	}
	s.give("w", "tab", `"depth":1`)
	if text := s.body("w").until(t, "bestmove")[1]; strings.Count(text, "position") != 1 {
		t.Errorf("the engine got %s", text)
	}
	_ = stop()
	for _, want := range []string{`work "strange0": variant "atomic"`, `work "strange1": initialFen: `, `work "strange2": move 1: `, `work "strange3": move 1: `} {
		if !strings.Contains(log.String(), want) {
			t.Errorf("no %q in the log:\n%s", want, log)
		}
	}
}

// TestEngineDies starts a new engine for the next work of a session.
func TestEngineDies(t *testing.T) {
	s := newLichess(t)
	_, stop := run(t, s, "dies")
	for i := range 2 {
		id := fmt.Sprint("w", i)
		s.give(id, "tab", `"depth":1`)
		for range s.body(id).lines { // ends, as the engine does
		}
	}
	if err := stop(); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestManySessions asks for more sessions than engines may run.
func TestManySessions(t *testing.T) {
	s := newLichess(t)
	_, stop := run(t, s, "good")
	for i := range mostTabs + 2 {
		id := fmt.Sprint("w", i)
		s.give(id, id, `"infinite":true`)
		s.body(id).until(t, "go infinite")
	}
	if err := stop(); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// TestToken reads tokens from files and the environment.
func TestToken(t *testing.T) {
	dir := t.TempDir()
	write := func(text string) string {
		name := filepath.Join(dir, fmt.Sprintf("file%x", text))
		kit.Write(t, name, []byte(text))
		return name
	}
	for _, c := range []struct{ file, variable, want string }{
		{write("lip_a\n"), "other", "lip_a"}, {"", "lip_b", "lip_b"}, {"", "", ""}, {write(""), "lip_b", ""},
		{write("\ufefflip_a\r\n"), "", "lip_a"}, {write(" \tlip_a \n\n"), "", "lip_a"}, {"", "\ufeff lip_b\n", "lip_b"},
		{write("two words"), "", ""}, {write("lip_a\nlip_b\n"), "", ""}, {write("lip_\u00e4"), "", ""}, {write("\ufeff"), "lip_b", ""},
		{write("\xff\xfel\x00i\x00p\x00"), "", ""}, {write("lip\u00a0a"), "", ""}, {write("lip\x7f"), "", ""},
		{filepath.Join(dir, "missing"), "lip_b", ""},
	} {
		got, err := token(c.file, func(string) string { return c.variable })
		if got != c.want || (err == nil) != (c.want != "") || err != nil && (exit.Code(err) != exit.Usage || !strings.Contains(err.Error(), c.file)) {
			t.Errorf("%+v: %q, %v", c, got, err)
		}
	}
	s := newLichess(t)
	t.Setenv(fake, "good")
	err := provide(t.Context(), s, "wrong", io.Discard)
	if err == nil || !strings.Contains(err.Error(), "engine:write") {
		t.Errorf("a wrong token: %v", err)
	}
}
