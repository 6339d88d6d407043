package chess

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
)

// EPD is a record of extended position description: a position and operations
// such as best moves (bm), a name (id) or perft counts (D1, D2, …). Source:
// "Portable Game Notation Specification and Implementation Guide", chapter 16.2.
type EPD struct {
	Position   *Position
	Operations []Operation // in the order read
	Line       int         // in the file, from 1; 0 where the record came alone
	Warning    error       // what was dropped, see ParseEPD; nil for nothing
}

// Operation is an opcode with its operands; quoted operands come without
// their quotes and escapes.
type Operation struct {
	Opcode   string
	Operands []string
}

// EPDError says why an operation of an EPD record is invalid.
type EPDError struct {
	Opcode string // "" where the opcode itself is wrong
	Reason string
	Offset int // byte offset into the record
}

// Error returns "EPD opcode: reason (at byte N)".
func (e *EPDError) Error() string {
	opcode := e.Opcode
	if opcode == "" {
		opcode = "opcode"
	}
	return fmt.Sprintf("EPD %.20s: %s (at byte %d)", opcode, e.Reason, e.Offset)
}

// maxOpcode is the length of the longest opcode the standard allows.
const maxOpcode = 15

// ParseEPD reads one record: a FEN of four fields, or of six as in perft suites,
// and operations with a semicolon after or before each. The operations hmvc and
// fmvn set the position's counters. The position is read as by [RepairFEN]; an invalid
// operation is dropped, up to its semicolon, and so is a dash in the place of one. The
// Warning of the record says what was dropped first, and of the operations how many: a
// [*FENError] or [*EPDError] is behind it. Errors: a [*FENError].
func ParseEPD(text string) (*EPD, error) { return parseEPD(text, 0) }

// parseEPD is ParseEPD for a text behind so many bytes.
func parseEPD(text string, base int) (*EPD, error) {
	head := epdHead(text)
	p, warning, err := repairFEN(text[:head], base, false)
	if err != nil {
		return nil, err
	}
	e := &EPD{Position: p, Warning: warning}
	last := strings.LastIndexByte(text, '"')
	var first *EPDError
	dropped := 0
	for at := head; ; {
		for at < len(text) && (isSpace(text[at]) || text[at] == ';') {
			at++
		}
		if at == len(text) {
			break
		}
		var wrong *EPDError
		if at, wrong = e.operation(text, at, last); wrong != nil {
			if first, dropped, at = cmp.Or(first, wrong), dropped+1, operationEnd(text, at); dropped == 1 {
				first.Offset += base
			}
		}
	}
	switch {
	case warning != nil || dropped == 0:
	case dropped == 1:
		e.Warning = fmt.Errorf("%w: dropped", first)
	default:
		e.Warning = fmt.Errorf("%w: dropped (and %d more)", first, dropped-1)
	}
	return e, nil
}

// maxRecord bounds a line of a file, in bytes.
const maxRecord = 1 << 20

// EPDs iterates over the records of a file, one per line. It skips empty lines and
// lines that begin with #. An error names its line, and the iteration continues with
// the next record. It ends after a read error of src, a line of more than 1 MiB, or
// text in UTF-16, as the first line shows it.
func EPDs(src io.Reader) iter.Seq2[*EPD, error] {
	return func(yield func(*EPD, error) bool) {
		lines, n := bufio.NewScanner(src), 0
		lines.Buffer(nil, maxRecord)
		for lines.Scan() {
			// "\r" alone ends the lines of old Macs.
			for text := range strings.SplitSeq(strings.TrimSuffix(lines.Text(), "\r"), "\r") {
				n++
				text = strings.TrimSpace(strings.TrimPrefix(text, "\xef\xbb\xbf")) // a byte order mark
				marked := strings.HasPrefix(text, "\xff\xfe") || strings.HasPrefix(text, "\xfe\xff")
				if n == 1 && (marked || strings.Contains(text, "\x00")) {
					yield(nil, errors.New("line 1: the text is UTF-16 or packed, want UTF-8"))
					return
				}
				if text == "" || text[0] == '#' {
					continue
				}
				e, err := ParseEPD(text)
				if err != nil {
					err = fmt.Errorf("line %d: %w", n, err)
				} else {
					e.Line = n
				}
				if !yield(e, err) {
					return
				}
			}
		}
		switch err := lines.Err(); {
		case errors.Is(err, bufio.ErrTooLong):
			yield(nil, fmt.Errorf("line %d: more than %d bytes", n+1, maxRecord))
		case err != nil:
			yield(nil, err)
		}
	}
}

// Operands returns the operands of the first operation with an opcode; ok is false
// if there is none.
func (e *EPD) Operands(opcode string) (operands []string, ok bool) {
	for _, o := range e.Operations {
		if o.Opcode == opcode {
			return o.Operands, true
		}
	}
	return nil, false
}

