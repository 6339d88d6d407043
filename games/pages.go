package games

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"

	"github.com/tabula-chess/tabula/pgn"
)

// The sections of a segment.
const (
	secMoves   = iota // blocks: the starts and moves of blockGames games
	secTags           // the tags of a block
	secHeaders        // headersPerPage headers
	secStrings        // stringsPerPage strings
	secHashes         // hashes of games, by their upper bits
	secIndex          // positions, by the upper bits of their keys
	secLists          // the games of a node
	sections
)

// magic begins a segment; the last digit is the version of the format.
const magic = "\xfftabgam4"

// footerSize is the length of a footer: for each section the offset of its directory
// and the number of its pages, then the numbers of shape, and a checksum.
const footerSize = 8*(2*sections+5) + 4

// shape is what a footer says besides where pages are.
type shape struct {
	games, plies, positions, popular uint64
	text                             uint64 // the memory that the strings take when a segment is built, about
}

// Bounds of a segment. The number of a block has 16 bits, that of a string 24; records wait in
// runs, each an open file.
const (
	maxSegment = blockGames<<16 - blockGames // games
	maxRecords = 1 << 29                     // positions, those that come again too
	maxText    = 128 << 20
)

// plus returns the sum of two shapes but for positions, of which they may have some in common.
func (s shape) plus(o shape) shape {
	return shape{games: s.games + o.games, plies: s.plies + o.plies, text: s.text + o.text}
}

// fits reports whether a segment of at most that many games may have the shape.
func (s shape) fits(most uint64) bool {
	return s.games <= most && s.games+s.plies <= maxRecords && s.text <= maxText
}

// ErrDamaged reports a damaged file.
var ErrDamaged = errors.New("damaged")

// pageWriter writes a segment from its first byte to its last.
type pageWriter struct {
	out   *bufio.Writer
	at    uint64
	pages [sections][]uint64 // offset and, in the lower 24 bits, length
	err   error              // of a page; out remembers those of the system
}

func (w *pageWriter) write(b []byte) {
	w.out.Write(b)
	w.at += uint64(len(b))
}

// maxPage bounds the length of a page.
const maxPage = 1<<24 - 1

// page appends a page to a section. Its checksum covers its place too, so that a
// damaged directory is noticed.
func (w *pageWriter) page(section int, data []byte) {
	if len(data)+4 > maxPage {
		w.err = fmt.Errorf("games: a page of %d bytes is too long", len(data))
		return
	}
	sum := pageSum(section, len(w.pages[section]), data)
	w.pages[section] = append(w.pages[section], w.at<<24|uint64(len(data)+4))
	w.write(data)
	w.write(binary.LittleEndian.AppendUint32(nil, sum))
}

func pageSum(section, number int, data []byte) uint32 {
	place := binary.LittleEndian.AppendUint64([]byte{byte(section)}, uint64(number))
	return crc32.Update(crc32.ChecksumIEEE(place), crc32.IEEETable, data)
}

// finish writes directories and footer.
func (w *pageWriter) finish(s shape) error {
	var footer []byte
	for _, pages := range w.pages {
		footer = binary.LittleEndian.AppendUint64(footer, w.at)
		footer = binary.LittleEndian.AppendUint64(footer, uint64(len(pages)))
		for _, p := range pages {
			w.write(binary.LittleEndian.AppendUint64(nil, p))
		}
	}
	for _, n := range []uint64{s.games, s.plies, s.positions, s.popular, s.text} {
		footer = binary.LittleEndian.AppendUint64(footer, n)
	}
	w.write(binary.LittleEndian.AppendUint32(footer, crc32.ChecksumIEEE(footer)))
	return errors.Join(w.err, w.out.Flush())
}

// pageReader reads pages. It is safe for concurrent use.
type pageReader struct {
	name  string
	file  io.ReaderAt
	size  int64
	dirs  [sections]uint64
	pages [sections]int
	sum   uint32 // of the footer, by which a segment is known
	shape
}

