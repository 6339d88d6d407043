// Command puzzles checks whether the engine solves puzzles.
//
//	go run ./examples/puzzles [-nodes 100000] puzzles.csv
//
// The file is a table as lichess.org publishes it: PuzzleId, FEN and Moves in UCI
// text with a comma between, other columns behind; the first move is the
// opponent's, and every other one is to be found. Another move that mates at once
// is as good.
package main

import (
	"context"
	"encoding/csv"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"sync"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/search"
)

func main() {
	nodes := flag.Uint64("nodes", 100_000, "positions to search for each move")
	flag.Usage = func() {
		fmt.Fprintln(flag.CommandLine.Output(), "usage: puzzles [-nodes N] puzzles.csv")
		flag.PrintDefaults()
	}
	flag.Parse()
	if flag.NArg() != 1 {
		fmt.Fprintln(os.Stderr, "puzzles: want one file, the table of puzzles as lichess.org publishes it")
		flag.Usage()
		os.Exit(2)
	}
	f, err := os.Open(flag.Arg(0))
	if err == nil {
		err = run(context.Background(), f, os.Stdout, *nodes)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "puzzles:", err)
		os.Exit(1)
	}
}

// run checks all puzzles of a table, several at once, and writes what was not
// solved, in the table's order, and how many were.
func run(ctx context.Context, src io.Reader, out io.Writer, nodes uint64) error {
	table := csv.NewReader(src)
	table.FieldsPerRecord = -1
	rows, err := table.ReadAll()
	if err != nil {
		return err
	}
	if len(rows) > 0 && rows[0][0] == "PuzzleId" {
		rows = rows[1:]
	}
	pool, err := search.NewPool(runtime.GOMAXPROCS(0), search.Config{Hash: 8})
	if err != nil {
		return err
	}
	defer pool.Close()
	faults := make([]error, len(rows))
	var wg sync.WaitGroup
	for i, row := range rows {
		wg.Go(func() { faults[i] = check(ctx, pool, row, search.Limits{Nodes: nodes}) })
	}
	wg.Wait()
	solved := len(rows)
	for i, fault := range faults {
		if fault != nil {
			solved--
			fmt.Fprintln(out, rows[i][0]+":", fault)
		}
	}
	_, err = fmt.Fprintf(out, "%d of %d solved\n", solved, len(rows))
	return err
}

// check returns nil where every move of the solution is found.
func check(ctx context.Context, pool *search.Pool, row []string, limits search.Limits) error {
	if len(row) < 3 {
		return fmt.Errorf("too few columns (%d), want PuzzleId, FEN and Moves", len(row))
	}
	p, err := chess.ParseFEN(row[1])
	if err != nil {
		return err
	}
	for i, text := range strings.Fields(row[2]) {
		want, err := p.ParseUCI(text)
		if err != nil {
			return err
		}
		if i%2 == 1 {
			found, err := pool.Search(ctx, p, limits, nil)
			if err != nil {
				return err
			}
			if moves, mate := found.Score.MateIn(); found.Best != want && (!mate || moves != 1) {
				return fmt.Errorf("move %d: %s (%s), want %s", i, found.LineSAN(0), found.Score, p.SAN(want))
			}
		}
		p.Make(want)
	}
	return nil
}
