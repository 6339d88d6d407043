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
	secTags           // the tags and clocks of a block
	secHeaders        // headersPerPage headers
	secStrings        // stringsPerPage strings
	secHashes         // hashes of games, by their upper bits
	secIndex          // positions, by the upper bits of their keys
	secLists          // the games of a node
	sections
)

// magic begins a segment; the last digit is the version of the format.
const magic = "\xfftabgam5"

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

// damaged wraps a reason with the name of the file.
func (s *segment) damaged(format string, args ...any) error {
	return fmt.Errorf("%s: %w: %w", s.name, ErrDamaged, fmt.Errorf(format, args...))
}

// openPages reads the footer of a segment.
func openPages(name string, file io.ReaderAt, size int64) (*segment, error) {
	s := &segment{name: name, file: file, size: size, strings: map[int][]byte{}}
	if size < int64(len(magic)+footerSize) {
		return nil, s.damaged("%d bytes are too few", size)
	}
	begin, footer := make([]byte, len(magic)), make([]byte, footerSize)
	if err := errors.Join(s.readAt(begin, 0), s.readAt(footer, size-footerSize)); err != nil {
		return nil, err
	}
	if string(begin) != magic {
		return nil, s.damaged("it does not begin as a segment of this version does")
	}
	body := footer[:footerSize-4]
	if s.sum = crc32.ChecksumIEEE(body); s.sum != binary.LittleEndian.Uint32(footer[len(body):]) {
		return nil, s.damaged("the checksum of its end does not match")
	}
	next := func() uint64 {
		n := binary.LittleEndian.Uint64(body)
		body = body[8:]
		return n
	}
	for i := range s.dirs {
		s.dirs[i], s.pages[i] = next(), int(next())
	}
	s.shape = shape{next(), next(), next(), next(), next()}
	if !s.sensible() {
		return nil, s.damaged("its end: %w", errContent)
	}
	return s, nil
}

// sensible reports whether the footer's numbers are those of a segment of the file's size, so
// that none of them makes a query endless.
func (s *segment) sensible() bool {
	for i, pages := range s.pages {
		if at := s.dirs[i]; at > uint64(s.size) || pages < 0 || uint64(pages) > (uint64(s.size)-at)/8 {
			return false
		}
	}
	pagesOf := func(things uint64, inPage int) int { return int(things+uint64(inPage)-1) / inPage }
	blocks := pagesOf(s.games, blockGames)
	return s.games <= maxSegment && s.plies <= s.games*pgn.MaxPlies && s.positions <= s.games+s.plies &&
		s.popular <= s.positions &&
		s.pages[secMoves] == blocks && s.pages[secTags] == blocks &&
		s.pages[secHeaders] == pagesOf(s.games, headersPerPage) &&
		s.pages[secStrings] <= pagesOf(values*s.games+1, stringsPerPage) && uint64(s.pages[secLists]) <= s.popular &&
		s.pages[secHashes] == hashPages(s.games) && s.pages[secIndex] == indexPages(s.games+s.plies)
}

// readAt fills b.
func (s *segment) readAt(b []byte, at int64) error {
	n, err := s.file.ReadAt(b, at)
	switch {
	case n == len(b):
		return nil
	case err == nil || errors.Is(err, io.EOF):
		return s.damaged("it ends at byte %d", at+int64(n))
	}
	return fmt.Errorf("%s: %w", s.name, err)
}

// page returns a page of a section.
func (s *segment) page(section, number int) ([]byte, error) {
	if number < 0 || number >= s.pages[section] {
		return nil, s.damaged("section %d has no page %d", section, number)
	}
	var place [8]byte
	if err := s.readAt(place[:], int64(s.dirs[section])+8*int64(number)); err != nil {
		return nil, err
	}
	at := binary.LittleEndian.Uint64(place[:])
	data := make([]byte, at&maxPage)
	if len(data) < 4 {
		return nil, s.damaged("page %d of section %d has no place", number, section)
	}
	if err := s.readAt(data, int64(at>>24)); err != nil {
		return nil, err
	}
	body := data[:len(data)-4]
	if pageSum(section, number, body) != binary.LittleEndian.Uint32(data[len(body):]) {
		return nil, s.damaged("the checksum of page %d of section %d, at byte %d, does not match", number, section, at>>24)
	}
	return body, nil
}
