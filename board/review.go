package board

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/pgn"
	"github.com/tabula-chess/tabula/review"
	"github.com/tabula-chess/tabula/search"
)

// reviewNodes is how much each position is searched where a review has no limits.
const reviewNodes = 100_000

// reviewFields are the fields of review.
type reviewFields struct {
	Head
	PGN      string        `json:"pgn"`
	Game     *int          `json:"game"`
	Position *Place        `json:"position"`
	Tags     []Tag         `json:"tags"`
	Limits   review.Limits `json:"limits"`
}

// Reviewed is the result of review: the report, and the game with it written in.
type Reviewed struct {
	*review.Report
	PGN string `json:"pgn"`
}

// Progress is how far a review is.
type Progress struct {
	Done  int          `json:"done"` // positions
	Total int          `json:"total"`
	Left  int64        `json:"left"` // ms, about
	Move  *review.Move `json:"move,omitempty"`
}

// review answers review.
func (s *Session) review(c *call, f *reviewFields) (work, *Error) {
	if f.Limits == (review.Limits{}) {
		f.Limits.Nodes = reviewNodes
	}
	bound := int64(maxMillis)
	if s.board.config.Search > 0 {
		bound = millis(s.board.config.Search)
	}
	if wrong := within("limits.movetime", f.Limits.MoveTime, 0, bound); wrong != nil {
		return nil, wrong
	}
	if f.Limits.Check() != nil {
		return nil, fault("limits", "want one of depth (1 to %d), nodes and movetime", search.MaxPly-1)
	}
	game, wrong := f.game()
	if wrong != nil {
		return nil, wrong
	}
	if n := len(game.Main.Moves); n > maxMoves {
		return nil, fault("pgn", "%d moves, want at most %d", n, maxMoves)
	}
	engine := &reviewEngine{session: s}
	options := review.Options{Limits: f.Limits, Tables: s.set.tables()}
	return func(c *call) (any, *Error) {
		inner := *c
		if bound := s.board.config.Search; bound > 0 {
			var cancel context.CancelFunc
			inner.ctx, cancel = context.WithTimeoutCause(c.ctx, bound, fmt.Errorf("a review may take %v", bound))
			defer cancel()
		}
		engine.call = &inner
		report, err := review.Game(inner.ctx, engine, game, options, func(p review.Progress) { s.progress(c, p) })
		switch {
		case engine.err != nil:
			return nil, fault("", "%v", engine.err)
		case err != nil:
			return nil, fault("", "%v", err)
		}
		if err := report.Annotate(game); err != nil {
			return nil, fault("", "%v", err)
		}
		var text bytes.Buffer
		if err := pgn.NewWriter(&text).Write(game); err != nil {
			return nil, fault("tags", "%v", err)
		}
		return &Reviewed{Report: report, PGN: text.String()}, nil
	}, nil
}

// progress tells how far a review is.
func (s *Session) progress(c *call, p review.Progress) {
	out := &Progress{Done: p.Done, Total: p.Total}
	out.Left = millis(time.Since(c.came)) * int64(p.Total-p.Done) / int64(max(p.Done, 1))
	if p.Move != nil {
		move := *p.Move // the review may change its own
		out.Move = &move
	}
	id := c.id
	s.out.event(c.key, func() Reply { return Reply{ID: id, Progress: out} })
}

// game returns the game to review.
func (f *reviewFields) game() (*pgn.Game, *Error) {
	switch {
	case f.Position != nil && f.PGN != "":
		return nil, fault("position", "there is a pgn already")
	case f.Position == nil && f.PGN == "":
		return nil, fault("pgn", "want a pgn or a position with moves")
	case f.Position != nil && f.Game != nil:
		return nil, fault("game", "there is no pgn")
	case f.Position == nil:
		return f.gameOfText()
	}
	start, wrong := f.Position.start()
	if wrong != nil {
		return nil, wrong
	}
	game := &pgn.Game{}
	if start.FEN() != chess.StartFEN {
		game.Start = start
	}
	p, wrong := f.Position.read(func(_ *chess.Position, m chess.Move) {
		game.Main.Moves = append(game.Main.Moves, pgn.Node{Move: m})
	})
	if wrong != nil {
		return nil, wrong
	}
	game.Result = p.Result()
	for _, t := range f.Tags {
		if t.Name != "FEN" && t.Name != "SetUp" {
			game.SetTag(t.Name, t.Value)
		}
		if result, err := chess.ParseResult(t.Value); t.Name == "Result" && err == nil && game.Result == chess.NoResult {
			game.Result = result
		}
	}
	return game, nil
}

// gameOfText returns one of the games of the request's PGN.
func (f *reviewFields) gameOfText() (*pgn.Game, *Error) {
	number := 1
	if f.Game != nil {
		number = *f.Game
	}
	if len(f.Tags) > 0 {
		return nil, fault("tags", "the pgn has its own")
	}
	r := pgn.NewReader(strings.NewReader(f.PGN))
	for i := 1; ; i++ {
		game, err := r.ReadTags()
		if errors.Is(err, io.EOF) {
			return nil, fault("game", "%d, there are %d", number, i-1)
		}
		if i != number {
			continue
		}
		if err == nil {
			err = r.ReadMoves(game)
		}
		if err != nil {
			g := gameReader{text: f.PGN}
			e := g.failed(err, i)
			return nil, &Error{Field: "pgn", Reason: e.Reason, At: &e.At, Line: e.Line, Column: e.Column}
		}
		return game, nil
	}
}

// reviewEngine lets a review search in turns with others.
type reviewEngine struct {
	session *Session
	call    *call
	err     error // why a search could not be
}

// Clear empties the table, so that the report depends on the game alone, unless
// others use it too.
func (e *reviewEngine) Clear() {
	b := e.session.board
	if b.config.Shared {
		return
	}
	turn, err := b.pool.take(e.call.ctx, &e.session.client, 0)
	if err != nil {
		return // so will the search's be
	}
	turn.engine.Clear()
	turn.give()
}

// Arm does nothing: the context of the call stops its searches.
func (e *reviewEngine) Arm(search.Limits) {}

// Stop does nothing likewise.
func (e *reviewEngine) Stop() {}

// Search searches in as many turns as it takes.
func (e *reviewEngine) Search(p *chess.Position, l search.Limits, o search.Options, report func(search.Info)) search.Result {
	t := e.session.task(e.call, p.Clone(), l)
	t.options, t.listen = o, report
	result, err := t.run()
	if err != nil && e.err == nil && !errors.Is(err, context.Canceled) {
		e.err = fmt.Errorf("the search: %w", err)
	}
	return result
}
