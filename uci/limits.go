package uci

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/movegen/perft"
	"github.com/tabula-chess/tabula/search"
)

// Bounds of the numbers in a go command.
const (
	maxDepth  = 1000    // more than any search reaches
	maxMillis = 1 << 37 // four years, so that sums of time over a game do not overflow a time.Duration
)

// Limits beyond which a search has no end that anybody can wait for: it is
// treated as one without a limit by wait and at the end of the input.
const (
	reachDepth = 100
	reachNodes = 1e13
	reachTime  = 7 * 24 * time.Hour
)

// request is a go command as understood.
type request struct {
	limits  search.Limits
	perft   int  // depth of a perft, or -1 for a search
	stats   bool // perft with statistics
	noHash  bool // perft without a table
	clocks  bool // an increment or a number of moves to go is given, and so the game has clocks
	limited bool // depth, nodes, time or clock is given
	bounded bool // the search ends by itself within such a limit
	notes   []string
	wrong   error // the first thing that was not understood
	refused error // why nothing is to be done at all
}

// goWord is a word with a meaning within a go command. The parser and the help
// are made from the list that goWords returns.
type goWord struct {
	word      string
	takes     string // what follows it: nothing, a number's name, or moves
	low, high int64  // of the number, inclusive; anything beyond is clamped
	strict    bool   // without a number within the bounds the whole go is refused
	doc       string // one sentence for people
	set       func(r *request, n int64)
}

// takesMoves is what a goWord takes that is followed by moves.
const takesMoves = "MOVE …"

// goWords returns the words of a go command.
func goWords() []goWord {
	clock := func(side chess.Color) func(*request, int64) {
		return func(r *request, n int64) { r.limits.Time[side], r.limits.Timed[side] = millis(n), true }
	}
	increment := func(side chess.Color) func(*request, int64) {
		return func(r *request, n int64) { r.limits.Inc[side], r.clocks = millis(n), true }
	}
	return []goWord{
		{word: "depth", takes: "PLIES", low: 1, high: maxDepth, doc: "no deeper than this",
			set: func(r *request, n int64) { r.limits.Depth = search.Depth(n) }},
		{word: "nodes", takes: "N", low: 1, high: math.MaxInt64, doc: "no more positions than these",
			set: func(r *request, n int64) { r.limits.Nodes = uint64(n) }},
		{word: "movetime", takes: "MS", low: 1, high: maxMillis, doc: "this many milliseconds",
			set: func(r *request, n int64) { r.limits.MoveTime = millis(n) }},
		{word: "mate", takes: "N", low: 1, high: maxDepth, doc: "until a mate in N moves is found",
			set: func(r *request, n int64) { r.limits.Mate = int(n) }},
		// GUIs send what is left of an overstepped clock.
		{word: "wtime", takes: "MS", low: -maxMillis, high: maxMillis, doc: "White's clock in milliseconds",
			set: clock(chess.White)},
		{word: "btime", takes: "MS", low: -maxMillis, high: maxMillis, doc: "Black's clock in milliseconds",
			set: clock(chess.Black)},
		{word: "winc", takes: "MS", high: maxMillis, doc: "what White's clock gains with each move",
			set: increment(chess.White)},
		{word: "binc", takes: "MS", high: maxMillis, doc: "what Black's clock gains with each move",
			set: increment(chess.Black)},
		// GUIs send 0 where the clock is not set anew.
		{word: "movestogo", takes: "N", high: maxMillis, doc: "moves until the clock is set anew, 0 for never",
			set: func(r *request, n int64) { r.limits.MovesToGo, r.clocks = int(n), true }},
		{word: "searchmoves", takes: takesMoves, doc: "looks at these moves alone"},
		{word: "infinite", doc: "until stop", set: func(r *request, _ int64) { r.limits.Infinite = true }},
		{word: "ponder", doc: "until ponderhit, then within the other limits",
			set: func(r *request, _ int64) { r.limits.Ponder = true }},
		{word: "perft", takes: "PLIES", high: perft.MaxDepth, strict: true,
			doc: "counts the leaves of the tree of legal moves instead of searching",
			set: func(r *request, n int64) { r.perft = int(n) }},
		{word: "stats", doc: "perft counts captures, checks, mates and so on of each depth too",
			set: func(r *request, _ int64) { r.stats = true }},
		{word: "nohash", doc: "perft uses no table, although Hash was set",
			set: func(r *request, _ int64) { r.noHash = true }},
	}
}

// millis returns a number of milliseconds as a duration.
func millis(n int64) time.Duration { return time.Duration(n) * time.Millisecond }

