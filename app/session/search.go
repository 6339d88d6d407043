package session

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/eval/wdl"
	"github.com/tabula-chess/tabula/review"
	"github.com/tabula-chess/tabula/search"
)

// jsonLimits end a search when the first of them is reached.
type jsonLimits struct {
	Depth    int    `json:"depth,omitempty"`
	Nodes    uint64 `json:"nodes,omitempty"`
	MoveTime int64  `json:"movetime,omitempty"` // ms
	Infinite bool   `json:"infinite,omitempty"`
}

// jsonLine is one line of play.
type jsonLine struct {
	Rank  int          `json:"rank"` // from 1, the best
	Depth int          `json:"depth"`
	Score review.Score `json:"score"`
	Bound string       `json:"bound,omitempty"` // lower, upper, or nothing: exact
	WDL   *[3]int      `json:"wdl,omitempty"`   // win, draw, loss for White, per mille
	UCI   []string     `json:"uci"`
	SAN   []string     `json:"san"`
}

// Info is the state of a search.
type Info struct {
	Depth    int        `json:"depth"`
	SelDepth int        `json:"seldepth"`
	Nodes    uint64     `json:"nodes"`
	NPS      uint64     `json:"nps"`
	Time     int64      `json:"time"` // ms
	HashFull int        `json:"hashfull"`
	TBHits   uint64     `json:"tbhits"`
	Lines    []jsonLine `json:"lines"`
}

// Analysis is the result of analyse.
type Analysis struct {
	Best   *jsonMove `json:"best"`
	Ponder *jsonMove `json:"ponder"`
	Reason string    `json:"reason"` // limit, stop, over
	Info   *Info     `json:"info"`
}

// task is a search. It may take several turns.
type task struct {
	engines  *engines
	call     *call
	root     *chess.Position // read-only once the task runs
	limits   search.Limits
	options  search.Options
	strength search.Strength
	pause    bool // answers when a person would
	oneTurn  bool // ends after its first turn, so that a player need not wait

	before  search.Info   // nodes, table hits and time of earlier turns
	shown   snapshot      // the last report
	current []search.Info // the last block of reports of the current turn, one for each line
	most    int           // lines of a block of this turn
	deeper  bool          // the current turn has changed the lines shown
}

// snapshot is an immutable state of a search.
type snapshot struct {
	now   search.Info   // the last report, which counts earlier turns too
	lines []search.Info // the deepest report on each line
}

// run searches until the limits or the call end it.
func (t *task) run() (best search.Result, err error) {
	if t.strength.Elo > 0 {
		return t.runWeak()
	}
	for {
		cut, err := t.engines.turn(t.call.ctx, t.call.session, func(ctx context.Context, e *search.Engine) {
			t.current, t.most, t.deeper = nil, 0, false
			began := time.Now()
			found, _ := e.Analyse(ctx, t.root, t.rest(), t.options, t.report)
			t.show() // a search that was cut off may end with fewer lines
			if t.deeper || best.Best == chess.NoMove {
				best = found.Result
			}
			t.before.Nodes += found.Nodes
			t.before.Time += time.Since(began)
			t.before.TBHits = t.shown.now.TBHits
		})
		if err != nil || !cut || t.oneTurn || t.call.ctx.Err() != nil {
			return best, nil // an error is that the call was stopped, or its session ended, while it waited
		}
	}
}

// weakHash is the hash size in MiB of an engine with limited strength.
const weakHash = 1

// runWeak searches with a separate engine of limited strength, because the results of the analysing
// engines must not help it. Its search takes milliseconds, so nobody cuts its turn short.
func (t *task) runWeak() (best search.Result, err error) {
	err = t.engines.withEngine(t.call, searching, weakHash, func(ctx context.Context, e *search.Engine) error {
		if err := e.SetStrength(t.strength); err != nil {
			return err
		}
		found, _ := e.Analyse(ctx, t.root, t.limits, t.options, t.report)
		best = found.Result
		t.show()
		return nil
	})
	if t.call.ctx.Err() != nil { // stopped, perhaps while it waited
		err = nil
	}
	return best, err
}

// rest returns the remaining limits.
func (t *task) rest() search.Limits {
	l := t.limits
	if l.Nodes > 0 {
		l.Nodes -= min(l.Nodes-1, t.before.Nodes)
	}
	if l.MoveTime > 0 {
		l.MoveTime = max(time.Millisecond, l.MoveTime-t.before.Time)
	}
	return l
}

// report stores a report of the search. It runs on the search's goroutine and only copies.
func (t *task) report(in search.Info) {
	if in.MultiPV < 1 || len(in.PV) == 0 {
		return
	}
	if in.MultiPV == 1 && in.Bound == eval.Exact {
		t.current = t.current[:0]
	}
	for len(t.current) < in.MultiPV {
		t.current = append(t.current, search.Info{})
	}
	t.most = max(t.most, len(t.current))
	in.PV = slices.Clone(in.PV)
	in.Nodes, in.TBHits, in.Time = in.Nodes+t.before.Nodes, in.TBHits+t.before.TBHits, in.Time+t.before.Time
	t.current[in.MultiPV-1], t.shown.now = in, in
	if in.MultiPV >= min(t.options.MultiPV, t.most) { // else the other lines of the iteration follow
		t.show()
	}
}

