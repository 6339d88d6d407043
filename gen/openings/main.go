// Command openings writes openings/zopenings.txt, the table of package openings and of the page, from
// the lists of names beside this file.
//
// Usage, from the root of the module, after go run ./gen:
//
//	go run ./gen/openings [directory]
//
// a.tsv to e.tsv are those of commit 51b8862 of github.com/lichess-org/chess-openings, in
// the public domain by CC0 1.0. Their moves are read by package chess, and so this
// program is not a part of gen, which builds without the tables that chess needs.
package main

import (
	"bytes"
	"embed"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tabula-chess/tabula/chess"
)

//go:embed *.tsv
var lists embed.FS

func main() {
	root := "."
	if len(os.Args) > 1 {
		root = os.Args[1]
	}
	data, err := table()
	if err == nil {
		err = os.WriteFile(filepath.Join(root, "openings", "zopenings.txt"), data, 0o644)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gen/openings:", err)
		os.Exit(1)
	}
}

// opening is a line of a list.
type opening struct {
	key   chess.Key // of the position after the moves
	moves []string  // in UCI
	text  string    // code and name
}

// table returns the table, a named position a line: the number of moves shared with the line before, as a character
// from '0' on, the moves behind them, of four characters each, and after a space code and name. Lines that begin alike
// stand together, and each has only the moves that are new in it: a page loads them over the network.
func table() ([]byte, error) {
	all, err := read()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	var before []string
	for _, o := range all {
		shared := 0
		for shared < min(len(before), len(o.moves)) && before[shared] == o.moves[shared] {
			shared++
		}
		fmt.Fprintf(&b, "%c%s %s\n", '0'+shared, strings.Join(o.moves[shared:], ""), o.text)
		before = o.moves
	}
	return b.Bytes(), nil
}

// read returns all openings in the order of their moves.
func read() ([]opening, error) {
	var all []opening
	for volume := 'a'; volume <= 'e'; volume++ {
		name := string(volume) + ".tsv"
		data, err := lists.ReadFile(name)
		if err != nil {
			return nil, err
		}
		for i, line := range strings.Split(strings.TrimSuffix(string(data), "\n"), "\n") {
			if i == 0 { // the head
				continue
			}
			o, err := parse(line)
			if err != nil {
				return nil, fmt.Errorf("%s, line %d: %w", name, i+1, err)
			}
			all = append(all, o)
		}
	}
	slices.SortFunc(all, func(a, b opening) int { return slices.Compare(a.moves, b.moves) })
	names := map[chess.Key]string{}
	for _, o := range all {
		if other, there := names[o.key]; there {
			return nil, fmt.Errorf("%s and %s are names of one position", other, o.text)
		}
		names[o.key] = o.text
	}
	return all, nil
}

// parse reads a line: code, name and moves with tabs between.
func parse(line string) (opening, error) {
	fields := strings.Split(line, "\t")
	if len(fields) != 3 || len(fields[0]) != 3 || fields[1] == "" {
		return opening{}, fmt.Errorf("%q: want a code, a name and moves with tabs between", line)
	}
	o := opening{text: fields[0] + " " + fields[1]}
	p := chess.NewPosition()
	for _, word := range strings.Fields(fields[2]) {
		if strings.HasSuffix(word, ".") { // a move's number
			continue
		}
		m, err := p.ParseSAN(word)
		if err != nil {
			return opening{}, err
		}
		if m.Kind() == chess.Promotion {
			return opening{}, fmt.Errorf("%s: a promotion has no place in the table", word)
		}
		o.moves = append(o.moves, m.String())
		p.Make(m)
	}
	o.key = p.Key()
	return o, nil
}
