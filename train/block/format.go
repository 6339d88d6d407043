package block

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/tabula-chess/tabula/train/record"
)

// magic begins every block.
const magic = "\xfftabula\xff"

const (
	headerSize = 48
	idSize     = 16
	version    = 1

	codecNone = 0
	codecZstd = 1

	// maxPayload bounds a payload before and after compression; what claims
	// more is damaged.
	maxPayload = 16 << 20
)

// TargetSize is the number of bytes of games that fill a block: enough for
// the compressor, little enough for a journal.
const TargetSize = 256 << 10

// ID tells where a game comes from. No two games ever played share Run and
// Number, unless a run was given its seed by hand.
type ID struct {
	Run    uint64 // drawn at random for each run of the generator, or its --seed
	Number uint32 // of the game in the run; with Run the seed of the game
	Nodes  uint32 // limit of its searches, 0 where unknown
}

// append writes the ID.
func (id ID) append(buf []byte) []byte {
	buf = binary.LittleEndian.AppendUint64(buf, id.Run)
	buf = binary.LittleEndian.AppendUint32(buf, id.Number)
	return binary.LittleEndian.AppendUint32(buf, id.Nodes)
}

// Header is what a block says of itself.
type Header struct {
	Games, Positions     int
	WhiteWins, BlackWins int
	raw, stored          int // bytes of payload before and after compression
	codec                uint16
	payloadSum           uint32
}

// Draws returns the number of drawn games.
func (h *Header) Draws() int { return h.Games - h.WhiteWins - h.BlackWins }

// Stored returns the length of the block, header included, in bytes.
func (h *Header) Stored() int { return headerSize + h.stored }

// add adds the counts of other.
func (h *Header) add(other *Header) {
	h.Games += other.Games
	h.Positions += other.Positions
	h.WhiteWins += other.WhiteWins
	h.BlackWins += other.BlackWins
}

// sum returns the CRC-32C of b.
func sum(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

// append writes the header.
func (h *Header) append(buf []byte) []byte {
	start := len(buf)
	buf = append(buf, magic...)
	buf = binary.LittleEndian.AppendUint16(buf, version)
	buf = binary.LittleEndian.AppendUint16(buf, h.codec)
	for _, v := range [...]int{h.Games, h.Positions, h.WhiteWins, h.BlackWins, h.raw, h.stored} {
		buf = binary.LittleEndian.AppendUint32(buf, uint32(v))
	}
	buf = binary.LittleEndian.AppendUint32(buf, h.payloadSum)
	buf = binary.LittleEndian.AppendUint32(buf, 0)
	return binary.LittleEndian.AppendUint32(buf, sum(buf[start:]))
}

// Reasons why a block is refused.
var (
	ErrHeader  = errors.New("no block header")
	ErrSum     = errors.New("checksum does not match")
	ErrVersion = errors.New("written by a newer version")
	ErrCut     = errors.New("the file ends inside the block")
	ErrContent = errors.New("content does not match the header")
)

// parseHeader reads a header from the first headerSize bytes of b.
func parseHeader(b []byte) (h Header, err error) {
	if len(b) < headerSize || string(b[:len(magic)]) != magic {
		return h, ErrHeader
	}
	if sum(b[:headerSize-4]) != binary.LittleEndian.Uint32(b[headerSize-4:]) {
		return h, fmt.Errorf("header: %w", ErrSum)
	}
	if v := binary.LittleEndian.Uint16(b[8:]); v != version {
		return h, fmt.Errorf("header: version %d: %w", v, ErrVersion)
	}
	h.codec = binary.LittleEndian.Uint16(b[10:])
	for i, field := range [...]*int{&h.Games, &h.Positions, &h.WhiteWins, &h.BlackWins, &h.raw, &h.stored} {
		*field = int(binary.LittleEndian.Uint32(b[12+4*i:]))
	}
	h.payloadSum = binary.LittleEndian.Uint32(b[36:])
	least := h.Games * (idSize + record.MinSize)
	if h.codec > codecZstd || h.raw > maxPayload || h.stored > maxPayload || h.raw < least ||
		h.raw != least+4*h.Positions || h.WhiteWins+h.BlackWins > h.Games {
		return h, fmt.Errorf("header: %w", ErrContent)
	}
	return h, nil
}

// coder compresses and expands; it is costly to make and safe to share.
type coder struct {
	encoder *zstd.Encoder
	decoder *zstd.Decoder
}

// sharedCoder makes the process's coder on first use.
var sharedCoder = sync.OnceValues(func() (*coder, error) {
	encoder, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedBetterCompression))
	if err != nil {
		return nil, err
	}
	decoder, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecoderMaxMemory(maxPayload))
	if err != nil {
		return nil, err
	}
	return &coder{encoder, decoder}, nil
})

// Packer collects games for a block. The zero Packer is ready for use.
type Packer struct {
	ids    []byte
	games  []byte
	header Header
}

// Add appends one game, whose bytes are copied.
func (p *Packer) Add(id ID, g record.View) {
	p.ids = id.append(p.ids)
	p.games = append(p.games, g...)
	p.header.Games++
	p.header.Positions += g.Plies()
	switch g.Result() {
	case record.WhiteWins:
		p.header.WhiteWins++
	case record.BlackWins:
		p.header.BlackWins++
	}
}

// Games returns the number of games added since the last block.
func (p *Packer) Games() int { return p.header.Games }

// Size returns the bytes of those games.
func (p *Packer) Size() int { return len(p.games) }

// Append appends the games as a block to buf and empties the packer.
func (p *Packer) Append(buf []byte) ([]byte, error) {
	buf, err := p.encode(buf)
	if err == nil {
		p.Reset()
	}
	return buf, err
}

// encode appends the games as a block to buf.
func (p *Packer) encode(buf []byte) ([]byte, error) {
	c, err := sharedCoder()
	if err != nil {
		return buf, err
	}
	raw := append(p.ids, p.games...)
	h := p.header
	h.raw = len(raw)
	if h.raw > maxPayload {
		return buf, fmt.Errorf("block of %d bytes: at most %d", h.raw, maxPayload)
	}
	h.codec = codecZstd
	payload := c.encoder.EncodeAll(raw, nil)
	if len(payload) >= len(raw) {
		h.codec, payload = codecNone, raw
	}
	h.stored, h.payloadSum = len(payload), sum(payload)
	return append(h.append(buf), payload...), nil
}

// Reset drops the games added since the last block.
func (p *Packer) Reset() { p.ids, p.games, p.header = p.ids[:0], p.games[:0], Header{} }
