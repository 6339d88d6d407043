//go:build !js

package serve

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/app/session"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/test/kit"
)

// long bounds every wait for what should come at once; a busy machine may take its
// time. The server waits for clients as long, where a test does not say otherwise:
// brief is then the least that it waits for them.
const (
	long  = time.Minute
	brief = 500 * time.Millisecond
)

func TestMain(m *testing.M) {
	endTime = long
	os.Exit(m.Run())
}

// settingsOf returns what the arguments ask for.
func settingsOf(args ...string) (s *settings, err error) {
	c := Command()
	c.Writer, c.ErrWriter = io.Discard, io.Discard
	c.Action = func(_ context.Context, cmd *cli.Command) error {
		s, err = parse(cmd)
		return err
	}
	return s, c.Run(context.Background(), append([]string{"serve"}, args...))
}

// start serves on a port of this machine and returns the address; the test ends it.
func start(t testing.TB, change func(*settings)) (address string) {
	t.Helper()
	s, err := settingsOf("--listen", "127.0.0.1:0", "--hash", "4", "--threads", "1")
	kit.Succeed(t, err)
	s.config.Home = t.TempDir() // not the tester's
	s.patience = long
	if change != nil {
		change(s)
	}
	listener, err := net.Listen("tcp", s.listen)
	kit.Succeed(t, err)
	srv, err := newServer(s, listener)
	kit.Succeed(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- srv.run(ctx) }()
	t.Cleanup(func() {
		cancel()
		select {
		case err := <-done:
			if err != nil {
				t.Errorf("the server ended: %v", err)
			}
		case <-time.After(long):
			t.Error("the server did not end")
		}
	})
	return listener.Addr().String()
}

// dial opens a socket.
func dial(t testing.TB, address string, header http.Header) *websocket.Conn {
	t.Helper()
	options := &websocket.DialOptions{HTTPHeader: header}
	conn, _, err := websocket.Dial(t.Context(), "ws://"+address+"/api/socket", options)
	kit.Succeed(t, err)
	conn.SetReadLimit(-1)
	t.Cleanup(func() { _ = conn.CloseNow() })
	return conn
}

// message is a reply as a client reads it.
type message struct {
	ID       json.RawMessage
	Info     *session.Info
	Progress json.RawMessage
	Result   json.RawMessage
	Error    *session.Error
}

// send and receive are what a client does.
func send(ctx context.Context, conn *websocket.Conn, text string) error {
	return conn.Write(ctx, websocket.MessageText, []byte(text))
}

func receive(ctx context.Context, conn *websocket.Conn) (m message, err error) {
	_, data, err := conn.Read(ctx)
	if err == nil {
		err = json.Unmarshal(data, &m)
	}
	return m, err
}

func final(ctx context.Context, conn *websocket.Conn) (m message, err error) {
	for {
		if m, err = receive(ctx, conn); err != nil || m.Info == nil {
			return m, err
		}
	}
}

// answers checks that the server answers a new client, by both ways. It leaves no
// session behind.
func answers(t *testing.T, address string) {
	t.Helper()
	patiently(t, func() error {
		conn, _, err := websocket.Dial(t.Context(), "ws://"+address+"/api/socket", nil)
		if err != nil {
			return err
		}
		defer conn.CloseNow()
		if err := send(t.Context(), conn, `{"id":"still","do":"analyse","limits":{"depth":2}}`); err != nil {
			return err
		}
		if m, err := final(t.Context(), conn); err != nil || string(m.ID) != `"still"` || m.Result == nil {
			return fmt.Errorf("by socket: %+v, %w", m, err)
		}
		_ = conn.Close(websocket.StatusNormalClosure, "") // the server may be the first
		return nil
	})
	if body := hello(t, address); !strings.Contains(body, `"transport":"server"`) {
		t.Fatalf("by POST: %s", body)
	}
}

// jsonBody is the header of a POST.
var jsonBody = map[string]string{"Content-Type": "application/json"}

// hello asks by POST until there is a place.
func hello(t *testing.T, address string) (body string) {
	t.Helper()
	for began := time.Now(); time.Since(began) < long; time.Sleep(50 * time.Millisecond) {
		status := 0
		patiently(t, func() (err error) {
			status, _, body, err = ask(t, "POST", "http://"+address+"/api/hello", jsonBody, "")
			return err
		})
		if status != http.StatusServiceUnavailable {
			return body
		}
	}
	t.Fatalf("no place in %v", long)
	return ""
}

