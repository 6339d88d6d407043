package command

import (
	"context"
	"fmt"
	"net"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/files/filestest"
	"github.com/tabula-chess/tabula/internal/must"
	"github.com/tabula-chess/tabula/internal/tool"
	"github.com/tabula-chess/tabula/tabula-farm/hub"
	"github.com/tabula-chess/tabula/tabula-farm/link"
	"github.com/tabula-chess/tabula/tabula-farm/run/runtest"
)

// spoken is what a command says, for who waits for a word.
type spoken struct {
	mu   sync.Mutex
	text strings.Builder
	more chan struct{}
}

func newSpoken() *spoken { return &spoken{more: make(chan struct{}, 1)} }

func (s *spoken) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	select {
	case s.more <- struct{}{}:
	default:
	}
	return s.text.Write(p)
}

func (s *spoken) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

// wait waits until a text was said, or the command has ended; ok is false where it has not
// been by then.
func (s *spoken) wait(ended chan int, text string) (ok bool) {
	for !strings.Contains(s.String(), text) {
		select {
		case <-s.more:
		case code := <-ended:
			ended <- code
			return strings.Contains(s.String(), text)
		}
	}
	return true
}

// farmCommand begins a command; its exit code comes when it ends.
func farmCommand(ctx context.Context, said *spoken, args ...string) chan int {
	ended := make(chan int, 1)
	go func() { ended <- tool.Run(ctx, New(said, said), append([]string{"farm"}, args...)) }()
	return ended
}

// TestNoConnection shows that commands which cannot connect say why while they wait.
func TestNoConnection(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0") // takes connections and says nothing
	must.Succeed(t, err)
	t.Cleanup(func() { silent.Close() }) // after the parallel tests below
	bare := bareServer(t)
	dead := fmt.Sprintf("nats://127.0.0.1:%d", ports(t, 1)[0])
	for _, tt := range []struct {
		name, want string
		args       []string
	}{
		{"list", "connection refused", []string{"list", "--hub", dead}},
		{"perft", "connection refused", []string{"perft", "--depth", "1", "--hub", dead}},
		{"datagen", "connection refused", []string{"datagen", "--hub", dead, "--out", "@/games.tbg"}},
		{"tune", "connection refused", []string{"tune", "--hub", dead}},
		{"match", "connection refused", []string{"match", "--hub", dead, "exec:a", "exec:b"}},
		{"work", "connection refused", []string{"work", "--hub", dead, "--dir", "@"}},
		{"a server without streams", "JetStream is off", []string{"perft", "--depth", "1", "--hub", bare}},
		{"no such host", "nowhere.invalid", []string{"work", "--hub", "nats://nowhere.invalid", "--dir", "@"}},
		{"a silent address", "no answer yet", []string{"perft", "--depth", "1", "--hub", "nats://" + silent.Addr().String()}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for i := range tt.args {
				tt.args[i] = strings.ReplaceAll(tt.args[i], "@", dir)
			}
			ctx, cancel := context.WithCancel(t.Context())
			said := newSpoken()
			ended := farmCommand(ctx, said, tt.args...)
			if !said.wait(ended, tt.want) {
				t.Errorf("it has not said %q:\n%s", tt.want, said)
			}
			cancel()
			if code := <-ended; code != command.Interrupted || strings.Contains(said.String(), "works") {
				t.Errorf("exit code %d:\n%s", code, said)
			}
		})
	}
}

// TestConnectsAhead shows that a command which takes long to prepare its run says meanwhile
// that there is no connection, and ends where there will be none.
func TestConnectsAhead(t *testing.T) {
	t.Parallel()
	dead := fmt.Sprintf("nats://127.0.0.1:%d", ports(t, 1)[0])
	h, err := hub.Start(hub.Config{Dir: t.TempDir(), Listen: outside(t) + ":0", Open: runtest.OpenToy, Times: fast()})
	must.Succeed(t, err)
	t.Cleanup(func() { h.Close() })
	for _, tt := range []struct {
		name, hub, want string
		code            int
	}{
		{"waits", dead, "connection refused", command.Interrupted},
		{"ends", "nats://" + h.Addr().String(), "want --key FILE", command.Failed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			said := newSpoken()
			slow := kind{name: "slow", order: func(ctx context.Context, _ *cli.Command, _ settings) (*order, error) {
				if tt.code == command.Interrupted {
					said.wait(nil, tt.want)
					cancel()
				}
				<-ctx.Done()
				return nil, ctx.Err()
			}}
			program := New(said, said)
			program.Commands = append(program.Commands, slow.command())
			if code := tool.Run(ctx, program, []string{"farm", "slow", "--hub", tt.hub}); code != tt.code || !strings.Contains(said.String(), tt.want) {
				t.Errorf("exit code %d, want %d and %q:\n%s", code, tt.code, tt.want, said)
			}
		})
	}
}

// bareServer returns the address of a NATS server without users and streams.
func bareServer(t *testing.T) string {
	t.Helper()
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: server.RANDOM_PORT, NoLog: true, NoSigs: true})
	must.Succeed(t, err)
	s.Start()
	t.Cleanup(s.Shutdown)
	return s.ClientURL()
}

