package session

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/files"
	"github.com/tabula-chess/tabula/pgn"
	"github.com/tabula-chess/tabula/review"
)

// exercisesName is the file of the exercises in the home directory.
const exercisesName = "exercises.pgn"

// maxExercises bounds the exercises that are kept.
const maxExercises = 10_000

// jsonExercise is a position that its side has to play better than in a game.
type jsonExercise struct {
	Key   string `json:"key"`
	FEN   string `json:"fen"`
	Side  string `json:"side"`
	Kind  string `json:"kind"` // mistake or missed chance, "" where unknown
	Motif string `json:"motif,omitempty"`
	Box   int    `json:"box"` // 0: not tried yet
	Due   string `json:"due"` // such as 2026.11.27, "" for at once
	Wrong int    `json:"wrong"`
	White string `json:"white"` // of the game
	Black string `json:"black"`
	Date  string `json:"date"`
}

// Training is the state of the exercises.
type Training struct {
	Kept     bool          `json:"kept"` // there is a place for exercises
	File     string        `json:"file"` // its name, "" in a browser
	Exercise *jsonExercise `json:"exercise,omitempty"`
	Due      int           `json:"due"`
	Boxes    []int         `json:"boxes"` // exercises not tried yet, then those of each box
	Days     []int         `json:"days"`  // after which an exercise of each box comes again
	Next     string        `json:"next"`  // day on which the next one is due, "" for none
}

// Answer is the solution of an exercise, and when it comes again.
type Answer struct {
	Best   jsonMove      `json:"best"`
	Line   string        `json:"line"`
	Score  *review.Score `json:"score,omitempty"` // that the line leads to, where it is known
	Played *jsonMove     `json:"played,omitempty"`
	Reply  string        `json:"reply,omitempty"` // the mistake and its refutation
	Box    int           `json:"box"`
	Due    string        `json:"due"`
}

// Attempt is the result of try.
type Attempt struct {
	Right  bool        `json:"right"`
	Move   review.Move `json:"move"` // judged, with the refutation of a wrong one
	Answer *Answer     `json:"answer,omitempty"`
}

// Learned is the result of learn.
type Learned struct {
	Added  int      `json:"added"`
	Total  int      `json:"total"`
	Errors []string `json:"errors"` // about games that are no exercises, or have the position of an earlier one
}

// describeExercise returns what a client sees of an exercise: not the solution.
func describeExercise(e *boxed) *jsonExercise {
	of := pgn.Game{Tags: e.Tags}
	return &jsonExercise{
		Key: e.Key(), FEN: e.Position.FEN(), Side: e.Position.SideToMove().String(), Kind: e.Kind, Motif: e.Motif, Box: e.Box,
		Due:   e.Due,
		Wrong: e.Wrong, White: of.Tag("White"), Black: of.Tag("Black"), Date: of.Tag("Date"),
	}
}

func answerOf(e *boxed) *Answer {
	out := &Answer{Best: describe(e.Position, e.Best[0]), Score: e.Score, Box: e.Box, Due: e.Due}
	out.Line, _ = e.Position.SANLine(e.Best) // the moves are legal
	for _, m := range e.Also {
		out.Line += ", or " + e.Position.SAN(m)
	}
	if len(e.Played) > 0 {
		m := describe(e.Position, e.Played[0])
		out.Played = &m
		out.Reply, _ = e.Position.SANLine(e.Played)
	}
	return out
}

