//go:build !js

package serve

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/tabula-chess/tabula/app/session"
	"github.com/tabula-chess/tabula/test/kit"
)

// settle waits until no more goroutines run than before, and some that are about to
// end.
func settle(t *testing.T, before int) {
	t.Helper()
	http.DefaultClient.CloseIdleConnections()
	for began := time.Now(); time.Since(began) < long; time.Sleep(50 * time.Millisecond) {
		if runtime.NumGoroutine() <= before+3 {
			return
		}
	}
	stacks := make([]byte, 1<<20)
	t.Errorf("%d goroutines, %d at the start:\n%s", runtime.NumGoroutine(), before, stacks[:runtime.Stack(stacks, true)])
}

// many returns how many connections an attack opens: more than there may be.
func many() int {
	if testing.Short() {
		return 400
	}
	return 1000
}

// TestHundredClients lets a hundred clients search at once, beside one who never
// ends: each gets its own answers, and all of them.
func TestHundredClients(t *testing.T) {
	address := start(t, func(s *settings) { s.sessions, s.config.Engines, s.config.Hash = 128, 2, 1 })
	hog := dial(t, address, nil)
	for id := range 8 {
		kit.Succeed(t, send(t.Context(), hog, fmt.Sprintf(`{"id":%d,"do":"analyse"}`, id)))
	}
	if m, err := receive(t.Context(), hog); err != nil || m.Info == nil {
		t.Fatalf("%+v, %v", m, err)
	}
	var clients sync.WaitGroup
	for i := range 100 {
		conn := dial(t, address, nil)
		clients.Go(func() {
			move := fmt.Sprintf("%c2%[1]c%d", 'a'+i%8, 3+i/8%2) // the only one that it may look at
			err := send(t.Context(), conn, fmt.Sprintf(`{"id":%d,"do":"analyse","moves":[%q],"limits":{"nodes":%d}}`, i, move, 100+5*i))
			kit.Succeed(t, err)
			m, err := final(t.Context(), conn)
			var a session.Analysis
			if err != nil || string(m.ID) != fmt.Sprint(i) || json.Unmarshal(m.Result, &a) != nil || a.Best == nil || a.Best.UCI != move {
				t.Errorf("client %d: %+v, %+v, %v; want %s", i, m, a, err, move)
			}
		})
	}
	clients.Wait()
}

// handshake asks for a socket.
const handshake = "GET /api/socket HTTP/1.1\r\nHost: 127.0.0.1\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n" +
	"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"

// TestDroppedSockets opens a thousand sockets and drops them in every state; the
// server goes on, and nothing of them is left.
func TestDroppedSockets(t *testing.T) {
	address := start(t, func(s *settings) { s.sessions = 64 })
	answers(t, address)
	time.Sleep(50 * time.Millisecond)
	before := runtime.NumGoroutine()
	for i := range many() {
		conn, err := net.Dial("tcp", address)
		kit.Succeed(t, err)
		switch i % 5 {
		case 0: // nothing
		case 1: // half a request
			_, err = io.WriteString(conn, handshake[:60])
		case 2: // no word after the request
			_, err = io.WriteString(conn, handshake)
		case 3: // half a message
			_, err = io.WriteString(conn, handshake+frame(`{"id":1,"do":"analyse"}`)[:12])
		case 4: // in a search
			_, err = io.WriteString(conn, handshake+frame(`{"id":1,"do":"analyse"}`))
			if err == nil && i%50 == 4 { // until it is seen to run, or the server is full
				_, err = bufio.NewReader(conn).ReadString('}')
			}
		}
		if err != nil {
			t.Logf("connection %d: %v", i, err) // cut off for another's sake
		}
		if tcp, ok := conn.(*net.TCPConn); ok && i%2 == 0 {
			_ = tcp.SetLinger(0) // a reset instead of a farewell
		}
		kit.Succeed(t, conn.Close())
	}
	hello(t, address)
	answers(t, address)
	settle(t, before)
}

// frame returns a text message of less than 126 bytes as a client sends it, masked
// by zeros.
func frame(text string) string {
	return "\x81" + string([]byte{0x80 | byte(len(text))}) + "\x00\x00\x00\x00" + text
}

