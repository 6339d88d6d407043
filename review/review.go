package review

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/pgn"
	"github.com/tabula-chess/tabula/search"
)

// Engine is the part of a search engine that a review needs; *search.Engine implements it. With a limit
// of depth or nodes and one thread, the report depends only on the game and the limits.
type Engine interface {
	Clear()
	Analyse(ctx context.Context, p *chess.Position, l search.Limits, o search.Options,
		report func(search.Info)) (search.Analysis, error)
}

// Options say how to review a game.
type Options struct {
	Limits Limits        // of the search of each position
	Tables search.Tables // of endgames; the zero value uses none

	NoPuzzles bool // look for none, which saves about a tenth of the time, half of it after a single mistake
	Why       bool // say why a move was a mistake, where that is proved: see [Why]. It takes about a fifth longer
}

// Progress is how far a review is.
type Progress struct {
	Done  int     `json:"done"` // positions
	Total int     `json:"total"`
	Nodes uint64  `json:"nodes"` // searched so far
	Share float64 `json:"-"`     // of the expected work that is done, 0 to 1
	White Side    `json:"white"` // by the moves judged so far
	Black Side    `json:"black"`
	Move  *Move   `json:"move,omitempty"` // just judged, the last of the game first; nil for none. It may still change a little
}

// A node costs about as much as baseCost men and those on the board: one of an ending with
// three men takes a third of one of the opening.
const baseCost = 8

// puzzleWork is what searching for puzzles adds to the work, on average over many games.
const puzzleWork = 1.1

// whyWork is the number of searches that explain a mistake, on average.
const whyWork = 3.4

// Check returns an error unless exactly one limit is set and within its bounds.
func (l Limits) Check() error {
	set := 0
	for _, is := range []bool{l.Depth != 0, l.Nodes != 0, l.MoveTime != 0} {
		if is {
			set++
		}
	}
	switch {
	case l.Depth < 0 || l.Depth >= search.MaxPly:
		return fmt.Errorf("review: depth %d, want 1 to %d", l.Depth, search.MaxPly-1)
	case l.MoveTime < 0:
		return fmt.Errorf("review: movetime %d is negative", l.MoveTime)
	case set != 1:
		return fmt.Errorf("review: %d limits, want one of depth, nodes and movetime", set)
	}
	return nil
}

// Game reviews the main line of g, whose moves must be legal, and does not change g. It clears the
// engine, on which no other search may run. progress, which may be nil, is called from this goroutine.
// Errors: those of Limits.Check, and the cause of ctx if it ends before the review.
func Game(ctx context.Context, e Engine, g *pgn.Game, o Options, progress func(Progress)) (*Report, error) {
	if err := o.Limits.Check(); err != nil {
		return nil, err
	}
	if progress == nil {
		progress = func(Progress) {}
	}
	e.Clear()
	r := &reviewer{ctx: ctx, engine: e, options: o, game: g, p: g.Position(), times: g.Times()}
	n := len(g.Main.Moves)
	r.p.Reserve(n)
	ahead := 0.0 // of the positions that are still to be searched
	cost := make([]float64, n+1)
	for i := range cost {
		cost[i] = r.cost(r.p)
		ahead += cost[i]
		if i < n {
			g.Main.Moves[i].Play(r.p)
		}
	}
	r.at = make([]found, n+1)
	r.report = &Report{
		Start: g.Position().FEN(), Chess960: g.Position().Chess960(), Result: g.Result.String(), Limits: o.Limits,
		Moves: make([]Move, n), Puzzles: []*Puzzle{},
	}
	for i := n; i >= 0; i-- {
		if i < n {
			r.p.Unmake()
		}
		if err := r.position(i); err != nil {
			return nil, err
		}
		ahead -= cost[i]
		if i < n {
			r.judge(i)
			if err := r.puzzles(i); err != nil {
				return nil, err
			}
			if r.explainable(i) {
				ahead += whyWork * cost[i]
			}
		}
		if i > 0 { // else the mistakes are still to be explained
			progress(r.progress(i, ahead))
		}
	}
	r.finish()
	if err := r.explain(); err != nil {
		return nil, err
	}
	progress(r.progress(0, 0))
	r.report.clocks()
	return r.report, nil
}

