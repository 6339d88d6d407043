package record

import (
	"encoding/binary"
	"errors"
	"fmt"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/tabula-chess/tabula/chess"
)

// columns are the parts of an unpacked payload, which lie one after another. Each is a zstd frame of its own, because
// a frame has one code for all its bytes.
type columns struct {
	ids    []byte // of each game: run, number and nodes
	starts []byte // its start position
	counts []byte // the number of its plies
	from   []byte // of each ply: the square that the move leaves, and what the pawn becomes
	to     []byte // its target, as the difference from the square, and the kind of move
	change []byte // of the level of the score from the ply before: low bytes, then high bytes
}

const countSize = 4 // bytes of a number of plies

// split returns the columns in the unpacked payload of games with these counts.
func (c *Counts) split(raw []byte) (to columns) {
	for _, column := range [...]struct {
		to   *[]byte
		size int
	}{
		{&to.ids, c.Games * idSize}, {&to.starts, c.Games * PackedSize}, {&to.counts, c.Games * countSize},
		{&to.from, c.Positions}, {&to.to, c.Positions}, {&to.change, 2 * c.Positions},
	} {
		*column.to, raw = raw[:column.size], raw[column.size:]
	}
	return to
}

// encoder and decoder are safe for concurrent use.
var (
	encoder = sync.OnceValue(func() *zstd.Encoder {
		// The default level leaves columns as they are that this one shortens by a quarter.
		e, err := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBetterCompression), zstd.WithEncoderCRC(false))
		if err != nil {
			panic(err) // no option depends on input
		}
		return e
	})
	decoder = sync.OnceValue(func() *zstd.Decoder {
		d, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(maxPayload))
		if err != nil {
			panic(err)
		}
		return d
	})
)

// pack returns the payload of games with these counts.
func (c *Counts) pack(ids []ID, games []*ScoredGame) []byte {
	raw := make([]byte, c.size())
	to, s := c.split(raw), scoreScale()
	ply := 0
	for i, g := range games {
		id := to.ids[i*idSize:]
		binary.LittleEndian.PutUint64(id, ids[i].Run)
		binary.LittleEndian.PutUint32(id[8:], ids[i].Number)
		binary.LittleEndian.PutUint32(id[12:], ids[i].Nodes)
		copy(to.starts[i*PackedSize:], g.Start[:])
		binary.LittleEndian.PutUint32(to.counts[i*countSize:], uint32(len(g.Plies)))
		last := 0
		for _, p := range g.Plies {
			m := MoveBits(p.Move)
			to.from[ply] = byte(m&63 | m>>12&3<<6)
			to.to[ply] = byte((m^m>>6)&63 | m>>14<<6)
			level := s.level(p.Score)
			change := zigzag(int16(level - last))
			to.change[ply], to.change[c.Positions+ply] = byte(change), byte(change>>8)
			last = level
			ply++
		}
	}
	var payload []byte
	low, high := to.change[:c.Positions], to.change[c.Positions:]
	for _, column := range [...][]byte{to.ids, to.starts, to.counts, to.from, to.to, low, high} {
		payload = encoder().EncodeAll(column, payload)
	}
	return payload
}

// Reasons why a payload cannot be read.
var (
	errPlies = errors.New("the numbers of plies do not add up")
	errScore = errors.New("score out of bounds")
)

// unpack returns the games of a payload and their IDs. It does not check that their moves are legal. The error is
// [ErrContent] for what pack has not written.
func (c *Counts) unpack(payload []byte) (ids []ID, games []*ScoredGame, err error) {
	raw, err := decoder().DecodeAll(payload, make([]byte, 0, c.size()))
	if err != nil {
		return nil, nil, fmt.Errorf("%w: %w", ErrContent, err)
	}
	if len(raw) != c.size() {
		return nil, nil, fmt.Errorf("%d bytes, want %d: %w", len(raw), c.size(), ErrContent)
	}
	from := c.split(raw)
	ids, games = make([]ID, c.Games), make([]*ScoredGame, c.Games)
	all, plies := make([]ScoredGame, c.Games), make([]Ply, c.Positions)
	for i := range games {
		id := from.ids[i*idSize:]
		ids[i] = ID{binary.LittleEndian.Uint64(id), binary.LittleEndian.Uint32(id[8:]), binary.LittleEndian.Uint32(id[12:])}
		n := binary.LittleEndian.Uint32(from.counts[i*countSize:])
		if uint64(n) > uint64(len(plies)) {
			return nil, nil, fmt.Errorf("game %d: %w: %w", i, ErrContent, errPlies)
		}
		games[i] = &all[i]
		games[i].Start, games[i].Plies = Packed(from.starts[i*PackedSize:]), plies[:n:n]
		if !from.read(games[i].Plies, c.Positions-len(plies)) {
			return nil, nil, fmt.Errorf("game %d: %w: %w", i, ErrContent, errScore)
		}
		plies = plies[n:]
	}
	if len(plies) > 0 {
		return nil, nil, fmt.Errorf("%w: %w", ErrContent, errPlies)
	}
	return ids, games, nil
}

// read reads the plies of a game, the first of which is the ply at. It reports whether their scores have a level.
func (c *columns) read(plies []Ply, at int) bool {
	n, s, level, ok := len(c.from), scoreScale(), 0, false
	for i := range plies {
		from, to := uint16(c.from[at+i]), uint16(c.to[at+i])
		plies[i].Move = parseMove(from&63 | (from^to)&63<<6 | from>>6<<12 | to>>6<<14)
		level += int(zagzig(uint16(c.change[at+i]) | uint16(c.change[n+at+i])<<8))
		if plies[i].Score, ok = s.score(level); !ok {
			return false
		}
	}
	return true
}

// zigzag maps 0, -1, 1, -2, … to 0, 1, 2, 3, …, so that small changes of both signs have a high byte of 0.
func zigzag(v int16) uint16 { return uint16(v<<1 ^ v>>15) }

// zagzig reverses zigzag.
func zagzig(v uint16) int16 { return int16(v>>1) ^ -int16(v&1) }

// parseMove reverses [MoveBits].
func parseMove(bits uint16) chess.Move {
	from, to := chess.Square(bits&63), chess.Square(bits>>6&63)
	switch bits >> 14 {
	case 1:
		return chess.NewMove(from, to, chess.EnPassant)
	case 2:
		return chess.NewMove(from, to, chess.Castling)
	case 3:
		return chess.NewPromotion(from, to, chess.Knight+chess.PieceType(bits>>12&3))
	}
	return chess.NewMove(from, to, chess.Normal)
}
