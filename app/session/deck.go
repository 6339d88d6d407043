package session

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/pgn"
	"github.com/tabula-chess/tabula/review"
)

// boxed is an exercise in one of the Leitner boxes. As PGN it has the tags Box, Due and Wrong, too.
type boxed struct {
	*review.Exercise
	Box   int    // 0: not tried yet, else 1 to the number of intervals
	Due   string // the day from which on it is due, as 2026.11.27; "": at once
	Wrong int    // wrong moves since it was solved or shown last
}

// intervals returns the days after which an exercise in each of the boxes is due again.
func intervals() []int { return []int{1, 3, 7, 21, 60} }

// dayForm is the form of a date, as PGN writes it.
const dayForm = "2006.01.02"

// readBoxed reads an exercise. Errors: those of [review.ReadExercise], a tag with a bad value.
func readBoxed(g *pgn.Game) (*boxed, error) {
	e := &boxed{Due: g.Tag("Due")}
	if _, err := time.Parse(dayForm, e.Due); e.Due != "" && err != nil {
		return nil, fmt.Errorf("tag Due: %q, want a day such as 2026.11.27", e.Due)
	}
	for name, n := range map[string]*int{"Box": &e.Box, "Wrong": &e.Wrong} {
		text := cmp.Or(g.Tag(name), "0")
		most := map[string]int{"Box": len(intervals()), "Wrong": 1e6}[name]
		var err error
		if *n, err = strconv.Atoi(text); err != nil || *n < 0 || *n > most {
			return nil, fmt.Errorf("tag %s: %q, want 0 to %d", name, text, most)
		}
	}
	g.Tags = slices.DeleteFunc(g.Tags,
		func(t pgn.Tag) bool { return slices.Contains([]string{"Box", "Due", "Wrong"}, t.Name) })
	var err error
	e.Exercise, err = review.ReadExercise(g)
	return e, err
}

// game returns the exercise as PGN has it.
func (e *boxed) game() *pgn.Game {
	g := e.Game()
	for _, t := range []pgn.Tag{
		{Name: "Box", Value: strconv.Itoa(e.Box)}, {Name: "Due", Value: e.Due}, {Name: "Wrong", Value: strconv.Itoa(e.Wrong)},
	} {
		if t.Value != "" && t.Value != "0" {
			g.SetTag(t.Name, t.Value)
		}
	}
	return g
}

// renew makes an exercise of a repertoire one whose answers have changed, not tried yet, and reports whether they have.
func (e *boxed) renew(o *boxed) bool {
	answers := func(e *boxed) []chess.Move { return append([]chess.Move{e.Best[0]}, e.Also...) }
	if e.Kind != review.Repertoire || o.Kind != review.Repertoire || slices.Equal(answers(e), answers(o)) {
		return false
	}
	*e = *o
	return true
}

// miss notes a wrong move.
func (e *boxed) miss() { e.Wrong++ }

// solve puts the exercise into the next box, or leaves it in its box after wrong moves.
func (e *boxed) solve(now time.Time) {
	if e.Wrong == 0 || e.Box == 0 {
		e.Box = min(e.Box+1, len(intervals()))
	}
	e.put(now)
}

// fail puts an exercise whose answer was shown into the first box.
func (e *boxed) fail(now time.Time) {
	e.Box = 1
	e.put(now)
}

func (e *boxed) put(now time.Time) {
	e.Wrong = 0
	e.Due = now.AddDate(0, 0, intervals()[e.Box-1]).Format(dayForm)
}

// deck is a set of exercises with one for each position.
type deck struct{ all []*boxed }

// errTwin is the error for a second exercise of one position, which is left out.
var errTwin = errors.New("it has the position")

// read reads what [deck.write] wrote, or any PGN of exercises, into d. bad is called with each game that is none, or
// has the position of another in r. It returns how many exercises are new to d, or have new answers in a repertoire.
// Errors: those of the reader.
func (d *deck) read(r io.Reader, bad func(game int, err error)) (added int, err error) {
	type place struct {
		game int // in r, 0 for one that d had
		*boxed
	}
	known := map[string]place{} // by position
	for _, e := range d.all {
		known[e.Key()] = place{0, e}
	}
	number := 0
	for g, err := range pgn.NewReader(r).Games() {
		number++
		var wrong *pgn.Error
		if err != nil && !errors.As(err, &wrong) {
			return added, err
		}
		var e *boxed
		if err == nil && g.Shortened { // its solution may be in the rest
			err = g.Warning
		}
		if err == nil {
			e, err = readBoxed(g)
		}
		if err != nil {
			bad(number, err)
			continue
		}
		switch twin, ok := known[e.Key()]; {
		case !ok:
			known[e.Key()] = place{number, e}
			d.all = append(d.all, e)
			added++
		case twin.game > 0:
			bad(number, fmt.Errorf("%w of game %d", errTwin, twin.game))
		case twin.renew(e):
			added++
		}
	}
	return added, nil
}

// write writes the exercises as PGN.
func (d *deck) write(w io.Writer) error {
	out := pgn.NewWriter(w)
	for _, e := range d.all {
		if err := out.Write(e.game()); err != nil {
			return err
		}
	}
	return nil
}

// next returns the exercise that is due on a day: the one with the most wrong moves, then the one of the lowest box
// that was tried, then new ones in their order; nil where none is. due counts all of them.
func (d *deck) next(now time.Time) (next *boxed, due int) {
	today := now.Format(dayForm)
	order := func(e *boxed) int { return cmp.Or(e.Box, len(intervals())+1) }
	for _, e := range d.all {
		if e.Due > today {
			continue
		}
		due++
		if next == nil || e.Wrong > next.Wrong || e.Wrong == next.Wrong && order(e) < order(next) {
			next = e
		}
	}
	return next, due
}
