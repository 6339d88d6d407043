package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/test/kit"
	"github.com/tabula-chess/tabula/work/launch"
)

// roleVariable makes a process of this test the program that can be killed as one on another machine
// is.
const roleVariable = "TABULA_FARM_TEST_ROLE"

func TestMain(m *testing.M) {
	testKinds = []launch.Kind{toyKind()}
	ackWait = 3 * time.Second
	role := os.Getenv(roleVariable)
	if role != "" {
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin)
			os.Exit(1) // the test has ended
		}()
	}
	if role == "farm" {
		main()
	}
	flag.Parse()
	_ = flag.Set("test.parallel", "6") // they wait for other processes most of the time
	os.Exit(m.Run())
}

// process is a process of this test.
type process struct {
	t    testing.TB
	args []string
	cmd  *exec.Cmd
	out  bytes.Buffer
	err  bytes.Buffer
	done chan error
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

// start starts a process of a role with arguments.
func start(t testing.TB, role string, args ...string) *process {
	t.Helper()
	p := &process{t: t, args: append([]string{role}, args...), done: make(chan error, 1)}
	p.cmd = exec.Command(os.Args[0], args...)
	p.cmd.Stdin, p.cmd.Stdout, p.cmd.Stderr = lifeline()[0], &p.out, &p.err
	p.cmd.Env = append(os.Environ(), roleVariable+"="+role)
	kit.Succeed(t, p.cmd.Start())
	go func() { p.done <- p.cmd.Wait() }()
	t.Cleanup(func() { _ = p.cmd.Process.Kill() })
	return p
}

// kill kills a process, and again starts it anew.
func (p *process) kill() {
	_ = p.cmd.Process.Kill()
	err := <-p.done
	p.done <- err
}

func (p *process) again() *process {
	p.kill()
	return start(p.t, p.args[0], p.args[1:]...)
}

// port returns a port that is free, and not among those that the system gives to who asks for any.
func port(t testing.TB) int {
	t.Helper()
	for range 1000 {
		port := 10000 + rand.IntN(20000)
		if l, err := net.Listen("tcp", fmt.Sprintf(":%d", port)); err == nil {
			l.Close()
			return port
		}
	}
	t.Fatal("no free port")
	return 0
}

// long returns how much more a test is to do than usual: TABULA_FARM_LONG=1 go test ./farm/tabula-farm -v -timeout 60m.
func long(usual, most int) int {
	if os.Getenv("TABULA_FARM_LONG") != "" {
		return most
	}
	return usual
}

// TestKills kills workers, owner and hub at random, all of them real processes, and starts them again: output and
// result are those of one process, byte for byte.
func TestKills(t *testing.T) {
	kills := long(8, 48)
	dir := t.TempDir()
	url := fmt.Sprintf("127.0.0.1:%d", port(t))
	out := filepath.Join(dir, "out")
	jobs := 45 * kills
	all := []*process{start(t, "farm", "hub", "--dir", filepath.Join(dir, "hub"), "--listen", url, "--http", "")}
	for n := range 2 {
		all = append(all, start(t, "farm", "work", "--hub", "nats://"+url, "--dir", filepath.Join(dir, fmt.Sprint(n)),
			"--cores", "1"))
	}
	all = append(all, start(t, "farm", "run", "toy", "--hub", "nats://"+url, "--dir", filepath.Join(dir, "owner"),
		"--jobs", fmt.Sprint(jobs), "--bytes", "3000", "--sleep", "60ms", "--out", out, "--state", filepath.Join(dir, "state")))
	killed := map[int]int{}
	for n := range kills {
		time.Sleep(time.Duration(500+rand.IntN(1500)) * time.Millisecond)
		i := n % len(all)
		select {
		case err := <-all[len(all)-1].done:
			t.Fatalf("the owner ended after %d kills: %v\n%s", n, err, &all[len(all)-1].err)
		default:
		}
		all[i] = all[i].again()
		killed[i]++
	}
	owner := all[len(all)-1]
	select {
	case err := <-owner.done:
		if err != nil {
			t.Fatalf("%v\n%s\n%s", err, &owner.err, &all[0].err)
		}
	case <-time.After(8 * time.Minute):
		owner.kill()
		t.Fatalf("the run does not end\n%s\n%s\n%s", &owner.err, &all[0].err, &all[1].err)
	}
	text, file := alone(t, toy{N: jobs, Bytes: 3000, Sleep: 60 * time.Millisecond})
	if got := strings.TrimSpace(owner.out.String()); got != text {
		t.Errorf("%s, want %s", got, text)
	}
	if got, err := os.ReadFile(out); err != nil || !bytes.Equal(got, file) {
		t.Errorf("%d bytes, want %d, %v", len(got), len(file), err)
	}
	t.Logf("%d jobs, kills of hub, workers and owner: %v", jobs, killed)
}

// TestTerminated ends a worker by SIGTERM during a job: the job is given back and no failure is counted, and another
// worker does it.
func TestTerminated(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	f := newFarm(t, "127.0.0.1:0", 0)
	worker := start(t, "farm", "work", "--hub", f.url, "--dir", dir, "--cores", "2")
	k := toy{N: 4, Sleep: 2 * time.Second}
	ended := make(chan error)
	go func() { ended <- f.run(f.ctx, &k, nil) }()
	f.until("it has jobs", func() bool {
		v := f.view()
		return len(v.Workers) == 1 && v.Workers[0].Running == 2
	})
	kit.Succeed(t, worker.cmd.Process.Signal(syscall.SIGTERM))
	<-worker.done
	f.worker("next", 2, nil)
	if err := <-ended; err != nil || k.folded() != 4 {
		t.Errorf("%v, %d folded", err, k.folded())
	}
	for _, w := range f.view().Workers {
		if w.Bad != 0 {
			t.Error("a worker that was ended in good order counts as a failure")
		}
	}
}

// TestDiskFull fills the disk of a hub during a run: the hub says so and exits, and with space it and the run go on.
func TestDiskFull(t *testing.T) {
	dir := kit.SmallDisk(t, 24<<20)
	url := fmt.Sprintf("127.0.0.1:%d", port(t))
	ballast := filepath.Join(dir, "ballast")
	kit.Succeed(t, os.WriteFile(ballast, make([]byte, 16<<20), 0o666))
	hub := start(t, "farm", "hub", "--dir", filepath.Join(dir, "hub"), "--listen", url, "--http", "", "--store", "1000")
	start(t, "farm", "work", "--hub", "nats://"+url, "--dir", t.TempDir(), "--cores", "1")
	owner := start(t, "farm", "run", "toy", "--hub", "nats://"+url, "--dir", t.TempDir(), "--jobs", "16", "--bytes", "900000")
	select {
	case err := <-hub.done:
		if err == nil || !strings.Contains(hub.err.String(), "the hub cannot write (is the disk full?)") {
			t.Fatalf("%v: %s", err, &hub.err)
		}
	case err := <-owner.done:
		t.Fatalf("the run ended: %v %s", err, &owner.err)
	case <-time.After(time.Minute):
		t.Fatalf("the hub goes on: %s", &hub.err)
	}
	kit.Succeed(t, os.Remove(ballast))
	start(t, "farm", hub.args[1:]...)
	if err := <-owner.done; err != nil {
		t.Fatalf("%v: %s", err, &owner.err)
	}
	if want, _ := alone(t, toy{N: 16, Bytes: 900_000}); strings.TrimSpace(owner.out.String()) != want {
		t.Errorf("%s, want %s", &owner.out, want)
	}
}
