package search

import (
	"context"
	"errors"
	"fmt"
	"math"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/syzygy"
)

// Config says what a search for [Search] or by a [Pool] may use. The zero Config is
// 16 MiB of memory, one thread and one line.
type Config struct {
	Hash    int // MiB of the transposition table, 1 to MaxHash; 0: 16
	Threads int // 1 to MaxThreads; 0: 1
	MultiPV int // lines to find, at least 1; 0: 1

	Strength Strength       // the zero value: no limit
	Tables   *syzygy.Tables // of endgames, used as far as they reach, as with SyzygyPath; nil: none. The caller closes them, after the last search
}

// engine returns a new engine.
func (c *Config) engine() (*Engine, error) {
	if c.MultiPV < 0 {
		return nil, fmt.Errorf("MultiPV %d: want at least 1", c.MultiPV)
	}
	hash, threads := c.Hash, c.Threads
	if hash == 0 {
		hash = 16
	}
	if threads == 0 {
		threads = 1
	}
	e, err := NewEngine(hash)
	if err != nil {
		return nil, err
	}
	if err := e.SetStrength(c.Strength); err != nil {
		return nil, err
	}
	e.SetTables(c.Tables)
	return e, e.SetThreads(threads)
}

// LimitError tells which limit makes no sense.
type LimitError struct {
	Field  string // of Limits
	Reason string
}

// Error returns "limit Field: reason".
func (e *LimitError) Error() string { return "limit " + e.Field + ": " + e.Reason }

// Check returns nil where the limits make sense for p. Errors: a [*LimitError]
// for a negative number, which an [Engine] takes for no limit, and for a search
// move that is not legal. Clocks may be negative: engines come late.
func (l *Limits) Check(p *chess.Position) error {
	for _, n := range []struct {
		field string
		value int64
	}{
		{"Depth", int64(l.Depth)}, {"Mate", int64(l.Mate)}, {"MoveTime", int64(l.MoveTime)}, {"MovesToGo", int64(l.MovesToGo)},
		{"Inc", int64(min(l.Inc[0], l.Inc[1]))}, {"NodeTime", int64(l.NodeTime)},
	} {
		if n.value < 0 {
			return &LimitError{n.field, fmt.Sprintf("%d is negative", n.value)}
		}
	}
	for _, m := range l.SearchMoves {
		if !p.IsLegal(m) {
			return &LimitError{"SearchMoves", m.String() + " is not legal in " + p.FEN()}
		}
	}
	return nil
}

// ends reports whether the limits end a search by themselves. A mate does not:
// there may be none.
func (l *Limits) ends() bool {
	return !l.Infinite && !l.Ponder &&
		(l.Depth > 0 || l.Nodes > 0 || l.SoftNodes > 0 || l.MoveTime > 0 || l.Timed[0] || l.Timed[1])
}

// errEndless is the error of a search that nothing would end.
var errEndless = errors.New("search: without a limit and with a context that never ends it would go on for ever")

// Analysis is what a search has found, as values that stay valid.
type Analysis struct {
	Result
	Lines []Variation // the best first, one for each line asked for; none without a legal move

	position *chess.Position
}

// Variation is a line of play and what it leads to.
type Variation struct {
	Score eval.Score // for the side to move
	Depth Depth      // of the iteration that found it
	Moves []chess.Move
}

// SAN returns the best move in standard algebraic notation, "--" for none.
func (a *Analysis) SAN() string { return a.position.SAN(a.Best) }

// LineSAN returns line i, from 0, with its move numbers: "1. e4 e5 2. Nf3".
func (a *Analysis) LineSAN(i int) string {
	text, _ := a.position.SANLine(a.Lines[i].Moves) // a search plays legal moves
	return text
}

// ScoreText returns a score in pawns or as moves to mate: "+0.35", "-1.20", "#3",
// "#-2" where the side that it is for is mated.
func ScoreText(s eval.Score) string {
	if n, ok := MateIn(s); ok {
		if n == 0 {
			return "#-0"
		}
		return fmt.Sprintf("#%d", n)
	}
	return fmt.Sprintf("%+.2f", float64(s)/100)
}

// WhiteScore returns a score for the side to move of p as White sees it.
func WhiteScore(p *chess.Position, s eval.Score) eval.Score {
	if p.SideToMove() == chess.Black {
		return -s
	}
	return s
}

// Search finds the best move of p with an engine of its own, which is gone when it
// returns; for many searches use a [Pool] or an [Engine]. report, if not nil, is
// told each line on the way by the calling goroutine, and its PV is valid only
// there. When ctx ends, the search ends, and what it has found is returned with
// ctx's error. Errors: a [*LimitError]; no limit at all and a context that never
// ends; a Config that is out of bounds, or memory that cannot be had.
func Search(ctx context.Context, p *chess.Position, limits Limits, config Config, report func(Info)) (Analysis, error) {
	pool, err := NewPool(1, config)
	if err != nil {
		return Analysis{}, err
	}
	defer pool.Close()
	return pool.Search(ctx, p, limits, report)
}

// Pool is a number of engines for a server: as many searches run at once, and
// others wait for their turn. Each engine keeps its transposition table, so that a
// position that comes back is known. It may be used by any number of goroutines.
type Pool struct {
	idle    chan *Engine
	multiPV int
}

// NewPool returns a pool of n engines, at least 1. Errors: n or a Config that is
// out of bounds, memory that cannot be had.
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

// Close waits until no search runs and gives the memory of the engines back. The
// pool must not be used afterwards.
func (p *Pool) Close() {
	for range cap(p.idle) {
		(<-p.idle).Close()
	}
}

// Search waits for an idle engine and finds the best move of pos with it, as the
// function [Search] does. Where ctx ends before an engine is idle only its error is
// returned.
func (p *Pool) Search(ctx context.Context, pos *chess.Position, limits Limits, report func(Info)) (Analysis, error) {
	if err := limits.Check(pos); err != nil {
		return Analysis{}, err
	}
	if !limits.ends() && ctx.Done() == nil {
		return Analysis{}, errEndless
	}
	if err := ctx.Err(); err != nil {
		return Analysis{}, context.Cause(ctx)
	}
	select {
	case e := <-p.idle:
		defer func() { p.idle <- e }()
		return e.analyse(ctx, pos, limits, p.multiPV, report)
	case <-ctx.Done():
		return Analysis{}, context.Cause(ctx)
	}
}

// analyse is Search with a context, its lines as values.
func (e *Engine) analyse(ctx context.Context, p *chess.Position, limits Limits, multiPV int, report func(Info)) (Analysis, error) {
	a := Analysis{position: p.Clone()}
	e.Arm(limits)
	detach := context.AfterFunc(ctx, e.Stop)
	a.Result = e.Search(p, limits, Options{MultiPV: multiPV, Tables: Tables{Men: syzygy.MaxMen, Depth: 1}}, func(in Info) {
		a.keep(&in)
		if report != nil {
			report(in)
		}
	})
	if detach() {
		return a, nil
	}
	return a, context.Cause(ctx)
}

// keep remembers the latest of each line.
func (a *Analysis) keep(in *Info) {
	if in.MultiPV < 1 || len(in.PV) == 0 || in.Bound != Exact {
		return
	}
	for len(a.Lines) < in.MultiPV {
		a.Lines = append(a.Lines, Variation{})
	}
	v := &a.Lines[in.MultiPV-1]
	v.Score, v.Depth, v.Moves = in.Score, in.Depth, append(v.Moves[:0], in.PV...)
}
