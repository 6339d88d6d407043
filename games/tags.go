package games

import (
	"encoding/binary"
	"errors"
	"slices"
	"strconv"

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

// tags returns the tags that a header and its values say.
func (h *header) tags(v *[values]string, fen string) []pgn.Tag {
	all := []pgn.Tag{
		{Name: "Event", Value: v[event]}, {Name: "Date"}, {Name: "White", Value: v[white]}, {Name: "Black", Value: v[black]},
		{Name: "Result", Value: h.result.String()}, {Name: "WhiteElo"}, {Name: "BlackElo"}, {Name: "TimeControl", Value: v[timeControl]},
		{Name: "SetUp"}, {Name: "FEN", Value: fen},
	}
	if h.date != 0 {
		all[1].Value = h.date.String()
	}
	for i, elo := range h.elo {
		if elo != 0 {
			all[5+i].Value = strconv.Itoa(int(elo))
		}
	}
	if fen != "" {
		all[8].Value = "1"
	}
	return slices.DeleteFunc(all, func(t pgn.Tag) bool { return t.Value == "" })
}

// splitTags returns the header of a game, its shared values and the names and values of
// the tags that these do not say.
func splitTags(g *pgn.Game, fen string) (h header, shared [values]string, rest []byte) {
	shared = [values]string{white: g.Tag("White"), black: g.Tag("Black"), event: g.Tag("Event"), timeControl: g.Tag("TimeControl")}
	for i, name := range []string{"WhiteElo", "BlackElo"} {
		if elo, err := strconv.ParseUint(g.Tag(name), 10, 16); err == nil {
			h.elo[i] = uint16(elo)
		}
	}
	h.date, _ = ParseDate(g.Tag("Date")) // what is no date is among the rest
	h.result = g.Result
	said := h.tags(&shared, fen)
	for _, t := range g.Tags {
		if slices.Contains(said, t) {
			continue
		}
		for _, text := range []string{t.Name, t.Value} {
			rest = append(binary.AppendUvarint(rest, uint64(len(text))), text...)
		}
	}
	return h, shared, rest
}

// errContent says that a page with a good checksum holds what makes no sense.
var errContent = errors.New("the content makes no sense")

// joinTags gives a game the tags that splitTags was given.
func joinTags(g *pgn.Game, rest []byte, h *header, shared *[values]string, fen string) error {
	g.Tags = h.tags(shared, fen)
	r := reader{data: rest}
	for len(r.data) > 0 && !r.bad {
		name := r.text()
		g.SetTag(string(name), string(r.text()))
	}
	if r.bad {
		return errContent
	}
	return nil
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

// text reads a number and that many bytes.
func (r *reader) text() []byte { return r.bytes(r.number()) }
