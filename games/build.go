package games

import (
	"bufio"
	"bytes"
	"compress/flate"
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"

	"github.com/tabula-chess/tabula/internal/files"
)

const (
	// blockGames is how many games a block holds: what is replayed to find a rare position.
	blockGames = 64

	headersPerPage = 256
	stringsPerPage = 256
	hashesPerPage  = 512
)

// builder makes a segment of games. The same games in the same order make the same
// segment.
type builder struct {
	file  *files.Pending
	name  string // of the file, as the database has it: links on its way are followed in the target of file
	pages pageWriter
	shape shape

	numbers map[string]uint32 // of strings
	strings []string

	inBlock     int // games
	moves, tags []byte
	deflate     *flate.Writer

	heads  []byte // of all games
	hashes []uint64
	sort   sorter
}

// newBuilder begins a segment in a file, for a name of the database. Records wait beside the file; run of them are
// sorted in memory at a time.
func newBuilder(file *files.Pending, name string, run int) *builder {
	b := &builder{file: file, name: name, numbers: map[string]uint32{"": 0}, strings: []string{""}}
	b.deflate, _ = flate.NewWriter(nil, flate.DefaultCompression) // a level that exists
	b.sort = sorter{name: file.Target(), length: run}
	b.pages.out = bufio.NewWriterSize(file, 1<<18)
	b.pages.write([]byte(magic))
	return b
}

// add adds a game.
func (b *builder) add(e *entry) error {
	for i, text := range e.values {
		n, ok := b.numbers[text]
		if !ok {
			n = uint32(len(b.strings))
			b.numbers[text] = n
			b.strings = append(b.strings, text)
			b.shape.text += uint64(len(text)) + 64 // with the map's
		}
		e.head.values[i] = n
	}
	b.moves = appendText(b.moves, e.fen)
	b.moves = append(binary.AppendUvarint(b.moves, uint64(len(e.moves)/2)), e.moves...)
	b.tags = appendText(appendText(b.tags, e.tags), e.clocks)
	b.heads = e.head.append(b.heads)
	b.hashes = append(b.hashes, e.hash)
	game := uint32(b.shape.games)
	b.shape.games++
	b.shape.plies += uint64(len(e.records) - 1)
	if b.inBlock++; b.inBlock == blockGames {
		b.endBlock()
	}
	return b.sort.add(game, e.records)
}

// endBlock writes the games that wait.
func (b *builder) endBlock() {
	if b.inBlock == 0 {
		return
	}
	b.pages.page(secMoves, b.pack(b.moves))
	b.pages.page(secTags, b.pack(b.tags))
	b.inBlock = 0
	b.moves, b.tags = b.moves[:0], b.tags[:0]
}

// pack compresses a text.
func (b *builder) pack(text []byte) []byte {
	var packed bytes.Buffer
	b.deflate.Reset(&packed)
	b.deflate.Write(text) // a Buffer has no errors
	b.deflate.Close()
	return packed.Bytes()
}

// finish writes the rest of the segment.
func (b *builder) finish() error {
	b.endBlock()
	for page := range slices.Chunk(b.heads, headersPerPage*headerSize) {
		b.pages.page(secHeaders, page)
	}
	for page := range slices.Chunk(b.strings, stringsPerPage) {
		var buf []byte
		for _, text := range page {
			buf = appendText(buf, text)
		}
		b.pages.page(secStrings, buf)
	}
	b.writeHashes()
	w := indexWriter{
		to: &b.pages, shape: &b.shape, heads: b.heads,
		pages: uint64(indexPages(uint64(b.sort.total))),
	}
	if err := b.sort.each(w.add); err != nil {
		return err
	}
	w.finish()
	return b.pages.finish(b.shape)
}

// writeHashes writes the hashes of games, a page for each part of their range.
func (b *builder) writeHashes() {
	slices.Sort(b.hashes)
	pages := uint64(hashPages(b.shape.games))
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

// hashPages returns the number of pages of hashes of games.
func hashPages(games uint64) int { return int(games/hashesPerPage) + 1 }

// indexPages returns the number of pages of the index of records.
func indexPages(records uint64) int { return int(records/rarePerPage) + 1 }

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
	b.file.Abort()
}
