//go:build !tabula_rules

package session

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/eval/wdl"
	"github.com/tabula-chess/tabula/search"
)

// task is a search. It may take several turns.
type task struct {
	session  *Session
	call     *call
	root     *chess.Position // read-only once the task runs
	limits   search.Limits
	options  search.Options
	strength search.Strength
	oneTurn  bool // ends after its first turn, so that a player need not wait

	before  counters // of earlier turns
	now     counters // including the current turn
	shown   snapshot // the last report
	current []line   // of the current turn
	deepest search.Depth
	deeper  bool // the current turn has reported lines
}

// counters are what adds up over turns.
type counters struct {
	nodes, tbhits uint64
	time          time.Duration
}

// line is a line of play as the search reports it, copied.
type line struct {
	depth    search.Depth
	selDepth int
	score    eval.Score
	bound    search.Bound
	chances  wdl.Chances
	moves    []chess.Move
}

// snapshot is an immutable state of a search.
type snapshot struct {
	counters
	hashFull int
	lines    []line
}

// run searches until the limits or the call end it. It returns an error if it got no turn because
// the engines are closed.
func (t *task) run() (search.Result, error) {
	if t.strength.Elo > 0 {
		return t.runWeak()
	}
	var best search.Result
	for {
		turn, err := t.session.service.pool.take(t.call.ctx, &t.session.client)
		if err != nil {
			if t.call.ctx.Err() != nil {
				return best, nil // stopped while it waited
			}
			return best, err
		}
		t.current, t.deeper, t.now = nil, false, t.before
		began := time.Now()
		found, _ := turn.engine.Analyse(turn.ctx, t.root, t.rest(), t.options, t.report)
		cut := turn.cut()
		turn.give()
		t.now.nodes = t.before.nodes + found.Nodes
		t.now.time = t.before.time + time.Since(began)
		if t.deeper || best.Best == chess.NoMove {
			best = found.Result
		}
		t.before = t.now
		if t.call.ctx.Err() != nil || !cut || t.oneTurn || t.done(best) {
			return best, nil
		}
	}
}

// weakHash is the hash size in MiB of an engine with limited strength.
const weakHash = 1

// runWeak searches with a separate engine of limited strength, because the results of the analysing
// engines must not help it.
func (t *task) runWeak() (search.Result, error) {
	leave, err := t.session.enter(t.call.ctx, playing)
	if err != nil {
		return search.Result{}, nil // stopped while it waited
	}
	defer leave()
	e, err := search.NewEngine(weakHash)
	if err != nil {
		return search.Result{}, fmt.Errorf("engines: %w", err)
	}
	defer e.Close()
	e.SetTables(t.session.service.tables)
	if err := e.SetStrength(t.strength); err != nil {
		return search.Result{}, err
	}
	found, _ := e.Analyse(t.call.ctx, t.root, t.limits, t.options, t.report)
	return found.Result, nil
}

// rest returns the remaining limits.
func (t *task) rest() search.Limits {
	l := t.limits
	if l.Nodes > 0 {
		l.Nodes -= min(l.Nodes-1, t.before.nodes)
	}
	if l.MoveTime > 0 {
		l.MoveTime = max(time.Millisecond, l.MoveTime-t.before.time)
	}
	return l
}

// done reports whether an interrupted search has reached its limits.
func (t *task) done(best search.Result) bool {
	l := &t.limits
	return l.Nodes > 0 && t.before.nodes >= l.Nodes || l.MoveTime > 0 && t.before.time >= l.MoveTime ||
		l.Depth > 0 && best.Depth >= l.Depth
}

// report stores a report of the search. It runs on the search's goroutine and only copies.
func (t *task) report(in search.Info) {
	if in.MultiPV < 1 || len(in.PV) == 0 {
		return
	}
	t.now = counters{nodes: t.before.nodes + in.Nodes, tbhits: t.before.tbhits + in.TBHits, time: t.before.time + in.Time}
	for len(t.current) < in.MultiPV {
		t.current = append(t.current, line{})
	}
	t.current[in.MultiPV-1] = line{in.Depth, in.SelDepth, in.Score, in.Bound, in.Chances(t.root), slices.Clone(in.PV)}
	if in.MultiPV < min(t.options.MultiPV, len(t.current)) {
		return // the other lines of the iteration follow
	}
	// A search that starts again after others' turns reports nothing shallower than before.
	if t.current[0].depth >= t.deepest {
		t.deepest = t.current[0].depth
		t.shown.lines, t.deeper = slices.Clone(t.current), true
	}
	t.shown.counters, t.shown.hashFull = t.now, in.HashFull
	if len(t.shown.lines) == 0 {
		return
	}
	s, root, id := t.shown, t.root, t.call.id
	t.session.out.event(t.call.key, func() Reply { return Reply{ID: id, Info: s.info(root)} })
}

// info converts the snapshot to a message.
func (s *snapshot) info(root *chess.Position) *Info {
	if len(s.lines) == 0 {
		return nil
	}
	in := &Info{
		Depth: int(s.lines[0].depth), SelDepth: s.lines[0].selDepth, Nodes: s.nodes, Time: millis(s.time),
		HashFull: s.hashFull, TBHits: s.tbhits,
	}
	if s.time > 0 {
		in.NPS = uint64(float64(s.nodes) / s.time.Seconds())
	}
	for i, l := range s.lines {
		uci, san := texts(root, l.moves)
		in.Lines = append(in.Lines, Line{
			Rank: i + 1, Depth: int(l.depth), Score: scoreOf(root, l.score), Bound: boundText(root, l.bound), WDL: chancesOf(root, l.chances), UCI: uci, SAN: san,
		})
	}
	return in
}

