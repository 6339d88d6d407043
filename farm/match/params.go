// Package match is the kind of run that lets two engines play each other. A job
// is a block of pairs, a pair two games from one opening with colours exchanged;
// the fold counts pairs in order of their numbers, so that a sequential test
// never sees the quick pairs first.
//
// An engine is a commit of this repository, which each worker builds and whose
// bench it checks, or a command that runs on the workers' machines. Games at
// fixed nodes between commits are the same on every machine, and one block in a
// hundred is played again by another worker; games by the clock, and engines
// whose repeatability nobody knows, are believed.
package match

import (
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/tabula-chess/tabula/chess"

	"github.com/tabula-chess/tabula/tabula-farm/run"
	"github.com/tabula-chess/tabula/train/match"
)

// Kind is the name of this kind of run.
const Kind = "match"

// Version changes when jobs of the same parameters come to other values.
const Version = 1

// MaxPairs bounds the pairs of a match.
const MaxPairs = 1_000_000

// Side is one of the two engines.
type Side struct {
	Name    string            `json:"name"`
	Source  string            `json:"source,omitempty"`  // hash of the input that Archive made; without, Command
	Bench   uint64            `json:"bench,omitempty"`   // nodes that the bench of what is built must visit
	Command []string          `json:"command,omitempty"` // program on the worker's machine, and its arguments
	Options map[string]string `json:"options,omitempty"` // UCI options besides Hash and Threads
}

// Params are the parameters of a run.
type Params struct {
	A, B   Side
	Pairs  int           `json:"pairs"`  // at most
	PerJob int           `json:"perjob"` // pairs
	Nodes  uint64        `json:"nodes"`  // of a search; 0 with a clock
	Clock  match.Clock   `json:"clock"`  // nanoseconds; zero with Nodes
	Margin time.Duration `json:"margin"` // that a move may come after its time
	Hash   int           `json:"hash"`   // MiB of each engine
	Test   *match.Test   `json:"test,omitempty"`
}

// Check returns an error that names the first field out of range.
func (p *Params) Check() error {
	switch {
	case p.Pairs < 1 || p.Pairs > MaxPairs:
		return fmt.Errorf("pairs %d: want 1 to %d", p.Pairs, MaxPairs)
	case p.PerJob < 1 || p.PerJob > 1000:
		return fmt.Errorf("pairs of a job %d: want 1 to 1000", p.PerJob)
	case p.Clock.NodeTime != 0:
		return fmt.Errorf("node time %d: want none: engines in processes of their own have a clock of seconds", p.Clock.NodeTime)
	case p.Margin < 0 || p.Margin > time.Hour:
		return fmt.Errorf("margin %v: want 0 to 1h", p.Margin)
	case p.Hash < 1 || p.Hash > 1<<25:
		return fmt.Errorf("hash %d MiB: want 1 to %d", p.Hash, 1<<25)
	}
	if err := (&match.Rules{Nodes: p.Nodes, Clock: p.Clock}).Check(); err != nil {
		return err
	}
	for _, s := range []*Side{&p.A, &p.B} {
		if err := s.check(); err != nil {
			return fmt.Errorf("engine %s: %w", s.Name, err)
		}
	}
	if p.Test != nil {
		return p.Test.Check()
	}
	return nil
}

// check returns an error that names the first field out of range.
func (s *Side) check() error {
	switch sum, err := hex.DecodeString(s.Source); {
	case (s.Source == "") == (len(s.Command) == 0):
		return fmt.Errorf("source and command: want one of the two")
	case s.Source != "" && (err != nil || len(sum) != 32):
		return fmt.Errorf("source %q: want a SHA-256", s.Source)
	case s.Options[""] != "":
		return fmt.Errorf("option %q: want a name", "")
	case s.Source != "" && s.Bench == 0:
		return fmt.Errorf("bench: want the number of nodes that it visits")
	}
	return nil
}

// Jobs returns the number of jobs.
func (p *Params) Jobs() int { return (p.Pairs + p.PerJob - 1) / p.PerJob }

// pairs returns the number of pairs of a job.
func (p *Params) pairs(index int) int { return min(p.PerJob, p.Pairs-index*p.PerJob) }

// Book returns the input that holds openings, FEN.
func Book(fens []string) []byte { return []byte(strings.Join(fens, "\n") + "\n") }

// parseBook reads what Book wrote.
func parseBook(data []byte) ([]*chess.Position, error) {
	var all []*chess.Position
	for i, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
		p, err := chess.ParseFEN(line)
		if err != nil {
			return nil, fmt.Errorf("opening %d: %w", i+1, err)
		}
		if o := p.Outcome(); o != chess.Ongoing {
			return nil, fmt.Errorf("opening %d, %s: the game is over: %v", i+1, line, o)
		}
		all = append(all, p)
	}
	return all, nil
}

// CheckBook returns an error that names the first opening that is none.
func CheckBook(fens []string) error {
	_, err := parseBook(Book(fens))
	return err
}

// Set says which engine a text means, as farm match takes it. For a commit of the repository
// in the present directory it returns the source, built once here to learn the number of its bench.
func (s *Side) Set(ctx context.Context, text string, cache *Cache, log io.Writer) (source []byte, err error) {
	if text, s.Options, err = match.ParsePlayer(text); err != nil {
		return nil, err
	}
	if line, ok := strings.CutPrefix(text, "exec:"); ok {
		if s.Command = strings.Fields(line); len(s.Command) == 0 {
			return nil, fmt.Errorf("engine %q: want a program after exec", text)
		}
		s.Name = filepath.Base(s.Command[0])
		return nil, nil
	}
	source, commit, err := Archive(ctx, ".", text)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(log, "builds %s, commit %.10s, and runs its bench\n", text, commit)
	if _, s.Bench, err = cache.Engine(ctx, source); err != nil {
		return nil, fmt.Errorf("commit %s: %w", text, err)
	}
	s.Source, s.Name = run.Sum(source), fmt.Sprintf("%.10s", commit)
	return source, nil
}