// TestSlowReader has a client ask and not read: others are answered, no search
// waits, and in the end the client is left.
func TestSlowReader(t *testing.T) {
	address := start(t, func(s *settings) { s.patience = brief })
	before := runtime.NumGoroutine()
	slow, err := net.Dial("tcp", address)
	kit.Succeed(t, err)
	defer slow.Close()
	kit.Succeed(t, slow.(*net.TCPConn).SetReadBuffer(4096))
	if _, err := io.WriteString(slow, handshake+frame(`{"id":1,"do":"analyse","multipv":20}`)); err != nil {
		t.Fatal(err)
	}
	left := false // the buffers between take some
	for i := 0; i < 1_000_000 && !left; i++ {
		_ = slow.SetWriteDeadline(time.Now().Add(long))
		_, err := io.WriteString(slow, frame(`{"id":2,"do":"position"}`))
		left = err != nil
		if i == 2000 {
			answers(t, address)
		}
	}
	if !left {
		t.Error("the server still listens to a client that reads nothing")
	}
	answers(t, address)
	settle(t, before)
}

// TestUnfinishedRequests sends requests byte by byte on more connections than there may be sessions: others are answered
// all the while, and each is closed in time.
func TestUnfinishedRequests(t *testing.T) {
	address := start(t, func(s *settings) { s.sessions, s.patience = 4, time.Second })
	before := runtime.NumGoroutine()
	const post = "POST /api/hello HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
	const length = "Content-Length: 200000\r\n\r\n "
	heads := []string{
		"", "P", "POST /api/hello HTTP/1.1\r\nHost:", "GET / HTTP/1.1\r\nX: " + strings.Repeat("y", 1000),
		post + length, post + "Transfer-Encoding: chunked\r\n\r\n20000\r\n ", "PUT /api/hello HTTP/1.1\r\nHost: 127.0.0.1\r\n" + length,
		"POST /api/hello HTTP/1.1\r\nHost: 127.0.0.1\r\n" + length, "POST / HTTP/1.1\r\nHost: evil.example\r\n" + length,
		"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n" + length, "GET /api/socket HTTP/1.1\r\nHost: 127.0.0.1\r\n" + length,
	}
	var clients sync.WaitGroup
	for i := range many() {
		conn, err := net.Dial("tcp", address)
		kit.Succeed(t, err)
		clients.Go(func() {
			defer conn.Close()
			began := time.Now()
			for _, err := io.WriteString(conn, heads[i%len(heads)]); err == nil; _, err = io.WriteString(conn, " ") {
				if time.Since(began) > long {
					t.Errorf("still open: %.40q", heads[i%len(heads)])
					return
				}
				time.Sleep(brief / 5)
			}
		})
		if i%250 == 249 {
			answers(t, address)
		}
	}
	clients.Wait()
	answers(t, address)
	settle(t, before)
}

func TestBadMessages(t *testing.T) {
	address := start(t, nil)
	for _, tt := range []struct {
		name   string
		kind   websocket.MessageType
		text   string
		status websocket.StatusCode // of the end, 0 where the session goes on
		want   string               // of the error, where it does
	}{
		{"no JSON", websocket.MessageText, "hello?", 0, "no JSON"},
		{"nothing", websocket.MessageText, "", 0, "no JSON"},
		{"deep", websocket.MessageText, `{"id":1,"do":"hello","x":` + strings.Repeat("[", 3_000_000), 0, "no JSON"},
		{"no UTF-8", websocket.MessageText, "{\"id\":\"\xff\xfe\",\"do\":\"dan\xffce\"}", 0, "is not a request"},
		{"as large as may be", websocket.MessageText, `{"id":1,"do":"` + strings.Repeat("x", session.MaxMessage-20) + `"}`, 0, "is not a request"},
		{"too large", websocket.MessageText, strings.Repeat("x", session.MaxMessage+1), websocket.StatusMessageTooBig, ""},
		{"binary", websocket.MessageBinary, `{"id":1,"do":"hello"}`, websocket.StatusUnsupportedData, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			conn := dial(t, address, nil)
			kit.Succeed(t, conn.Write(t.Context(), tt.kind, []byte(tt.text)))
			m, err := receive(t.Context(), conn)
			if tt.status != 0 {
				if got := websocket.CloseStatus(err); got != tt.status {
					t.Errorf("%+v, %v; want the end with %v", m, err, tt.status)
				}
			} else if err != nil || m.Error == nil || !strings.Contains(m.Error.Reason, tt.want) {
				t.Errorf("%+v, %v; want an error with %q", m, err, tt.want)
			} else if err := send(t.Context(), conn, `{"id":"on","do":"hello"}`); err != nil {
				t.Error(err)
			} else if m, err := receive(t.Context(), conn); err != nil || string(m.ID) != `"on"` {
				t.Errorf("afterwards: %+v, %v", m, err)
			}
			answers(t, address)
		})
	}
}

