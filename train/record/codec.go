package record

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/tabula-chess/tabula/chess"
)

// ErrGame says that a game cannot be written because its start position or a move is illegal.
var ErrGame = errors.New("cannot be written")

// Reasons why a game can be neither written nor read.
var (
	errBits  = errors.New("bits after the last piece are set")
	errScore = errors.New("score out of bounds")
	errMove  = errors.New("illegal move")
	errPlies = errors.New("too many plies")
	errEnd   = errors.New("the block ends too soon")
)

// codec writes and reads payloads:
//
//	for each game:
//	    its ID: which of the runs before it, or a new one, and the step of its number
//	    the start position, square by square, and the other bytes of its record
//	    the number of its plies
//	    for each ply: the score, as a change from the one before
//	                  the move, as its rank in an order of the legal moves
//
// All of it is one stream of an arithmetic coder, whose probabilities are learnt from
// the bits before, anew in each payload. The order of the moves depends on what they
// capture, what attacks their squares, whether they check, and how often such moves
// were played before. No network takes part, and equal moves are ordered by their
// squares, so every later version can read what is written today.
//
// A codec takes some hundred kilobytes, which it uses again. The zero codec is ready
// for use, by one goroutine at a time.
type codec struct {
	coder    coder
	position chess.Position
	origins  []ID // those that differ in run or nodes, each with the number of its last game
	unknown  originModel
	squares  [64][16]odds
	others   [PackedSize - atSide][256]odds
	plies    counts
	scores   scoreModel
	moves    moveModel
	line     []Ply // of the current game
}

// codecs are those that nobody uses at the moment.
var codecs = sync.Pool{New: func() any { return new(codec) }}

// empty is the code of a square without a piece.
const empty = 15

// forget begins a payload.
func (c *codec) forget() {
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
	c.scores.forget()
	c.moves.forget()
}

// append appends the payload of games to buf. The error is [ErrGame] with the reason.
func (c *codec) append(buf []byte, ids []ID, games []*Game) ([]byte, error) {
	c.forget()
	c.coder.write(buf)
	for i, g := range games {
		id, start := ids[i], g.Start
		c.origin(&id)
		c.line = append(c.line[:0], g.Plies...)
		if err := c.game(&start, len(c.line)); err != nil {
			return buf, fmt.Errorf("game %d: %w: %w", i, ErrGame, err)
		}
	}
	return c.coder.end(), nil
}

// read returns n games with the given number of positions in all, and their IDs. The error is [ErrContent] for what
// no codec has written.
func (c *codec) read(payload []byte, n, positions int) (ids []ID, games []*Game, err error) {
	c.forget()
	c.coder.read(payload)
	for number := range n {
		id, g := ID{}, new(Game)
		c.origin(&id)
		if err := c.game(&g.Start, positions); err != nil {
			return nil, nil, fmt.Errorf("game %d: %w: %w", number, ErrContent, err)
		}
		g.Plies = slices.Clone(c.line)
		positions -= len(g.Plies)
		ids, games = append(ids, id), append(games, g)
	}
	if positions != 0 {
		return nil, nil, fmt.Errorf("%d positions are missing: %w", positions, ErrContent)
	}
	return ids, games, nil
}

// game codes a game, its line and its start position. Reading, it takes most
// plies at most. The scores of the line are rounded.
func (c *codec) game(start *Packed, most int) error {
	if err := c.start(start); err != nil {
		return err
	}
	plies := c.plies.code(&c.coder, len(c.line))
	if plies > most {
		return errPlies
	}
	c.line = slices.Grow(c.line[:0], plies)[:plies]
	if err := start.Into(&c.position); err != nil {
		return err
	}
	c.position.Reserve(plies)
	c.scores.begin()
	context := moment{before: chess.NoSquare}
	for i := range c.line {
		if err := c.ply(&c.line[i], &context); err != nil {
			return fmt.Errorf("ply %d: %w", i, err)
		}
	}
	if c.coder.spent() {
		return errEnd
	}
	return nil
}