// deckFile calls use with the name and the text of the file of exercises. It is the only access to it in this process.
func (e *engines) deckFile(use func(name string, text []byte) error) error {
	if e.config.Home == "" {
		return errNoHome
	}
	e.home.Lock()
	defer e.home.Unlock()
	name := filepath.Join(e.config.Home, exercisesName)
	text, err := files.Read(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return use(name, text)
}

// withDeck calls use with the exercises and stores them if use reports a change. It writes nothing over a file of
// which a part is unreadable.
func (e *engines) withDeck(use func(d *deck) (changed bool, err error)) error {
	return e.deckFile(func(name string, text []byte) error {
		d := &deck{}
		var broken error
		_, err := d.read(bytes.NewReader(text), func(game int, err error) {
			if !errors.Is(err, errTwin) { // of which one is enough
				broken = fmt.Errorf("%s: game %d: %w", name, game, err)
			}
		})
		if err != nil {
			return err
		}
		before := len(d.all)
		changed, err := use(d)
		if !changed || err != nil {
			return err
		}
		if broken != nil {
			return broken
		}
		if n := len(d.all); n > maxExercises && n > before {
			return fmt.Errorf("%s would have %d exercises, the maximum is %d; nothing is added", name, n, maxExercises)
		}
		var out bytes.Buffer
		if err := d.write(&out); err != nil {
			return err
		}
		return errors.Join(os.MkdirAll(e.config.Home, 0o777), files.Write(name, out.Bytes()))
	})
}

// errNoExercise says that a key is not that of an exercise, or no longer.
var errNoExercise = errors.New("there is no such exercise")

// withExercise calls use with the exercise of a key, nil for "", and stores what it has changed.
func (e *engines) withExercise(key string, use func(d *deck, e *boxed) (changed bool)) error {
	return e.withDeck(func(d *deck) (bool, error) {
		i := slices.IndexFunc(d.all, func(o *boxed) bool { return o.Key() == key })
		switch {
		case key == "":
			return use(d, nil), nil
		case i < 0:
			return false, errNoExercise
		}
		return use(d, d.all[i]), nil
	})
}

// keyFields name an exercise.
type keyFields struct {
	Key string `json:"key"`
}

// exercise answers exercise: the one with the key, or else the next that is due.
func (e *engines) exercise(_ *call, f *keyFields) (any, error) {
	out := &Training{Kept: e.config.Home != "", Days: intervals(), Boxes: make([]int, 1+len(intervals()))}
	if !out.Kept {
		return out, nil
	}
	if e.config.Shared {
		out.File = filepath.Join(e.config.Home, exercisesName)
	}
	err := e.withExercise(f.Key, func(d *deck, one *boxed) bool {
		next, due := d.next(time.Now())
		if one == nil {
			one = next
		}
		if out.Due = due; one != nil {
			out.Exercise = describeExercise(one)
		}
		for _, o := range d.all {
			out.Boxes[o.Box]++
			if out.Next == "" || o.Due < out.Next {
				out.Next = o.Due
			}
		}
		return false
	})
	return out, of("key", err)
}

// tryFields are the fields of try.
type tryFields struct {
	Key    string    `json:"key"`
	Move   string    `json:"move"`
	Limits NodeLimit `json:"limits"`
}

// try answers try: it judges a move by a search.
func (e *engines) try(c *call, f *tryFields) (any, error) {
	options, err := f.Limits.options(review.DefaultNodes)
	if err != nil {
		return nil, err
	}
	var one *boxed
	if err := e.withExercise(f.Key, func(_ *deck, found *boxed) bool { one = found; return false }); err != nil ||
		one == nil {
		return nil, of("key", cmp.Or(err, errNoExercise))
	}
	m, err := one.Position.ReadMove(f.Move)
	if err != nil {
		return nil, of("move", err)
	}
	return work(func() (any, error) {
		out := &Attempt{}
		err := e.withReviewer(c, func(ctx context.Context, engine review.Engine) error {
			judged, right, err := one.Try(ctx, engine, m, options)
			if err == nil {
				out.Move, out.Right = *judged, right
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		return out, e.withExercise(f.Key, func(_ *deck, o *boxed) bool {
			due := isDue(o)
			switch {
			case due && out.Right:
				o.solve(time.Now())
			case due:
				o.miss()
			}
			if out.Right {
				out.Answer = answerOf(o)
			}
			return due
		})
	}), nil
}

// isDue reports whether an exercise is due. One that is not is only looked at again: nothing changes it.
func isDue(e *boxed) bool { return e.Due <= time.Now().Format(dayForm) }

// answer answers answer: an exercise that is due, and whose solution is shown, has failed.
func (e *engines) answer(_ *call, f *keyFields) (any, error) {
	var out *Answer
	err := e.withExercise(f.Key, func(_ *deck, one *boxed) bool {
		if one == nil {
			return false
		}
		due := isDue(one)
		if due {
			one.fail(time.Now())
		}
		out = answerOf(one)
		return due
	})
	if out == nil {
		err = cmp.Or(err, errNoExercise)
	}
	return out, of("key", err)
}

// forget answers forget: it removes an exercise, or all of them.
func (e *engines) forget(_ *call, f *keyFields) (any, error) {
	out := &Learned{Errors: []string{}}
	err := e.withExercise(f.Key, func(d *deck, one *boxed) bool {
		d.all = slices.DeleteFunc(d.all, func(o *boxed) bool { return one == nil || o == one })
		out.Total = len(d.all)
		return true
	})
	return out, of("key", err)
}

// exercises answers exercises: their whole file, unreadable parts included.
func (e *engines) exercises(*call, *bare) (any, error) {
	out := &Written{}
	return out, e.deckFile(func(_ string, text []byte) error {
		out.Text = string(text)
		return nil
	})
}

// learnFields are the fields of learn.
type learnFields struct {
	PGN  string       `json:"pgn"`
	Side *chess.Color `json:"side"` // only exercises for this side
}

// learn answers learn: it adds exercises.
func (e *engines) learn(_ *call, f *learnFields) (any, error) {
	out, err := e.addExercises(lesson{f.PGN, f.Side})
	return out, of("pgn", err)
}

// lesson is a PGN of exercises, of which only those for one side count unless side is nil.
type lesson struct {
	pgn  string
	side *chess.Color
}

// addExercises adds the exercises of all lessons, or of none.
func (e *engines) addExercises(lessons ...lesson) (*Learned, error) {
	out := &Learned{Errors: []string{}}
	tell := tellFirst(&out.Errors)
	return out, e.withDeck(func(d *deck) (bool, error) {
		before := len(d.all)
		for _, l := range lessons {
			known := len(d.all)
			_, err := d.read(strings.NewReader(l.pgn), func(game int, err error) { tell(fmt.Errorf("game %d: %w", game, err)) })
			if err != nil {
				return false, err
			}
			d.all = slices.Concat(d.all[:known], slices.DeleteFunc(d.all[known:], func(o *boxed) bool {
				return l.side != nil && o.Position.SideToMove() != *l.side
			}))
		}
		out.Added, out.Total = len(d.all)-before, len(d.all)
		return out.Added > 0, nil
	})
}
