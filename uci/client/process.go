package client

import (
	"context"
	"io"
	"os"
	"os/exec"
	"sync"
	"time"
)

// drain is how long the output of a process that has ended is still read: a
// process that it has started may hold it open. It is a variable for tests, which
// may stand still on a busy machine.
var drain = time.Second

// process is a running engine with its pipes and the goroutines that look after
// it: one reads its output, one waits for its end.
type process struct {
	cmd    *exec.Cmd
	in     *os.File
	out    *os.File
	queue  queue
	stderr tail
	log    func(sent bool, line string)

	writing sync.Mutex // held while a command is written
	asked   string     // the last command, under writing
	killing sync.Mutex
	ended   bool          // it has been waited for: its number may be another's, under killing
	read    chan struct{} // closed when the output has ended
	gone    chan struct{} // closed when the process has been waited for
	release func() bool   // forgets the context
}

// startProcess runs a command. Errors: those of the system.
func startProcess(ctx context.Context, c *Config) (*process, error) {
	cmd := exec.Command(c.Path, c.Args...)
	cmd.Dir, cmd.Env = c.Dir, c.Env
	p := &process{cmd: cmd, log: c.Log, read: make(chan struct{}), gone: make(chan struct{})}
	p.queue.more = make(chan struct{}, 1)
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

// readOutput queues the lines of the engine.
func (p *process) readOutput() {
	defer close(p.read)
	err := readLines(p.out, func(line string) {
		if p.log != nil {
			p.log(false, line)
		}
		p.queue.push(line)
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
	p.queue.end(&ExitError{Command: asked, State: p.cmd.ProcessState, Stderr: p.stderr.String()})
}

// fail kills the process; err is what calls return from then on.
func (p *process) fail(err error) {
	p.queue.end(err)
	p.kill()
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

// send writes commands, one a line, and gives up after limit.
func (p *process) send(commands string, limit time.Duration) error {
	p.writing.Lock()
	defer p.writing.Unlock()
	p.asked = commands
	if p.log != nil {
		p.log(true, commands)
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
	p.queue.end(ErrClosed)
	_ = p.send("quit", limit)
	select {
	case <-p.gone:
	case <-time.After(limit):
		p.kill()
		<-p.gone
	}
}
