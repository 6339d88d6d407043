package pgn

import (
	"fmt"
	"slices"

	"github.com/tabula-chess/tabula/chess"
)

// Cursor walks through the tree of a game, variations included, and edits it. It stands after a
// move, or at the start, and has the position there. The moves of the game must be legal. While a
// Cursor is in use, only it may change them; comments and NAGs may be changed at any time. What Node, Next and Line
// return is part of the game until the Cursor next adds, deletes or promotes a move.
type Cursor struct {
	p    *chess.Position
	path []branch // from the main line to the line the cursor stands in
}

// branch is a line and how many of its moves have been played.
type branch struct {
	line *Line
	at   int
}

// Cursor returns a new Cursor at the start of the game.
func (g *Game) Cursor() *Cursor {
	return &Cursor{p: g.Position(), path: []branch{{line: &g.Main}}}
}

// here returns the line that the cursor stands in.
func (c *Cursor) here() *branch { return &c.path[len(c.path)-1] }

// Position returns the position of the cursor, which changes when the cursor moves.
func (c *Cursor) Position() *chess.Position { return c.p }

// Line returns the line that the cursor stands in: the game or a variation.
func (c *Cursor) Line() *Line { return c.here().line }

// Depth returns how many variations the cursor is inside: 0 in the main line.
func (c *Cursor) Depth() int { return len(c.path) - 1 }

// Node returns the last move played, nil at the start.
func (c *Cursor) Node() *Node {
	if b := c.here(); b.at > 0 {
		return &b.line.Moves[b.at-1]
	}
	return nil
}

// Next returns the next move of the line, nil at its end. Its Variations are the alternatives.
func (c *Cursor) Next() *Node {
	if b := c.here(); b.at < len(b.line.Moves) {
		return &b.line.Moves[b.at]
	}
	return nil
}

// Forward plays the next move of the line and reports whether there was one.
func (c *Cursor) Forward() bool {
	n := c.Next()
	if n == nil {
		return false
	}
	n.Play(c.p)
	c.here().at++
	return true
}

// Back takes back a move and reports whether there was one. Before the first move
// of a variation it is in the line that the variation departs from.
func (c *Cursor) Back() bool {
	b := c.here()
	if b.at == 0 {
		return false
	}
	b.at--
	c.p.Unmake()
	if b.at == 0 && len(c.path) > 1 {
		c.path = c.path[:len(c.path)-1]
	}
	return true
}

// Enter plays the first move of variation i of the next move. It reports whether there is one.
func (c *Cursor) Enter(i int) bool {
	n := c.Next()
	if n == nil || i < 0 || i >= len(n.Variations) || len(n.Variations[i].Moves) == 0 {
		return false
	}
	c.path = append(c.path, branch{line: &n.Variations[i]})
	return c.Forward()
}

// Play plays a move. If the game does not have it, Play adds it at the end of the line or as a
// variation of the next move. NoMove is a null move. Errors, after which nothing has changed: an
// illegal move, and variations nested deeper than MaxNesting.
func (c *Cursor) Play(m chess.Move) error {
	if m != chess.NoMove && !c.p.IsLegal(m) {
		return fmt.Errorf("move %s in %s: %w", m, c.p.FEN(), chess.ErrIllegal)
	}
	b, n := c.here(), c.Next()
	if n == nil {
		b.line.Moves = append(b.line.Moves, Node{Move: m})
		c.Forward()
		return nil
	}
	if n.Move == m {
		c.Forward()
		return nil
	}
	i := slices.IndexFunc(n.Variations, func(v Line) bool { return len(v.Moves) > 0 && v.Moves[0].Move == m })
	if i < 0 {
		if c.Depth() == MaxNesting {
			return fmt.Errorf("variations nested deeper than %d", MaxNesting)
		}
		i = len(n.Variations)
		n.Variations = append(n.Variations, Line{Moves: []Node{{Move: m}}})
	}
	c.Enter(i)
	return nil
}

// Delete removes the last move played and the rest of its line, and goes back before it. The first
// variation of the move that has moves takes its place. It reports whether there was a move.
func (c *Cursor) Delete() bool {
	b := *c.here()
	if !c.Back() {
		return false
	}
	at := b.at - 1
	rest := b.line.Moves[at].Variations
	b.line.Moves = b.line.Moves[:at]
	next := slices.IndexFunc(rest, func(v Line) bool { return len(v.Moves) > 0 })
	switch {
	case next >= 0:
		c.follow(b.line, rest[next], slices.Concat(rest[:next], rest[next+1:]))
	case at == 0 && len(b.line.Comments) == 0 && c.Line() != b.line: // an empty variation
		n := c.Next()
		n.Variations = slices.DeleteFunc(n.Variations, func(v Line) bool { return len(v.Moves)+len(v.Comments) == 0 })
	}
	return true
}

// follow puts a variation behind the moves of a line, and others beside it.
func (c *Cursor) follow(line *Line, v Line, others []Line) {
	if n := len(line.Moves); n > 0 {
		last := &line.Moves[n-1]
		last.Comments = append(last.Comments, v.Comments...)
	} else {
		line.Comments = append(line.Comments, v.Comments...)
	}
	first := len(line.Moves)
	line.Moves = append(line.Moves, v.Moves...)
	n := &line.Moves[first]
	n.Variations = slices.Concat(others, n.Variations)
}

// Promote exchanges the variation in which the cursor stands and the line from which it departs. The
// cursor stays after its move. It reports whether the cursor was in a variation.
func (c *Cursor) Promote() bool {
	if c.Depth() == 0 {
		return false
	}
	inner := *c.here()
	c.path = c.path[:len(c.path)-1]
	outer := c.here()
	line, at := outer.line, outer.at
	old := Line{Moves: slices.Clone(line.Moves[at:])}
	v, others := *inner.line, []Line{old}
	for i := range old.Moves[0].Variations {
		if other := &old.Moves[0].Variations[i]; other != inner.line {
			others = append(others, *other)
		}
	}
	old.Moves[0].Variations = nil
	line.Moves = line.Moves[:at]
	c.follow(line, v, others)
	outer.at += inner.at
	return true
}
