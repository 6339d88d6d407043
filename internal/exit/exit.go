package exit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
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

// Help describes the exit codes in the help of each program.
const Help = "Exit codes: 0 done, 1 failed, 2 wrong use, 130 interrupted (Ctrl-C or SIGTERM)."

// ErrInterrupted reports that a signal ended the program.
var ErrInterrupted = errors.New("interrupted")

// usageError marks a usage error.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// WrongUse marks err as a usage error: [Code] returns [Usage] for it. A nil error stays nil.
func WrongUse(err error) error {
	if err == nil {
		return nil
	}
	return usageError{err}
}

// WrongUsef formats an error like [fmt.Errorf] and marks it like [WrongUse].
func WrongUsef(format string, args ...any) error { return WrongUse(fmt.Errorf(format, args...)) }

// Code returns the exit code of a program that ends with err. An interruption anywhere in err takes
// precedence over wrong use, and wrong use over failure. A missing file, or something else in its
// place, is wrong use, because programs open only the files that the user names.
func Code(err error) int {
	switch {
	case err == nil:
		return Done
	case errors.Is(err, ErrInterrupted) || errors.Is(err, context.Canceled):
		return Interrupted
	case errors.As(err, new(usageError)) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, exec.ErrNotFound) ||
		errors.Is(err, files.ErrNotRegular):
		return Usage
	}
	return Failed
}

// grace is the time that a program has to end after a signal: long enough to write a checkpoint,
// shorter than the usual time between SIGTERM and SIGKILL.
const grace = 8 * time.Second

// hangup says that the terminal has gone: SIGHUP, which package syscall lacks on systems without signals.
const hangup = syscall.Signal(1)

// OnSignal returns a context that SIGINT, SIGTERM and, unless it is ignored, SIGHUP cancel. A second
// signal, or the end of grace after the first, ends the process at once with [Interrupted], even if the
// program ignores the context. stop restores the default handling of signals.
func OnSignal() (ctx context.Context, stop func()) {
	ctx, cancel := context.WithCancel(context.Background())
	signals := make(chan os.Signal, 2)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	if runtime.GOARCH != "wasm" && !signal.Ignored(hangup) { // as by nohup; WebAssembly has no signals, and Ignored panics
		signal.Notify(signals, hangup)
	}
	go func() {
		<-signals
		cancel()
		for end := time.After(grace); ; {
			select {
			case s := <-signals:
				if s == hangup { // a shell and the terminal send one each
					continue
				}
			case <-end:
			}
			os.Exit(Interrupted)
		}
	}()
	return ctx, func() { signal.Stop(signals); cancel() }
}
