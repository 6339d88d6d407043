package annotate

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/files"
	"github.com/tabula-chess/tabula/internal/parallel"
	"github.com/tabula-chess/tabula/internal/plural"
	"github.com/tabula-chess/tabula/pgn"
	"github.com/tabula-chess/tabula/review"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/syzygy"
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
	Hash    int            // MiB per engine
	Network *nnue.Network  // nil for the built-in network
	Tables  *syzygy.Tables // endgame tables; nil for none
	Restart bool           // discard the results of an interrupted run
	Strict  bool           // a shortened game, see pgn.Game, counts as unreadable

	In          io.Reader
	Stdout, Err io.Writer

	kept func(game int) // called when a game is in the journal; may be nil
}

// game is a game in progress.
type game struct {
	pgn    *pgn.Game
	engine *search.Engine // reviews the game; nil if it is not to be reviewed
	done   done
	give   func() // returns the size of its text to the budget
}

// done is the result of a game.
type done struct {
	Index  int             `json:"game"`
	Text   []byte          `json:"text"`   // the annotated game, or the original text of an unreadable game
	Report json.RawMessage `json:"report"` // nil for an unreadable game
}

// ErrUnread reports unreadable games. All other games are written.
var ErrUnread = errors.New("could not be read")

// Run annotates the games. Errors: usage errors, wrapped by exit.WrongUse; exit.ErrInterrupted if
// ctx is done, with the results kept for the next run; [ErrUnread], after all readable games are
// written.
func Run(ctx context.Context, s Settings) (err error) {
	if err := s.check(); err != nil {
		return err
	}
	known, err := s.survey(ctx)
	if err != nil {
		return err
	}
	outputs, err := s.outputs()
	if err != nil {
		return err
	}
	defer outputs.abort()
	b := &batch{Settings: s, outputs: outputs, bar: command.NewBar(s.Err, known.plies, "annotate")}
	if s.resumable() {
		if b.journal, err = s.openJournal(outputs.pgn.pending.Target()+suffix, known.digest); err != nil {
			return err
		}
		defer func() { err = errors.Join(err, b.journal.close()) }()
	}
	b.bar.Begin(b.journal.plies(known.sizes))
	err = b.run(ctx)
	b.bar.Close()
	if err != nil {
		return b.interrupted(ctx, err)
	}
	if b.written == 0 {
		s.printUnwritten()
		return b.journal.remove()
	}
	if err := outputs.commit(); err != nil {
		return err
	}
	if err := b.journal.remove(); err != nil {
		return err
	}
	s.printSummary(b.written-b.bad, b.short)
	if s.Mistakes != "" {
		fmt.Fprintf(s.Err, "exercises from mistakes: %d\n", outputs.found)
	}
	if b.bad > 0 {
		return fmt.Errorf("%d of %s %w", b.bad, plural.Of(b.written, "game"), ErrUnread)
	}
	return nil
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
	case s.Player != "" && s.Mistakes == "":
		return exit.WrongUsef("--player says whose mistakes are written: want --mistakes too")
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
				return exit.WrongUsef("%s is an input, want another file for the %s", name, []string{"", "JSON", "HTML", "mistakes"}[i])
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

// batch is one run.
type batch struct {
	Settings
	journal *reviewed // nil if the command cannot be repeated
	outputs *outputs
	bar     *command.Bar
	budget  *parallel.Budget
	bad     int // unreadable games
	short   int // shortened ones
	written int
}

// interrupted adds to the error of an interrupted run what the journal holds.
func (b *batch) interrupted(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return err
	}
	if n := b.journal.count(); n > 0 {
		return fmt.Errorf("%w: %s kept in %s; repeat the command to continue",
			exit.ErrInterrupted, plural.Do(n, "game", "is", "are"), b.journal.file.Name())
	}
	return exit.ErrInterrupted
}

// ahead bounds the games per thread that are in progress or wait for an earlier game.
const ahead = 8

