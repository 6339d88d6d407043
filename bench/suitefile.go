package main

import (
	"bufio"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/tabula-chess/tabula/chess"
)

// suiteEntry is one line of a perft suite: a position and its counts.
type suiteEntry struct {
	line     int
	position *chess.Position
	fen      string
	depths   []depthCount
}

// depthCount is the number of leaves at a depth.
type depthCount struct {
	depth int
	nodes uint64
}

// readSuite reads lines of the form "FEN ;D1 n ;D2 n …"; empty lines and lines
// that begin with # are passed over. An error names the line.
func readSuite(r io.Reader) ([]suiteEntry, error) {
	var entries []suiteEntry
	scanner := bufio.NewScanner(r)
	scanner.Buffer(nil, 1<<20)
	for n := 1; scanner.Scan(); n++ {
		text := strings.TrimSpace(scanner.Text())
		if text == "" || text[0] == '#' {
			continue
		}
		entry, err := parseSuiteLine(text)
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n, err)
		}
		entry.line = n
		entries = append(entries, entry)
	}
	if err := scanner.Err(); err != nil {
		return nil, err
	}
	if len(entries) == 0 {
		return nil, fmt.Errorf("no positions")
	}
	return entries, nil
}

// parseSuiteLine reads one position with its counts.
func parseSuiteLine(text string) (suiteEntry, error) {
	fields := strings.Split(text, ";")
	p, err := chess.ParseFEN(fields[0])
	if err != nil {
		return suiteEntry{}, err
	}
	entry := suiteEntry{position: p, fen: strings.TrimSpace(fields[0])}
	for _, field := range fields[1:] {
		depth, nodes, ok := strings.Cut(strings.TrimSpace(field), " ")
		d, err := strconv.Atoi(strings.TrimPrefix(depth, "D"))
		if !ok || !strings.HasPrefix(depth, "D") || err != nil || d < 1 {
			return suiteEntry{}, fmt.Errorf("count %q: want Ddepth nodes, such as D3 8902", strings.TrimSpace(field))
		}
		n, err := strconv.ParseUint(strings.TrimSpace(nodes), 10, 64)
		if err != nil {
			return suiteEntry{}, fmt.Errorf("count %q: %q is no number of nodes", strings.TrimSpace(field), nodes)
		}
		entry.depths = append(entry.depths, depthCount{d, n})
	}
	if len(entry.depths) == 0 {
		return suiteEntry{}, fmt.Errorf("no counts after the FEN: want ;D1 nodes ;D2 nodes …")
	}
	return entry, nil
}