// moment is what the ply before says about the present one.
type moment struct {
	before chess.Square // where its move went
	kind   int          // of its move
}

// ply codes one ply and makes its move.
func (c *codec) ply(ply *Ply, now *moment) (err error) {
	p := &c.position
	score, change, ok := c.scores.code(&c.coder, ply.Score, p.SideToMove() == chess.Black, now.kind)
	if !ok {
		return errScore
	}
	move, ok := c.moves.code(&c.coder, p, ply.Move, now.before, contextOf(change, p.InCheck()))
	if !ok {
		return errMove
	}
	*ply = Ply{Move: move, Score: score}
	now.before, now.kind = move.To(), kindQuiet
	if p.InCheck() {
		now.kind = kindEvasion
	} else if p.IsCapture(move) {
		now.kind = kindCapture
	}
	p.Make(move)
	return nil
}

// contextOf returns the context of a move by how the score has changed for the
// side to move.
func contextOf(change int, check bool) int {
	switch {
	case check:
		return 4
	case change > 12:
		return 3
	case change > 3:
		return 2
	case change < -6:
		return 1
	}
	return 0
}

// start codes a start position.
func (c *codec) start(k *Packed) error {
	occupied, n := chess.Bitboard(0), 0
	var codes [64]byte
	for s := range codes {
		code := empty
		if !c.coder.reading && k.Occupied().Has(chess.Square(s)) {
			if n >= 2*(atSide-atNibbles) {
				return errBits
			}
			code = int(k[atNibbles+n/2] >> (n % 2 * 4) & 15)
		}
		code = c.coder.tree(code, 4, c.squares[s][:])
		if code == empty {
			continue
		}
		if n >= 2*(atSide-atNibbles) {
			return errBits
		}
		codes[n] = byte(code)
		occupied |= chess.Square(s).Bitboard()
		n++
	}
	var got Packed
	binary.LittleEndian.PutUint64(got[:], uint64(occupied))
	for i, code := range codes[:n] {
		got[atNibbles+i/2] |= code << (i % 2 * 4)
	}
	for i := range c.others {
		got[atSide+i] = byte(c.coder.tree(int(k[atSide+i]), 8, c.others[i][:]))
	}
	if !c.coder.reading && got != *k {
		return errBits
	}
	*k = got
	return nil
}

// originModel predicts origins.
type originModel struct {
	which  [256]odds // of those before in the payload
	before [256]odds // whether the number is less than the last, by the same
	steps  counts
}

// newOrigin stands for an origin that did not occur before.
const newOrigin = 255

func (m *originModel) forget() {
	forget(m.which[:])
	forget(m.before[:])
	m.steps.forget()
}

// origin codes the ID of a game.
func (c *codec) origin(id *ID) {
	which := slices.IndexFunc(c.origins, func(x ID) bool { return x.Run == id.Run && x.Nodes == id.Nodes })
	if which < 0 || distance(c.origins[which].Number, id.Number) >= 1<<31 {
		which = newOrigin
	}
	m := &c.unknown
	which = c.coder.tree(which, 8, m.which[:])
	if which >= len(c.origins) {
		id.Run, id.Nodes = c.coder.raw(id.Run, 64), uint32(c.coder.raw(uint64(id.Nodes), 32))
		id.Number = uint32(c.coder.raw(uint64(id.Number), 32))
		if len(c.origins) < newOrigin {
			c.origins = append(c.origins, *id)
		}
		return
	}
	known := &c.origins[which]
	less := 0
	if id.Number < known.Number {
		less = 1
	}
	less = c.coder.bit(less, &m.before[which])
	step := uint32(m.steps.code(&c.coder, int(distance(known.Number, id.Number))))
	if less != 0 {
		step = -step
	}
	known.Number += step
	*id = *known
}

// distance returns how far two numbers are apart.
func distance(a, b uint32) uint32 { return max(a, b) - min(a, b) }