// analyse opens a session of a browser that searches until it ends.
func analyse(t *testing.T, address string, browser http.Header) *websocket.Conn {
	t.Helper()
	conn := dial(t, address, browser)
	kit.Succeed(t, send(t.Context(), conn, `{"id":1,"do":"analyse"}`))
	if m, err := receive(t.Context(), conn); err != nil || m.Info == nil {
		t.Fatalf("%+v, %v", m, err)
	}
	return conn
}

// refused checks that a socket ends because there is no room, with words about it.
func refused(t *testing.T, conn *websocket.Conn, want string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), long)
	defer cancel()
	_, err := final(ctx, conn)
	if websocket.CloseStatus(err) != websocket.StatusTryAgainLater || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want the end with %q", err, want)
	}
}

// at checks that a session answers.
func at(t *testing.T, conn *websocket.Conn) {
	t.Helper()
	kit.Succeed(t, send(t.Context(), conn, `{"id":"at","do":"hello"}`))
	m, err := receive(t.Context(), conn)
	for err == nil && m.Info != nil {
		m, err = receive(t.Context(), conn)
	}
	if err != nil || m.Result == nil {
		t.Errorf("%+v, %v, want an answer", m, err)
	}
}

// TestFull has every session search: one more is refused by both ways, until one of them ends.
func TestFull(t *testing.T) {
	address := start(t, func(s *settings) { s.sessions = 3 })
	conns := []*websocket.Conn{analyse(t, address, nil), analyse(t, address, nil), analyse(t, address, nil)}
	refused(t, dial(t, address, nil), "3 sessions are open, the maximum, and none is idle")
	status, h, body := do(t, "POST", "http://"+address+"/api/hello", jsonBody, "")
	if status != 503 || h.Get("Retry-After") == "" ||
		!strings.Contains(body, `{"id":null,"error":{"field":"","reason":"3 sessions are open`) {
		t.Errorf("a request too many: %d %s", status, body)
	}
	kit.Succeed(t, conns[0].CloseNow())
	hello(t, address)
	at(t, conns[1])
}

// TestIdleSessionsGiveWay opens more sockets than there may be and leaves them alone: newcomers are answered at once,
// and the sessions that have been idle for the longest time go, but none with a search.
func TestIdleSessionsGiveWay(t *testing.T) {
	address := start(t, nil)
	busy := analyse(t, address, nil)
	conns := []*websocket.Conn{dial(t, address, nil)}
	for range 40 {
		conns = append(conns, dial(t, address, nil))
		at(t, conns[0]) // this one is not idle for long
	}
	guest := dial(t, address, nil)
	at(t, guest)
	status, _, body := do(t, "POST", "http://"+address+"/api/hello", jsonBody, "")
	if status != http.StatusOK {
		t.Errorf("beside idle sockets: %d %s", status, body)
	}
	for i, conn := range conns {
		if i > 0 && i <= 40+4-32 {
			refused(t, conn, errAway.Error())
		} else {
			at(t, conn)
		}
	}
	at(t, busy)
	at(t, guest)
}

