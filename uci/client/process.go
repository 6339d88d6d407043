package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"
)

// drain is how long the output of a process that has ended is still read: a
// process that it has started may hold it open. It is a variable for tests, which
// may stand still on a busy machine.
var drain = time.Second

// waitingLines is the number of lines that may wait for somebody to read them before the engine has to wait.
const waitingLines = 4096

// process is a running engine with its pipes and the goroutines that look after
// it: one reads its output, one waits for its end.
type process struct {
	cmd    *exec.Cmd
	in     *os.File
	out    *os.File
	lines  chan string // written by the engine; closed at the end of its output
	stderr lastLines
	log    func(sent bool, line string)

	writing sync.Mutex // held while a command is written
	asked   string     // the last command, under writing
	killing sync.Mutex
	ended   bool          // it has been waited for: its number may be another's, under killing
	read    chan struct{} // closed when the output has ended
	gone    chan struct{} // closed when the process has been waited for
	release func() bool   // forgets the context

	over context.Context // ends when no more is to be had of the engine; its cause says why
	end  context.CancelCauseFunc
}

// gamesDir is where Debian installs engines. The PATH of root and of services lacks it.
var gamesDir = "/usr/games" // a variable for tests

// Find returns the path of an engine's program. One without a separator is looked for in PATH, then in /usr/games; any
// other is returned as it is. Errors: an [exec.ErrNotFound] that names both places; [exec.ErrDot].
func Find(program string) (path string, err error) {
	if program != filepath.Base(program) {
		return program, nil
	}
	path, err = exec.LookPath(program)
	if errors.Is(err, exec.ErrNotFound) {
		if path, err := exec.LookPath(filepath.Join(gamesDir, program)); err == nil {
			return path, nil
		}
		return "", fmt.Errorf("%s: %w, nor in %s", program, exec.ErrNotFound, gamesDir)
	}
	return path, err
}

// startProcess runs a command. Errors: those of [Find] and of the system.
func startProcess(ctx context.Context, c *Launch) (*process, error) {
	path, err := Find(c.Path)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(path, c.Args...)
	cmd.Dir, cmd.Env = c.Dir, c.Env
	p := &process{cmd: cmd, log: c.Log, lines: make(chan string, waitingLines),
		read: make(chan struct{}), gone: make(chan struct{})}
	p.over, p.end = context.WithCancelCause(context.Background())
	inRead, inWrite, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	outRead, outWrite, err := os.Pipe()
	if err != nil {
		inRead.Close()
		inWrite.Close()
		return nil, err
	}
	p.in, p.out = inWrite, outRead
	cmd.Stdin, cmd.Stdout, cmd.Stderr = inRead, outWrite, io.Writer(&p.stderr)
	if c.Stderr != nil {
		cmd.Stderr = io.MultiWriter(&p.stderr, c.Stderr)
	}
	cmd.WaitDelay = drain
	ownGroup(cmd)
	err = cmd.Start()
	inRead.Close() // the process has its own now, or never will
	outWrite.Close()
	if err != nil {
		inWrite.Close()
		outRead.Close()
		return nil, err
	}
	p.release = context.AfterFunc(ctx, func() { p.fail(context.Cause(ctx)) })
	go p.readOutput()
	go p.wait()
	return p, nil
}

// readOutput passes on the lines of the engine.
func (p *process) readOutput() {
	defer close(p.read)
	defer close(p.lines)
	err := readLines(p.out, func(line string) {
		if p.log != nil {
			p.log(false, line)
		}
		select {
		case p.lines <- line:
		case <-p.over.Done(): // read on, so that the engine can end
		}
	})
	if err != nil {
		p.fail(err)
	}
}

// wait waits for the end of the process and then for that of its output.
func (p *process) wait() {
	defer close(p.gone)
	_ = p.cmd.Wait() // the state says the same
	p.kill()         // what it has left behind
	p.killing.Lock()
	p.ended = true
	p.killing.Unlock()
	p.release()
	select {
	case <-p.read:
	case <-time.After(drain):
	}
	p.out.Close()
	<-p.read
	p.writing.Lock()
	asked := p.asked
	p.in.Close()
	p.writing.Unlock()
	p.end(&ExitError{Command: asked, State: p.cmd.ProcessState, Stderr: p.stderr.String()})
}

// fail kills the process and returns why calls fail from then on: for err, unless there was a reason before.
func (p *process) fail(err error) error {
	p.end(err)
	p.kill()
	return context.Cause(p.over)
}

// why waits for the end of the engine and returns the reason. Its output has ended.
func (p *process) why() error {
	<-p.over.Done()
	return context.Cause(p.over)
}

// kill ends the process and what it has started, as long as their number is
// theirs.
func (p *process) kill() {
	p.killing.Lock()
	defer p.killing.Unlock()
	if !p.ended {
		killGroup(p.cmd)
	}
}

// dropLines drops the lines that nobody asked for. An error says why there are no more.
func (p *process) dropLines() error {
	for {
		select {
		case _, ok := <-p.lines:
			if !ok {
				return p.why()
			}
		default:
			return context.Cause(p.over)
		}
	}
}

// send writes commands, one a line, and gives up after limit.
func (p *process) send(commands string, limit time.Duration) error {
	p.writing.Lock()
	defer p.writing.Unlock()
	p.asked = commands
	if p.log != nil {
		for line := range strings.SplitSeq(commands, "\n") {
			p.log(true, line)
		}
	}
	_ = p.in.SetWriteDeadline(time.Now().Add(limit)) // not every system can; pipes hold much
	if _, err := io.WriteString(p.in, commands+"\n"); os.IsTimeout(err) {
		p.fail(&TimeoutError{Command: commands, Limit: limit})
	}
	// Where the pipe is broken the process is ending, and its end says more.
	return nil
}

// close tells the engine to quit and kills it where it does not within limit.
func (p *process) close(limit time.Duration) {
	p.end(ErrClosed)
	_ = p.send("quit", limit)
	select {
	case <-p.gone:
	case <-time.After(limit):
		p.kill()
		<-p.gone
	}
}
