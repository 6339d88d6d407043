package match

import (
	"fmt"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/train/selfplay"
	"github.com/tabula-chess/tabula/train/sprt"
)

// Config says what to play. Pair n of a match at fixed nodes is the same games
// on every machine; what else is in here but Pairs, Test and Threads must stay
// the same when a match goes on.
type Config struct {
	Pairs    int            // at most
	Nodes    uint64         // soft limit of a search; 0 with a clock
	Clock    selfplay.Clock // zero with Nodes
	Seed     uint64         // of the openings
	Chess960 float64        // share of openings, 0 to 1; without Openings
	Hash     int            // MiB of each engine
	Openings []string       // FEN; without, they are random moves from the start

	// With holds the numbers of the search that differ for A, by the names of
	// [search.Params].
	With map[string]int `json:",omitempty"`

	Test    *sprt.Test `json:"-"` // ends the match early; nil for none
	Threads int        `json:"-"` // pairs at a time

	A, B *nnue.Network `json:"-"`
}

// check returns an error that names the first field out of range.
func (c *Config) check() error {
	switch limits := selfplay.CheckAt(c.Nodes, c.Clock); {
	case c.A == nil || c.B == nil:
		return exit.WrongUsef("match: a network is missing")
	case c.Pairs < 1:
		return exit.WrongUsef("pairs %d: want at least 1", c.Pairs)
	case limits != nil:
		return limits
	case !(c.Chess960 >= 0 && c.Chess960 <= 1):
		return exit.WrongUsef("chess960 share %v: want 0 to 1", c.Chess960)
	case c.Threads < 1:
		return exit.WrongUsef("threads %d: want at least 1", c.Threads)
	}
	for i, fen := range c.Openings {
		p, err := chess.ParseFEN(fen)
		if err != nil {
			return fmt.Errorf("opening %d: %w", i+1, err)
		}
		if o := p.Outcome(); o != chess.Ongoing {
			return fmt.Errorf("opening %d, %s: the game is over: %v", i+1, fen, o)
		}
	}
	if c.Test != nil {
		return c.Test.Check()
	}
	return nil
}
