//go:build !tabula_rules

package session

import (
	"bytes"
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

// Exercise is a position that its side has to play better than in a game.
type Exercise struct {
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
	Kept     bool      `json:"kept"` // there is a place for exercises
	File     string    `json:"file"` // its name, "" in a browser
	Exercise *Exercise `json:"exercise,omitempty"`
	Due      int       `json:"due"`
	Boxes    []int     `json:"boxes"` // exercises not tried yet, then those of each box
	Days     []int     `json:"days"`  // after which an exercise of each box comes again
	Next     string    `json:"next"`  // day on which the next one is due, "" for none
}

// Answer is the solution of an exercise, and when it comes again.
type Answer struct {
	Best   Move   `json:"best"`
	Line   string `json:"line"`
	Played *Move  `json:"played,omitempty"`
	Reply  string `json:"reply,omitempty"` // the mistake and its refutation
	Box    int    `json:"box"`
	Due    string `json:"due"`
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
	Errors []string `json:"errors"` // about games that are no exercises
}

// describeExercise returns what a client sees of an exercise: not the solution.
func describeExercise(e *review.Exercise) *Exercise {
	of := pgn.Game{Tags: e.Tags}
	return &Exercise{
		Key: e.Key(), FEN: e.Position.FEN(), Side: e.Position.SideToMove().String(), Kind: e.Kind, Motif: e.Motif, Box: e.Box, Due: e.Due,
		Wrong: e.Wrong, White: of.Tag("White"), Black: of.Tag("Black"), Date: of.Tag("Date"),
	}
}

func answerOf(e *review.Exercise) *Answer {
	out := &Answer{Best: describe(e.Position, e.Best[0]), Box: e.Box, Due: e.Due}
	out.Line, _ = e.Position.SANLine(e.Best) // the moves are legal
	if len(e.Played) > 0 {
		m := describe(e.Position, e.Played[0])
		out.Played = &m
		out.Reply, _ = e.Position.SANLine(e.Played)
	}
	return out
}

// deck calls use with the exercises and stores them if use reports a change. It is the only access to
// their file in this process.
func (s *Service) deck(use func(d *review.Deck) (changed bool, err error)) error {
	if s.config.Home == "" {
		return errNoHome
	}
	s.home.Lock()
	defer s.home.Unlock()
	name := filepath.Join(s.config.Home, exercisesName)
	text, err := files.Read(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	d := &review.Deck{}
	var broken error // nothing is written over what cannot be read
	if _, err := d.Read(bytes.NewReader(text), func(game int, err error) { broken = fmt.Errorf("%s: game %d: %w", name, game, err) }); err != nil {
		return err
	}
	if broken != nil {
		return broken
	}
	changed, err := use(d)
	if !changed || err != nil {
		return err
	}
	if len(d.Exercises) > maxExercises {
		return fmt.Errorf("%d exercises, the maximum is %d", len(d.Exercises), maxExercises)
	}
	var out bytes.Buffer
	if err := d.Write(&out); err != nil {
		return err
	}
	return errors.Join(os.MkdirAll(s.config.Home, 0o777), files.Write(name, out.Bytes()))
}

// errNoExercise says that a key is not that of an exercise, or no longer.
var errNoExercise = errors.New("there is no such exercise")

// withExercise calls use with the exercise of a key, nil for "", and stores what it has changed.
func (s *Service) withExercise(key string, use func(d *review.Deck, e *review.Exercise) (changed bool)) error {
	return s.deck(func(d *review.Deck) (bool, error) {
		i := slices.IndexFunc(d.Exercises, func(e *review.Exercise) bool { return e.Key() == key })
		switch {
		case key == "":
			return use(d, nil), nil
		case i < 0:
			return false, errNoExercise
		}
		return use(d, d.Exercises[i]), nil
	})
}

// keyFields name an exercise.
type keyFields struct {
	Key string `json:"key"`
}

// exercise answers exercise: the one with the key, or else the next that is due.
func (s *Session) exercise(_ *call, f *keyFields) (work, *Error) {
	return func(*call) (any, *Error) {
		out := &Training{Kept: s.service.config.Home != "", Days: review.Intervals(), Boxes: make([]int, 1+len(review.Intervals()))}
		if !out.Kept {
			return out, nil
		}
		if s.service.config.Shared {
			out.File = filepath.Join(s.service.config.Home, exercisesName)
		}
		err := s.service.withExercise(f.Key, func(d *review.Deck, e *review.Exercise) bool {
			next, due := d.Next(time.Now())
			if e == nil {
				e = next
			}
			if out.Due = due; e != nil {
				out.Exercise = describeExercise(e)
			}
			for _, e := range d.Exercises {
				out.Boxes[e.Box]++
				if out.Next == "" || e.Due < out.Next {
					out.Next = e.Due
				}
			}
			return false
		})
		if err != nil {
			return nil, fault("key", "%v", err)
		}
		return out, nil
	}, nil
}

// tryFields are the fields of try.
type tryFields struct {
	Key    string       `json:"key"`
	Move   string       `json:"move"`
	Limits ReviewLimits `json:"limits"`
}

// try answers try: it judges a move by a search.
func (s *Session) try(_ *call, f *tryFields) (work, *Error) {
	limits, wrong := f.Limits.read()
	if wrong != nil {
		return nil, wrong
	}
	return func(c *call) (any, *Error) {
		var e *review.Exercise
		if err := s.service.withExercise(f.Key, func(_ *review.Deck, found *review.Exercise) bool { e = found; return false }); err != nil || e == nil {
			return nil, fault("key", "%v", errors.Join(err, errNoExercise))
		}
		m, err := e.Position.ReadMove(f.Move)
		if err != nil {
			return nil, fault("move", "%v", err)
		}
		out := &Attempt{}
		err = s.withReviewer(c.ctx, func(ctx context.Context, engine review.Engine) error {
			judged, right, err := e.Try(ctx, engine, m, reviewOptions(limits))
			if err == nil {
				out.Move, out.Right = *judged, right
			}
			return err
		})
		if err == nil {
			err = s.service.withExercise(f.Key, func(_ *review.Deck, e *review.Exercise) bool {
				if !out.Right {
					e.Miss()
					return true
				}
				if e.Due <= time.Now().Format(review.Day) { // one that is not due is only looked at again
					e.Solve(time.Now())
				}
				out.Answer = answerOf(e)
				return true
			})
		}
		if err != nil {
			return nil, fault("", "%v", err)
		}
		return out, nil
	}, nil
}

// answer answers answer: an exercise whose solution is shown has failed.
func (s *Session) answer(_ *call, f *keyFields) (work, *Error) {
	return func(*call) (any, *Error) {
		var out *Answer
		err := s.service.withExercise(f.Key, func(_ *review.Deck, e *review.Exercise) bool {
			if e == nil {
				return false
			}
			e.Fail(time.Now())
			out = answerOf(e)
			return true
		})
		if err != nil || out == nil {
			return nil, fault("key", "%v", errors.Join(err, errNoExercise))
		}
		return out, nil
	}, nil
}

// forget answers forget: it removes an exercise, or all of them.
func (s *Session) forget(_ *call, f *keyFields) (work, *Error) {
	return func(*call) (any, *Error) {
		out := &Learned{Errors: []string{}}
		err := s.service.withExercise(f.Key, func(d *review.Deck, e *review.Exercise) bool {
			d.Exercises = slices.DeleteFunc(d.Exercises, func(o *review.Exercise) bool { return e == nil || o == e })
			out.Total = len(d.Exercises)
			return true
		})
		if err != nil {
			return nil, fault("key", "%v", err)
		}
		return out, nil
	}, nil
}

// exercises answers exercises: all of them as PGN.
func (s *Session) exercises(*call, *bare) (work, *Error) {
	return func(*call) (any, *Error) {
		var text bytes.Buffer
		err := s.service.deck(func(d *review.Deck) (bool, error) { return false, d.Write(&text) })
		if err != nil {
			return nil, fault("", "%v", err)
		}
		return &Written{Text: text.String()}, nil
	}, nil
}

// learnFields are the fields of learn.
type learnFields struct {
	PGN  string `json:"pgn"`
	Side string `json:"side"` // only exercises for this side; "" for all
}

// maxLearnErrors bounds the errors that are told.
const maxLearnErrors = 20

// learn answers learn: it adds exercises.
func (s *Session) learn(_ *call, f *learnFields) (work, *Error) {
	var side *chess.Color
	if f.Side != "" {
		color, err := chess.ParseColor(f.Side)
		if err != nil {
			return nil, fault("side", "%v", err)
		}
		side = &color
	}
	return func(*call) (any, *Error) {
		out, err := s.service.learn(f.PGN, side)
		if err != nil {
			return nil, fault("pgn", "%v", err)
		}
		return out, nil
	}, nil
}

// learn adds the exercises of a PGN, only those for one side unless side is nil.
func (s *Service) learn(text string, side *chess.Color) (*Learned, error) {
	out := &Learned{Errors: []string{}}
	return out, s.deck(func(d *review.Deck) (bool, error) {
		known := len(d.Exercises)
		_, err := d.Read(strings.NewReader(text), func(game int, err error) {
			if len(out.Errors) < maxLearnErrors {
				out.Errors = append(out.Errors, fmt.Sprintf("game %d: %v", game, err))
			}
		})
		d.Exercises = slices.Concat(d.Exercises[:known], slices.DeleteFunc(d.Exercises[known:], func(e *review.Exercise) bool {
			return side != nil && e.Position.SideToMove() != *side
		}))
		out.Added, out.Total = len(d.Exercises)-known, len(d.Exercises)
		return out.Added > 0, err
	})
}