// TestNoConnectionEnds shows that commands end, with the reason, where no waiting helps.
func TestNoConnectionEnds(t *testing.T) {
	t.Parallel()
	bare := bareServer(t)
	dir := t.TempDir()
	h, err := hub.Start(hub.Config{Dir: dir, Listen: outside(t) + ":0", Open: runtest.OpenToy, Times: fast()})
	must.Succeed(t, err)
	t.Cleanup(func() { h.Close() })
	guarded := "nats://" + h.Addr().String()
	f := farmAt(t, dir, h.Addr().String())
	works := f.enrol(hub.OwnKey(dir))
	stranger := newKey(t)
	stranger.Pin = f.key.Pin
	text, err := stranger.Text()
	must.Succeed(t, err)
	other := filepath.Join(t.TempDir(), "other.key")
	filestest.Write(t, other, text)
	for _, tt := range []struct {
		name, want string
		code       int
		args       []string
	}{
		{"list without a key", "want --key FILE", command.Failed, []string{"list", "--hub", guarded}},
		{"perft without a key", "want --key FILE", command.Failed, []string{"perft", "--depth", "1", "--hub", guarded}},
		{"a worker without a key", "want --key FILE", command.Failed, []string{"work", "--hub", guarded, "--dir", t.TempDir()}},
		{"a key that is not enrolled", "has not enrolled this key", command.Failed, []string{"work", "--hub", guarded, "--dir", t.TempDir(), "--key", other}},
		{"a worker's key", "this is a worker's", command.Usage, []string{"perft", "--depth", "1", "--hub", guarded, "--key", works}},
		{"the owner's key", "this is the owner's", command.Usage, []string{"work", "--hub", guarded, "--key", hub.OwnKey(dir)}},
		{"a worker at a server without users", "has no authentication", command.Failed, []string{"work", "--hub", bare, "--dir", t.TempDir()}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			said := newSpoken()
			if code := <-farmCommand(t.Context(), said, tt.args...); code != tt.code || !strings.Contains(said.String(), tt.want) {
				t.Errorf("exit code %d, want %d and %q:\n%s", code, tt.code, tt.want, said)
			}
		})
	}
}

// TestWorkWaits shows that a worker that began before its hub says that it works
// when it does.
func TestWorkWaits(t *testing.T) {
	t.Parallel()
	addr := loopback(t)
	ctx, cancel := context.WithCancel(t.Context())
	said := newSpoken()
	ended := farmCommand(ctx, said, "work", "--hub", "nats://"+addr, "--dir", t.TempDir())
	if !said.wait(ended, "connection refused") || strings.Contains(said.String(), "works") {
		t.Errorf("before there is a hub:\n%s", said)
	}
	h, err := hub.Start(hub.Config{Dir: t.TempDir(), Listen: addr, Open: runtest.OpenToy, Times: fast()})
	must.Succeed(t, err)
	defer h.Close()
	if !said.wait(ended, "msg=works") {
		t.Errorf("with a hub:\n%s", said)
	}
	cancel()
	<-ended
}

// outside returns an address of this machine that is not loopback.
func outside(t *testing.T) string {
	t.Helper()
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		t.Skip(err)
	}
	for _, a := range addrs {
		if ip, ok := a.(*net.IPNet); ok && !ip.IP.IsLoopback() && ip.IP.To4() != nil {
			return ip.IP.String()
		}
	}
	t.Skip("this machine has no address but loopback")
	return ""
}

// TestBeyondLoopback shows that a hub that others reach wants TLS and a key that is
// enrolled, and gives the rights of its role.
func TestBeyondLoopback(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	h, err := hub.Start(hub.Config{Dir: dir, Listen: outside(t) + ":0", Open: runtest.OpenToy, Times: fast()})
	must.Succeed(t, err)
	defer h.Close()
	f := farmAt(t, dir, h.Addr().String())
	works, err := link.ReadKey(f.enrol(hub.OwnKey(dir)))
	must.Succeed(t, err)
	stranger := newKey(t)
	stranger.Pin = f.key.Pin
	wrongPin, noPin := works, works
	wrongPin.Pin, noPin.Pin = strings.Repeat("0", 64), ""
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	for _, tt := range []struct {
		name          string
		key           link.Key
		reads, begins bool
	}{
		{"nothing", link.Key{}, false, false},
		{"a key that is not enrolled", stranger, false, false},
		{"another hub's pin", wrongPin, false, false},
		{"no pin", noPin, false, false},
		{"worker", works, true, false},
		{"owner", f.key, true, true},
	} {
		c, err := link.Dial(ctx, link.Options{URL: f.url(), Key: tt.key, Machine: "m"}, 0)
		if err == nil {
			defer c.Close()
			_, err = c.OpenRuns(ctx)
		}
		if (err == nil) != tt.reads {
			t.Errorf("%s: reads: %v", tt.name, err)
		}
		if err != nil {
			continue
		}
		if tt.begins { // TestRights shows that workers cannot
			err = c.Put(ctx, "run.x", nil)
		}
		if err != nil {
			t.Errorf("%s: begins a run: %v", tt.name, err)
		}
	}
}
