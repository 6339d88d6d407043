// Package compact writes games in about a byte and a quarter a position, and
// reads them again.
//
// A payload is one stream of bits of an arithmetic coder, whose chances are learnt
// from the bits before, anew in each payload:
//
//	for each game:
//	    its origin: which of those before, or a new one, and how its number goes on
//	    the start position, square by square, and the other bytes of its record
//	    the number of its plies
//	    for each ply: the score, as a change of the one before;
//	                  the move, as its rank in an order of the legal moves
//
// The order asks what moves capture, what attacks the squares they leave and
// reach, whether they check, and how often such moves were played before. No
// network has a part in it, and moves that are alike are put in order by their
// squares: what is written today can be read by every later version.
//
// Rounded payloads keep scores on a scale: they are off by half a 255th of a
// chance of winning at the most where 150 centipawns are e to one on. Mates keep
// their distances. What is lost beside that is nothing: exact payloads give back
// every byte.
//
// The package imports chess, movegen and train/record.
package compact

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/train/record"
)

// OriginSize is the bytes of the origin that goes with each game: run 8, number
// 4, nodes 4.
const OriginSize = 16

// Reasons why games cannot be written or read.
var (
	ErrGame    = errors.New("game that cannot be followed")
	ErrPayload = errors.New("payload is damaged")
)

// Coder writes and reads payloads. It holds some hundred kilobytes, which it
// uses again. The zero Coder is ready for use, not for several goroutines at once.
type Coder struct {
	coder    coder
	position chess.Position
	origins  []origin
	unknown  originModel
	squares  [64][16]odds
	others   [record.PackedSize - atOthers][256]odds
	plies    counts
	scores   scoreModel
	moves    moveModel
	line     []record.Ply // of the game in hand
}

// Offsets into a packed position: the codes of its pieces, and what follows.
const (
	atCodes  = 8
	atOthers = 24
)

// empty is the code of a square without a piece.
const empty = 15

// forget begins a payload.
func (c *Coder) forget(exact bool) {
	if c.coder.rates[0] == 0 {
		c.coder.rates = newRates()
	}
	c.origins = c.origins[:0]
	c.unknown.forget()
	for i := range c.squares {
		forget(c.squares[i][:])
	}
	for i := range c.others {
		forget(c.others[i][:])
	}
	c.plies.forget()
	s := chances()
	if exact {
		s = nil
	}
	c.scores.forget(s)
	c.moves.forget()
}

// Append appends the payload of games to buf; origins has OriginSize bytes for
// each of them. Where not exact, scores are rounded. The error is [ErrGame],
// with the reason, for a game that no reader of ours would follow.
func (c *Coder) Append(buf, origins, games []byte, exact bool) ([]byte, error) {
	c.forget(exact)
	c.coder.write(buf)
	for number := 0; len(games) > 0; number++ {
		g, rest, err := record.Next(games)
		if err != nil || len(origins) < OriginSize {
			return buf, fmt.Errorf("game %d: %w: %w", number, ErrGame, record.ErrTruncated)
		}
		c.origin((*[OriginSize]byte)(origins))
		start := *g.Start()
		c.line = c.line[:0]
		for i := range g.Plies() {
			c.line = append(c.line, g.Ply(i))
		}
		if err := c.game(&start, len(c.line)); err != nil {
			return buf, fmt.Errorf("game %d: %w: %w", number, ErrGame, err)
		}
		games, origins = rest, origins[OriginSize:]
	}
	return c.coder.end(), nil
}

// Read appends the origins of n games with so many positions in all, and then
// the games, to dst. The error is [ErrPayload] for what no Coder has written.
func (c *Coder) Read(dst, payload []byte, n, positions int, exact bool) ([]byte, error) {
	c.forget(exact)
	c.coder.read(payload)
	first := len(dst)
	dst = append(dst, make([]byte, n*OriginSize)...)
	for number := range n {
		c.origin((*[OriginSize]byte)(dst[first+number*OriginSize:]))
		var start record.Packed
		if err := c.game(&start, positions); err != nil {
			return dst, fmt.Errorf("game %d: %w: %w", number, ErrPayload, err)
		}
		positions -= len(c.line)
		dst = append(dst, start[:]...)
		for _, p := range c.line {
			dst = binary.LittleEndian.AppendUint32(dst, uint32(p.Move)|uint32(uint16(p.Score))<<16)
		}
		dst = append(dst, 0, 0, 0, 0)
	}
	if positions != 0 {
		return dst, fmt.Errorf("%d positions are missing: %w", positions, ErrPayload)
	}
	return dst, nil
}
