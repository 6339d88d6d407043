package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/movegen/attacks"
)

// backendFlags choose how moves are counted; several commands share them.
func backendFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "path", Usage: "attack `PATH`: magic, pext, avx2 or avx512 (default: " + attacks.PathVariable + ", or the best this processor runs)"},
		&cli.IntFlag{Name: "threads", Value: 1, Usage: "count on `N` threads; 0 means one for each core"},
		&cli.IntFlag{Name: "hash", Usage: "remember subtrees in a table of `MiB`; 0 counts every node"},
	}
}

// perftRun is a way to count, as the flags ask for it.
type perftRun struct {
	backend *attacks.Backend
	threads int
	hashMiB int
	hash    *movegen.PerftHash

	stateFile string // where finished root moves are kept, empty for nowhere
	kept      uint64 // nodes that came from stateFile and took no time
}

// newPerftRun reads the flags of backendFlags.
func newPerftRun(cmd *cli.Command) (*perftRun, error) {
	path, err := attacks.FromEnvironment()
	if name := cmd.String("path"); name != "" {
		path, err = attacks.Select(name)
	}
	if err != nil {
		return nil, err
	}
	backend, err := attacks.For(path)
	if err != nil {
		return nil, err
	}
	r := &perftRun{backend: backend, threads: cmd.Int("threads"), hashMiB: cmd.Int("hash")}
	if r.threads < 0 {
		return nil, fmt.Errorf("threads: %d is negative", r.threads)
	}
	if r.threads == 0 {
		r.threads = runtime.NumCPU()
	}
	if r.hashMiB != 0 {
		if r.hash, err = movegen.NewPerftHash(r.hashMiB); err != nil {
			return nil, err
		}
	}
	return r, nil
}

// options returns the run as options of a perft.
func (r *perftRun) options() movegen.PerftOptions {
	return movegen.PerftOptions{Backend: r.backend, Threads: r.threads, Hash: r.hash}
}

// mode says in words what was timed, so that figures of different modes are
// not compared.
func (r *perftRun) mode(bulk bool) string {
	mode := "bulk counting"
	if !bulk {
		mode = "every move made"
	}
	if r.hash == nil {
		return mode + ", no hash"
	}
	return fmt.Sprintf("%s, %d MiB hash", mode, r.hashMiB)
}

// perftResult is what a perft reports, in this shape with --json.
type perftResult struct {
	FEN     string            `json:"fen"`
	Depth   int               `json:"depth"`
	Nodes   uint64            `json:"nodes"`
	Seconds float64           `json:"seconds"`
	NPS     uint64            `json:"nps"`
	Path    string            `json:"path"`
	Threads int               `json:"threads"`
	HashMiB int               `json:"hash_mib"`
	Bulk    bool              `json:"bulk"`
	Kept    uint64            `json:"kept,omitempty"` // nodes from an earlier run, not part of nps
	Divide  map[string]uint64 `json:"divide,omitempty"`
}

// perftCommand counts one position.
func perftCommand() *cli.Command {
	return &cli.Command{
		Name:  "perft",
		Usage: "count the leaves of the tree of legal moves",
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "fen", Value: chess.StartFEN, Usage: "the root, as a `FEN`, X-FEN or Shredder-FEN"},
			&cli.IntFlag{Name: "depth", Value: 6, Usage: "depth in `PLIES`"},
			&cli.BoolFlag{Name: "divide", Usage: "print the count of each root move"},
			&cli.BoolFlag{Name: "bulk", Value: true, Usage: "count the last ply without making its moves"},
			&cli.BoolFlag{Name: "json", Usage: "print one JSON object"},
			&cli.StringFlag{Name: "state", Usage: "keep finished root moves in `FILE` and go on from it after an interruption"},
		}, backendFlags()...),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if cmd.NArg() > 0 {
				return fmt.Errorf("perft: unexpected argument %q", cmd.Args().First())
			}
			p, err := chess.ParseFEN(cmd.String("fen"))
			if err != nil {
				return err
			}
			run, err := newPerftRun(cmd)
			if err != nil {
				return err
			}
			depth := cmd.Int("depth")
			if depth < 0 || depth > movegen.MaxPerftDepth {
				return fmt.Errorf("depth: %d is not between 0 and %d", depth, movegen.MaxPerftDepth)
			}
			if run.stateFile = cmd.String("state"); run.stateFile != "" && !cmd.Bool("bulk") {
				return fmt.Errorf("state: is kept with bulk counting only")
			}
			moves, result, err := run.perft(ctx, p, depth, cmd.Bool("bulk"), cmd.Root().ErrWriter)
			if err != nil {
				return err
			}
			return result.print(cmd.Root().Writer, moves, cmd.Bool("divide"), cmd.Bool("json"), run.mode(cmd.Bool("bulk")))
		},
	}
}

