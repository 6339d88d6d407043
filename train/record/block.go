package record

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"iter"
)

const (
	magic      = "\xfftabula\xff" // begins every block
	format     = 2 | 4<<16
	headerSize = 48
	idSize     = 16
	maxPayload = 16 << 20  // of a payload, unpacked or not
	blockSize  = 256 << 10 // bytes of unpacked games that fill a block
)

// ID identifies a game. Run and Number are unique, unless two runs were given the same seed.
type ID struct {
	Run    uint64 // drawn at random for each run of the generator, or its --seed
	Number uint32 // of the game in the run; with Run the seed of the game
	Nodes  uint32 // limit of its searches, 0 if unknown
}

// Counts holds the numbers of games, positions and results in a block or a file.
type Counts struct {
	Games     int `json:"games"`
	Positions int `json:"positions"`
	WhiteWins int `json:"white_wins"`
	BlackWins int `json:"black_wins"`
}

// Draws returns the number of drawn games.
func (c *Counts) Draws() int { return c.Games - c.WhiteWins - c.BlackWins }

// Add counts a game.
func (c *Counts) Add(g *ScoredGame) {
	c.Games++
	c.Positions += len(g.Plies)
	switch g.Result() {
	case WhiteWins:
		c.WhiteWins++
	case BlackWins:
		c.BlackWins++
	}
}

// add adds other counts.
func (c *Counts) add(other *Counts) {
	c.Games += other.Games
	c.Positions += other.Positions
	c.WhiteWins += other.WhiteWins
	c.BlackWins += other.BlackWins
}

// size returns the bytes of an unpacked payload.
func (c *Counts) size() int { return c.Games*(idSize+gameSize) + c.Positions*plySize }

// header is the header of a block.
type header struct {
	Counts
	payload int // bytes
	sum     uint32
}

// length returns the bytes of the block, header included.
func (h *header) length() int64 { return int64(headerSize + h.payload) }

// checksum returns the CRC-32C of b.
func checksum(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

// append writes the header.
func (h *header) append(buf []byte) []byte {
	start := len(buf)
	buf = append(buf, magic...)
	for _, v := range [...]int{
		format, h.Games, h.Positions, h.WhiteWins, h.BlackWins, h.size(), h.payload, int(h.sum), 0,
	} {
		buf = binary.LittleEndian.AppendUint32(buf, uint32(v))
	}
	return binary.LittleEndian.AppendUint32(buf, checksum(buf[start:]))
}

// Reasons why a block cannot be read.
var (
	ErrHeader  = errors.New("no block header")
	ErrSum     = errors.New("the checksum does not match")
	ErrFormat  = errors.New("unknown format")
	ErrCut     = errors.New("the file ends inside the block")
	ErrContent = errors.New("the content does not match the header")
)

// parseHeader reads a header from the first headerSize bytes of b.
func parseHeader(b []byte) (h header, err error) {
	if len(b) < headerSize || string(b[:len(magic)]) != magic {
		return h, ErrHeader
	}
	word := func(at int) uint32 { return binary.LittleEndian.Uint32(b[at:]) }
	if checksum(b[:headerSize-4]) != word(headerSize-4) {
		return h, fmt.Errorf("header: %w", ErrSum)
	}
	if f := word(8); f != format {
		return h, fmt.Errorf("header: %w %d.%d", ErrFormat, f&0xffff, f>>16)
	}
	for i, field := range [...]*int{&h.Games, &h.Positions, &h.WhiteWins, &h.BlackWins} {
		*field = int(word(12 + 4*i))
	}
	h.payload, h.sum = int(word(32)), word(36)
	if h.size() > maxPayload || h.size() != int(word(28)) || h.payload > maxPayload || h.WhiteWins+h.BlackWins > h.Games {
		return h, fmt.Errorf("header: %w", ErrContent)
	}
	return h, nil
}

// Packer collects the games of a block. The zero Packer is ready for use.
type Packer struct {
	Counts
	ids   []ID
	games []*ScoredGame
}

// Add appends one game, which must not be changed afterwards.
func (p *Packer) Add(id ID, g *ScoredGame) {
	p.ids, p.games = append(p.ids, id), append(p.games, g)
	p.Counts.Add(g)
}

// full reports whether there are enough games for a block.
func (p *Packer) full() bool { return p.size()-p.Games*idSize >= blockSize }

// Append appends the games to buf as a block. They stay in the packer until [Packer.Reset]. It does not check that
// moves are legal.
func (p *Packer) Append(buf []byte) ([]byte, error) {
	h := header{Counts: p.Counts}
	if h.size() > maxPayload {
		return buf, fmt.Errorf("block of %d bytes: want at most %d", h.size(), maxPayload)
	}
	payload := p.pack(p.ids, p.games)
	h.payload, h.sum = len(payload), checksum(payload)
	return append(h.append(buf), payload...), nil
}

// Reset empties the packer.
func (p *Packer) Reset() {
	clear(p.games)
	*p = Packer{ids: p.ids[:0], games: p.games[:0]}
}

// Block is an unpacked block.
type Block struct {
	Counts
	ids     []ID
	games   []*ScoredGame
	payload []byte
}

// Games yields every game with its ID.
func (b *Block) Games() iter.Seq2[ID, *ScoredGame] {
	return func(yield func(ID, *ScoredGame) bool) {
		for i, g := range b.games {
			if !yield(b.ids[i], g) {
				return
			}
		}
	}
}

// unpack unpacks the payload and checks it against the header.
func (b *Block) unpack(h *header) (err error) {
	if checksum(b.payload) != h.sum {
		return fmt.Errorf("payload: %w", ErrSum)
	}
	if b.ids, b.games, err = h.Counts.unpack(b.payload); err != nil {
		return fmt.Errorf("payload: %w", err)
	}
	b.Counts = Counts{}
	for _, g := range b.games {
		b.Add(g)
	}
	if b.Counts != h.Counts {
		return fmt.Errorf("payload: %+v, the header has %+v: %w", b.Counts, h.Counts, ErrContent)
	}
	return nil
}
