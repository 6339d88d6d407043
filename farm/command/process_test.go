package command

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/nats-io/nats.go"

	"github.com/tabula-chess/tabula/internal/must"
	"github.com/tabula-chess/tabula/tabula-farm/hub"
	"github.com/tabula-chess/tabula/tabula-farm/link"
	"github.com/tabula-chess/tabula/tabula-farm/run"
	"github.com/tabula-chess/tabula/tabula-farm/run/runtest"
	"github.com/tabula-chess/tabula/tabula-farm/work"
)

// The environment makes a process of this test a hub or a worker, that can be
// killed as one on another machine is.
const (
	roleVariable = "TABULA_FARM_TEST_ROLE" // hub or work
	dirVariable  = "TABULA_FARM_TEST_DIR"
	addrVariable = "TABULA_FARM_TEST_ADDR"

	clockVariable = "TABULA_FARM_TEST_CLOCK" // file that says how far the clock is off
	keyVariable   = "TABULA_FARM_TEST_KEY"   // file of a worker's key
	storeVariable = "TABULA_FARM_TEST_STORE" // bytes that a hub may take
)

func TestMain(m *testing.M) {
	var err error
	if os.Getenv(roleVariable) != "" {
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin)
			os.Exit(1) // the test has ended
		}()
	}
	if name := os.Getenv(clockVariable); name != "" {
		if err = followClock(name); err != nil {
			fmt.Println(err)
			os.Exit(1)
		}
	}
	switch os.Getenv(roleVariable) {
	case "clock":
		fmt.Println(time.Now().Unix())
		os.Exit(0)
	case "hub":
		err = hubProcess()
	case "work":
		err = workProcess()
	case "nats":
		err = serverProcess()
	default:
		// These tests wait far more than they reckon.
		if err = flag.Set("test.parallel", "16"); err == nil {
			os.Exit(m.Run())
		}
	}
	fmt.Fprintln(os.Stderr, err)
	os.Exit(1)
}

func testLog() *slog.Logger {
	if os.Getenv("TABULA_FARM_LOG") != "" {
		return slog.New(slog.NewTextHandler(os.Stderr, nil))
	}
	return slog.New(slog.DiscardHandler)
}

func hubProcess() error {
	store, _ := strconv.ParseInt(os.Getenv(storeVariable), 10, 64) // 0 for none
	h, err := hub.Start(hub.Config{
		Dir: os.Getenv(dirVariable), Listen: os.Getenv(addrVariable), Open: runtest.OpenToy, Times: fast(), Log: testLog(), Store: store,
	})
	if err != nil {
		return err
	}
	fmt.Println(h.Addr())
	return h.Wait(context.Background())
}

func workProcess() error {
	home, err := work.OpenHome(os.Getenv(dirVariable))
	if err != nil {
		return err
	}
	name := os.Getenv(keyVariable)
	if name == "" {
		name = filepath.Join(home.Dir, "key")
		if _, err := link.OwnKey(name, link.RoleWorker, ""); err != nil {
			return err
		}
	}
	key, err := link.ReadKey(name)
	if err != nil {
		return err
	}
	conn, err := link.Dial(context.Background(), link.Options{URL: "nats://" + os.Getenv(addrVariable), Key: key, Machine: home.Machine, Log: testLog()}, time.Hour)
	if err != nil {
		return err
	}
	return work.Run(context.Background(), work.Config{Conn: conn, Home: home, Machine: toyMachine(1), Times: fast(), Log: testLog(), Open: runtest.OpenToy})
}

// process is a process of this test.
type process struct {
	cmd  *exec.Cmd
	addr string // of a hub: the first line that it has written
}

// start starts a process, and waits for the address of a hub.
func start(t testing.TB, role, dir, addr string, env ...string) *process {
	t.Helper()
	p := &process{cmd: asProcess(role, dir, addr, env...)}
	out, err := p.cmd.StdoutPipe()
	if err == nil {
		err = p.cmd.Start()
	}
	must.Succeed(t, err)
	if role != "work" {
		line, err := bufio.NewReader(out).ReadString('\n')
		if err != nil {
			t.Fatalf("the hub does not start: %v", err)
		}
		p.addr = strings.TrimSpace(line)
	}
	return p
}