// Moves returns the operands of the first operation with an opcode, such as bm or
// am, as legal moves of the position; the moves of pv follow each other. It reads
// standard algebraic notation and UCI text. Errors: a [*MoveError] for an operand
// that is not a legal move.
func (e *EPD) Moves(opcode string) ([]Move, error) {
	operands, _ := e.Operands(opcode)
	moves := make([]Move, len(operands))
	p := e.Position
	if opcode == "pv" {
		p = p.Clone()
	}
	for i, text := range operands {
		m, err := p.ReadMove(text)
		if err != nil {
			return nil, err
		}
		if moves[i] = m; opcode == "pv" {
			p.Make(m)
		}
	}
	return moves, nil
}

// epdHead returns where the position ends: after four fields, or after the
// counters where numbers follow.
func epdHead(text string) int {
	end := 0
	blank := func(c byte) bool { return isSpace(c) || c == '_' }
	for at, field := 0, 0; field < 6; field++ {
		for at < len(text) && blank(text[at]) {
			at++
		}
		if field >= 4 && (at == len(text) || text[at] < '0' || text[at] > '9') {
			break
		}
		for at < len(text) && !blank(text[at]) && text[at] != ';' {
			at++
		}
		end = at
	}
	return end
}

// operationEnd returns where an invalid operation ends: before its semicolon, or behind a word of dashes.
func operationEnd(text string, at int) int {
	end := at
	for end < len(text) && text[end] == '-' {
		end++
	}
	if end > at && (end == len(text) || isSpace(text[end])) {
		return end
	}
	if i := strings.IndexByte(text[at:], ';'); i >= 0 {
		return at + i
	}
	return len(text)
}

// operation reads the operation at a place and returns the place behind it, or the same place with an error. last is
// the index of the last quote.
func (e *EPD) operation(text string, at, last int) (int, *EPDError) {
	start := at
	for at < len(text) && isOpcode(text[at], at > start) {
		at++
	}
	o := Operation{Opcode: text[start:at]}
	switch {
	case at == start:
		return start, &EPDError{Reason: fmt.Sprintf("%q, want a letter", runeAt(text, at)), Offset: at}
	case at-start > maxOpcode:
		return start, &EPDError{Reason: fmt.Sprintf("%.20q is longer than %d", o.Opcode, maxOpcode), Offset: start}
	case at < len(text) && !isSpace(text[at]) && text[at] != ';':
		return start, &EPDError{Opcode: o.Opcode, Reason: fmt.Sprintf("unexpected %q", runeAt(text, at)), Offset: at}
	}
	for {
		for at < len(text) && isSpace(text[at]) {
			at++
		}
		if at == len(text) || text[at] == ';' {
			break
		}
		begin := at
		if text[at] == '"' {
			operand, n := quoted(text[at:], last-at)
			if n == 0 {
				return start, &EPDError{Opcode: o.Opcode, Reason: "a quote that is not closed", Offset: at}
			}
			at += n
			o.Operands = append(o.Operands, operand)
			continue
		}
		for at < len(text) && !isSpace(text[at]) && text[at] != ';' {
			at++
		}
		o.Operands = append(o.Operands, text[begin:at])
	}
	if err := e.setCounter(o, start); err != nil {
		return start, err
	}
	e.Operations = append(e.Operations, o)
	return at, nil
}

// quoted returns the operand in the quotes that text begins with, and the length of both, 0 where they are not closed.
// last is the index of the last quote. A backslash escapes a quote or a backslash and stands for itself elsewhere, and
// where its quote is the last of the record.
func quoted(text string, last int) (operand string, n int) {
	var b strings.Builder
	for i := 1; i <= last; i++ {
		switch c := text[i]; {
		case c == '"':
			return b.String(), i + 1
		case c == '\\' && (text[i+1:i+2] == `\` || text[i+1:i+2] == `"` && i+1 < last):
			i++
		}
		b.WriteByte(text[i])
	}
	return "", 0
}

// setCounter obeys hmvc and fmvn.
func (e *EPD) setCounter(o Operation, start int) *EPDError {
	index := 0
	switch o.Opcode {
	case "hmvc":
		index = 4
	case "fmvn":
		index = 5
	default:
		return nil
	}
	if len(o.Operands) != 1 {
		return &EPDError{Opcode: o.Opcode, Reason: fmt.Sprintf("%d operands, want one number", len(o.Operands)),
			Offset: start}
	}
	n, reason := parseCounter(index, o.Operands[0])
	if reason != "" {
		return &EPDError{Opcode: o.Opcode, Reason: reason, Offset: start}
	}
	if index == 4 {
		e.Position.setHalfmove(n)
	} else {
		e.Position.fullmove = n
	}
	return nil
}

// isSpace says what separates fields and operands.
func isSpace(c byte) bool { return c == ' ' || c == '\t' || c == '\r' || c == '\n' }

// isOpcode says what an opcode consists of: a letter, then letters, digits and
// underscores.
func isOpcode(c byte, inside bool) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || inside && (c >= '0' && c <= '9' || c == '_')
}