// patiently does what a client does until it succeeds. A client for which there is no room comes again, and so does one
// that has stood still for longer than the server waits for one.
func patiently(t *testing.T, try func() error) {
	t.Helper()
	for first := time.Now(); ; {
		began := time.Now()
		err := try()
		if err == nil {
			return
		}
		full := websocket.CloseStatus(err) == websocket.StatusTryAgainLater
		if time.Since(began) < brief && !full || time.Since(first) > long {
			t.Fatal(err)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// TestRequests holds the server to who may ask what in which way.
func TestRequests(t *testing.T) {
	address := start(t, nil)
	named := start(t, func(s *settings) { s.hosts = []string{"chess.example"} })
	type header = map[string]string
	asJSON := func(more header) header {
		h := header{"Content-Type": "application/json"}
		for k, v := range more {
			h[k] = v
		}
		return h
	}
	for _, tt := range []struct {
		name, address, method, path string
		header                      header
		body                        string
		status                      int
		want                        string
	}{
		{"the page", address, "GET", "/", nil, "", 200, "<title>Tabula"},
		{"no such file", address, "GET", "/nothing", nil, "", 404, ""},
		{"hello", address, "POST", "/api/hello", asJSON(nil), "", 200, `"protocol":1`},
		{"an id", address, "POST", "/api/position", asJSON(nil), `{"id":"x","position":{"moves":["e4"]}}`, 200, `{"id":"x","result":{"fen":"rnbqkbnr/pppppppp/8/8/4P3`},
		{"a fault", address, "POST", "/api/position", asJSON(nil), `{"position":{"moves":["e5"]}}`, 400, `"field":"position.moves[0]"`},
		{"a search", address, "POST", "/api/play", asJSON(nil), `{"limits":{"depth":2}}`, 200, `"move":{"uci":`},
		{"no end", address, "POST", "/api/analyse", asJSON(nil), `{}`, 400, "nothing could stop the request"},
		{"two words", address, "POST", "/api/hello", asJSON(nil), `{"do":"play"}`, 400, `\"play\", but the address has \"hello\"`},
		{"large", address, "POST", "/api/pgn", asJSON(nil), `{"text":"` + strings.Repeat("e4 ", session.MaxMessage/3) + `"}`, 413, "too large"},
		{"GET", address, "GET", "/api/hello", nil, "", 405, "want POST"},
		{"nowhere", address, "POST", "/api/a/b", asJSON(nil), "", 404, "POST /api/WORD"},
		{"a form's type", address, "POST", "/api/hello", header{"Content-Type": "text/plain"}, "{}", 415, "application/json"},
		{"no socket", address, "GET", "/api/socket", nil, "", 426, ""},

		{"by name", address, "GET", "/", header{"Host": "localhost"}, "", 200, ""},
		{"by another address of this machine", address, "GET", "/", header{"Host": "[::1]:80"}, "", 200, ""},
		{"rebound", address, "GET", "/", header{"Host": "evil.example"}, "", 421, "this host name is not allowed"},
		{"rebound, the API", address, "POST", "/api/hello", asJSON(header{"Host": "evil.example"}), "", 421, "this host name is not allowed"},
		{"rebound, with the page's origin", address, "POST", "/api/hello", asJSON(header{"Host": "evil.example", "Origin": "http://evil.example"}), "", 421, ""},
		{"a name that begins so", address, "GET", "/", header{"Host": "localhost.evil.example"}, "", 421, ""},
		{"an address that begins so", address, "GET", "/", header{"Host": "127.0.0.1.evil.example"}, "", 421, ""},
		{"another address", address, "GET", "/", header{"Host": "192.0.2.7"}, "", 421, ""},
		{"the same origin", address, "POST", "/api/hello", asJSON(header{"Origin": "http://" + address}), "", 200, ""},
		{"another origin", address, "POST", "/api/hello", asJSON(header{"Origin": "http://evil.example"}), "", 403, "other sites"},
		{"another port", address, "POST", "/api/hello", asJSON(header{"Origin": "http://127.0.0.1:1"}), "", 403, "other sites"},
		{"a name of this machine", address, "POST", "/api/hello", asJSON(header{"Origin": "http://localhost:1"}), "", 403, "other sites"},
		{"no site", address, "POST", "/api/hello", asJSON(header{"Origin": "null"}), "", 403, "other sites"},
		{"a file", address, "POST", "/api/hello", asJSON(header{"Origin": "file://" + address}), "", 403, "other sites"},
		{"fetched across sites", address, "POST", "/api/hello", asJSON(header{"Sec-Fetch-Site": "cross-site"}), "", 403, "other sites"},
		{"fetched by the page", address, "POST", "/api/hello", asJSON(header{"Sec-Fetch-Site": "same-origin"}), "", 200, ""},

		{"a name that is allowed", named, "GET", "/", header{"Host": "Chess.Example:443"}, "", 200, ""},
		{"the page of a proxy", named, "POST", "/api/hello", asJSON(header{"Host": "chess.example", "Origin": "https://chess.example"}), "", 200, ""},
		{"another name", named, "GET", "/", header{"Host": "evil.example"}, "", 421, ""},
		{"another page behind the proxy", named, "POST", "/api/hello", asJSON(header{"Host": "chess.example", "Origin": "https://evil.example"}), "", 403, ""},
		{"a token, which nobody asks for", address, "GET", "/?token=0123456789abcdef", nil, "", 200, "<title>Tabula"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			status, _, body := do(t, tt.method, "http://"+tt.address+tt.path, tt.header, tt.body)
			if status != tt.status || !strings.Contains(body, tt.want) {
				t.Errorf("status %d, %.300s\nwant %d, …%s…", status, body, tt.status, tt.want)
			}
			if strings.HasPrefix(tt.path, "/api/") && status != http.StatusUpgradeRequired && !json.Valid([]byte(body)) {
				t.Errorf("the answer is not one JSON value: %.300s", body)
			}
		})
	}
}

// TestLongAnswer waits for an answer for longer than the server waits for a client.
func TestLongAnswer(t *testing.T) {
	address := start(t, func(s *settings) { s.patience = brief })
	status, _, body := do(t, "POST", "http://"+address+"/api/analyse", jsonBody, `{"limits":{"movetime":1500}}`)
	if status != http.StatusOK || !strings.Contains(body, `"reason":"limit"`) {
		t.Errorf("%d, %s", status, body)
	}
}

// TestShortBody ends a body before its length: that is told.
func TestShortBody(t *testing.T) {
	address := start(t, nil)
	conn, err := net.Dial("tcp", address)
	kit.Succeed(t, err)
	defer conn.Close()
	_, err = io.WriteString(conn, "POST /api/hello HTTP/1.1\r\nHost: "+address+"\r\nContent-Type: application/json\r\nContent-Length: 10\r\n\r\n{")
	kit.Succeed(t, err)
	kit.Succeed(t, conn.(*net.TCPConn).CloseWrite())
	kit.Succeed(t, conn.SetReadDeadline(time.Now().Add(long)))
	if answer, err := io.ReadAll(conn); err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 400 ") || !strings.Contains(string(answer), "the body did not arrive") {
		t.Errorf("%q, %v", answer, err)
	}
}

// do sends a request and follows no redirection.
func do(t *testing.T, method, url string, header map[string]string, body string) (status int, h http.Header, text string) {
	t.Helper()
	status, h, text, err := ask(t, method, url, header, body)
	kit.Succeed(t, err)
	return status, h, text
}

// ask is do that returns its error.
func ask(t *testing.T, method, url string, header map[string]string, body string) (status int, h http.Header, text string, err error) {
	r, err := http.NewRequestWithContext(t.Context(), method, url, strings.NewReader(body))
	if err != nil {
		return 0, nil, "", err
	}
	for k, v := range header {
		r.Header.Set(k, v)
	}
	// Sent again where the server has cut an idle connection: no word of it is sent.
	r.Header["Idempotency-Key"] = []string{}
	if host := header["Host"]; host != "" {
		r.Host = host
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.Do(r)
	if err != nil {
		return 0, nil, "", err
	}
	defer answer.Body.Close()
	data, err := io.ReadAll(answer.Body)
	return answer.StatusCode, answer.Header, string(data), err
}

func TestFlags(t *testing.T) {
	for _, tt := range []struct {
		args string
		want string // of the error; nothing for none
	}{
		{"", ""},
		{"--listen localhost:0", ""},
		{"--listen :8080", "--listen :8080 reaches beyond this machine"},
		{"--listen 0.0.0.0:8080", "or --host with the name of a proxy"},
		{"--listen 0.0.0.0:8080 --host chess.example", ""},
		{"--token 0123456789abcdef", "flag provided but not defined: -token"},
		{"--cert cert.pem", "flag provided but not defined: -cert"},
		{"--key key.pem", "flag provided but not defined: -key"},
		{"--host *", `--host: "*"`},
		{"--host chess.example,*.example", `--host: "*.example"`},
		{"--host chess.example,my-pc", ""},
		{"--listen nonsense", "--listen"},
		{"--sessions 0", `"0" for flag -sessions`},
		{"--sessions 10001", `"10001" for flag -sessions`},
		{"--engines 0", `"0" for flag -engines`},
		{"--engines 1025 --threads 1025 --hash 1025", `"1025" for flag -engines`},
		{"--sessions 1 --engines 1024 --threads 1024 --hash 1024 --search 1s", ""},
		{"--sessions 10000 --engines 1 --threads 1 --hash 1", ""},
		{"--engines 3 --hash 2", "--hash 2"},
		{"--engines 4 --threads 2", "--threads 2"},
		{"--hash 0", `"0" for flag -hash: want at least 1`},
		{"--search 1ms", `"1ms" for flag -search`},
		{"here", `unexpected argument "here"`},
	} {
		_, err := settingsOf(strings.Fields(tt.args)...)
		if (err == nil) != (tt.want == "") || err != nil && !strings.Contains(err.Error(), tt.want) {
			t.Errorf("serve %s: %v, want %q", tt.args, err, tt.want)
		}
	}
	t.Setenv("HOME", t.TempDir())
	for args, own := range map[string]bool{
		"": true, "--host my-pc": false, "--listen 0.0.0.0:1 --host my-pc": false,
	} {
		if s, err := settingsOf(strings.Fields(args)...); err != nil || (s.config.Home != "") != own {
			t.Errorf("serve %s: a home at %q, %v; want one: %v", args, s.config.Home, err, own)
		}
	}
	if s, err := settingsOf(); err != nil || s.listen != "127.0.0.1:8080" || s.sessions != 32 || s.config.Engines != 1 || s.config.Hash != 256 || s.config.Search != time.Hour {
		t.Errorf("without flags: %+v, %v", s, err)
	}
	s, err := settingsOf("--engines", "2", "--threads", "5", "--hash", "100")
	if err != nil || s.config.Threads != 2 || s.config.Hash != 50 {
		t.Errorf("%+v, %v: want 2 threads and 50 MiB for each engine", s, err)
	}
}

// TestInterrupt runs the command until its context ends, with a socket open and a
// search under way.
func TestInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r, w := io.Pipe()
	done := make(chan error, 1)
	go func() {
		c := Command()
		c.Writer = w
		done <- c.Run(ctx, []string{"serve", "--listen", "127.0.0.1:0", "--hash", "1", "--threads", "1"})
	}()
	var address string
	if _, err := fmt.Fscanf(r, "Tabula is at http://%s", &address); err != nil {
		t.Fatal(err)
	}
	go io.Copy(io.Discard, r) //nolint:errcheck // the rest of the greeting
	conn := dial(t, strings.TrimSuffix(address, "/"), nil)
	kit.Succeed(t, send(t.Context(), conn, `{"id":1,"do":"analyse"}`))
	if m, err := receive(t.Context(), conn); err != nil || m.Info == nil {
		t.Fatalf("%+v, %v", m, err)
	}
	cancel()
	_, err := final(t.Context(), conn)
	for err == nil {
		_, err = final(t.Context(), conn)
	}
	if status := websocket.CloseStatus(err); status != websocket.StatusGoingAway {
		t.Errorf("the socket ended with %v", err)
	}
	if err := <-done; exit.Code(err) != exit.Interrupted {
		t.Errorf("error %v, want that of an interruption", err)
	}
}
