// Package count counts one position as a command asks for it: by path, threads
// and hash table, with a progress bar.
package count

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/movegen/perft"
)

// Run is a way to count, as the flags ask for it.
type Run struct {
	backend *perft.Backend
	threads int
	hashMiB int
	hash    *perft.Hash
}

// NewRun returns a way to count by its path (empty: as the environment says,
// or the best), its threads (0: one for each core) and the size of its hash table
// (0: none).
func NewRun(pathName string, threads, hashMiB int) (*Run, error) {
	path, err := movegen.PathFromEnvironment()
	if pathName != "" {
		path, err = movegen.SelectPath(pathName)
	}
	if err != nil {
		return nil, command.WrongUse(err)
	}
	backend, err := perft.For(path)
	if err != nil {
		return nil, err
	}
	r := &Run{backend: backend, threads: threads, hashMiB: hashMiB}
	if r.threads < 0 {
		return nil, command.WrongUsef("threads: %d is negative", r.threads)
	}
	if r.threads == 0 {
		r.threads = runtime.NumCPU()
	}
	if r.hashMiB != 0 {
		if r.hash, err = perft.NewHash(r.hashMiB); err != nil {
			return nil, command.WrongUse(err)
		}
	}
	return r, nil
}

// Options returns the run as options of a perft.
func (r *Run) Options() perft.Options {
	return perft.Options{Backend: r.backend, Threads: r.threads, Hash: r.hash}
}

// Mode says in words what was timed, so that figures of different modes are
// not compared.
func (r *Run) Mode(bulk bool) string {
	mode := "bulk counting"
	if !bulk {
		mode = "every move made"
	}
	if r.hash == nil {
		return mode + ", no hash"
	}
	return fmt.Sprintf("%s, %d MiB hash", mode, r.hashMiB)
}

// Result is what a perft reports, in this shape with --json.
type Result struct {
	FEN     string            `json:"fen"`
	Depth   int               `json:"depth"`
	Nodes   uint64            `json:"nodes"`
	Seconds float64           `json:"seconds"`
	NPS     uint64            `json:"nps"`
	Path    string            `json:"path"`
	Threads int               `json:"threads"`
	HashMiB int               `json:"hash_mib"`
	Bulk    bool              `json:"bulk"`
	Divide  map[string]uint64 `json:"divide,omitempty"`
}

// Perft counts p and measures the time, with a progress bar over root moves.
func (r *Run) Perft(ctx context.Context, p *chess.Position, depth int, bulk bool, errOut io.Writer) ([]perft.Branch, Result, error) {
	result := Result{FEN: p.FEN(), Depth: depth, Path: r.backend.Path().String(), Threads: r.threads, HashMiB: r.hashMiB, Bulk: bulk}
	var moves []perft.Branch
	var err error
	start := time.Now()
	switch {
	case depth == 0:
		result.Nodes = 1
	case bulk:
		moves, err = r.divide(ctx, p, depth, errOut)
	default:
		result.Threads, result.HashMiB, result.Path = 1, 0, "position"
		bar := command.NewBar(errOut, int64(perft.Legal(p)), "perft")
		moves = walkDivide(p, depth, func() { bar.Add(1) })
		bar.Close()
	}
	result.Seconds = time.Since(start).Seconds()
	for _, m := range moves {
		result.Nodes += m.Nodes
	}
	result.NPS = uint64(float64(result.Nodes) / max(result.Seconds, 1e-9))
	return moves, result, err
}

// divide counts p in bulk by root move.
func (r *Run) divide(ctx context.Context, p *chess.Position, depth int, errOut io.Writer) ([]perft.Branch, error) {
	bar := command.NewBar(errOut, -1, "perft")
	defer bar.Close()
	opt := r.Options()
	opt.Progress = func(done, total int) {
		bar.Total(total)
		bar.Set(done)
	}
	return perft.New(opt).Divide(ctx, p, depth)
}

// walkDivide counts by making and unmaking every move.
func walkDivide(p *chess.Position, depth int, done func()) []perft.Branch {
	var moves []perft.Branch
	for _, m := range movegen.Legal(p, nil) {
		p.Make(m)
		moves = append(moves, perft.Branch{Move: m, Nodes: perft.Walk(p, depth-1)})
		p.Unmake()
		done()
	}
	return moves
}

// Print writes the result for a reader or as JSON.
func (r *Result) Print(out io.Writer, moves []perft.Branch, divide, asJSON bool, mode string) error {
	slices.SortFunc(moves, func(a, b perft.Branch) int { return strings.Compare(a.Move.String(), b.Move.String()) })
	p, err := chess.ParseFEN(r.FEN)
	if err != nil {
		return err
	}
	uci := p.UCI
	if p.Chess960() {
		uci = chess.Move.String
	}
	if asJSON {
		if divide {
			r.Divide = make(map[string]uint64, len(moves))
			for _, m := range moves {
				r.Divide[uci(m.Move)] = m.Nodes
			}
		}
		return json.NewEncoder(out).Encode(r)
	}
	if divide {
		for _, m := range moves {
			fmt.Fprintf(out, "%s: %d\n", uci(m.Move), m.Nodes)
		}
		fmt.Fprintln(out)
	}
	_, err = fmt.Fprintf(out, "%s\ndepth %d: %d nodes in %.3f s, %.1f million nodes a second (%s path, threads %d, %s)\n",
		r.FEN, r.Depth, r.Nodes, r.Seconds, float64(r.NPS)/1e6, r.Path, r.Threads, mode)
	return err
}