// scoreOf converts a score of the side to move of p to White's.
func scoreOf(p *chess.Position, s eval.Score) Score {
	if moves, ok := s.MateIn(); ok {
		if p.SideToMove() == chess.Black {
			moves = -moves
		}
		return Score{Mate: &moves}
	}
	cp := int(search.WhiteScore(p, s))
	return Score{CP: &cp}
}

// chancesOf converts win/draw/loss of the side to move of p to White's.
func chancesOf(p *chess.Position, c wdl.Chances) *[3]int {
	if p.SideToMove() == chess.Black {
		c = c.Flip()
	}
	return &[3]int{c.Win, c.Draw, c.Loss}
}

// boundText returns the kind of bound, from White's point of view, of a score of the side to move.
func boundText(p *chess.Position, b search.Bound) string {
	switch {
	case b == search.Exact:
		return ""
	case (b == search.Lower) == (p.SideToMove() == chess.White):
		return "lower"
	}
	return "upper"
}

// engineLimits converts the limits for the engine.
func (l *Limits) engineLimits(bound time.Duration) search.Limits {
	out := search.Limits{
		Depth: search.Depth(l.Depth), Nodes: l.Nodes, MoveTime: time.Duration(l.MoveTime) * time.Millisecond,
	}
	if bound > 0 && (out.MoveTime == 0 || out.MoveTime > bound) {
		out.MoveTime = bound
	}
	return out
}

// none reports whether nothing limits a search.
func (l *Limits) none() bool { return l.Depth == 0 && l.Nodes == 0 && l.MoveTime == 0 }

// task returns a task with the session's current settings.
func (s *Session) task(c *call, root *chess.Position, l search.Limits) *task {
	return &task{
		session: s, call: c, root: root, limits: l,
		options: search.Options{MultiPV: 1, Tables: s.own.tables()},
	}
}

// analyseFields are the fields of analyse.
type analyseFields struct {
	Position Place    `json:"position"`
	Limits   Limits   `json:"limits"`
	MultiPV  *int     `json:"multipv"`
	Moves    []string `json:"moves"`
}

// analyse answers analyse.
func (s *Session) analyse(c *call, f *analyseFields) (work, *Error) {
	p, wrong := f.Position.read(nil)
	if wrong != nil {
		return nil, wrong
	}
	multiPV := 1
	if f.MultiPV != nil {
		multiPV = *f.MultiPV
	}
	if wrong := cmp.Or(f.Limits.check(), within("multipv", int64(multiPV), 1, maxMultiPV)); wrong != nil {
		return nil, wrong
	}
	only, wrong := searchMoves(p, f.Moves)
	if wrong != nil {
		return nil, wrong
	}
	if p.Outcome().Over() {
		return func(*call) (any, *Error) { return &Analysis{Reason: "over"}, nil }, nil
	}
	endless := f.Limits.none()
	t := s.task(c, p, f.Limits.engineLimits(s.service.config.Search))
	t.limits.SearchMoves, t.options.MultiPV = only, multiPV
	c.endless = endless
	return func(c *call) (any, *Error) {
		result, err := t.run()
		if err != nil {
			return nil, fault("", "%v", err)
		}
		if endless && s.service.config.Search == 0 {
			<-c.ctx.Done() // even with nothing left to search, an endless request ends only when stopped
		}
		out := &Analysis{Reason: "limit", Info: t.shown.info(p)}
		if c.stopped() {
			out.Reason = "stop"
		}
		out.Best, out.Ponder = resultMoves(p, result)
		return out, nil
	}, nil
}

// searchMoves reads the moves to which a search is restricted.
func searchMoves(p *chess.Position, list []string) ([]chess.Move, *Error) {
	if len(list) > chess.MaxMoves {
		return nil, fault("moves", "%d moves, want at most %d", len(list), chess.MaxMoves)
	}
	var only []chess.Move
	for i, text := range list {
		m, err := readMove(p, text)
		if err == nil && m == chess.NoMove {
			err = &chess.MoveError{Text: text, Reason: "a null move cannot be searched"}
		}
		if err != nil {
			return nil, fault(fmt.Sprintf("moves[%d]", i), "%v", err)
		}
		only = append(only, m)
	}
	return only, nil
}

// resultMoves returns the best move and the expected reply, each nil if there is none.
func resultMoves(p *chess.Position, r search.Result) (best, ponder *Move) {
	if r.Best == chess.NoMove {
		return nil, nil
	}
	p = p.Clone() // finding the text of a move plays it, and others read p
	b := describe(p, r.Best)
	if r.Ponder != chess.NoMove {
		p.Make(r.Best)
		a := describe(p, r.Ponder)
		ponder = &a
	}
	return &b, ponder
}

// check returns an error for limits out of bounds.
func (l *Limits) check() *Error {
	if l.Infinite && !l.none() {
		return fault("limits.infinite", "cannot be combined with another limit")
	}
	return cmp.Or(
		within("limits.depth", int64(l.Depth), 0, maxDepth),
		within("limits.nodes", l.Nodes, 0, 1<<53),
		within("limits.movetime", l.MoveTime, 0, maxMillis),
	)
}