// underWay bounds the bytes of all games in progress; a larger game is processed alone.
const underWay = pgn.MaxGameSize / 2

// run reads, reviews and writes.
func (b *batch) run(parent context.Context) error {
	engines, err := b.engines()
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancelCause(parent)
	defer cancel(nil)
	b.budget = parallel.NewBudget(underWay)
	return parallel.InOrder(ctx, ahead*b.Threads, func(yield func(game) bool) {
		if err := b.read(ctx, engines, yield); err != nil {
			cancel(err)
		}
	}, func(g game) game {
		if g.engine != nil {
			if err := b.review(ctx, &g); err != nil {
				cancel(err)
			}
			engines <- g.engine
		}
		g.pgn = nil
		return g
	}, func(g game) error {
		err := b.outputs.write(g.done)
		g.give()
		if err != nil {
			cancel(err)
		}
		b.written++
		return err
	})
}

// engines returns an engine for each thread.
func (b *batch) engines() (chan *search.Engine, error) {
	engines := make(chan *search.Engine, b.Threads)
	for range b.Threads {
		e, err := search.NewEngine(b.Hash)
		if err != nil {
			return nil, exit.WrongUse(err)
		}
		if b.Network != nil {
			e.SetNetwork(b.Network)
		}
		e.SetTables(b.Tables)
		engines <- e
	}
	return engines, nil
}

// read yields the games in order. Each gets an engine as soon as one is free, unless it is in the
// journal or unreadable.
func (b *batch) read(ctx context.Context, engines <-chan *search.Engine, yield func(game) bool) error {
	index := 0
	return b.games(ctx, func(file string, size int, read *pgn.Game, bad *badGame) error {
		give, free := b.budget.Take(ctx.Done(), size)
		if !free {
			return context.Cause(ctx)
		}
		d, ok, err := b.journal.get(index)
		if err != nil {
			return err
		}
		g := game{pgn: read, done: d}
		g.done.Index, g.give = index, give
		index++
		if read != nil && read.Warning != nil {
			fmt.Fprintf(b.Err, "warning: %s: %v\n", file, read.Warning)
		}
		if read != nil && read.Shortened {
			b.short++
		}
		if bad != nil {
			b.bad++
			fmt.Fprintf(b.Err, "%s: %v\n", file, bad.err)
			g.done.Text = bad.text
		} else if !ok {
			select {
			case g.engine = <-engines:
			case <-ctx.Done():
			}
		}
		if ctx.Err() != nil || !yield(g) {
			return context.Cause(ctx)
		}
		return nil
	})
}

// review reviews one game and stores the result in the journal.
func (b *batch) review(ctx context.Context, g *game) error {
	d := &g.done
	options := review.Options{Limits: b.Limits, Tables: search.AllTables()}
	report, err := review.Game(ctx, g.engine, g.pgn, options, func(review.Progress) { b.bar.Add(1) })
	if err != nil {
		return err
	}
	text, err := report.PGN(g.pgn)
	if err != nil {
		return fmt.Errorf("game %d: %w", d.Index+1, err)
	}
	d.Text = []byte(text)
	if d.Report, err = json.Marshal(Game{Tags: append([]pgn.Tag{}, g.pgn.Tags...), Report: report}); err != nil {
		return err
	}
	if err := b.journal.put(*d); err != nil {
		return err
	}
	if b.kept != nil {
		b.kept(d.Index)
	}
	return nil
}

// Game is a line of the JSON output: the tags of a game and its report.
type Game struct {
	Tags []pgn.Tag `json:"tags"`
	*review.Report
}

// open opens an input.
func (s *Settings) open(ctx context.Context, name string) (io.ReadCloser, error) {
	if name == Stdio {
		command.Awaits(s.In, s.Err, "annotate reads PGN until Ctrl-D")
		return io.NopCloser(files.Until(ctx, s.In)), nil
	}
	return os.Open(name)
}
