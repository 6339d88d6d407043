package games

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"slices"
	"strings"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/pgn"
)

// positionID is what a position is found by.
type positionID struct {
	key   uint64 // 0 and the upper 63 bits of the Zobrist key where White is to move, else 1 and these
	check uint16 // of the pieces, by other means
}

const blackToMove = 1 << 63

// identify returns the ID of a position.
func identify(p *chess.Position) positionID {
	h := uint64(p.ByColor(chess.White)) * 0x9e3779b97f4a7c15
	for t := chess.Pawn; t <= chess.King; t++ {
		h = (h ^ h>>29 ^ uint64(p.ByType(t))) * 0xbf58476d1ce4e5b9
	}
	id := positionID{uint64(p.Key()) >> 1, uint16(h >> 48)}
	if p.SideToMove() == chess.Black {
		id.key |= blackToMove
	}
	return id
}

// record says that a game came to a position, and what was played there.
type record struct {
	positionID
	next uint32 // 32 bits of the key of the position after the move of Black; see index
	game uint32 // in its segment
	move chess.Move
	ply  uint16 // from the start of the game
}

// compare orders records by position, then game, then ply.
func (r *record) compare(s *record) int {
	if r.key != s.key {
		return cmp.Compare(r.key, s.key)
	}
	return cmp.Or(cmp.Compare(r.check, s.check), cmp.Compare(r.game, s.game), cmp.Compare(r.ply, s.ply))
}

// short returns the 32 bits of the key of a position with White to move that records
// of the position before it have.
func short(key uint64) uint32 { return uint32(key >> 31) }

// entry is a game on its way into a segment.
type entry struct {
	head    header
	values  [values]string // what head refers to by number
	fen     string         // of the start, "" for the standard one
	moves   []byte
	tags    []byte
	clocks  []byte
	lost    []pgn.Command // times that are not in clocks
	hash    uint64        // of moves, start, result and tags: games that are the same have the same
	records []record
	warning *pgn.Error // of the game that was read
	short   bool       // the game is shortened
}

// newEntry returns the entry of a game of at most pgn.MaxPlies moves.
func newEntry(g *pgn.Game) *entry {
	e := &entry{warning: g.Warning, short: g.Shortened}
	if g.Start != nil {
		e.fen = g.Start.FEN()
	}
	e.head, e.values, e.tags = splitTags(g, e.fen)
	e.clocks, e.lost = clocksOf(g)
	e.records = make([]record, 0, len(g.Main.Moves)+1)
	e.moves = make([]byte, 0, 2*len(g.Main.Moves))
	p := g.Position()
	p.Reserve(len(g.Main.Moves))
	for i := range g.Main.Moves {
		n := &g.Main.Moves[i]
		e.moves = appendMove(e.moves, n.Move)
		e.visit(p, n.Move)
		n.Play(p)
	}
	e.visit(p, chess.NoMove)
	e.sum(g)
	return e
}

// visit adds the record of a position and the move played there.
func (e *entry) visit(p *chess.Position, m chess.Move) {
	id := identify(p)
	if n := len(e.records); n > 0 && id.key < blackToMove {
		e.records[n-1].next = short(id.key)
	}
	e.records = append(e.records, record{positionID: id, move: m, ply: uint16(len(e.records))})
}

// sum sets the hash: of the tags as they are written to a file, without those of which the others
// or the moves tell, in any order. So a game that was exported is the same.
func (e *entry) sum(g *pgn.Game) {
	tags := slices.DeleteFunc(g.ExportTags(), func(t pgn.Tag) bool {
		switch t.Name {
		case "Event", "Site", "Date", "Round", "White", "Black":
			return strings.Trim(t.Value, "?.") == ""
		}
		return t.Name == "Result" || t.Name == "FEN" || t.Name == "SetUp"
	})
	slices.SortStableFunc(tags, func(a, b pgn.Tag) int { return strings.Compare(a.Name, b.Name) })
	buf := appendText(appendText([]byte{byte(g.Result)}, e.fen), e.moves)
	for _, t := range tags {
		buf = appendText(appendText(buf, t.Name), t.Value)
	}
	sum := sha256.Sum256(buf)
	e.hash = binary.LittleEndian.Uint64(sum[:])
}

// appendMove appends a move in two bytes: kind and target, promotion and origin. Both
// repeat more often than those of the number do, so that they pack better.
func appendMove(buf []byte, m chess.Move) []byte {
	return append(buf, byte(m&63|m>>14<<6), byte(m>>6))
}

// readMove reads what appendMove has written.
func readMove(b []byte) chess.Move {
	return chess.Move(b[0]&63) | chess.Move(b[0]>>6)<<14 | chess.Move(b[1])<<6
}
