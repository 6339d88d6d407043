package main

import (
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/tabula-chess/tabula/chess"
)

// suiteEntry is one line of a perft suite: a position and its counts.
type suiteEntry struct {
	place    string // file and line
	position *chess.Position
	depths   []depthCount
}

// depthCount is the number of leaves at a depth.
type depthCount struct {
	depth int
	nodes uint64
}

// readSuite reads lines of the form "FEN ;D1 n ;D2 n …" of the file called name. An error names
// the file and the line. What was dropped from a line is told to warn.
func readSuite(name string, r io.Reader, warn func(error)) ([]suiteEntry, error) {
	var entries []suiteEntry
	for record, err := range chess.EPDs(r) {
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		entry, err := entryOf(record)
		entry.place = fmt.Sprintf("%s: line %d", name, record.Line)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", entry.place, err)
		}
		if record.Warning != nil {
			warn(fmt.Errorf("%s: %w", entry.place, record.Warning))
		}
		entries = append(entries, entry)
	}
	if len(entries) == 0 {
		return nil, fmt.Errorf("%s: no positions", name)
	}
	return entries, nil
}

// entryOf takes the counts from a record.
func entryOf(record *chess.EPD) (suiteEntry, error) {
	entry := suiteEntry{position: record.Position}
	for _, o := range record.Operations {
		text := strings.Join(append([]string{o.Opcode}, o.Operands...), " ")
		depth, err := strconv.Atoi(strings.TrimPrefix(o.Opcode, "D"))
		if !strings.HasPrefix(o.Opcode, "D") || err != nil || depth < 1 || len(o.Operands) != 1 {
			return suiteEntry{}, fmt.Errorf("count %q: want Ddepth nodes, such as D3 8902", text)
		}
		nodes, err := strconv.ParseUint(o.Operands[0], 10, 64)
		if err != nil {
			return suiteEntry{}, fmt.Errorf("count %q: %q is not a number of nodes", text, o.Operands[0])
		}
		entry.depths = append(entry.depths, depthCount{depth, nodes})
	}
	if len(entry.depths) == 0 {
		return suiteEntry{}, errors.New("no counts after the FEN: want ;D1 nodes ;D2 nodes …")
	}
	return entry, nil
}
