package session

import (
	"context"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/pgn"
	"github.com/tabula-chess/tabula/review"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/uci"
)

// maxReviewNodes is the maximum nodes per position. A position is searched in one turn, because the
// result of a turn that is cut short would depend on other clients.
const maxReviewNodes = 1_000_000

// leastShare is the fraction of a review after which the remaining time is estimated.
const leastShare = 0.02

// reviewFields are the fields of review.
type reviewFields struct {
	PGN    string    `json:"pgn"`
	Limits NodeLimit `json:"limits"`
	Why    bool      `json:"why,omitempty"` // say why moves were mistakes, where that is proved
}

// NodeLimit says how long each position of a review is searched.
type NodeLimit struct {
	Nodes *uint64 `json:"nodes,omitempty"`
}

// options returns the options of a review, of so many nodes where nothing else is asked for.
func (l *NodeLimit) options(nodes uint64) (review.Options, error) {
	nodes = given(l.Nodes, nodes)
	o := review.Options{Limits: review.Limits{Nodes: nodes}, Tables: search.AllTables()}
	return o, within("limits.nodes", nodes, 1, maxReviewNodes)
}

// Reviewed is the result of review: the report, the annotated game, and the mistakes of both sides as
// exercises.
type Reviewed struct {
	*review.Report
	PGN       string `json:"pgn"`
	Exercises string `json:"exercises"` // for learn

	Warning *GameError `json:"warning,omitempty"` // what was not understood in the game
}

// Progress is the progress of a review.
type Progress struct {
	review.Progress
	Left int64 `json:"left,omitempty"` // estimate in ms; 0 while unknown
}

// review answers review.
func (e *engines) review(c *call, f *reviewFields) (any, error) {
	options, err := f.Limits.options(review.DefaultNodes)
	if err != nil {
		return nil, err
	}
	options.Why = f.Why
	game, err := f.game()
	if err != nil {
		return nil, err
	}
	return work(func() (any, error) {
		var report *review.Report
		err := e.withReviewer(c, func(ctx context.Context, engine review.Engine) (err error) {
			began := time.Now()
			report, err = review.Game(ctx, engine, game, options, func(p review.Progress) {
				c.progress(progressOf(p, time.Since(began)))
			})
			return err
		})
		if err != nil {
			return nil, err
		}
		out := &Reviewed{Report: report, Warning: warningOf(f.PGN, game, 1)}
		if out.Exercises, err = exercisesOf(report, game); err == nil {
			out.PGN, err = report.PGN(game)
		}
		return out, of("pgn", err)
	}), nil
}

// exercisesOf returns the mistakes of both sides as PGN.
func exercisesOf(report *review.Report, game *pgn.Game) (string, error) {
	var text strings.Builder
	all, err := report.Exercises(game.Tags, nil)
	if err == nil {
		err = review.WriteExercises(&text, all)
	}
	return text.String(), err
}

// withReviewer calls use with an engine of its own, as annotate has, so that the report is the same on every
// machine.
func (e *engines) withReviewer(c *call, use func(context.Context, review.Engine) error) error {
	return e.withEngine(c, reviewing, uci.DefaultHash, func(ctx context.Context, engine *search.Engine) error {
		return use(ctx, &reviewEngine{Engine: engine, session: c.session})
	})
}

// progressOf describes the progress of a review.
func progressOf(p review.Progress, took time.Duration) *Progress {
	out := &Progress{Progress: p}
	if p.Share > leastShare {
		out.Left = int64(float64(millis(took)) * (1/p.Share - 1))
	}
	if p.Move != nil {
		move := *p.Move // a copy, because the review may change the move
		out.Move = &move
	}
	return out
}

// game returns the game to review, the first of the PGN.
func (f *reviewFields) game() (*pgn.Game, error) {
	r := pgn.NewReader(strings.NewReader(f.PGN))
	r.MaxMoves = maxParts
	game, err := r.Read()
	if errors.Is(err, io.EOF) {
		return nil, fault("pgn", "contains no game")
	}
	if err == nil {
		_, err = measure(game, maxRemarks)
	}
	if err != nil {
		e := failed(f.PGN, err, 1)
		return nil, &Error{Field: "pgn", Reason: e.Reason, At: &e.At, Line: e.Line, Column: e.Column}
	}
	return game, nil
}

// reviewEngine takes turns with other searches.
type reviewEngine struct {
	*search.Engine
	session *Session
}

// Analyse searches at once when it has its turn.
func (e *reviewEngine) Analyse(
	ctx context.Context, p *chess.Position, l search.Limits, o search.Options, report func(search.Info),
) (search.Analysis, error) {
	leave, err := e.session.enter(ctx, searching)
	if err != nil {
		return search.Analysis{}, err
	}
	defer leave()
	return e.Engine.Analyse(ctx, p, l, o, report)
}
