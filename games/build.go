package games

import (
	"bufio"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"fmt"
	"io"
	"math/bits"
	"slices"

	"github.com/tabula-chess/tabula/internal/files"
)

const (
	// blockGames is how many games a block holds: what is replayed to find a rare position.
	blockGames = 64

	stringsPerPage = 256
	hashesPerPage  = 512

	// maxSegment bounds the games of a segment, and with them the memory that takes.
	maxSegment = 1 << 22
)

// builder makes a segment of games. The same games in the same order make the same
// segment.
type builder struct {
	file  *files.Pending // nil where an existing segment is checked
	out   *bufio.Writer
	pages pageWriter
	shape shape

	numbers map[string]uint32 // of strings
	strings []string

	inBlock                    int // games
	starts, moves, tags, heads []byte
	deflate                    *flate.Writer

	ends   []gameHead
	hashes []uint64
	sort   sorter
}

// newBuilder begins the segment with the given name. run is how many records are sorted
// in memory at a time.
func newBuilder(sys files.System, name string, run int) (*builder, error) {
	file, err := files.Begin(sys, name)
	if err != nil {
		return nil, err
	}
	b := &builder{file: file, out: bufio.NewWriterSize(file, 1<<18)}
	b.begin(sys, name, run)
	b.pages.write([]byte(magic))
	return b, nil
}

// newChecker returns a builder that writes nothing and compares with an existing segment.
func newChecker(sys files.System, r *pageReader, run int) *builder {
	b := &builder{out: bufio.NewWriter(io.Discard)}
	b.begin(sys, r.file.Name(), run)
	b.pages.same = r
	return b
}

func (b *builder) begin(sys files.System, name string, run int) {
	b.pages.out = b.out
	b.numbers, b.strings = map[string]uint32{"": 0}, []string{""}
	b.deflate, _ = flate.NewWriter(nil, flate.DefaultCompression) // a level that exists
	b.sort = sorter{sys: sys, name: name, length: run}
}

// add adds a game.
func (b *builder) add(e *entry) error {
	for i, text := range e.values {
		n, ok := b.numbers[text]
		if !ok {
			n = uint32(len(b.strings))
			b.numbers[text] = n
			b.strings = append(b.strings, text)
		}
		e.head.values[i] = n
	}
	b.starts = binary.AppendUvarint(b.starts, uint64(len(e.fen)))
	b.starts = append(b.starts, e.fen...)
	b.starts = binary.AppendUvarint(b.starts, uint64(len(e.moves)))
	b.moves = append(b.moves, e.moves...)
	b.tags = binary.AppendUvarint(b.tags, uint64(len(e.tags)))
	b.tags = append(b.tags, e.tags...)
	b.heads = e.head.append(b.heads)
	b.ends = append(b.ends, gameHead(b.heads[len(b.heads)-len(gameHead{}):]))
	b.hashes = append(b.hashes, e.hash)
	game := uint32(b.shape.games)
	b.shape.games++
	b.shape.plies += uint64(len(e.records) - 1)
	if b.inBlock++; b.inBlock == blockGames {
		b.endBlock()
	}
	if b.pages.err != nil {
		return b.pages.err
	}
	return b.sort.add(game, e.records)
}

// endBlock writes the games that wait.
func (b *builder) endBlock() {
	if b.inBlock == 0 {
		return
	}
	b.pages.page(secMoves, b.pack(b.starts, b.moves))
	b.pages.page(secTags, b.pack(b.tags))
	b.pages.page(secHeaders, b.heads)
	b.inBlock = 0
	b.starts, b.moves, b.tags, b.heads = b.starts[:0], b.moves[:0], b.tags[:0], b.heads[:0]
}

// pack compresses texts.
func (b *builder) pack(texts ...[]byte) []byte {
	var packed bytes.Buffer
	b.deflate.Reset(&packed)
	for _, text := range texts {
		b.deflate.Write(text) // a Buffer has no errors
	}
	b.deflate.Close()
	return packed.Bytes()
}

// finish writes the rest of the segment.
func (b *builder) finish() error {
	b.endBlock()
	for page := range slices.Chunk(b.strings, stringsPerPage) {
		var buf []byte
		for _, text := range page {
			buf = append(binary.AppendUvarint(buf, uint64(len(text))), text...)
		}
		b.pages.page(secStrings, buf)
	}
	b.shape.strings = uint64(len(b.strings))
	b.writeHashes()
	blocks := (b.shape.games + blockGames - 1) / blockGames
	w := indexWriter{
		out: &b.pages, shape: &b.shape, heads: b.ends, pages: indexPages(b.sort.total), blocks: blockBits(int(blocks)),
	}
	err := b.sort.each(w.add)
	if err != nil {
		return err
	}
	w.finish()
	if err := b.pages.finish(b.shape); err != nil {
		return err
	}
	return b.out.Flush()
}

// blockBits returns how many bits the number of a block takes.
func blockBits(blocks int) int { return bits.Len(uint(max(blocks, 1) - 1)) }

// writeHashes writes the hashes of games, a page for each part of their range.
func (b *builder) writeHashes() {
	slices.Sort(b.hashes)
	pages := uint64(len(b.hashes)/hashesPerPage + 1)
	rest := b.hashes
	for n := range pages {
		var buf []byte
		for len(rest) > 0 {
			if page, _ := bits.Mul64(rest[0], pages); page != n {
				break
			}
			buf = binary.LittleEndian.AppendUint64(buf, rest[0])
			rest = rest[1:]
		}
		b.pages.page(secHashes, buf)
	}
}

// commit puts the segment in place.
func (b *builder) commit() error {
	if err := b.finish(); err != nil {
		return fmt.Errorf("%s: %w", b.file.Target(), err)
	}
	b.sort.close()
	return b.file.Commit()
}

// close gives up what was not committed.
func (b *builder) close() {
	b.sort.close()
	if b.file != nil {
		b.file.Abort()
	}
}
