package annotate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/journal"
	"github.com/tabula-chess/tabula/internal/plural"
	"github.com/tabula-chess/tabula/pgn"
	"github.com/tabula-chess/tabula/review"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/syzygy"
	"github.com/tabula-chess/tabula/work"
)

// Stdio is the name that stands for standard input or output.
const Stdio = "-"

// Settings say what to annotate and how.
type Settings struct {
	Files []string // PGN files, at least one; Stdio for standard input
	Out   string   // the annotated PGN; Stdio for standard output
	JSON  string   // reports, one per line; "" for none
	HTML  string   // a page; "" for none

	Mistakes string // the mistakes as exercises, a PGN; "" for none
	Player   string // whose: words of the name in any order; "" for both sides'

	Limits  review.Limits
	Threads int            // games reviewed at a time, at least 1
	At      work.Executor  // where games are reviewed; nil for the threads of this process
	Hash    int            // MiB per engine
	Network *nnue.Network  // nil for the built-in network
	Tables  *syzygy.Tables // endgame tables; nil for none
	Restart bool           // discard the results of an interrupted run
	Strict  bool           // a shortened game, see pgn.Game, counts as unreadable
	Why     bool           // see review.Options

	In          io.Reader
	Stdout, Err io.Writer

	kept func(game int) // called when a game has come into the journal; may be nil
}

// ErrUnread reports unreadable games. All other games are written.
var ErrUnread = errors.New("could not be read")

// suffix ends the name of the journal of an output.
const suffix = ".journal"

// signature returns the signature of the search. It takes half a second.
var signature = sync.OnceValues(func() (uint64, error) {
	return search.Signature(context.Background(), nnue.Embedded(), nil)
})

// Run annotates the games. Errors: usage errors, wrapped by exit.WrongUse; exit.ErrInterrupted if
// ctx is done, with the results kept for the next run; [ErrUnread], after all readable games are
// written.
func Run(ctx context.Context, s Settings) error {
	if err := s.check(); err != nil {
		return err
	}
	known, err := s.survey(ctx)
	if err != nil {
		return err
	}
	out, err := s.outputs()
	if err != nil {
		return err
	}
	defer out.abort()
	k := &reviews{
		Limits: s.Limits, Hash: s.Hash, Tables: found(s.Tables), Strict: s.Strict, Why: s.Why,
		tables: s.Tables, games: s.source(s.Err, command.NewBar(io.Discard, -1, "")), out: out,
	}
	defer k.games.close()
	if err := s.review(ctx, k, known); err != nil {
		return err
	}
	if k.written == 0 {
		s.printUnwritten()
		return nil
	}
	s.printSummary(k.written-k.bad, k.short)
	if s.Mistakes != "" {
		fmt.Fprintf(s.Err, "exercises from mistakes: %d\n", out.found)
	}
	if k.bad > 0 {
		return fmt.Errorf("%d of %s %w", k.bad, plural.Of(k.written, "game"), ErrUnread)
	}
	return nil
}

// review reviews all games and commits the outputs, if there is a game.
func (s *Settings) review(ctx context.Context, k *reviews, known survey) error {
	bar := command.NewBar(s.Err, known.plies, "annotate")
	k.reviewed = func() { bar.Add(1) }
	var inputs work.Files
	if s.Network != nil {
		var file bytes.Buffer
		if _, err := s.Network.WriteTo(&file); err != nil {
			return err
		}
		k.Network = inputs.Add(file.Bytes())
	}
	kept, positions := 0, int64(0)
	o := work.RunOptions{
		Restart: s.Restart, Inputs: inputs.Get, Finish: k.finish,
		Stored: func(index int, now bool) {
			if index >= len(known.sizes) || known.sizes[index] == 0 {
				return // unreadable
			}
			if kept++; !now {
				positions += int64(known.sizes[index])
				bar.Begin(positions)
			} else if s.kept != nil {
				s.kept(index)
			}
		},
	}
	if s.resumable() {
		o.Journal = k.out.pgn.pending.Target() + suffix
		o.Damaged = func(d journal.Damage) {
			fmt.Fprintf(s.Err, "%s: %v; the games stored there are reviewed again\n", o.Journal, d)
		}
	}
	var engine uint64
	if s.resumable() || s.At != nil {
		var err error
		if engine, err = signature(); err != nil {
			return err
		}
	}
	spec, err := Type().Spec(k, engine, append(inputs.Sums(), known.sums...)...)
	if err != nil {
		return exit.WrongUse(err)
	}
	at := s.At
	if at == nil {
		at = work.Local(s.Threads)
	}
	err = work.Run(ctx, spec, k, at, o)
	bar.Close()
	switch {
	case errors.Is(err, work.ErrOtherRun):
		return exit.WrongUsef("%w; repeat its command to finish it, or give --restart to discard it", err)
	case err == nil || ctx.Err() == nil:
		return err
	case kept > 0:
		return fmt.Errorf("%w: %s kept in %s; repeat the command to continue",
			exit.ErrInterrupted, plural.Do(kept, "game", "is", "are"), o.Journal)
	}
	return exit.ErrInterrupted
}