// damaged wraps a reason with the name of the file.
func (r *pageReader) damaged(format string, args ...any) error {
	return fmt.Errorf("%s: %w: %w", r.name, ErrDamaged, fmt.Errorf(format, args...))
}

// openPages reads the footer of a segment.
func openPages(name string, file io.ReaderAt, size int64) (*pageReader, error) {
	r := &pageReader{name: name, file: file, size: size}
	if size < int64(len(magic)+footerSize) {
		return nil, r.damaged("%d bytes are too few", size)
	}
	begin, footer := make([]byte, len(magic)), make([]byte, footerSize)
	if err := errors.Join(r.readAt(begin, 0), r.readAt(footer, size-footerSize)); err != nil {
		return nil, err
	}
	if string(begin) != magic {
		return nil, r.damaged("it does not begin as a segment of this version does")
	}
	body := footer[:footerSize-4]
	if r.sum = crc32.ChecksumIEEE(body); r.sum != binary.LittleEndian.Uint32(footer[len(body):]) {
		return nil, r.damaged("the checksum of its end does not match")
	}
	next := func() uint64 {
		n := binary.LittleEndian.Uint64(body)
		body = body[8:]
		return n
	}
	for i := range r.dirs {
		r.dirs[i], r.pages[i] = next(), int(next())
	}
	r.shape = shape{next(), next(), next(), next(), next()}
	if !r.sensible() {
		return nil, r.damaged("its end: %w", errContent)
	}
	return r, nil
}

// sensible reports whether the footer's numbers are those of a segment of the file's size, so
// that none of them makes a query endless.
func (r *pageReader) sensible() bool {
	for i, pages := range r.pages {
		if at := r.dirs[i]; at > uint64(r.size) || pages < 0 || uint64(pages) > (uint64(r.size)-at)/8 {
			return false
		}
	}
	pagesOf := func(things uint64, inPage int) int { return int(things+uint64(inPage)-1) / inPage }
	blocks := pagesOf(r.games, blockGames)
	return r.games <= maxSegment && r.plies <= r.games*pgn.MaxPlies && r.positions <= r.games+r.plies &&
		r.popular <= r.positions &&
		r.pages[secMoves] == blocks && r.pages[secTags] == blocks &&
		r.pages[secHeaders] == pagesOf(r.games, headersPerPage) &&
		r.pages[secStrings] <= pagesOf(values*r.games+1, stringsPerPage) && uint64(r.pages[secLists]) <= r.popular &&
		r.pages[secHashes] == hashPages(r.games) && r.pages[secIndex] == indexPages(r.games+r.plies)
}

// readAt fills b.
func (r *pageReader) readAt(b []byte, at int64) error {
	n, err := r.file.ReadAt(b, at)
	switch {
	case n == len(b):
		return nil
	case err == nil || errors.Is(err, io.EOF):
		return r.damaged("it ends at byte %d", at+int64(n))
	}
	return fmt.Errorf("%s: %w", r.name, err)
}

// page returns a page of a section.
func (r *pageReader) page(section, number int) ([]byte, error) {
	if number < 0 || number >= r.pages[section] {
		return nil, r.damaged("section %d has no page %d", section, number)
	}
	var place [8]byte
	if err := r.readAt(place[:], int64(r.dirs[section])+8*int64(number)); err != nil {
		return nil, err
	}
	at := binary.LittleEndian.Uint64(place[:])
	data := make([]byte, at&maxPage)
	if len(data) < 4 {
		return nil, r.damaged("page %d of section %d has no place", number, section)
	}
	if err := r.readAt(data, int64(at>>24)); err != nil {
		return nil, err
	}
	body := data[:len(data)-4]
	if pageSum(section, number, body) != binary.LittleEndian.Uint32(data[len(body):]) {
		return nil, r.damaged("the checksum of page %d of section %d, at byte %d, does not match", number, section, at>>24)
	}
	return body, nil
}
