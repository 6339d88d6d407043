package block

import (
	"encoding/binary"
	"fmt"
	"iter"

	"github.com/tabula-chess/tabula/train/compact"
	"github.com/tabula-chess/tabula/train/record"
)

// Block is an unpacked block. Its memory is reused by the next [File.Read]
// into it.
type Block struct {
	Header Header
	ids    []byte // empty for games of a plain file
	games  []byte
	raw    []byte
	stored []byte
}

// Bytes returns the games as other trainers read them.
func (b *Block) Bytes() []byte { return b.games }

// Games yields every game with its origin, the zero ID in a plain file. A
// View is valid until the next [File.Read] into b.
func (b *Block) Games() iter.Seq2[ID, record.View] {
	return func(yield func(ID, record.View) bool) {
		rest := b.games
		for i := range b.Header.Games {
			g, more, err := record.Next(rest)
			if err != nil {
				return // expand has counted them
			}
			rest = more
			if !yield(b.id(i), g) {
				return
			}
		}
	}
}

// id returns the origin of game i.
func (b *Block) id(i int) ID {
	if len(b.ids) == 0 {
		return ID{}
	}
	at := b.ids[i*idSize:]
	return ID{
		Run:    binary.LittleEndian.Uint64(at),
		Number: binary.LittleEndian.Uint32(at[8:]),
		Nodes:  binary.LittleEndian.Uint32(at[12:]),
	}
}

// expand unpacks the payload of b.Header in b.stored and holds it against the
// header.
func (b *Block) expand() error {
	h := &b.Header
	if sum(b.stored) != h.payloadSum {
		return fmt.Errorf("payload: %w", ErrSum)
	}
	raw, err := b.unpack()
	if err != nil {
		return fmt.Errorf("payload: %w", err)
	}
	if len(raw) != h.raw {
		return fmt.Errorf("payload: %d bytes, header says %d: %w", len(raw), h.raw, ErrContent)
	}
	b.ids, b.games = raw[:h.Games*idSize], raw[h.Games*idSize:]
	found, n := count(b.games)
	if n != len(b.games) || found.Games != h.Games || found.Positions != h.Positions ||
		found.WhiteWins != h.WhiteWins || found.BlackWins != h.BlackWins {
		return fmt.Errorf("payload: %d games, %d positions, header says %d and %d: %w",
			found.Games, found.Positions, h.Games, h.Positions, ErrContent)
	}
	return nil
}

// unpack returns the payload as it was before compression.
func (b *Block) unpack() (raw []byte, err error) {
	h := &b.Header
	if h.codec == codecNone {
		return b.stored, nil
	}
	if cap(b.raw) < h.raw {
		b.raw = make([]byte, 0, h.raw)
	}
	if h.codec == codecZstd {
		c, err := sharedCoder()
		if err != nil {
			return nil, err
		}
		b.raw, err = c.decoder.DecodeAll(b.stored, b.raw[:0])
		return b.raw, err
	}
	c := compactCoders.Get().(*compact.Coder)
	defer compactCoders.Put(c)
	b.raw, err = c.Read(b.raw[:0], b.stored, h.Games, h.Positions, h.codec == codecExact)
	return b.raw, err
}

// count returns what whole games data begins with, and their length.
func count(data []byte) (h Header, n int) {
	for rest := data; len(rest) > 0; {
		g, more, err := record.Next(rest)
		if err != nil {
			return h, n
		}
		rest, n = more, n+len(g)
		h.Games++
		h.Positions += g.Plies()
		switch g.Result() {
		case record.WhiteWins:
			h.WhiteWins++
		case record.BlackWins:
			h.BlackWins++
		}
	}
	return h, n
}