// TestRoom: a session that was told to go does not give way a second time while it takes its leave.
func TestRoom(t *testing.T) {
	s := sessions{most: 3, open: map[*visit]bool{}}
	var ended []int
	for i := range 6 {
		kit.Succeed(t, s.enter(&visit{
			browser: fmt.Sprint(i), end: func(error) { ended = append(ended, i) },
			idle: func() (time.Time, bool) { return time.Unix(int64(i), 0), i != 1 },
		}))
	}
	if fmt.Sprint(ended) != "[0 2 3]" {
		t.Errorf("%v gave way", ended)
	}
}

// TestBodiesGiveWay holds all sessions by bodies that do not end: a newcomer is answered at once.
func TestBodiesGiveWay(t *testing.T) {
	address := start(t, func(s *settings) { s.sessions = 2 })
	const half = "POST /api/hello HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: 9\r\n" +
		"Expect: 100-continue\r\n\r\n"
	var answers []*bufio.Reader
	for range 2 {
		conn, err := net.Dial("tcp", address)
		kit.Succeed(t, err)
		defer conn.Close()
		_, err = io.WriteString(conn, half)
		kit.Succeed(t, err)
		answer := bufio.NewReader(conn)
		answers = append(answers, answer)
		for line := ""; line != "\r\n"; { // of "100 Continue": the body is being read
			line, err = answer.ReadString('\n')
			kit.Succeed(t, err)
		}
	}
	at(t, dial(t, address, nil))
	text, err := io.ReadAll(answers[0])
	if err != nil || !strings.HasPrefix(string(text), "HTTP/1.1 503 ") || !strings.Contains(string(text), errAway.Error()) {
		t.Errorf("%q, %v", text, err)
	}
}

// TestBrowser opens nine sessions with one cookie, beside a guest from the same address.
func TestBrowser(t *testing.T) {
	address := start(t, nil)
	guest := dial(t, address, nil)
	_, answer, err := websocket.Dial(t.Context(), "ws://"+address+"/api/socket", nil)
	kit.Succeed(t, err)
	cookies := answer.Cookies()
	if len(cookies) != 1 || !cookies[0].HttpOnly || cookies[0].SameSite != http.SameSiteStrictMode {
		t.Fatalf("cookies %v", cookies)
	}
	browser, none := http.Header{"Cookie": {cookies[0].Name + "=" + cookies[0].Value}}, http.Header{"Cookie": {cookies[0].Name + "="}}
	var idle, busy []*websocket.Conn
	for range perBrowser {
		idle = append(idle, dial(t, address, browser))
	}
	at(t, idle[0])
	for range perBrowser {
		busy = append(busy, analyse(t, address, browser))
	}
	for _, conn := range idle {
		refused(t, conn, errAway.Error())
	}
	refused(t, dial(t, address, browser), "8 sessions of this browser are open, the maximum, and none is idle")
	for _, conn := range append(busy, guest, dial(t, address, nil), dial(t, address, none)) {
		at(t, conn)
	}
	kit.Succeed(t, busy[3].CloseNow())
	patiently(t, func() error {
		conn := dial(t, address, browser)
		kit.Succeed(t, send(t.Context(), conn, `{"id":1,"do":"hello"}`))
		_, err := receive(t.Context(), conn)
		return err
	})
}

