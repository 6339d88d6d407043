package annotate

import (
	"bufio"
	"bytes"
	"fmt"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/games"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/files"
	"github.com/tabula-chess/tabula/pgn"
	"github.com/tabula-chess/tabula/review"
)

// outputs receives the games. A file gets its new content when all games are written; standard
// output gets each game in order, as soon as it is done.
type outputs struct {
	pgn, json, html, mistakes *output

	page   *page
	player string
	found  int // mistakes
}

// output is one file or standard output; a nil output discards what is written.
type output struct {
	*bufio.Writer
	pending *files.Pending // nil for standard output
}

// outputs opens the outputs.
func (s *Settings) outputs() (*outputs, error) {
	o := &outputs{player: s.Player}
	for i, name := range s.names() {
		to := []**output{&o.pgn, &o.json, &o.html, &o.mistakes}[i]
		switch name {
		case "":
		case Stdio:
			*to = &output{Writer: bufio.NewWriter(s.Stdout)}
		default:
			p, err := files.Begin(name)
			if err != nil {
				o.abort()
				return nil, exit.WrongUse(err)
			}
			*to = &output{bufio.NewWriter(p), p}
		}
	}
	if o.html == nil {
		return o, nil
	}
	var err error
	if o.page, err = newPage(o.html, s.Limits, s.Player); err != nil {
		o.abort()
	}
	return o, err
}

// put writes the parts and flushes standard output.
func (o *output) put(parts ...[]byte) error {
	if o == nil {
		return nil
	}
	for _, p := range parts {
		if _, err := o.Write(p); err != nil {
			return err
		}
	}
	if o.pending == nil {
		return o.Flush()
	}
	return nil
}

// write writes the game with a number: its text and, unless it is unreadable, its report, also as a line of JSON.
func (o *outputs) write(number int, text, line []byte, g AnnotatedGame) error {
	if err := o.pgn.put(text); err != nil || g.Report == nil {
		return err
	}
	if err := o.json.put(line, []byte("\n")); err != nil {
		return err
	}
	if o.mistakes != nil {
		if err := o.exercises(g); err != nil {
			return fmt.Errorf("exercises of game %d: %w", number, err)
		}
	}
	if o.page == nil {
		return nil
	}
	if err := o.page.game(number, g); err != nil {
		return err
	}
	return o.html.put()
}

// exercises writes the player's mistakes in a game.
func (o *outputs) exercises(g AnnotatedGame) error {
	all := pgn.Game{Tags: g.Tags}
	var text bytes.Buffer
	for _, side := range []chess.Color{chess.White, chess.Black} {
		name := map[chess.Color]string{chess.White: "White", chess.Black: "Black"}[side]
		if !games.Named(all.Tag(name), o.player) {
			continue
		}
		found, err := g.Exercises(g.Tags, &side)
		if err == nil {
			err = review.WriteExercises(&text, found)
		}
		if err != nil {
			return err
		}
		o.found += len(found)
	}
	return o.mistakes.put(text.Bytes())
}

// commit puts the files in place. The games come last because they may replace the input: until
// then the run can be repeated.
func (o *outputs) commit() error {
	if o.page != nil {
		if err := o.page.end(); err != nil {
			return err
		}
	}
	for _, one := range []*output{o.json, o.html, o.mistakes, o.pgn} {
		if one == nil {
			continue
		}
		if err := one.Flush(); err != nil {
			return err
		}
		if one.pending != nil {
			if err := one.pending.Commit(); err != nil {
				return err
			}
		}
	}
	return nil
}

// abort discards the new content of files that are not yet committed.
func (o *outputs) abort() {
	for _, one := range []*output{o.pgn, o.json, o.html, o.mistakes} {
		if one != nil && one.pending != nil {
			one.pending.Abort()
		}
	}
}
