package main

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/bench/count"
	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/plural"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/movegen/perft"
)

// backendFlags returns the flags that choose how moves are counted.
func backendFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{
			Name: "path", Sources: cli.EnvVars(movegen.PathVariable),
			Usage: "attack `PATH`: magic, pext, avx2, avx512 or neon (default: the fastest on this processor)",
		},
		threadsFlag(),
		hashFlag(0, "store subtree counts in a hash table of `MiB`; 0 uses none"),
	}
}

// backendOptions reads backendFlags.
func backendOptions(cmd *cli.Command) (o perft.Options, err error) {
	path, err := movegen.SelectPath(cmd.String("path"))
	if err != nil {
		return o, exit.WrongUse(err)
	}
	o.Path = path.String()
	if o.Threads = cmd.Int("threads"); o.Threads < 0 {
		return o, exit.WrongUsef("threads: %d is negative", o.Threads)
	}
	if o.Threads == 0 {
		o.Threads = runtime.NumCPU()
	}
	if size := cmd.Int("hash"); size != 0 {
		o.Table, err = perft.NewTable(size, 0)
	}
	return o, exit.WrongUse(err)
}

// perftCommand counts one position.
func perftCommand() *cli.Command {
	return &cli.Command{
		Name:  "perft",
		Usage: "count the leaves of the tree of legal moves",
		Flags: append([]cli.Flag{
			count.FENFlag(),
			depthFlag(6, "depth in `PLIES`"),
			&cli.BoolFlag{Name: "divide", Usage: "print the count for each root move"},
			&cli.BoolFlag{Name: "stats", Usage: "count captures, checks, mates and so on at each depth; uses no hash table"},
			&cli.BoolFlag{Name: "json", Usage: "print one JSON object"},
		}, backendFlags()...),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if err := command.NoArguments(cmd); err != nil {
				return err
			}
			p, err := count.Root(cmd)
			if err != nil {
				return err
			}
			o, err := backendOptions(cmd)
			if err != nil {
				return err
			}
			depth := cmd.Int("depth")
			if depth < 0 || depth > perft.MaxDepth {
				return exit.WrongUsef("depth: %d is not between 0 and %d", depth, perft.MaxDepth)
			}
			return runPerft(ctx, cmd, p, depth, o)
		},
	}
}

// counted is the result of a perft, and its form with --json.
type counted struct {
	FEN     string            `json:"fen"`
	Depth   int               `json:"depth"`
	Nodes   uint64            `json:"nodes"`
	Seconds float64           `json:"seconds"`
	NPS     uint64            `json:"nps"`
	Path    string            `json:"path"`
	Threads int               `json:"threads"`
	HashMiB int               `json:"hash_mib"`
	Divide  map[string]uint64 `json:"divide,omitempty"`

	Statistics []perft.Statistics `json:"statistics,omitempty"` // of depth 1, 2 and so on
}

// runPerft counts p, with a progress bar over root moves, and prints the result.
func runPerft(ctx context.Context, cmd *cli.Command, p *chess.Position, depth int, o perft.Options) error {
	bar := command.NewBar(cmd.Root().ErrWriter, -1, "perft")
	o.Progress = func(done, total int) {
		bar.Total(total)
		bar.Set(done)
	}
	result := counted{FEN: p.FEN(), Depth: depth, Path: o.Path, Threads: o.Threads, HashMiB: cmd.Int("hash")}
	var moves []perft.Branch
	var err error
	start := time.Now()
	switch {
	case depth == 0:
		result.Nodes = 1
	case cmd.Bool("stats"):
		result.HashMiB = 0
		result.Statistics, moves, err = perft.CountStatistics(ctx, p, depth, o)
	default:
		moves, err = perft.Divide(ctx, p, depth, o)
	}
	result.Seconds = time.Since(start).Seconds()
	bar.Close()
	if err != nil {
		return err
	}
	if depth > 0 {
		if result.Nodes, err = perft.Sum(moves); err != nil {
			return err
		}
	}
	result.NPS = uint64(float64(result.Nodes) / max(result.Seconds, 1e-9))
	if !cmd.Bool("divide") {
		moves = nil
	}
	return result.print(cmd, p, moves)
}

// print writes the counts of moves and the result, as text or JSON.
func (r *counted) print(cmd *cli.Command, p *chess.Position, moves []perft.Branch) error {
	out, uci := cmd.Root().Writer, p.UCI
	if p.Chess960() {
		uci = chess.Move.String
	}
	if cmd.Bool("json") {
		r.Divide = make(map[string]uint64, len(moves))
		for _, m := range moves {
			r.Divide[uci(m.Move)] = m.Nodes
		}
		return json.NewEncoder(out).Encode(r)
	}
	slices.SortFunc(moves, func(a, b perft.Branch) int { return strings.Compare(a.Move.String(), b.Move.String()) })
	for _, m := range moves {
		fmt.Fprintf(out, "%s: %d\n", uci(m.Move), m.Nodes)
	}
	if len(moves) > 0 {
		fmt.Fprintln(out)
	}
	if len(r.Statistics) > 0 {
		table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
		fmt.Fprintf(table, "depth\t%s\t\n", strings.Join(perft.StatisticsColumns[:], "\t"))
		for i, s := range r.Statistics {
			fmt.Fprint(table, i+1)
			for _, n := range s.Values() {
				fmt.Fprintf(table, "\t%d", n)
			}
			fmt.Fprintln(table, "\t")
		}
		if err := table.Flush(); err != nil {
			return err
		}
		fmt.Fprintln(out)
	}
	hash := "no hash"
	if r.HashMiB > 0 {
		hash = fmt.Sprintf("%d MiB hash", r.HashMiB)
	}
	_, err := fmt.Fprintf(out, "%s\ndepth %d: %s in %.3f s, %.1f million nodes/s (%s path, threads %d, %s)\n",
		r.FEN, r.Depth, plural.Of(r.Nodes, "node"), r.Seconds, float64(r.NPS)/1e6, r.Path, r.Threads, hash)
	return err
}
