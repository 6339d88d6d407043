package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"sync"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/syzygy"
)

// Config says what [Search] or a [Pool] may use. The zero Config means 16 MiB of
// memory, one thread and one line.
type Config struct {
	Hash    int // MiB of the transposition table, 1 to MaxHash; 0: 16
	Threads int // 1 to MaxThreads; 0: 1
	MultiPV int // lines to find, at least 1; 0: 1

	Strength Strength       // the zero value: no limit
	Tables   *syzygy.Tables // endgame tables; nil: none. The caller closes them after the last search
}

// engine returns a new engine.
func (c *Config) engine() (*Engine, error) {
	if c.MultiPV < 0 {
		return nil, fmt.Errorf("MultiPV %d: want at least 1", c.MultiPV)
	}
	e, err := NewEngine(cmp.Or(c.Hash, 16))
	if err != nil {
		return nil, err
	}
	e.SetTables(c.Tables)
	if err := cmp.Or(e.SetStrength(c.Strength), e.SetThreads(cmp.Or(c.Threads, 1))); err != nil {
		e.Close()
		return nil, err
	}
	return e, nil
}

// LimitError says which limit is invalid.
type LimitError struct {
	Field  string // of Limits
	Reason string
}

// Error returns "limit Field: reason".
func (e *LimitError) Error() string { return "limit " + e.Field + ": " + e.Reason }

// Check returns nil if the limits are valid for p. It returns a [*LimitError] for
// a negative number, which an [Engine] would treat as no limit, and for an illegal
// search move. Clocks may be negative, because engines sometimes overstep them.
func (l *Limits) Check(p *chess.Position) error {
	for _, n := range []struct {
		field string
		value int64
	}{
		{"Depth", int64(l.Depth)}, {"Mate", int64(l.Mate)}, {"MoveTime", int64(l.MoveTime)},
		{"MovesToGo", int64(l.MovesToGo)},
		{"Inc", int64(min(l.Inc[0], l.Inc[1]))}, {"NodeTime", int64(l.NodeTime)},
	} {
		if n.value < 0 {
			return &LimitError{n.field, fmt.Sprintf("%d, want 0 or more", n.value)}
		}
	}
	for _, m := range l.SearchMoves {
		if !p.IsLegal(m) {
			return &LimitError{"SearchMoves", m.String() + " is not legal in " + p.FEN()}
		}
	}
	return nil
}

// ends reports whether the limits end every search with a side to move. A mate limit does not, because
// there may be no mate, and neither does the other side's clock.
func (l *Limits) ends(side chess.Color) bool {
	return !l.Infinite && !l.Ponder &&
		(l.Depth > 0 || l.Nodes > 0 || l.SoftNodes > 0 || l.MoveTime > 0 || l.timed(side))
}

// timed reports whether a side has a clock.
func (l *Limits) timed(side chess.Color) bool { return l.Timed[side] || l.Time[side] != 0 }

// errEndless is the error for a search that would never end.
var errEndless = errors.New(
	"search: no limit and no cancellable context: want one of them, or the search would never end")

// Analysis is the result of a search. It stays valid after the search.
type Analysis struct {
	Result
	Lines []Variation // best first, one for each requested line; none without a legal move

	position *chess.Position
}

// Variation is a line of play and what it leads to.
type Variation struct {
	Score eval.Score // for the side to move
	Depth Depth      // of the iteration that found it
	Moves []chess.Move
}

// SAN returns the best move in standard algebraic notation, or "--" for none.
func (a *Analysis) SAN() string {
	if a.position == nil { // no search has begun
		return "--"
	}
	return a.position.SAN(a.Best)
}

// LineSAN returns line i, counted from 0, with move numbers: "1. e4 e5 2. Nf3", or ""
// where there is none, as where the game is over.
func (a *Analysis) LineSAN(i int) string {
	if i < 0 || i >= len(a.Lines) {
		return ""
	}
	text, _ := a.position.SANLine(a.Lines[i].Moves) // a search plays legal moves
	return text
}

// WhiteScore returns a score for the side to move of p as White sees it.
func WhiteScore(p *chess.Position, s eval.Score) eval.Score {
	if p.SideToMove() == chess.Black {
		return -s
	}
	return s
}

