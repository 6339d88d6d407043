package games

import (
	"encoding/binary"
	"time"

	"github.com/tabula-chess/tabula/pgn"
)

// maxClocks bounds the bytes of the clocks of a game, so that those of a block fit a page with its tags. Two or three
// bytes a move are usual.
const maxClocks = 96 << 10

// clocksOf returns the clocks of a game, nil where it has none: for each move and for %clk and %emt 0 for none, or 1
// and by how many milliseconds it differs from the side's last one, the sign in the lowest bit. lost are the commands
// for times that are not in it.
func clocksOf(g *pgn.Game) (buf []byte, lost []pgn.Command) {
	known := false
	var last [2][2]time.Duration
	for i := range g.Main.Moves {
		var c pgn.Comment
		if n := &g.Main.Moves[i]; len(n.Comments) > 0 {
			c = n.Comment()
		}
		for _, command := range c.Commands {
			if command.Name == "clk" || command.Name == "emt" {
				lost = append(lost, command)
			}
		}
		for kind, d := range []*time.Duration{c.Clock, c.Elapsed} {
			if d == nil {
				buf = append(buf, 0)
				continue
			}
			delta := (*d - last[i%2][kind]).Milliseconds()
			known, last[i%2][kind] = true, *d
			buf = binary.AppendUvarint(buf, 1+uint64(delta<<1^delta>>63))
		}
	}
	if !known {
		return nil, lost
	}
	return buf, lost
}

// readClocks gives the moves of a game comments with what clocksOf has returned.
func readClocks(data []byte, g *pgn.Game) error {
	r := reader{data: data}
	var last [2][2]time.Duration
	for i := 0; i < len(g.Main.Moves) && len(data) > 0; i++ {
		var now [2]*time.Duration
		for kind := range now {
			if n := r.number() - 1; n >= 0 {
				last[i%2][kind] += time.Duration(n>>1^-(n&1)) * time.Millisecond
				now[kind] = new(last[i%2][kind])
			}
		}
		g.Main.Moves[i].SetComment(pgn.Comment{Clock: now[0], Elapsed: now[1]})
	}
	if r.bad || len(r.data) > 0 {
		return errContent
	}
	return nil
}
