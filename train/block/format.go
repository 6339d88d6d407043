package block

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"sync"

	"github.com/klauspost/compress/zstd"

	"github.com/tabula-chess/tabula/train/compact"
	"github.com/tabula-chess/tabula/train/record"
)

// magic begins every block.
const magic = "\xfftabula\xff"

const (
	headerSize = 48
	idSize     = compact.OriginSize

	codecNone    = 0
	codecZstd    = 1
	codecExact   = 2 // compact, with all scores
	codecRounded = 3 // compact, with rounded scores
	codecs       = 4

	// maxPayload bounds a payload before and after compression; what claims
	// more is damaged.
	maxPayload = 16 << 20
)

// TargetSize is the number of bytes of games that fill a block: enough for
// the compressor, little enough for a journal.
const TargetSize = 256 << 10

// version returns the first version of the format that knows a codec.
func version(codec uint16) uint16 {
	if codec <= codecZstd {
		return 1
	}
	return newest
}

// newest is the highest version that is read.
const newest = 2

// Form says how games are packed into blocks. All forms are read alike.
type Form uint8

// The forms. Games that cannot be followed are written as Fast, whatever the
// form.
const (
	Exact   Form = iota // compact: see package compact
	Rounded             // compact, scores to a 255th of a chance of winning
	Fast                // zstd: three times as long, written and read sooner
)

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
	buf = binary.LittleEndian.AppendUint16(buf, version(h.codec))
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
	v := binary.LittleEndian.Uint16(b[8:])
	if v > newest {
		return h, fmt.Errorf("header: version %d: %w", v, ErrVersion)
	}
	h.codec = binary.LittleEndian.Uint16(b[10:])
	for i, field := range [...]*int{&h.Games, &h.Positions, &h.WhiteWins, &h.BlackWins, &h.raw, &h.stored} {
		*field = int(binary.LittleEndian.Uint32(b[12+4*i:]))
	}
	h.payloadSum = binary.LittleEndian.Uint32(b[36:])
	least := h.Games * (idSize + record.MinSize)
	if h.codec >= codecs || v != version(h.codec) || h.raw > maxPayload || h.stored > maxPayload || h.raw < least ||
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

// compactCoders are those of compact payloads that nobody uses.
var compactCoders = sync.Pool{New: func() any { return new(compact.Coder) }}

// Packer collects games for a block. The zero Packer is ready for use.
type Packer struct {
	Form   Form // of the blocks to come
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
	h := p.header
	h.raw = len(p.ids) + len(p.games)
	if h.raw > maxPayload {
		return buf, fmt.Errorf("block of %d bytes: at most %d", h.raw, maxPayload)
	}
	payload, err := p.compact(&h)
	if err != nil { // games that cannot be followed, or the form for speed
		raw := append(p.ids, p.games...)
		h.codec = codecZstd
		payload = c.encoder.EncodeAll(raw, nil)
		if len(payload) >= len(raw) {
			h.codec, payload = codecNone, raw
		}
	}
	h.stored, h.payloadSum = len(payload), sum(payload)
	return append(h.append(buf), payload...), nil
}

// compact returns the payload of a compact block and sets the codec. The error
// says why there is none.
func (p *Packer) compact(h *Header) ([]byte, error) {
	if p.Form == Fast {
		return nil, errors.ErrUnsupported
	}
	c := compactCoders.Get().(*compact.Coder)
	defer compactCoders.Put(c)
	if h.codec = codecExact; p.Form == Rounded {
		h.codec = codecRounded
	}
	payload, err := c.Append(nil, p.ids, p.games, p.Form == Exact)
	if len(payload) > maxPayload {
		return nil, errors.ErrUnsupported
	}
	return payload, err
}

// Reset drops the games added since the last block.
func (p *Packer) Reset() { p.ids, p.games, p.header = p.ids[:0], p.games[:0], Header{} }
