// Package lab shows how move generators work: why a move is illegal, where the divide of another program
// differs, and a race of generators. A page draws the results; it computes look-ups and magics itself.
//
// Every result comes from the code that it explains: the generators of
// examples/course and movegen.Explain. Long work runs in slices, so that a program with
// one thread can answer other requests in between, and ends with its context.
//
// Sets of squares are encoded as 16 hexadecimal digits, because a JSON number cannot hold 64 bits.
package lab

import (
	"context"
	"fmt"
	"time"

	"github.com/tabula-chess/tabula/chess"
)

// sliceTime is the time that work runs without a pause. It bounds the delay of answers in a program
// with one thread, such as WebAssembly.
const sliceTime = 20 * time.Millisecond

// pacer divides work into slices.
type pacer struct {
	ctx  context.Context
	next time.Time // of the next pause
	idle time.Duration
}

// pause pauses at the end of a slice. It returns the error of a context that has ended.
func (p *pacer) pause() error {
	now := time.Now()
	if now.Before(p.next) {
		return nil
	}
	if err := context.Cause(p.ctx); err != nil {
		return err
	}
	time.Sleep(time.Millisecond) // lets the host deliver timers and other events
	p.next = time.Now().Add(sliceTime)
	p.idle += time.Since(now)
	return nil
}

// Fault reports the wrong field of a request and the reason, or why it could not be answered.
type Fault struct {
	Field  string `json:"field"`            // a path such as position.moves[3], "" for the message as a whole
	Reason string `json:"reason"`           // in words
	At     *int   `json:"at,omitempty"`     // byte from 0 into the text of the field
	Line   int    `json:"line,omitempty"`   // from 1, in a text of lines
	Column int    `json:"column,omitempty"` // from 1, of a PGN, in bytes
}

// Error returns "field: reason".
func (f *Fault) Error() string {
	if f.Field == "" {
		return f.Reason
	}
	return f.Field + ": " + f.Reason
}

// word writes a set or a number of 64 bits.
func word(w uint64) string { return fmt.Sprintf("%016x", w) }

// set writes a set of squares.
func set(b chess.Bitboard) string { return word(uint64(b)) }
