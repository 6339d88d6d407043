package serve

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/coder/websocket"

	"github.com/tabula-chess/tabula/app/session"
	"github.com/tabula-chess/tabula/internal/files/filestest"
	"github.com/tabula-chess/tabula/internal/must"
)

// The load of BenchmarkLoad, and the longest that it may take.
const (
	loadSessions = 24
	loadRequests = 16 // of each session, all of them at once
	loadTime     = 2 * time.Minute
)

// childVariable makes the test program the server that BenchmarkLoad measures.
const childVariable = "TABULA_TEST_SERVE"

// BenchmarkLoad lets sessions send PGN of 4 MB to a server of its own process, each
// sixteen at once, half of them one game that is too long and half many games. It reports
// how long another guest waits for a small request meanwhile, and the memory of the
// process before, at most, and five seconds after.
func BenchmarkLoad(b *testing.B) {
	for b.Loop() {
		pid, address := child(b)
		before := memory(b, pid, "VmRSS")
		ctx, cancel := context.WithTimeout(b.Context(), loadTime)
		var guests sync.WaitGroup
		var ended atomic.Int64
		began := time.Now()
		for i := range loadSessions {
			guests.Go(func() {
				if err := flood(ctx, address, i%2 == 0); err != nil {
					b.Logf("session %d: %v", i, err) // as may be, where it waits for too long
					ended.Add(1)
				}
			})
		}
		over := make(chan struct{})
		go func() { guests.Wait(); close(over) }()
		longest, count := waits(b, dial(b, address, nil), over)
		cancel()
		b.ReportMetric(time.Since(began).Seconds(), "load-s")
		b.ReportMetric(float64(ended.Load()), "sessions-ended")
		b.ReportMetric(float64(count), "small-requests")
		b.ReportMetric(longest.Seconds(), "longest-wait-s")
		time.Sleep(5 * time.Second)
		b.ReportMetric(before, "MB-before")
		b.ReportMetric(memory(b, pid, "VmHWM"), "MB-at-most")
		b.ReportMetric(memory(b, pid, "VmRSS"), "MB-after")
	}
}

// child starts a server and returns its process and address.
func child(b *testing.B) (pid int, address string) {
	b.Helper()
	command := exec.CommandContext(b.Context(), os.Args[0])
	command.Env = append(os.Environ(), childVariable+"=1")
	out, err := command.StdoutPipe()
	must.Succeed(b, err)
	must.Succeed(b, command.Start())
	b.Cleanup(func() {
		_ = command.Process.Kill()
		_ = command.Wait() // killed
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	must.Succeed(b, err)
	if _, err := fmt.Sscanf(line, "Tabula is at http://%s", &address); err != nil {
		b.Fatalf("%q: %v", line, err)
	}
	return command.Process.Pid, strings.TrimSuffix(address, "/")
}

// memory returns an entry of the process's status in MB.
func memory(b *testing.B, pid int, name string) float64 {
	b.Helper()
	status := filestest.Read(b, fmt.Sprintf("/proc/%d/status", pid))
	found := regexp.MustCompile(name + `:\s*(\d+) kB`).FindSubmatch(status)
	if found == nil {
		b.Fatalf("no %s in %s", name, status)
	}
	kB, err := strconv.Atoi(string(found[1]))
	must.Succeed(b, err)
	return float64(kB) * 1024 / 1e6
}

// flood sends all requests of a session at once, answers no sign of life, and takes the
// replies.
func flood(ctx context.Context, address string, long bool) error {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", address)
	if err != nil {
		return err
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	game := strings.Repeat("Nf3 Nf6 Ng1 Ng8 ", 300) // of 1,200 moves
	if !long {
		game += "*\n\n"
	}
	text, _ := json.Marshal(strings.Repeat(game, (session.MaxMessage-1000)/(len(game)+2)))
	failed := make(chan error, 1)
	go func() {
		_, err := io.WriteString(conn, "GET /api/socket HTTP/1.1\r\nHost: "+address+"\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"+
			"Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n")
		for id := 0; err == nil && id < loadRequests; id++ {
			message := fmt.Sprintf(`{"id":%d,"do":"pgn","text":%s}`, id, text)
			head := binary.BigEndian.AppendUint64([]byte{0x81, 0x80 | 127}, uint64(len(message)))
			_, err = io.WriteString(conn, string(head)+"\x00\x00\x00\x00"+message)
		}
		failed <- err
	}()
	r := bufio.NewReader(conn)
	if _, err := http.ReadResponse(r, nil); err != nil {
		return err
	}
	for n := 0; n < loadRequests; {
		kind, size, err := frameHead(r)
		if err != nil {
			return fmt.Errorf("after %d replies: %w", n, err)
		}
		data := make([]byte, size)
		if _, err := io.ReadFull(r, data); err != nil {
			return err
		}
		if kind != 0x81 {
			continue // a sign of life is asked for
		}
		if n++; long != bytes.Contains(data[:min(len(data), 100)], []byte(`"games":[]`)) {
			return fmt.Errorf("%.300s", data)
		}
	}
	return <-failed
}

// frameHead reads the head of a frame from a server.
func frameHead(r *bufio.Reader) (kind byte, size uint64, err error) {
	head := make([]byte, 2, 8)
	if _, err := io.ReadFull(r, head); err != nil {
		return 0, 0, err
	}
	kind, size = head[0], uint64(head[1])
	if more := map[uint64]int{126: 2, 127: 8}[size]; more > 0 {
		if _, err := io.ReadFull(r, head[:more:8]); err != nil {
			return 0, 0, err
		}
		size = 0
		for _, b := range head[:more:8] {
			size = size<<8 | uint64(b)
		}
	}
	return kind, size, nil
}

// waits asks for small things, one after the other, until the load is over, and returns
// the longest wait and how many requests there were.
func waits(b *testing.B, conn *websocket.Conn, over <-chan struct{}) (longest time.Duration, count int) {
	b.Helper()
	for {
		for _, request := range []string{`"do":"pgn","text":"1. e4 e5 *"`, `"do":"position","position":{"moves":["e4"]}`, `"do":"hint","limits":{"nodes":1000}`} {
			began := time.Now()
			must.Succeed(b, send(b.Context(), conn, fmt.Sprintf(`{"id":%d,%s}`, count, request)))
			if m, err := final(b.Context(), conn); err != nil || m.Error != nil {
				b.Fatalf("%v, %v", m.Error, err)
			}
			longest, count = max(longest, time.Since(began)), count+1
		}
		select {
		case <-over:
			return longest, count
		case <-time.After(50 * time.Millisecond):
		}
	}
}
