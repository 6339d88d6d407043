package uci

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/search"
)

// Bounds of the numbers in a go command.
const (
	maxDepth  = 1000    // more than any search reaches
	maxMillis = 1 << 42 // 139 years, far from overflowing a time.Duration
	maxPerft  = 64      // plies
)

// request is a go command as understood.
type request struct {
	limits  search.Limits
	perft   int  // depth of a perft, or -1 for a search
	limited bool // depth, nodes, time or clock is given
	bounded bool // the search ends by itself within such a limit
	notes   []string
}

// parseGo reads the arguments of go in the position p. It never fails: what
// cannot be understood is left out and told in the notes. When nothing but
// such words was given, the search is one ply deep, so that a GUI with a typing
// mistake gets a legal move and not an endless search.
func parseGo(p *chess.Position, args []string, at time.Time) request {
	r := request{perft: -1, limits: search.Limits{Start: at}}
	for i := 0; i < len(args); {
		word := args[i]
		i++
		switch word {
		case "infinite":
			r.limits.Infinite = true
		case "ponder":
			r.limits.Ponder = true
		case "searchmoves":
			i = r.searchMoves(p, args, i)
		default:
			if !isGoWord(word) {
				r.note("%.40q is unknown and left out", word)
				continue
			}
			if i == len(args) || isGoWord(args[i]) {
				r.note("%s lacks its number and is left out", word)
				continue
			}
			if err := r.number(word, args[i]); err != nil {
				r.note("%s is left out: %v", word, err)
			}
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

// decide settles what the search of side us does that was given no limit or
// only the opponent's clock, and whether it ends by itself.
func (r *request) decide(us chess.Color) {
	l := &r.limits
	if them := us.Other(); l.Timed[them] && !l.Timed[us] {
		l.Time[us], l.Inc[us], l.Timed[us] = l.Time[them], l.Inc[them], true
		r.note("%s's clock is not given, taken as the opponent's", us)
	}
	ends := l.Depth > 0 || l.Nodes > 0 || l.MoveTime > 0 || l.Timed[us]
	if !ends && l.Mate == 0 && !l.Infinite && !l.Ponder {
		if len(r.notes) > 0 && len(l.SearchMoves) == 0 {
			r.note("no limit is left: searching one ply")
			l.Depth, ends = 1, true
		} else {
			l.Infinite = true
		}
	}
	r.limited = ends && !l.Infinite
	r.bounded = r.limited && !l.Ponder
}

// isGoWord reports whether word has a meaning within a go command.
func isGoWord(word string) bool {
	switch word {
	case "infinite", "ponder", "searchmoves", "depth", "nodes", "mate", "movetime", "perft",
		"wtime", "btime", "winc", "binc", "movestogo":
		return true
	}
	return false
}

// number takes in one word with its number.
func (r *request) number(word, text string) error {
	lo, hi := int64(1), int64(maxMillis)
	switch word {
	case "depth", "mate":
		hi = maxDepth
	case "nodes":
		hi = math.MaxInt64
	case "perft":
		lo, hi = 0, maxPerft
	case "winc", "binc":
		lo = 0
	case "wtime", "btime":
		lo = -maxMillis // GUIs send what is left of an overstepped clock
	}
	n, note, err := parseNumber(text, lo, hi)
	if err != nil {
		return err
	}
	l, ms := &r.limits, time.Duration(n)*time.Millisecond
	switch word {
	case "depth":
		l.Depth = search.Depth(n)
	case "mate":
		l.Mate = int(n)
	case "nodes":
		l.Nodes = uint64(n)
	case "perft":
		r.perft = int(n)
	case "movetime":
		l.MoveTime = ms
	case "wtime":
		l.Time[chess.White], l.Timed[chess.White] = ms, true
	case "btime":
		l.Time[chess.Black], l.Timed[chess.Black] = ms, true
	case "winc":
		l.Inc[chess.White] = ms
	case "binc":
		l.Inc[chess.Black] = ms
	case "movestogo":
		l.MovesToGo = int(n)
	}
	if note != "" {
		r.note("%s %s", word, note)
	}
	return nil
}

// searchMoves reads move texts from args[i] on and returns the index of the
// first word that is none. Illegal moves are left out; if none remains the
// search is not restricted.
func (r *request) searchMoves(p *chess.Position, args []string, i int) int {
	for ; i < len(args) && !isGoWord(args[i]); i++ {
		m, err := p.ParseUCI(args[i])
		if err != nil {
			r.note("searchmoves: %v, left out", err)
		} else if !slices.Contains(r.limits.SearchMoves, m) {
			r.limits.SearchMoves = append(r.limits.SearchMoves, m)
		}
	}
	if len(r.limits.SearchMoves) == 0 {
		r.note("searchmoves names no legal move: all are searched")
	}
	return i
}