// show tells what has been reported.
func (t *task) show() {
	if len(t.current) == 0 {
		return
	}
	// A search that starts again after others' turns reports nothing shallower than before.
	if len(t.shown.lines) == 0 || t.current[0].Depth >= t.shown.lines[0].Depth {
		t.shown.lines, t.deeper = slices.Clone(t.current), true
	}
	s, root, id := t.shown, t.root, t.call.id
	t.call.tell(func() Reply { return Reply{ID: id, Info: s.info(root)} })
}

// info converts the snapshot to a message.
func (s *snapshot) info(root *chess.Position) *Info {
	if len(s.lines) == 0 {
		return nil
	}
	in := &Info{
		Depth: int(s.lines[0].Depth), SelDepth: s.lines[0].SelDepth, Nodes: s.now.Nodes, Time: millis(s.now.Time),
		HashFull: s.now.HashFull, TBHits: s.now.TBHits,
	}
	if s.now.Time > 0 {
		in.NPS = uint64(float64(s.now.Nodes) / s.now.Time.Seconds())
	}
	for i, l := range s.lines {
		uci, san := texts(root, l.PV)
		in.Lines = append(in.Lines, jsonLine{
			Rank: i + 1, Depth: int(l.Depth), Score: review.Score(search.WhiteScore(root, l.Score)),
			Bound: boundText(root, l.Bound), WDL: chancesOf(root, l.Chances(root)),
			UCI: uci, SAN: san,
		})
	}
	return in
}

// chancesOf converts win/draw/loss of the side to move of p to White's.
func chancesOf(p *chess.Position, c wdl.Chances) *[3]int {
	if p.SideToMove() == chess.Black {
		c = c.Flip()
	}
	return &[3]int{c.Win, c.Draw, c.Loss}
}

// boundText returns the kind of bound, from White's point of view, of a score of the side to move.
func boundText(p *chess.Position, b eval.Bound) string {
	switch {
	case b == eval.Exact:
		return ""
	case (b == eval.Lower) == (p.SideToMove() == chess.White):
		return "lower"
	}
	return "upper"
}

// engineLimits converts the limits for the engine.
func (l *jsonLimits) engineLimits(bound time.Duration) search.Limits {
	out := search.Limits{
		Depth: search.Depth(l.Depth), Nodes: l.Nodes, MoveTime: time.Duration(l.MoveTime) * time.Millisecond,
	}
	if bound > 0 && (out.MoveTime == 0 || out.MoveTime > bound) {
		out.MoveTime = bound
	}
	return out
}

// none reports whether nothing limits a search.
func (l *jsonLimits) none() bool { return l.Depth == 0 && l.Nodes == 0 && l.MoveTime == 0 }

// task returns a task with the session's current settings.
func (e *engines) task(c *call, root *chess.Position, l search.Limits) *task {
	return &task{
		engines: e, call: c, root: root, limits: l, options: search.Options{MultiPV: 1, Tables: tablesOf(c.options)},
	}
}

// analyseFields are the fields of analyse.
type analyseFields struct {
	placeFields
	Limits  jsonLimits `json:"limits"`
	MultiPV *int       `json:"multipv"`
	Moves   []string   `json:"moves"`
}

// analyse answers analyse.
func (e *engines) analyse(c *call, p *chess.Position, f *analyseFields) (any, error) {
	multiPV := given(f.MultiPV, 1)
	if err := cmp.Or(f.Limits.check(), within("multipv", int64(multiPV), 1, maxMultiPV)); err != nil {
		return nil, err
	}
	only, err := searchMoves(p, f.Moves)
	if err != nil {
		return nil, err
	}
	if p.Outcome().Over() {
		return &Analysis{Reason: "over"}, nil
	}
	t := e.task(c, p, f.Limits.engineLimits(e.config.Search))
	t.limits.SearchMoves, t.options.MultiPV = only, multiPV
	c.endless = f.Limits.none()
	return work(func() (any, error) {
		result, err := t.run()
		if err != nil {
			return nil, err
		}
		if c.endless && e.config.Search == 0 {
			<-c.ctx.Done() // even with nothing left to search, an endless request ends only when stopped
		}
		out := &Analysis{Reason: "limit", Info: t.shown.info(p)}
		if c.stopped() {
			out.Reason = "stop"
		}
		out.Best, out.Ponder = resultMoves(p, result)
		return out, nil
	}), nil
}

// searchMoves reads the moves to which a search is restricted.
func searchMoves(p *chess.Position, list []string) ([]chess.Move, error) {
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
func resultMoves(p *chess.Position, r search.Result) (best, ponder *jsonMove) {
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
func (l *jsonLimits) check() error {
	if l.Infinite && !l.none() {
		return fault("limits.infinite", "cannot be combined with another limit")
	}
	return cmp.Or(
		within("limits.depth", int64(l.Depth), 0, maxDepth),
		within("limits.nodes", l.Nodes, 0, 1<<53),
		within("limits.movetime", l.MoveTime, 0, maxMillis),
	)
}
