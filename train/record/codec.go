package record

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/tabula-chess/tabula/chess"
)

// ErrGame says that a game cannot be written because its start position or a move is illegal.
var ErrGame = errors.New("cannot be written")

// encoder and decoder may be used by several goroutines.
var (
	encoder = sync.OnceValue(func() *zstd.Encoder {
		e, _ := zstd.NewWriter(nil, zstd.WithEncoderLevel(zstd.SpeedBestCompression)) // the options are valid
		return e
	})
	decoder = sync.OnceValue(func() *zstd.Decoder {
		d, _ := zstd.NewReader(nil, zstd.WithDecoderMaxMemory(maxPayload))
		return d
	})
)

// columns returns the games as a payload has them before compression, so that like bytes stand together:
//
//	IDs (16 bytes each), start positions (32 bytes each), numbers of plies (4 bytes each)
//	the low bytes of all moves, then the high bytes
//	the low bytes of all levels of scores, each less the one before in its game, then the high bytes
//
// The error is [ErrGame] for a game with an
// illegal position or move.
func (p *Packer) columns() ([]byte, error) {
	var starts, lengths []byte
	moves, levels, scores := make([]byte, 2*p.Positions), make([]byte, 2*p.Positions), scoreScale()
	position := new(chess.Position)
	at := 0
	for rest, number := p.games, 0; len(rest) > 0; number++ {
		g, more, err := Next(rest)
		if err == nil {
			err = g.Verify(position, nil)
		}
		if err != nil {
			return nil, fmt.Errorf("game %d: %w: %w", number, ErrGame, err)
		}
		starts = append(starts, g.Start()[:]...)
		lengths = binary.LittleEndian.AppendUint32(lengths, uint32(g.Plies()))
		last := 0
		for i := range g.Plies() {
			ply := g.Ply(i)
			level := scores.level(ply.Score)
			put(moves, at, uint16(ply.Move))
			put(levels, at, uint16(level-last))
			last = level
			at++
		}
		rest = more
	}
	return slices.Concat(p.ids, starts, lengths, moves, levels), nil
}

// put stores v as element i of a column of words.
func put(column []byte, i int, v uint16) {
	column[i], column[len(column)/2+i] = byte(v), byte(v>>8)
}

// get returns element i of a column of words.
func get(column []byte, i int) uint16 {
	return uint16(column[i]) | uint16(column[len(column)/2+i])<<8
}

// restore appends IDs and games to dst from the columns of a block. The error is [ErrContent] for columns that [Packer.columns]
// does not write.
func restore(dst, columns []byte, h *header) ([]byte, error) {
	if len(columns) != h.size() {
		return dst, fmt.Errorf("%d bytes, want %d: %w", len(columns), h.size(), ErrContent)
	}
	cut := func(n int) (column []byte) {
		column, columns = columns[:n], columns[n:]
		return column
	}
	dst = append(dst, cut(h.Games*idSize)...)
	starts, lengths := cut(h.Games*PackedSize), cut(h.Games*4)
	moves, levels, scores := cut(2*h.Positions), columns, scoreScale()
	at := 0
	for i := range h.Games {
		plies := int(binary.LittleEndian.Uint32(lengths[4*i:]))
		if plies > h.Positions-at {
			return dst, fmt.Errorf("game %d of %d plies: %w", i, plies, ErrContent)
		}
		dst = append(dst, starts[i*PackedSize:][:PackedSize]...)
		level := int16(0)
		for range plies {
			level += int16(get(levels, at))
			score, ok := scores.score(int(level))
			if !ok {
				return dst, fmt.Errorf("game %d: level %d of a score: %w", i, level, ErrContent)
			}
			dst = binary.LittleEndian.AppendUint16(dst, get(moves, at))
			dst = binary.LittleEndian.AppendUint16(dst, uint16(score))
			at++
		}
		dst = append(dst, 0, 0, 0, 0)
	}
	return dst, nil
}
