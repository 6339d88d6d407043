package client

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"
)

// ErrBusy reports a call on an engine that is busy with another one.
var ErrBusy = errors.New("uci client: the engine is busy")

// ErrClosed reports a call after Close.
var ErrClosed = errors.New("uci client: the engine is closed")

// ExitError reports that an engine ended unexpectedly.
type ExitError struct {
	Command string           // the last command, "" for none
	State   *os.ProcessState // nil where the system does not say
	Stderr  string           // the end of what it wrote to standard error
}

// Error returns the command, the exit status and the last line on standard error.
func (e *ExitError) Error() string {
	text := "uci client: the engine ended"
	if e.Command != "" {
		text += fmt.Sprintf(" without an answer to %q", e.Command)
	}
	if e.State != nil {
		text += " (" + e.State.String() + ")"
	}
	if e.Stderr != "" {
		text += ": " + e.Stderr[strings.LastIndexByte(e.Stderr, '\n')+1:]
	}
	return text
}

// TimeoutError reports that an engine did not answer in time and was killed.
type TimeoutError struct {
	Command string
	Limit   time.Duration
}

// Error returns the command and the time.
func (e *TimeoutError) Error() string {
	return fmt.Sprintf("uci client: no answer to %q within %v", e.Command, e.Limit)
}

// Timeout returns true; net.Error and os.IsTimeout ask for it.
func (e *TimeoutError) Timeout() bool { return true }

// ProtocolError reports an answer that the protocol does not allow.
type ProtocolError struct {
	Line   string // what it wrote, the first 200 bytes
	Reason string
	err    error
}

// Error returns the reason and the line.
func (e *ProtocolError) Error() string {
	if e.Line == "" {
		return "uci client: " + e.Reason
	}
	return fmt.Sprintf("uci client: %s: %q", e.Reason, e.Line)
}

// Unwrap returns the error of package chess that is the reason, if one is: a
// *chess.MoveError.
func (e *ProtocolError) Unwrap() error { return e.err }

// OptionError reports why an option cannot be set.
type OptionError struct {
	Name   string // of the option
	Reason string
}

// Error returns the name and the reason.
func (e *OptionError) Error() string {
	return fmt.Sprintf("uci client: option %.60q: %s", e.Name, e.Reason)
}

// protocolError builds the error for a line.
func protocolError(line, reason string, err error) *ProtocolError {
	if len(line) > 200 {
		line = line[:200]
	}
	return &ProtocolError{Line: line, Reason: reason, err: err}
}