// lifeline is what each process reads; nothing ever comes, and it ends with this process,
// however that ends.
var lifeline = sync.OnceValue(func() (ends [2]*os.File) {
	var err error
	if ends[0], ends[1], err = os.Pipe(); err != nil {
		panic(err)
	}
	return ends // both are kept, or the end that is written to would be closed as garbage
})

// asProcess returns how this test is run as a process.
func asProcess(role, dir, addr string, env ...string) *exec.Cmd {
	c := exec.Command(os.Args[0])
	c.Stdin = lifeline()[0]
	c.Env = append(os.Environ(), append(env, roleVariable+"="+role, dirVariable+"="+dir, addrVariable+"="+addr)...)
	c.Stderr = os.Stderr
	return c
}

func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	_ = p.cmd.Wait()
}

// keepAlive starts a worker again whenever it dies, until stop is called.
func keepAlive(t testing.TB, dir, addr string, env ...string) (stop func()) {
	var mu sync.Mutex
	stopped := false
	p := start(t, "work", dir, addr, env...)
	done := make(chan struct{})
	go func() {
		defer close(done)
		for {
			mu.Lock()
			at := p
			mu.Unlock()
			_ = at.cmd.Wait()
			mu.Lock()
			if stopped {
				mu.Unlock()
				return
			}
			p = start(t, "work", dir, addr, env...)
			mu.Unlock()
		}
	}()
	return func() {
		mu.Lock()
		stopped = true
		_ = p.cmd.Process.Kill()
		mu.Unlock()
		<-done
	}
}

// TestTwoHubs shows that a directory has one hub.
func TestTwoHubs(t *testing.T) {
	t.Parallel()
	f := newFarm(t, fast())
	h, err := hub.Start(hub.Config{Dir: filepath.Join(f.dir, "hub"), Listen: "127.0.0.1:0", Open: runtest.OpenToy, Times: fast()})
	if err == nil {
		h.Close()
		t.Fatal("two hubs share a directory")
	}
	if !strings.Contains(err.Error(), "another hub") {
		t.Errorf("%v", err)
	}
	_, err = hub.Start(hub.Config{Dir: t.TempDir(), Listen: f.hub.Addr().String(), Open: runtest.OpenToy, Times: fast()})
	if err == nil {
		t.Error("two hubs share an address")
	}
}

// TestRights shows what a worker may not do: the server says so of each message.
func TestRights(t *testing.T) {
	t.Parallel()
	f := newFarm(t, fast())
	conn := f.dial(link.Options{Key: newKey(t), Machine: "m"})
	defer conn.Close()
	if _, err := conn.OpenRuns(t.Context()); err != nil {
		t.Fatalf("a worker cannot read what is open: %v", err)
	}
	refused := make(chan error, 1)
	conn.NC.SetErrorHandler(func(_ *nats.Conn, _ *nats.Subscription, err error) { refused <- err })
	verdict := run.Job{Run: "x", K: run.VerdictCopy}
	for _, subject := range []string{
		"run.x", "open.x", "end.x", "ban.UOTHER", "key.UOTHER", "leave.UOTHER.m", "art.x.UOTHER.y.0", "in.x.0", "alive.UOTHER.m", verdict.Subject(),
		"$JS.API.STREAM.DELETE." + link.Res, "$JS.API.STREAM.PURGE." + link.Res, "$JS.API.DIRECT.GET." + link.Res,
	} {
		must.Succeed(t, conn.NC.Publish(subject, nil))
		if err := <-refused; !strings.Contains(err.Error(), subject) {
			t.Errorf("%s: %v", subject, err)
		}
	}
	// What it may do works.
	ctx := t.Context()
	if first, err := conn.First(ctx, "res.x.0.0", []byte("{}")); !first || err != nil {
		t.Errorf("a worker cannot report: %v", err)
	}
	if first, err := conn.First(ctx, "res.x.0.0", []byte("other")); first || err != nil {
		t.Errorf("the second write of a result: first %v, %v", first, err)
	}
	if err := conn.PutArtefact(ctx, "x", []byte("x")); err != nil {
		t.Errorf("a worker cannot store a file: %v", err)
	}
	if _, err := conn.Manifest(ctx, "x"); !errors.Is(err, link.ErrNone) {
		t.Errorf("a worker cannot read manifests: %v", err)
	}
}
