package games

import (
	"cmp"
	"encoding/binary"
	"errors"
	"math"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/pgn"
)

// The values of a header that many games share, by number.
const (
	white = iota
	black
	event
	timeControl
	values // how many there are
)

// header is what the games of a segment are filtered by. A page of headers is read
// without unpacking anything.
type header struct {
	values [values]uint32 // numbers of strings, below 1<<24
	elo    [2]uint16      // by color, 0 where unknown
	date   Date
	result chess.Result
}

// headerSize is the length of a stored header.
const headerSize = 3*values + 4 + 4

func (h *header) append(buf []byte) []byte {
	for _, v := range h.values {
		buf = append(buf, byte(v), byte(v>>8), byte(v>>16))
	}
	buf = binary.LittleEndian.AppendUint16(buf, h.elo[0])
	buf = binary.LittleEndian.AppendUint16(buf, h.elo[1])
	return binary.LittleEndian.AppendUint32(buf, uint32(h.date)|uint32(h.result)<<dateBits)
}

// readHeader reads a header.
func readHeader(b []byte) (h header) {
	for i := range h.values {
		h.values[i] = uint32(b[3*i]) | uint32(b[3*i+1])<<8 | uint32(b[3*i+2])<<16
	}
	b = b[3*values:]
	h.elo = [2]uint16{binary.LittleEndian.Uint16(b), binary.LittleEndian.Uint16(b[2:])}
	rest := binary.LittleEndian.Uint32(b[4:])
	h.date, h.result = Date(rest&(1<<dateBits-1)), chess.Result(rest>>dateBits&3)
	return h
}

// rating returns the mean rating of the players, 0 where one is unknown.
func (h *header) rating() int {
	if h.elo[0] == 0 || h.elo[1] == 0 {
		return 0
	}
	return (int(h.elo[0]) + int(h.elo[1])) / 2
}

// said returns the value that a header, its shared values and the start position give the tag
// of a name, "" where they say nothing of it.
func (h *header) said(name string, shared *[values]string, fen string) string {
	number := func(n uint16) string {
		if n == 0 {
			return ""
		}
		return strconv.Itoa(int(n))
	}
	switch name {
	case "White":
		return shared[white]
	case "Black":
		return shared[black]
	case "Event":
		return shared[event]
	case "TimeControl":
		return shared[timeControl]
	case "WhiteElo":
		return number(h.elo[0])
	case "BlackElo":
		return number(h.elo[1])
	case "Date", "UTCDate":
		return h.date.String()
	case "Result":
		return h.result.String()
	case "FEN":
		return fen
	case "SetUp":
		return "1"
	}
	return ""
}

// maxShared bounds the length of a shared value. A header has the beginning of a longer one.
const maxShared = 255

// splitTags returns the header of a game, its shared values, and its tags in their order: for each
// the name and, unless it is what the header says, the value.
func splitTags(g *pgn.Game, fen string) (h header, shared [values]string, tags []byte) {
	for i, name := range [values]string{white: "White", black: "Black", event: "Event", timeControl: "TimeControl"} {
		shared[i] = g.Tag(name)
		for n := maxShared; len(shared[i]) > maxShared; n-- {
			if utf8.RuneStart(shared[i][n]) {
				shared[i] = shared[i][:n]
			}
		}
	}
	for i, name := range []string{"WhiteElo", "BlackElo"} {
		// Lichess writes 1500? for a player of few games.
		if elo, err := strconv.ParseUint(strings.Trim(g.Tag(name), " ?"), 10, 16); err == nil {
			h.elo[i] = uint16(elo)
		}
	}
	h.date = cmp.Or(readDate(g.Tag("Date")), readDate(g.Tag("UTCDate")))
	h.result = g.Result
	for _, t := range g.Tags {
		tags = appendText(tags, t.Name)
		if t.Value == h.said(t.Name, &shared, fen) {
			tags = append(tags, 0)
		} else {
			tags = append(binary.AppendUvarint(tags, uint64(len(t.Value))+1), t.Value...)
		}
	}
	return h, shared, tags
}

// errContent says that a page with a good checksum holds what makes no sense.
var errContent = errors.New("the content makes no sense")

// joinTags returns the tags that splitTags was given.
func joinTags(tags []byte, h *header, shared *[values]string, fen string) (all []pgn.Tag, err error) {
	r := reader{data: tags}
	for len(r.data) > 0 {
		t := pgn.Tag{Name: string(r.text())}
		if n := r.number(); n > 0 {
			t.Value = string(r.bytes(n - 1))
		} else {
			t.Value = h.said(t.Name, shared, fen)
		}
		all = append(all, t)
	}
	if r.bad {
		return nil, errContent
	}
	return all, nil
}

// appendText appends the length of a text and the text.
func appendText[T string | []byte](buf []byte, text T) []byte {
	return append(binary.AppendUvarint(buf, uint64(len(text))), text...)
}

// reader reads numbers and texts from bytes. Once it has met their end, bad is true
// and everything read is zero.
type reader struct {
	data []byte
	bad  bool
}

// number reads a number of at most half an int's range.
func (r *reader) number() int {
	v, n := binary.Uvarint(r.data)
	if n <= 0 || v > math.MaxInt/2 {
		r.data, r.bad = nil, true
		return 0
	}
	r.data = r.data[n:]
	return int(v)
}

// bytes reads n bytes.
func (r *reader) bytes(n int) []byte {
	if n > len(r.data) {
		r.data, r.bad = nil, true
		return nil
	}
	b := r.data[:n:n]
	r.data = r.data[n:]
	return b
}

// text reads a number and that many bytes.
func (r *reader) text() []byte { return r.bytes(r.number()) }