// cost returns what a node of a search of p costs, in men.
func (r *reviewer) cost(p *chess.Position) float64 { return float64(baseCost + p.Occupied().Count()) }

// progress returns how far the review is after position i; ahead is the sum of the costs
// of the positions before it.
func (r *reviewer) progress(i int, ahead float64) Progress {
	n := len(r.game.Main.Moves)
	step := Progress{Done: n + 1 - i, Total: n + 1, Nodes: r.nodes, Share: 1}
	if i < n {
		step.Move = &r.report.Moves[i]
		judged := Report{Moves: r.report.Moves[i:]}
		judged.sides()
		step.White, step.Black = judged.White, judged.Black
	}
	if i > 0 {
		perCost := float64(r.options.Limits.Nodes) * puzzleWork
		if perCost == 0 && r.searched > 0 {
			perCost = r.spent / r.searched
		}
		step.Share = r.spent / max(r.spent+ahead*perCost, 1)
	}
	return step
}

// reviewer is one review under way.
type reviewer struct {
	ctx     context.Context
	engine  Engine
	options Options
	game    *pgn.Game
	p       *chess.Position // of the game, with its history
	at      []found         // of each position of the game
	times   []pgn.MoveTime  // of its moves; nil without clocks
	report  *Report
	tried   map[int]bool // positions that have been looked at for a puzzle

	nodes           uint64  // searched so far
	spent, searched float64 // nodes times what each costs; costs of the positions that were searched
}

// found is what is known of a position; scores are the side to move's.
type found struct {
	score  eval.Score
	line   []chess.Move // the best line; none where the game is over
	forced bool         // there is one legal move, or the game is over
	claim  bool         // the side to move may claim a draw
	same   bool         // the move played is the best one
}

// position values the position before move i, or the last one, which stands on the
// board.
func (r *reviewer) position(i int) error {
	f := &r.at[i]
	var err error
	if *f, err = r.look(); err != nil || i == len(r.game.Main.Moves) {
		return err
	}
	played := r.game.Main.Moves[i].Move
	next := &r.at[i+1]
	if played == chess.NoMove || len(f.line) == 0 {
		return nil
	}
	defer func() {
		if f.claim {
			f.score = max(f.score, 0)
		}
	}()
	f.same = f.line[0] == played
	came := before(next.score)
	switch {
	case f.same && f.score.IsMate():
		// What the search has proven stands, whatever a look ahead has not seen.
		if !came.IsMate() {
			next.score, next.line = after(f.score), f.line[1:]
		} else {
			f.score, f.line = came, append([]chess.Move{played}, next.line...)
		}
	case f.same || came > f.score:
		f.same = true
		f.score, f.line = came, append([]chess.Move{played}, next.line...)
	}
	return nil
}

// before returns the score of a position, for its side to move, whose best move leads
// to one of that score for the other side: mates are one ply further away.
func before(s eval.Score) eval.Score {
	switch {
	case s >= eval.MateEdge:
		return -s + 1
	case s <= -eval.MateEdge:
		return -s - 1
	}
	return -s
}

// after is the inverse of before.
func after(s eval.Score) eval.Score {
	switch {
	case s >= eval.MateEdge:
		return -s - 1
	case s <= -eval.MateEdge:
		return -s + 1
	}
	return -s
}

// look values the position on the board.
func (r *reviewer) look() (f found, err error) {
	p := r.p
	if p.CanTakeKing() {
		f.forced = true // a null move in check has led here: no search may start from it
		return f, nil
	}
	outcome := p.Outcome()
	if outcome.Over() {
		f.forced = true // somebody plays on all the same
		if outcome == chess.Checkmate {
			f.score = -eval.Mate
		}
		return f, nil
	}
	lines, err := r.search(p, 1)
	if err != nil {
		return f, err
	}
	f.score, f.line = lines[0].Score, lines[0].Moves
	f.forced = len(movegen.Legal(p, nil)) == 1
	if f.claim = outcome.Claimable(); f.claim {
		f.score = max(f.score, 0)
	}
	return f, nil
}

