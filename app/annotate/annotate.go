package annotate

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/parallel"
	"github.com/tabula-chess/tabula/pgn"
	"github.com/tabula-chess/tabula/review"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/syzygy"
)

// Stdio is the name that stands for standard input or output.
const Stdio = "-"

// Settings say what to annotate and how.
type Settings struct {
	Files   []string // PGN files, at least one; Stdio for standard input
	Out     string   // the annotated PGN; Stdio for standard output
	JSON    string   // reports, one a line; "" for none
	HTML    string   // a page; "" for none
	Limits  review.Limits
	Threads int            // games at a time, at least 1
	Hash    int            // MiB of each
	Network *nnue.Network  // nil for the one that is part of the program
	Tables  *syzygy.Tables // of endgames; nil for none
	Restart bool           // forget what an earlier run has done

	In          io.Reader
	Stdout, Err io.Writer

	kept func(game int) // told of each game once it will not be reviewed again; nil where nobody asks
}

// game is a game on its way.
type game struct {
	pgn    *pgn.Game
	engine *search.Engine // to review it; nil where that is not to be done
	done   done
	give   func() // gives its text back to the budget
}

// done is what became of a game.
type done struct {
	index  int
	text   []byte // the annotated game, or the text of one that cannot be read
	report []byte // as JSON; nil for one that cannot be read
}

// ErrUnread says that games could not be read; all others are written.
var ErrUnread = errors.New("could not be read")

// Run annotates the games. Errors: those of use by exit.WrongUse; exit.ErrInterrupted
// once ctx is done, with what has been done kept for the next run; [ErrUnread], after
// all games that could be read are written.
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
	if err := outputs.commit(); err != nil {
		return err
	}
	if err := b.journal.remove(); err != nil {
		return err
	}
	s.tell(b.written - b.bad)
	if b.bad > 0 {
		return fmt.Errorf("%d of %d games %w", b.bad, b.written, ErrUnread)
	}
	return nil
}

// tell tells how many games have been annotated, where files have them.
func (s *Settings) tell(games int) {
	var names []string
	for _, name := range []string{s.Out, s.JSON, s.HTML} {
		if name != "" && name != Stdio {
			names = append(names, name)
		}
	}
	if len(names) > 0 {
		fmt.Fprintf(s.Err, "games annotated: %d, in %s\n", games, strings.Join(names, ", "))
	}
}

// check returns what makes no sense in the settings.
func (s *Settings) check() error {
	stdin, stdout := 0, 0
	for _, name := range s.Files {
		if name == Stdio {
			stdin++
		}
	}
	for _, name := range []string{s.Out, s.JSON, s.HTML} {
		if name == Stdio {
			stdout++
		}
	}
	switch {
	case len(s.Files) == 0:
		return exit.WrongUsef("want PGN files, or - for standard input")
	case stdin > 1:
		return exit.WrongUsef("standard input can be read once")
	case stdout > 1:
		return exit.WrongUsef("two outputs to standard output")
	case s.Threads < 1 || s.Threads > search.MaxThreads:
		return exit.WrongUsef("--threads %d, want 1 to %d", s.Threads, search.MaxThreads)
	}
	if err := s.apart(); err != nil {
		return err
	}
	return exit.WrongUse(s.Limits.Check())
}

// apart returns an error where an output would overwrite another one, or games by
// something else than games. The annotated games may take the place of the games.
func (s *Settings) apart() error {
	for i, name := range []string{s.Out, s.JSON, s.HTML} {
		for _, other := range []string{s.Out, s.JSON, s.HTML}[:i] {
			if sameFile(name, other) {
				return exit.WrongUsef("two outputs to %s", name)
			}
		}
		for _, other := range s.Files {
			if i > 0 && sameFile(name, other) {
				return exit.WrongUsef("%s has games to annotate, want another file for the %s", name, []string{"", "JSON", "HTML"}[i])
			}
		}
	}
	return nil
}

// sameFile reports whether two names are those of one file, by links too.
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
	journal *reviewed // nil where the command cannot be given again
	outputs *outputs
	bar     *command.Bar
	budget  *parallel.Budget
	bad     int // games that could not be read
	written int
}

// interrupted says what an end before the end leaves behind.
func (b *batch) interrupted(ctx context.Context, err error) error {
	if ctx.Err() == nil {
		return err
	}
	if n := b.journal.count(); n > 0 {
		return fmt.Errorf("%w: %d games are kept in %s, the same command goes on with the rest",
			exit.ErrInterrupted, n, b.journal.file.Name())
	}
	return exit.ErrInterrupted
}

// ahead bounds how many games are under way or wait for an earlier one, for each thread.
const ahead = 8

// underWay bounds the text of the games under way; a larger one is alone.
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

// read yields the games in their order: with an engine, when one is free, or, as they
// are, those that the journal has and those that cannot be read.
func (b *batch) read(ctx context.Context, engines <-chan *search.Engine, yield func(game) bool) error {
	index := 0
	return b.games(func(file string, size int, read *pgn.Game, bad *badGame) error {
		give, free := b.budget.Take(ctx.Done(), size)
		if !free {
			return context.Cause(ctx)
		}
		d, ok, err := b.journal.get(index)
		if err != nil {
			return err
		}
		g := game{pgn: read, done: d}
		g.done.index, g.give = index, give
		index++
		if read != nil && read.Warning != nil {
			fmt.Fprintf(b.Err, "warning: %s: %v\n", file, read.Warning)
		}
		if bad != nil {
			b.bad++
			fmt.Fprintf(b.Err, "%s: %v\n", file, bad.err)
			g.done.text = bad.text
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

// review reviews one game and keeps the result.
func (b *batch) review(ctx context.Context, g *game) error {
	d := &g.done
	report, err := review.Game(ctx, g.engine, g.pgn, review.Options{Limits: b.Limits, Tables: search.AllTables()}, func(review.Progress) { b.bar.Add(1) })
	if err != nil {
		return err
	}
	if err := report.Annotate(g.pgn); err != nil {
		return fmt.Errorf("game %d: %w", d.index+1, err)
	}
	var text bytes.Buffer
	if err := pgn.NewWriter(&text).Write(g.pgn); err != nil {
		return fmt.Errorf("game %d: %w", d.index+1, err)
	}
	d.text = text.Bytes()
	if d.report, err = json.Marshal(Game{Tags: tagsOf(g.pgn), Report: report}); err != nil {
		return err
	}
	if err := b.journal.put(*d); err != nil {
		return err
	}
	if b.kept != nil {
		b.kept(d.index)
	}
	return nil
}

// Game is a line of the JSON output: a report and whose game it is of.
type Game struct {
	Tags []Tag `json:"tags"`
	*review.Report
}

// Tag is a tag of a game, in the game's order.
type Tag struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

func tagsOf(g *pgn.Game) []Tag {
	tags := []Tag{}
	for _, t := range g.Tags {
		tags = append(tags, Tag(t))
	}
	return tags
}

// open opens an input.
func (s *Settings) open(name string) (io.ReadCloser, error) {
	if name == Stdio {
		command.Awaits(s.In, s.Err, "annotate reads PGN until Ctrl-D")
		return io.NopCloser(s.In), nil
	}
	return os.Open(name)
}
