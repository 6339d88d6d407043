package games

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

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

// readHeader reads header i of a page.
func readHeader(page []byte, i int) (h header) {
	b := page[i*headerSize : (i+1)*headerSize]
	for i := range h.values {
		h.values[i] = uint32(b[3*i]) | uint32(b[3*i+1])<<8 | uint32(b[3*i+2])<<16
	}
	h.readHead(b[3*values:])
	return h
}

// readHead reads all but the values.
func (h *header) readHead(b []byte) {
	h.elo = [2]uint16{binary.LittleEndian.Uint16(b), binary.LittleEndian.Uint16(b[2:])}
	rest := binary.LittleEndian.Uint32(b[4:])
	h.date, h.result = Date(rest&(1<<dateBits-1)), chess.Result(rest>>dateBits&3)
}

// rating returns the mean rating of the players, 0 where one is unknown.
func (h *header) rating() int {
	if h.elo[0] == 0 || h.elo[1] == 0 {
		return 0
	}
	return (int(h.elo[0]) + int(h.elo[1])) / 2
}

// Date is a day as PGN has it: month and day may be unknown. The zero Date is an
// unknown one, and Dates are in order.
type Date uint32

// dateBits is the number of bits of a Date: year, four of the month, five of the day.
const dateBits = 14 + 4 + 5

// Year returns the year, 0 where it is unknown.
func (d Date) Year() int { return int(d >> 9) }

// String returns the date as in a PGN tag, such as "2024.05.??".
func (d Date) String() string {
	part := func(n, width int) string {
		if n == 0 {
			return strings.Repeat("?", width)
		}
		return fmt.Sprintf("%0*d", width, n)
	}
	return part(d.Year(), 4) + "." + part(int(d>>5&15), 2) + "." + part(int(d&31), 2)
}

// MarshalText returns the text of String.
func (d Date) MarshalText() ([]byte, error) { return []byte(d.String()), nil }

// UnmarshalText reads a date as ParseDate does.
func (d *Date) UnmarshalText(text []byte) (err error) {
	*d, err = ParseDate(string(text))
	return err
}

// ParseDate reads a date as in a PGN tag; what follows a year may be missing.
func ParseDate(text string) (Date, error) {
	parts := strings.Split(text, ".")
	var n [3]int
	for i, part := range parts {
		if i >= 3 {
			return 0, fmt.Errorf("date %.20q: want YEAR.MONTH.DAY", text)
		}
		if part != "" && strings.Trim(part, "?") == "" {
			continue
		}
		var err error
		if n[i], err = strconv.Atoi(part); err != nil || n[i] < 0 || n[i] > [3]int{9999, 12, 31}[i] {
			return 0, fmt.Errorf("date %.20q: want YEAR.MONTH.DAY", text)
		}
	}
	return Date(n[0]<<9 | n[1]<<5 | n[2]), nil
}

// tagNames are the tags whose names are stored as a number. Those before fromHeader
// have no value of their own where the header and the start position say the same.
var tagNames = []string{
	"White", "Black", "Event", "TimeControl", "WhiteElo", "BlackElo", "Date", "Result", "FEN", "SetUp",
	"Site", "Round", "UTCDate", "UTCTime", "WhiteRatingDiff", "BlackRatingDiff", "ECO", "Opening", "Termination",
	"EventDate", "Variant", "WhiteTitle", "BlackTitle", "WhiteTeam", "BlackTeam", "WhiteFideId", "BlackFideId", "PlyCount",
	"Annotator", "Time", "Source", "SourceDate", "Variation", "EventType",
}

const fromHeader = 10

// implied returns the value that a tag before fromHeader has where nothing is stored.
func implied(name int, h *header, shared *[values]string, fen string) string {
	switch tagNames[name] {
	case "White", "Black", "Event", "TimeControl":
		return shared[name]
	case "WhiteElo", "BlackElo":
		return strconv.Itoa(int(h.elo[name-values]))
	case "Date":
		return h.date.String()
	case "Result":
		return h.result.String()
	case "FEN":
		return fen
	default:
		return "1" // SetUp
	}
}

// splitTags returns the header of a game, its shared values and the other tags as
// stored: a number of tags, and for each twice the number of its name, plus 1 where
// the value follows. Names without a number count as the one behind the last.
func splitTags(g *pgn.Game, fen string) (h header, shared [values]string, rest []byte) {
	for i := range shared {
		shared[i] = g.Tag(tagNames[i])
	}
	for i, name := range []string{"WhiteElo", "BlackElo"} {
		if elo, err := strconv.ParseUint(g.Tag(name), 10, 16); err == nil {
			h.elo[i] = uint16(elo)
		}
	}
	h.date, _ = ParseDate(g.Tag("Date"))
	h.result = g.Result
	text := func(s string) { rest = append(binary.AppendUvarint(rest, uint64(len(s))), s...) }
	rest = binary.AppendUvarint(nil, uint64(len(g.Tags)))
	for _, t := range g.Tags {
		name := slices.Index(tagNames, t.Name)
		switch {
		case name < 0:
			rest = binary.AppendUvarint(rest, uint64(2*len(tagNames)+1))
			text(t.Name)
		case name < fromHeader && t.Value == implied(name, &h, &shared, fen):
			rest = binary.AppendUvarint(rest, uint64(2*name))
			continue
		default:
			rest = binary.AppendUvarint(rest, uint64(2*name+1))
		}
		text(t.Value)
	}
	return h, shared, rest
}

// errContent says that a page with a good checksum holds what makes no sense.
var errContent = errors.New("the content makes no sense")

// joinTags returns the tags that splitTags was given.
func joinTags(rest []byte, h *header, shared *[values]string, fen string) ([]pgn.Tag, error) {
	r := reader{data: rest}
	tags := make([]pgn.Tag, 0, min(r.number(), 1000))
	for len(r.data) > 0 && !r.bad {
		name := r.number()
		var t pgn.Tag
		switch {
		case name/2 < len(tagNames):
			t.Name = tagNames[name/2]
		default:
			t.Name = string(r.text())
		}
		if name%2 == 1 {
			t.Value = string(r.text())
		} else if name/2 < fromHeader {
			t.Value = implied(name/2, h, shared, fen)
		} else {
			r.bad = true
		}
		tags = append(tags, t)
	}
	if r.bad {
		return nil, errContent
	}
	return tags, nil
}

// reader reads numbers and texts from bytes. Once it has met their end, bad is true
// and everything read is zero.
type reader struct {
	data []byte
	bad  bool
}

// number reads a number of at most 62 bits.
func (r *reader) number() int {
	v, n := binary.Uvarint(r.data)
	if n <= 0 || v >= 1<<62 {
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

// text reads a number and so many bytes.
func (r *reader) text() []byte { return r.bytes(r.number()) }
