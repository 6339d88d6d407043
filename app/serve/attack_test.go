//go:build !js

package serve

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
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
	for id := range 10 {
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
	address := start(t, func(s *settings) { s.times.write = brief })
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

// TestHalfRequests opens more connections than there may be and sends half a request
// on each: others are answered all the same.
func TestHalfRequests(t *testing.T) {
	address := start(t, func(s *settings) { s.sessions = 8; s.times.header = time.Second })
	before := runtime.NumGoroutine()
	halves := []string{
		"", "P", "POST /api/hello HTTP/1.1\r\nHost:", "GET / HTTP/1.1\r\nX: " + strings.Repeat("y", 1000),
		"POST /api/hello HTTP/1.1\r\nHost: " + address + "\r\nContent-Type: application/json\r\nContent-Length: 1",
	}
	var open []net.Conn
	for i := range many() {
		conn, err := net.Dial("tcp", address)
		kit.Succeed(t, err)
		open = append(open, conn)
		_, _ = io.WriteString(conn, halves[i%len(halves)]) // it may be cut off already
		if i%250 == 249 {
			answers(t, address)
		}
	}
	closed := 0
	for _, conn := range open {
		_ = conn.SetReadDeadline(time.Now().Add(long))
		if _, err := io.Copy(io.Discard, conn); err == nil || !strings.Contains(err.Error(), "timeout") {
			closed++
		}
		_ = conn.Close()
	}
	if closed != len(open) {
		t.Errorf("%d of %d half requests were given up", closed, len(open))
	}
	answers(t, address)
	settle(t, before)
}

// TestTricklingBodies sends bodies byte by byte, more of them than there may be sessions, with
// and without a place: each is closed in time and others are answered all the while.
func TestTricklingBodies(t *testing.T) {
	address := start(t, func(s *settings) { s.sessions, s.times.body, s.times.unread = 4, brief, brief })
	before := runtime.NumGoroutine()
	const post, length = "POST /api/hello HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n", "Content-Length: 200000\r\n\r\n "
	heads := []string{
		post + length, post + "Transfer-Encoding: chunked\r\n\r\n20000\r\n ", "PUT /api/hello HTTP/1.1\r\nHost: 127.0.0.1\r\n" + length,
		"POST /api/hello HTTP/1.1\r\nHost: 127.0.0.1\r\n" + length, "POST / HTTP/1.1\r\nHost: evil.example\r\n" + length,
		"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n" + length, "GET /api/socket HTTP/1.1\r\nHost: 127.0.0.1\r\n" + length,
	}
	var clients sync.WaitGroup
	for i := range 8 * len(heads) {
		clients.Go(func() {
			conn, err := net.Dial("tcp", address)
			if err != nil {
				t.Error(err)
				return
			}
			defer conn.Close()
			began := time.Now()
			for _, err = io.WriteString(conn, heads[i%len(heads)]); err == nil; _, err = io.WriteString(conn, " ") {
				if time.Since(began) > long {
					t.Errorf("still open: %.40q", heads[i%len(heads)])
					return
				}
				time.Sleep(brief / 20)
			}
		})
	}
	answers(t, address)
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

// TestFull opens as many sessions as there may be, and one more.
func TestFull(t *testing.T) {
	address := start(t, func(s *settings) { s.sessions = 3 })
	conns := []*websocket.Conn{dial(t, address, nil), dial(t, address, nil), dial(t, address, nil)}
	_, r, err := websocket.Dial(t.Context(), "ws://"+address+"/api/socket", nil)
	if err == nil || r.StatusCode != http.StatusServiceUnavailable || r.Header.Get("Retry-After") == "" {
		t.Errorf("one session too many: %v", err)
	}
	if status, _, body := do(t, "POST", "http://"+address+"/api/hello", map[string]string{"Content-Type": "application/json"}, ""); status != 503 {
		t.Errorf("a request too many: %d %s", status, body)
	}
	began := time.Now()
	if err := conns[0].Close(websocket.StatusNormalClosure, ""); err != nil && time.Since(began) < 5*time.Second { // then it waits no more
		t.Error(err)
	}
	hello(t, address)
}

// TestVanished leaves a client whose connection is there and whose owner is not.
func TestVanished(t *testing.T) {
	address := start(t, func(s *settings) {
		s.times.ping, s.times.pong, s.sessions = brief/2, brief, 1
	})
	conn, err := net.Dial("tcp", address)
	kit.Succeed(t, err)
	defer conn.Close()
	if _, err := io.WriteString(conn, handshake); err != nil {
		t.Fatal(err)
	}
	answer, err := bufio.NewReader(conn).ReadString('\n') // it has its place
	if err != nil || !strings.Contains(answer, "101") {
		t.Fatalf("%q, %v", answer, err)
	}
	hello(t, address) // once its place is free
	answers(t, address)
}