// TestUnread has clients ask for large replies and read nothing: what waits for them is bounded.
func TestUnread(t *testing.T) {
	const clients, games = 3, 9_500
	address := start(t, nil)
	owner := dial(t, address, nil)
	var file strings.Builder
	for i := range games {
		fmt.Fprintf(&file, "[White \"Me\"]\n[Black \"%0255d\"]\n\n1. d4 *\n\n", i)
	}
	const ask = `"do":"repertoire","player":"Me","pgn":"1. e4 *"}`
	part := base64.StdEncoding.EncodeToString([]byte(file.String()))
	kit.Succeed(t, send(t.Context(), owner, `{"id":1,"do":"import","name":"my.pgn"}`))
	kit.Succeed(t, send(t.Context(), owner, `{"id":2,"do":"part","data":"`+part+`"}`))
	for range 2 {
		m, err := final(t.Context(), owner)
		for err == nil && m.Progress != nil {
			m, err = final(t.Context(), owner)
		}
		if err != nil || m.Error != nil {
			t.Fatalf("%+v, %v", m, err)
		}
	}
	kit.Succeed(t, send(t.Context(), owner, `{"id":3,`+ask))
	m, err := final(t.Context(), owner)
	size := uint64(len(m.Result))
	if err != nil || size < 3e6 {
		t.Fatalf("%d bytes, %v, %v", size, m.Error, err)
	}
	heap := func() uint64 {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	for range clients {
		conn := dial(t, address, nil)
		for id := range 8 {
			kit.Succeed(t, send(t.Context(), conn, fmt.Sprintf(`{"id":%d,`, id)+ask))
		}
	}
	for range 10 { // the owner takes turns with them: then all are answered
		kit.Succeed(t, send(t.Context(), owner, `{"id":4,`+ask))
		if m, err := final(t.Context(), owner); err != nil || m.Error != nil {
			t.Fatalf("%v, %v", m.Error, err)
		}
	}
	wait := heap() - before
	t.Logf("%d MB wait for %d clients", wait/1e6, clients)
	if bound := clients * (8<<20 + size); wait > bound || wait < clients*size { // less would test nothing
		t.Errorf("%d MB wait for %d clients, want at most %d", wait/1e6, clients, bound/1e6)
	}
}

// TestVanished leaves a client whose connection is there and whose owner is not.
func TestVanished(t *testing.T) {
	address := start(t, func(s *settings) { s.patience, s.sessions = brief, 1 })
	conn, err := net.Dial("tcp", address)
	kit.Succeed(t, err)
	defer conn.Close()
	_, err = io.WriteString(conn, handshake+frame(`{"id":1,"do":"analyse"}`))
	kit.Succeed(t, err)
	answer, err := bufio.NewReader(conn).ReadString('}') // it searches
	if err != nil || !strings.Contains(answer, "101") {
		t.Fatalf("%q, %v", answer, err)
	}
	answers(t, address) // once its place is free
}

// TestProxy has a proxy before the server with what the server leaves to it: TLS and a password.
func TestProxy(t *testing.T) {
	address := start(t, func(s *settings) { s.hosts = []string{"example.com"} })
	pass := &httputil.ReverseProxy{Rewrite: func(r *httputil.ProxyRequest) {
		r.SetURL(&url.URL{Scheme: "http", Host: address})
		r.Out.Host = r.In.Host
	}}
	proxy := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, password, _ := r.BasicAuth(); password != "secret" {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		pass.ServeHTTP(w, r)
	}))
	defer proxy.Close()
	client := proxy.Client() // it has a certificate for example.com
	client.Transport.(*http.Transport).DialContext = func(ctx context.Context, network, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, network, proxy.Listener.Addr().String())
	}
	for _, tt := range []struct {
		password, origin string
		status           int
	}{
		{"guess", "https://example.com", 401},
		{"secret", "https://evil.example", 403},
		{"secret", "https://example.com", 101},
	} {
		r := &http.Request{Header: http.Header{"Origin": {tt.origin}}}
		r.SetBasicAuth("me", tt.password)
		options := &websocket.DialOptions{HTTPClient: client, HTTPHeader: r.Header}
		conn, answer, err := websocket.Dial(t.Context(), "wss://example.com/api/socket", options)
		if answer == nil || answer.StatusCode != tt.status {
			t.Fatalf("%+v: %v, want status %d", tt, err, tt.status)
		}
		if err == nil {
			at(t, conn)
			_ = conn.CloseNow() // it is read to its end
		}
	}
	answer, err := client.Get("https://me:secret@example.com/")
	kit.Succeed(t, err)
	_ = answer.Body.Close()
	policy := answer.Header.Get("Content-Security-Policy")
	if answer.StatusCode != 200 || !strings.Contains(policy, "wss://example.com") || !strings.Contains(policy, "frame-ancestors 'none'") {
		t.Errorf("the page: %d, %s", answer.StatusCode, policy)
	}
}
