package client

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"
)

// Launch says how an engine is started. Only Path is needed.
type Launch struct {
	Path string   // of the program, as [Find] takes it
	Args []string // behind the program's name
	Dir  string   // to run in; "" for the present one
	Env  []string // "name=value" each; nil for this process's own

	// Timeout bounds the wait for answers to "uci", "isready", "stop" and "quit", and
	// for the best move after the limits of a search. 0: 10 seconds.
	Timeout time.Duration

	// Stderr, if not nil, receives the engine's standard error.
	Stderr io.Writer

	// Log, if not nil, is called with each line sent and read, from several goroutines.
	Log func(sent bool, line string)
}

// Engine is a running UCI engine. It may be used by several goroutines and does
// one thing at a time.
type Engine struct {
	name, author string
	timeout      time.Duration
	process      *process
	busy         sync.Mutex // held while something is asked

	mu      sync.Mutex
	options []Option
	values  map[string]string // what was set, by lower-case name
}

// Start runs an engine and waits until it has introduced itself. When ctx ends
// the engine is killed; give it context.Background() where the engine is to live
// until Close. Errors: those of the system for a program that does not run, an
// [*ExitError], a [*TimeoutError] where no uciok comes, a [*ProtocolError], ctx's.
func Start(ctx context.Context, c Launch) (*Engine, error) {
	if c.Path == "" {
		return nil, errors.New("uci client: no program to run: Path is empty")
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	p, err := startProcess(ctx, &c)
	if err != nil {
		return nil, fmt.Errorf("uci client: %w", err)
	}
	e := &Engine{timeout: c.Timeout, process: p, values: map[string]string{}}
	if e.timeout <= 0 {
		e.timeout = 10 * time.Second
	}
	if err := e.exchange(ctx, "uci", e.timeout, e.introduction); err != nil {
		e.Close()
		return nil, err
	}
	return e, nil
}

// introduction takes the lines between "uci" and "uciok".
func (e *Engine) introduction(line string) bool {
	word, rest, _ := strings.Cut(line, " ")
	switch word {
	case "id":
		key, value, _ := strings.Cut(strings.TrimSpace(rest), " ")
		switch key {
		case "name":
			e.name = strings.TrimSpace(value)
		case "author":
			e.author = strings.TrimSpace(value)
		}
	case "option":
		if o, ok := parseOption(rest); ok {
			e.options = append(e.options, o)
		}
	}
	return line == "uciok"
}

// Name returns what the engine calls itself, "" where it has not said.
func (e *Engine) Name() string { return e.name }

// Author returns who wrote the engine, "" where it has not said.
func (e *Engine) Author() string { return e.author }

// Close tells the engine to quit, kills it where it does not within the timeout
// of its Launch, and returns when the process is gone and all goroutines have
// ended. Later calls do nothing. It returns nil, as an io.Closer.
func (e *Engine) Close() error {
	e.process.close(e.timeout)
	return nil
}

// CloseInput ends the engine's standard input, as the end of a script does. Nothing can be sent afterwards.
func (e *Engine) CloseInput() error { return e.process.in.Close() }

// PID returns the number of the engine's process.
func (e *Engine) PID() int { return e.process.cmd.Process.Pid }

// Ready waits until the engine answers "isready". Errors: as [Engine.Command].
func (e *Engine) Ready(ctx context.Context) error {
	return e.Command(ctx, "isready", e.timeout, isReadyOK)
}

// NewGame tells the engine that the next position is of another game, and waits
// until it is ready. Errors: as [Engine.Command].
func (e *Engine) NewGame(ctx context.Context) error {
	return e.Command(ctx, "ucinewgame\nisready", e.timeout, isReadyOK)
}

func isReadyOK(line string) bool { return line == "readyok" }

// Command sends text, one or more commands, one per line, and calls take with the lines of the
// answer until it returns true; a nil take means that there is no answer. limit bounds the time;
// 0 means no bound. An empty text with a take sends nothing: take gets what the engine says by
// itself, and the end of the limit is no error. Errors: ErrBusy, after which the engine can be
// used; ErrClosed, an [*ExitError], a [*TimeoutError] and the error of ctx, after which it cannot.
func (e *Engine) Command(ctx context.Context, text string, limit time.Duration, take func(line string) bool) error {
	if !e.busy.TryLock() {
		return ErrBusy
	}
	defer e.busy.Unlock()
	return e.exchange(ctx, text, limit, take)
}

// exchange is Command for a caller that has the engine for itself.
func (e *Engine) exchange(ctx context.Context, text string, limit time.Duration, take func(line string) bool) error {
	if text != "" || take == nil {
		if err := e.send(ctx, text); err != nil || take == nil {
			return err
		}
	}
	var expired <-chan time.Time
	if limit > 0 {
		timer := time.NewTimer(limit)
		defer timer.Stop()
		expired = timer.C
	}
	for {
		select {
		case line, ok := <-e.process.lines:
			if !ok {
				return e.process.why()
			}
			if take(line) {
				return nil
			}
		case <-expired:
			if text == "" {
				return nil
			}
			return e.process.fail(&TimeoutError{Command: text, Limit: limit})
		case <-ctx.Done():
			return e.process.fail(context.Cause(ctx))
		}
	}
}

// send sends commands to which the lines read from now on are the answer.
func (e *Engine) send(ctx context.Context, text string) error {
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	if err := e.process.dropLines(); err != nil {
		return err
	}
	return e.process.send(text, e.timeout)
}