// printSummary prints the number of annotated games, how many of them are shortened, and the output files, if there
// are any.
func (s *Settings) printSummary(games, short int) {
	if names := s.outputFiles(); len(names) > 0 {
		of := ""
		if short > 0 {
			of = fmt.Sprintf(" (shortened: %d)", short)
		}
		fmt.Fprintf(s.Err, "games annotated: %d%s, in %s\n", games, of, strings.Join(names, ", "))
	}
}

// printUnwritten prints which files stay as they are, since there is no game.
func (s *Settings) printUnwritten() {
	if names := s.outputFiles(); len(names) > 0 {
		fmt.Fprintf(s.Err, "not written: %s\n", strings.Join(names, ", "))
	}
}

// outputFiles returns the names of the outputs that are files.
func (s *Settings) outputFiles() []string {
	return slices.DeleteFunc(s.names(), func(name string) bool { return name == "" || name == Stdio })
}

// check checks the settings.
func (s *Settings) check() error {
	stdin, stdout := 0, 0
	for _, name := range s.Files {
		if name == Stdio {
			stdin++
		}
	}
	for _, name := range s.names() {
		if name == Stdio {
			stdout++
		}
	}
	switch {
	case len(s.Files) == 0:
		return exit.WrongUsef("want PGN files, or - for standard input")
	case stdin > 1:
		return exit.WrongUsef("standard input can be read only once")
	case stdout > 1:
		return exit.WrongUsef("two outputs go to standard output")
	case s.Out == "":
		return exit.WrongUsef("the name of the output is empty: want a file, or - for standard output")
	case s.Player != "" && s.Mistakes == "" && s.HTML == "":
		return exit.WrongUsef("--player says whose mistakes or time count: want --mistakes or --html too")
	}
	return s.apart()
}

// names returns the names of the outputs, "" for one that is not wanted; the annotated games come first.
func (s *Settings) names() []string { return []string{s.Out, s.JSON, s.HTML, s.Mistakes} }

// apart returns an error if an output would overwrite another output, or if one other than the annotated
// games would overwrite an input. The annotated games may replace an input.
func (s *Settings) apart() error {
	for i, name := range s.names() {
		for _, other := range s.names()[:i] {
			if sameFile(name, other) {
				return exit.WrongUsef("two outputs go to %s", name)
			}
		}
		for _, other := range s.Files {
			if i > 0 && sameFile(name, other) {
				return exit.WrongUsef("%s is an input, want another file for the %s", name,
					[]string{"", "JSON", "HTML", "mistakes"}[i])
			}
		}
	}
	return nil
}

// sameFile reports whether two names refer to the same file, also through links.
func sameFile(a, b string) bool {
	if a == "" || a == Stdio || b == Stdio {
		return false
	}
	if filepath.Clean(a) == filepath.Clean(b) {
		return true
	}
	x, err := os.Stat(a)
	if err != nil {
		return false
	}
	y, err := os.Stat(b)
	return err == nil && os.SameFile(x, y)
}

// AnnotatedGame is a line of the JSON output: the tags of a game and its report.
type AnnotatedGame struct {
	Tags []pgn.Tag `json:"tags"`
	*review.Report
}