// perft counts p and measures the time, with a progress bar over root moves.
func (r *perftRun) perft(ctx context.Context, p *chess.Position, depth int, bulk bool, errOut io.Writer) ([]movegen.MoveNodes, perftResult, error) {
	result := perftResult{FEN: p.FEN(), Depth: depth, Path: r.backend.Path().String(), Threads: r.threads, HashMiB: r.hashMiB, Bulk: bulk}
	var moves []movegen.MoveNodes
	var err error
	start := time.Now()
	switch {
	case depth == 0:
		result.Nodes = 1
	case bulk:
		moves, err = r.divide(ctx, p, depth, errOut)
	default:
		result.Threads, result.HashMiB, result.Path = 1, 0, "position"
		bar := newProgress(errOut, int64(movegen.Count(p)), "perft")
		moves = walkDivide(p, depth, func() { bar.Add(1) })
		bar.Close()
	}
	result.Seconds = time.Since(start).Seconds()
	for _, m := range moves {
		result.Nodes += m.Nodes
	}
	result.Kept = r.kept
	result.NPS = uint64(float64(result.Nodes-r.kept) / max(result.Seconds, 1e-9))
	return moves, result, err
}

// divide counts p in bulk by root move. With a state file it begins with what
// the file holds and keeps every root move there as soon as it is counted.
func (r *perftRun) divide(ctx context.Context, p *chess.Position, depth int, errOut io.Writer) ([]movegen.MoveNodes, error) {
	bar := newProgress(errOut, -1, "perft")
	defer bar.Close()
	opt := r.options()
	opt.Progress = func(done, total int) {
		bar.ChangeMax(total)
		bar.Set(done)
	}
	if r.stateFile == "" {
		return movegen.Divide(ctx, p, depth, opt)
	}
	state, err := openPerftState(r.stateFile, p, depth)
	if err != nil {
		return nil, err
	}
	var failed error // of the state file: what cannot be kept ends the run
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	for _, nodes := range state.nodes {
		r.kept += nodes
	}
	frame, geometry := movegen.FrameOf(p)
	moveOf := func(s attacks.Step) chess.Move { return movegen.MoveOf(&frame, &geometry, p.SideToMove(), s) }
	opt.Known = func(s attacks.Step) (uint64, bool) {
		nodes, ok := state.nodes[moveOf(s)]
		return nodes, ok
	}
	opt.Done = func(b movegen.PerftBranch) {
		if err := state.add(moveOf(b.Step), b.Nodes, p); err != nil && failed == nil {
			failed = err
			cancel()
		}
	}
	moves, err := movegen.Divide(ctx, p, depth, opt)
	switch {
	case failed != nil:
		return nil, failed
	case err != nil:
		return nil, fmt.Errorf("interrupted with %d root moves of %d kept in %s; the same command goes on: %w",
			len(state.nodes), movegen.Count(p), r.stateFile, err)
	}
	return moves, nil
}

// walkDivide counts by making and unmaking every move.
func walkDivide(p *chess.Position, depth int, done func()) []movegen.MoveNodes {
	var moves []movegen.MoveNodes
	for _, m := range movegen.Legal(p, nil) {
		p.Make(m)
		moves = append(moves, movegen.MoveNodes{Move: m, Nodes: movegen.Walk(p, depth-1)})
		p.Unmake()
		done()
	}
	return moves
}

// print writes the result for a reader or as JSON.
func (r *perftResult) print(out io.Writer, moves []movegen.MoveNodes, divide, asJSON bool, mode string) error {
	slices.SortFunc(moves, func(a, b movegen.MoveNodes) int { return strings.Compare(a.Move.String(), b.Move.String()) })
	if asJSON {
		if divide {
			r.Divide = make(map[string]uint64, len(moves))
			for _, m := range moves {
				r.Divide[m.Move.String()] = m.Nodes
			}
		}
		return json.NewEncoder(out).Encode(r)
	}
	if divide {
		for _, m := range moves {
			fmt.Fprintf(out, "%s: %d\n", m.Move, m.Nodes)
		}
		fmt.Fprintln(out)
	}
	if r.Kept > 0 {
		mode += fmt.Sprintf(", speed without %d nodes kept from earlier", r.Kept)
	}
	_, err := fmt.Fprintf(out, "%s\ndepth %d: %d nodes in %.3f s, %.1f million nodes a second (%s path, threads %d, %s)\n",
		r.FEN, r.Depth, r.Nodes, r.Seconds, float64(r.NPS)/1e6, r.Path, r.Threads, mode)
	return err
}
