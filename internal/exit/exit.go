package exit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"syscall"
	"time"

	"github.com/tabula-chess/tabula/internal/files"
)

// The exit codes of every program of this module.
const (
	Done        = 0   // what was asked for is done
	Failed      = 1   // it could not be done, or a check found a fault
	Usage       = 2   // the command line or the environment asks for what cannot be
	Interrupted = 130 // SIGINT or SIGTERM ended it, as a shell reports SIGINT
)

// Help is the rule in words, for the help of each program.
const Help = "Exit codes: 0 done, 1 failed, 2 wrong use, 130 interrupted (Ctrl-C or SIGTERM)."

// ErrInterrupted says that a signal ended what was under way.
var ErrInterrupted = errors.New("interrupted")

// usageError marks an error as one of how the program was called.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// WrongUse marks err as one of how the program was called: [Code] returns
// [Usage] for it. A nil error stays nil.
func WrongUse(err error) error {
	if err == nil {
		return nil
	}
	return usageError{err}
}

// WrongUsef is [WrongUse] of an error that is formatted like [fmt.Errorf]'s.
func WrongUsef(format string, args ...any) error { return WrongUse(fmt.Errorf(format, args...)) }

// Code returns the exit code of a program that ends with err. An interruption
// anywhere in err outweighs all else, wrong use outweighs failure. What is not there, or
// is no file, is wrong use: programs look for nothing that they were not told of.
func Code(err error) int {
	switch {
	case err == nil:
		return Done
	case errors.Is(err, ErrInterrupted) || errors.Is(err, context.Canceled):
		return Interrupted
	case errors.As(err, new(usageError)) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, exec.ErrNotFound) || errors.Is(err, files.ErrNotRegular):
		return Usage
	}
	return Failed
}

// grace is the time a program has to end by itself after a signal: longer than
// a checkpoint takes to write, shorter than what sends SIGKILL after SIGTERM.
const grace = 8 * time.Second

// OnSignal returns a context that SIGINT and SIGTERM cancel. A second signal,
// or grace without an end after the first, ends the process with [Interrupted]
// at once, so that nothing that does not heed the context can hold it. stop
// gives the signals back.
func OnSignal() (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	go func() {
		<-signals
		cancel()
		select {
		case <-signals:
		case <-time.After(grace):
		}
		os.Exit(Interrupted)
	}()
	return ctx, func() { signal.Stop(signals); cancel() }
}
