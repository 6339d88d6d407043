package main

import (
	"bytes"
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

	"github.com/nats-io/nats-server/v2/server"

	"github.com/tabula-chess/tabula/farm/run"
	"github.com/tabula-chess/tabula/internal/testkit"
	"github.com/tabula-chess/tabula/train/traintest"
)

// roleVariable makes a process of this test the program, or a NATS server, that can be killed as
// one on another machine is.
const roleVariable = "TABULA_FARM_TEST_ROLE"

func TestMain(m *testing.M) {
	testKinds = []kind{toyKind()}
	times = run.Times{AckWait: 3 * time.Second, Hold: time.Second, Longest: time.Hour}
	role := os.Getenv(roleVariable)
	if role != "" {
		go func() {
			_, _ = io.Copy(io.Discard, os.Stdin)
			os.Exit(1) // the test has ended
		}()
	}
	switch role {
	case "farm":
		main()
	case "nats":
		o, err := server.ProcessConfigFile(os.Args[1])
		if err == nil {
			var s *server.Server
			if s, err = server.NewServer(o); err == nil {
				s.Start()
				s.WaitForShutdown()
			}
		}
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	traintest.Main(m) // which may be an engine
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
	testkit.Succeed(t, p.cmd.Start())
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

// TestKills kills workers, owner and hub at random, all of them real processes, and starts them
// again: output and result are those of one process, byte for byte.
func TestKills(t *testing.T) {
	kills := long(9, 48)
	dir := t.TempDir()
	url := fmt.Sprintf("127.0.0.1:%d", port(t))
	out := filepath.Join(dir, "out")
	jobs := 45 * kills
	all := []*process{start(t, "farm", "hub", "--dir", filepath.Join(dir, "hub"), "--listen", url, "--http", "")}
	for n := range 3 {
		all = append(all, start(t, "farm", "work", "--hub", "nats://"+url, "--dir", filepath.Join(dir, fmt.Sprint(n)),
			"--cores", "1"))
	}
	owner := start(t, "farm", "toy", "--hub", "nats://"+url, "--dir", filepath.Join(dir, "owner"), "--games",
		fmt.Sprint(jobs), "--nodes", "60", "--pgn", out)
	all = append(all, owner)
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
	owner = all[len(all)-1]
	select {
	case err := <-owner.done:
		if err != nil {
			t.Fatalf("%v\n%s\n%s", err, &owner.err, &all[0].err)
		}
	case <-time.After(8 * time.Minute):
		owner.kill()
		t.Fatalf("the run does not end\n%s\n%s\n%s", &owner.err, &all[0].err, &all[1].err)
	}
	m := newToy(t, jobs, 0, toy{Checked: 1, File: 300, Sleep: 60 * time.Millisecond})
	text, file := toyAlone(t, m)
	if got := strings.TrimSpace(owner.out.String()); got != text {
		t.Errorf("%s, want %s", got, text)
	}
	if got, err := os.ReadFile(out); err != nil || !bytes.Equal(got, file) {
		t.Errorf("%d bytes, want %d, %v", len(got), len(file), err)
	}
	t.Logf("%d jobs, kills of hub, workers and owner: %v", jobs, killed)
}

// TestTerminated ends a worker by SIGTERM during a job: the job is given back and no failure is
// counted, and another worker does it.
func TestTerminated(t *testing.T) {
	dir := t.TempDir()
	f := newFarm(t, "127.0.0.1:0", 0)
	worker := start(t, "farm", "work", "--hub", f.url, "--dir", dir, "--cores", "2")
	m := newToy(t, 4, 1, toy{Sleep: 1500 * time.Millisecond})
	ended := make(chan run.Outcome)
	go func() { ended <- f.comes(m) }()
	c := f.dial(f.own)
	for { // until it has jobs
		v, err := c.View(t.Context())
		testkit.Succeed(t, err)
		if len(v.Workers) == 1 && v.Workers[0].Running == 2 {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	testkit.Succeed(t, worker.cmd.Process.Signal(syscall.SIGTERM))
	began := time.Now()
	<-worker.done
	f.worker("next", 2, nil)
	<-ended
	if took := time.Since(began); took > time.Minute {
		t.Logf("took %v", took)
	}
	s, err := c.JS.Stream(t.Context(), run.ResultsStream)
	testkit.Succeed(t, err)
	if _, err := s.GetLastMsgForSubject(t.Context(), "fail."+m.ID()+".>"); err == nil {
		t.Error("a worker that was ended in good order counts as a failure")
	}
}
