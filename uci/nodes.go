package uci

import (
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/search"
)

// nodeClock is the clock of the option nodestime, which runs by searched nodes. A GUI's
// clock runs by the time of day. Therefore only the first go of a game tells how much
// time there is; from then on each side's searches and increments do. Source: Stockfish.
type nodeClock struct {
	perMS   int // nodes that count as a millisecond, 0 for none
	started [2]bool
	left    [2]time.Duration
}

// wind sets the limits l of a search of side us. It returns what takes the nodes of that
// search off the clock. A clock with a number of moves to go, and one that stood still
// while the engine pondered, is always the GUI's.
func (c *nodeClock) wind(l *search.Limits, us chess.Color) (taken func(nodes uint64)) {
	l.NodeTime = c.perMS
	if c.perMS == 0 || !l.Timed[us] || l.MovesToGo > 0 || l.Ponder {
		return func(uint64) {}
	}
	if !c.started[us] {
		c.started[us], c.left[us] = true, l.Time[us]
	}
	l.Time[us] = c.left[us]
	return func(nodes uint64) {
		c.left[us] += l.Inc[us] - time.Duration(nodes)*time.Millisecond/time.Duration(c.perMS)
	}
}
