package loader

import (
	"encoding/binary"
	"fmt"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/files"
	"github.com/tabula-chess/tabula/train/games"
)

// spooled is the bytes of a sample in a spool.
const spooled = 32

// Spool holds the samples of a part of the games, after filtering, in a file of
// 32 bytes each, so that a loader of the same files and options decodes the games only
// once. What [Survey] finds is given to [Spool.Add].
type Spool struct {
	file *files.Pending
	ends []int64 // of the blocks, in samples
	buf  []byte
	err  error
}

// NewSpool returns an empty spool whose file lies beside the named one.
// [Spool.Close] removes it, or the next NewSpool after a kill.
func NewSpool(beside string) (*Spool, error) {
	if err := files.Clean(files.OS(), beside); err != nil {
		return nil, err
	}
	file, err := files.Scratch(files.OS(), beside)
	return &Spool{file: file}, err
}

// Close removes the file.
func (s *Spool) Close() { s.file.Abort() }

// Add appends the samples of the next block, in the order of files and blocks.
// [Spool.Err] returns its error.
func (s *Spool) Add(samples []games.Sample) {
	s.buf = s.buf[:0]
	for i := range samples {
		m := &samples[i]
		s.buf = binary.LittleEndian.AppendUint64(s.buf, uint64(m.Occupied))
		s.buf = append(s.buf, m.Pieces[:]...)
		s.buf = binary.LittleEndian.AppendUint16(s.buf, uint16(m.Score))
		s.buf = binary.LittleEndian.AppendUint16(s.buf, m.Ply)
		s.buf = append(s.buf, byte(m.Target), byte(m.Side), m.Halfmove, 0)
	}
	if s.err == nil {
		_, s.err = s.file.Write(s.buf)
	}
	s.ends = append(s.ends, s.file.Size()/spooled)
}

// Err returns the first error of an Add.
func (s *Spool) Err() error { return s.err }

// read appends the samples of a block to dst; buf is memory to use, which is
// returned. Several goroutines may read.
func (s *Spool) read(dst []games.Sample, buf []byte, block int) ([]games.Sample, []byte, error) {
	if block >= len(s.ends) {
		return dst, buf, fmt.Errorf("%d blocks were spooled, not block %d: the file has grown", len(s.ends), block)
	}
	from := int64(0)
	if block > 0 {
		from = s.ends[block-1]
	}
	n := int(s.ends[block]-from) * spooled
	if cap(buf) < n {
		buf = make([]byte, n)
	}
	buf = buf[:n]
	if n == 0 {
		return dst, buf, nil
	}
	if _, err := s.file.ReadAt(buf, from*spooled); err != nil {
		return dst, buf, fmt.Errorf("spool: %w", err)
	}
	for b := buf; len(b) > 0; b = b[spooled:] {
		m := games.Sample{
			Occupied: chess.Bitboard(binary.LittleEndian.Uint64(b)), Pieces: [16]byte(b[8:24]),
			Score: int16(binary.LittleEndian.Uint16(b[24:])), Ply: binary.LittleEndian.Uint16(b[26:]),
			Target: games.Target(b[28]), Side: chess.Color(b[29]), Halfmove: b[30],
		}
		dst = append(dst, m)
	}
	return dst, buf, nil
}