// parseGo reads the arguments of go in the position p. It never fails: what
// cannot be understood is left out and told in the notes. When nothing but
// such words was given, the search is one ply deep, so that a GUI with a typing
// mistake gets a legal move and not an endless search.
func parseGo(p *chess.Position, args []string, at time.Time) request {
	r := request{perft: -1, limits: search.Limits{Start: at}}
	words := goWords()
	find := func(text string) int { return slices.IndexFunc(words, func(g goWord) bool { return g.word == text }) }
	for i := 0; i < len(args); {
		at := find(args[i])
		i++
		if at < 0 {
			r.fault("%.40q is unknown and left out", args[i-1])
			continue
		}
		// What belongs to a word ends where the next one begins.
		end := i
		for end < len(args) && find(args[end]) < 0 {
			end++
		}
		switch g := words[at]; {
		case g.takes == "":
			g.set(&r, 0)
		case g.takes == takesMoves:
			r.searchMoves(p, args[i:end])
			i = end
		case i == end && g.strict:
			r.refused = exit.WrongUsef("go refused: %s lacks its number", g.word)
		case i == end:
			r.fault("%s lacks its number and is left out", g.word)
		default:
			r.number(g, args[i])
			i++
		}
	}
	r.decide(p.SideToMove())
	return r
}

// note records what is worth telling about the command.
func (r *request) note(format string, args ...any) {
	r.notes = append(r.notes, fmt.Sprintf(format, args...))
}

// fault is a note of something that was not understood.
func (r *request) fault(format string, args ...any) {
	r.note(format, args...)
	r.blame(format, args...)
}

// blame records why the go of a command line is refused.
func (r *request) blame(format string, args ...any) {
	if r.wrong == nil {
		r.wrong = exit.WrongUsef("go: "+format, args...)
	}
}

// decide settles what the search of side us does that was given no limit or
// only parts of the clocks, and whether it ends by itself.
func (r *request) decide(us chess.Color) {
	l := &r.limits
	r.findClock(us)
	limited := l.Depth > 0 || l.Nodes > 0 || l.MoveTime > 0 || l.Timed[us]
	if !limited && l.Mate == 0 && !l.Infinite && !l.Ponder {
		if len(r.notes) > 0 && len(l.SearchMoves) == 0 {
			r.note("no limit is left: searching one ply")
			l.Depth, limited = 1, true
		} else {
			l.Infinite = true
		}
	}
	r.limited = limited && !l.Infinite && withinReach(l, us)
	r.bounded = r.limited && !l.Ponder
}

// shortClock is on a clock of which nothing is known.
const shortClock = time.Second

// findClock settles how much time side us has whose clock is not given. GUIs leave out a clock at zero: then the
// increment is all there is.
func (r *request) findClock(us chess.Color) {
	l, them := &r.limits, us.Other()
	other := l.Depth > 0 || l.Nodes > 0 || l.MoveTime > 0 || l.Mate > 0 || l.Infinite
	switch {
	case l.Timed[us]:
	case l.Timed[them] && l.Inc[us] == 0:
		l.Time[us], l.Inc[us], l.Timed[us] = l.Time[them], l.Inc[them], true
		r.note("%s's clock is not given, taken as the opponent's", us)
	case l.Timed[them], r.clocks && !other:
		l.Inc[us] = cmp.Or(l.Inc[us], l.Inc[them])
		l.Time[us], l.Timed[us] = cmp.Or(l.Inc[us], shortClock), true
		r.note("%s's clock is not given, taken as %d ms", us, l.Time[us].Milliseconds())
	}
}

// withinReach reports whether one of the limits will be met in a time that
// somebody may want to wait for.
func withinReach(l *search.Limits, us chess.Color) bool {
	return l.Depth > 0 && l.Depth <= reachDepth ||
		l.Nodes > 0 && l.Nodes <= reachNodes ||
		l.MoveTime > 0 && l.MoveTime <= reachTime ||
		l.Timed[us] && l.Time[us] <= reachTime
}

// number takes in one word with its number.
func (r *request) number(g goWord, text string) {
	n, note, err := parseNumber(text, g.low, g.high)
	if g.strict && (err != nil || note != "") {
		r.refused = exit.WrongUsef("go refused: %s %.40q: want %d to %d", g.word, text, g.low, g.high)
		return
	}
	if err != nil {
		r.fault("%s is left out: %v", g.word, err)
		return
	}
	g.set(r, n)
	if note != "" {
		r.note("%s %s, taken as %d", g.word, note, n)
		r.blame("%s %s", g.word, note)
	}
}

// searchMoves takes in the moves of searchmoves. Illegal moves are left out; if
// none remains the search is not restricted.
func (r *request) searchMoves(p *chess.Position, texts []string) {
	for _, text := range texts {
		m, err := p.ParseUCI(text)
		if err != nil {
			r.fault("searchmoves: %v, left out", err)
		} else if !slices.Contains(r.limits.SearchMoves, m) {
			r.limits.SearchMoves = append(r.limits.SearchMoves, m)
		}
	}
	if len(r.limits.SearchMoves) == 0 {
		r.fault("searchmoves names no legal move: all are searched")
	}
}