// Search finds the best move of p with a new engine. For many searches use a [Pool]
// or an [Engine]. It calls report, if not nil, with each line on the calling
// goroutine; the PV is valid only during the call. When ctx ends, the search ends,
// and Search returns both what it has found, a legal move at least, and the error of
// ctx: a program whose context is its clock uses the result all the same. Errors: a
// [*LimitError]; no limit and a context that never ends; a Config out of bounds; too
// little memory.
func Search(ctx context.Context, p *chess.Position, limits Limits, config Config, report func(Info)) (Analysis, error) {
	if err := limits.checkWith(ctx, p); err != nil {
		return Analysis{}, err
	}
	e, err := config.engine()
	if err != nil {
		return Analysis{}, err
	}
	defer e.Close()
	// Where ctx has ended meanwhile, this still finds a legal move.
	return e.Analyse(ctx, p, limits, Options{MultiPV: max(1, config.MultiPV), Tables: AllTables()}, report)
}

// checkWith returns an error for wrong limits, and for a search that nothing would end.
func (l Limits) checkWith(ctx context.Context, p *chess.Position) error {
	if err := l.Check(p); err != nil {
		return err
	}
	if !l.ends(p.SideToMove()) && ctx.Done() == nil {
		return errEndless
	}
	return nil
}

// Pool is a set of engines for a server. It runs one search for each engine at a
// time; further searches wait. Each engine keeps its transposition table between
// searches. A Pool is safe for concurrent use.
type Pool struct {
	idle    chan *Engine
	multiPV int
	closed  sync.Once
}

// NewPool returns a pool of n engines, n at least 1. Errors: n or the Config is out
// of bounds; too little memory.
func NewPool(n int, config Config) (*Pool, error) {
	if n < 1 || n > math.MaxInt16 {
		return nil, fmt.Errorf("search: a pool of %d engines: want at least 1", n)
	}
	p := &Pool{idle: make(chan *Engine, n), multiPV: max(1, config.MultiPV)}
	for range n {
		e, err := config.engine()
		if err != nil {
			for range len(p.idle) {
				(<-p.idle).Close()
			}
			return nil, fmt.Errorf("search: %w", err)
		}
		p.idle <- e
	}
	return p, nil
}

// Close waits for the running searches and frees the memory of the engines. The
// pool must not be used afterwards; a second Close does nothing.
func (p *Pool) Close() {
	p.closed.Do(func() {
		for range cap(p.idle) {
			(<-p.idle).Close()
		}
	})
}

// Search waits for an idle engine and finds the best move of pos with it, like the
// function [Search]. If ctx ends before an engine is idle, it returns only the error.
func (p *Pool) Search(ctx context.Context, pos *chess.Position, limits Limits, report func(Info)) (Analysis, error) {
	if err := limits.checkWith(ctx, pos); err != nil {
		return Analysis{}, err
	}
	if err := ctx.Err(); err != nil {
		return Analysis{}, context.Cause(ctx)
	}
	select {
	case e := <-p.idle:
		defer func() { p.idle <- e }()
		return e.Analyse(ctx, pos, limits, Options{MultiPV: p.multiPV, Tables: AllTables()}, report)
	case <-ctx.Done():
		return Analysis{}, context.Cause(ctx)
	}
}

// Analyse searches p until the limits or ctx end it, and returns what was found until then;
// report, if not nil, receives each line on the way. The error is the cause of ctx's end.
func (e *Engine) Analyse(ctx context.Context, p *chess.Position, limits Limits, o Options,
	report func(Info)) (Analysis, error) {
	a := Analysis{position: p.Clone()}
	search := e.Prepare(p, limits, o, func(in Info) {
		a.keep(&in)
		if report != nil {
			report(in)
		}
	})
	stopped := make(chan struct{})
	detach := context.AfterFunc(ctx, func() {
		defer close(stopped)
		e.Stop()
	})
	a.Result = search()
	if detach() {
		return a, nil
	}
	<-stopped // or it would stop the next search
	return a, context.Cause(ctx)
}

// keep stores the latest report of each line. The first line begins another report, which may have fewer of them.
func (a *Analysis) keep(in *Info) {
	if in.MultiPV < 1 || len(in.PV) == 0 || in.Bound != eval.Exact {
		return
	}
	if in.MultiPV == 1 {
		a.Lines = a.Lines[:0]
	}
	for len(a.Lines) < in.MultiPV {
		a.Lines = append(a.Lines, Variation{})
	}
	v := &a.Lines[in.MultiPV-1]
	v.Score, v.Depth, v.Moves = in.Score, in.Depth, append(v.Moves[:0], in.PV...)
}