// search searches a position, or some of its moves, for a number of lines and returns those there are, at least one.
func (r *reviewer) search(p *chess.Position, multiPV int, moves ...chess.Move) ([]search.Variation, error) {
	limits := search.Limits{
		Depth: search.Depth(r.options.Limits.Depth), Nodes: r.options.Limits.Nodes, MoveTime: time.Duration(r.options.Limits.MoveTime) * time.Millisecond,
		SearchMoves: moves,
	}
	a, err := r.engine.Analyse(r.ctx, p, limits, search.Options{MultiPV: multiPV, Tables: r.options.Tables}, nil)
	r.nodes += a.Nodes
	r.spent += float64(a.Nodes) * r.cost(p)
	r.searched += r.cost(p)
	if err == nil && len(a.Lines) == 0 {
		err = fmt.Errorf("review: the search of %s found %s without a line", p.FEN(), a.Best)
	}
	return a.Lines, err
}

// judge writes the report of move i from the values of the positions before and
// behind it. The position before it stands on the board.
func (r *reviewer) judge(i int) {
	p, node, f := r.p, &r.game.Main.Moves[i], &r.at[i]
	us := p.SideToMove()
	m := Move{
		Ply: i + 1, Number: p.FullmoveNumber(), Side: us.String(), UCI: r.uci(p, node.Move), SAN: p.SAN(node.Move),
		Before: white(us, f.score), After: white(us.Other(), r.at[i+1].score),
		Null: node.Move == chess.NoMove, Forced: f.forced, Accuracy: 100, Phase: phase(p),
	}
	if r.times != nil {
		m.Clock = clockOf(r.times[i])
	}
	m.Chance = m.After.Chance()
	if !m.Null && !m.Forced {
		m.judge(us, f.same)
	}
	if m.Judgment != "" {
		m.Best = r.line(p, f.score, f.line)
	}
	node.Play(p)
	m.FEN = p.FEN()
	if m.Judgment != "" && len(r.at[i+1].line) > 0 {
		m.Refutation = r.line(p, r.at[i+1].score, r.at[i+1].line)
	}
	p.Unmake()
	if m.Judgment != "" {
		m.Motif = m.motif(p, node)
	}
	r.report.Moves[i] = m
}

// finish writes what can be said once all is known: a mate seen later in the search,
// which is earlier in the game, has changed the value of a position behind it.
func (r *reviewer) finish() {
	for i := range r.game.Main.Moves {
		r.judge(i)
		r.game.Main.Moves[i].Play(r.p)
	}
	r.report.sides()
	slices.SortFunc(r.report.Puzzles, func(a, b *Puzzle) int { return a.Ply - b.Ply })
}

// line returns a line of play from p, whose score for the side to move is given.
func (r *reviewer) line(p *chess.Position, score eval.Score, moves []chess.Move) *Line {
	l := &Line{Score: white(p.SideToMove(), score)}
	l.Text, _ = p.SANLine(moves) // a search plays legal moves
	q := p.Clone()
	for _, m := range moves {
		l.UCI, l.SAN = append(l.UCI, r.uci(q, m)), append(l.SAN, q.SAN(m))
		q.Make(m)
	}
	return l
}

// uci returns the text of a legal move or a null move.
func (r *reviewer) uci(p *chess.Position, m chess.Move) string {
	if m == chess.NoMove || r.report.Chess960 {
		return m.String()
	}
	return p.UCI(m)
}

// white returns a score of side us as White sees it.
func white(us chess.Color, s eval.Score) Score {
	if us == chess.Black {
		s = -s
	}
	return Score(s)
}
