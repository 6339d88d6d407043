package syzygy

import (
	"encoding/binary"
	"fmt"
	"runtime/debug"
	"slices"
	"sync"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/syzygy/internal/layout"
)

// WDL is the outcome of a position for the side to move: the larger, the better. -w is the other side's.
type WDL int8

// The outcomes of a position. A blessed loss is a draw by the fifty-move rule, and so is a cursed win.
const (
	Loss        WDL = -2
	BlessedLoss WDL = -1
	Draw        WDL = 0
	CursedWin   WDL = 1
	Win         WDL = 2
)

// String returns the outcome in words, such as "cursed win".
func (w WDL) String() string {
	if w < Loss || w > Win {
		return fmt.Sprintf("WDL(%d)", int8(w))
	}
	return [...]string{"loss", "blessed loss", "draw", "cursed win", "win"}[w-Loss]
}

// DTZ is a distance in plies to the next capture or pawn move that keeps the outcome, or to mate, positive where the
// side to move wins: see [Tables.DTZ].
type DTZ int

// scratch holds positions to play moves on: those of callers stay as they are.
var scratch = sync.Pool{New: func() any { return new(chess.Position) }}

// borrow returns a copy of p without its history. Give it back to scratch.
func borrow(p *chess.Position) *chess.Position {
	q := scratch.Get().(*chess.Position)
	q.CopyBoard(p)
	return q
}

// WDL returns the outcome of p for the side to move, [Loss] to [Win], with the
// fifty-move counter taken as zero.
// Errors: [ErrCastling], [ErrMissing] where there is no table for p or for what
// a capture leads to, a *[FileError] for a damaged file, and what opening a file
// may return. It does not allocate once the tables it reads are open.
func (t *Tables) WDL(p *chess.Position) (WDL, error) {
	if err := t.admit(p); err != nil {
		return 0, err
	}
	q := borrow(p)
	defer scratch.Put(q)
	value, _, err := t.resolve(q)
	if err != nil {
		t.tell(err)
	}
	return value, err
}

// DTZ returns the distance of p in plies to the next capture or pawn move that
// keeps the outcome, or to mate, positive where the side to move wins. 1 to
// 100 belong to [Win], more than 100 to [CursedWin], which counts 100 more for
// what is lost to the fifty-move rule; 0 is a draw and -1 also a position that
// is mate. Tables that count moves round down by a ply, so that n may stand
// for n+1; never across the border of 100.
// Errors are those of [Tables.WDL]; a missing DTZ table is [ErrMissing]. Source: de
// Man's probing code.
func (t *Tables) DTZ(p *chess.Position) (DTZ, error) {
	if err := t.admit(p); err != nil {
		return 0, err
	}
	q := borrow(p)
	defer scratch.Put(q)
	d, err := t.distance(q)
	if err != nil {
		t.tell(err)
	}
	return d.least, err
}

// admit returns nil where p can be looked up at all.
func (t *Tables) admit(p *chess.Position) error {
	if p.Castling() != chess.NoCastling {
		return ErrCastling
	}
	if p.Occupied().Count() > t.pieces {
		return ErrMissing
	}
	return nil
}

// none is less than any outcome: of moves that there are none of.
const none = Loss - 1

// resolve returns the outcome of p. zeroing says that a capture reaches it, or
// nothing but an en-passant capture does: the DTZ tables hold nothing for
// positions that win by a capture, and know no en passant.
//
// A WDL table may hold any value that is not better than the best capture, as
// that compresses well: captures must be looked at first.
func (t *Tables) resolve(p *chess.Position) (value WDL, zeroing bool, err error) {
	capture, passant := none, none
	var buf [chess.MaxMoves]chess.Move
	for _, m := range movegen.Captures(p, buf[:0]) {
		if !p.IsCapture(m) {
			continue
		}
		p.Make(m)
		v, err := t.capturing(p, -Win, -max(capture, Loss))
		p.Unmake()
		switch v = -v; {
		case err != nil:
			return 0, false, err
		case v == Win:
			return v, true, nil
		case m.Kind() == chess.EnPassant:
			passant = max(passant, v)
		default:
			capture = max(capture, v)
		}
	}
	if value, err = t.tableWDL(p); err != nil {
		return 0, false, err
	}
	switch {
	case passant > max(capture, value):
		return passant, true, nil
	case max(capture, passant) >= value:
		value = max(capture, passant)
		return value, value > Draw, nil
	case passant != none && value == Draw && stuck(p):
		// The table, which does not know en passant, takes it for stalemate.
		return passant, true, nil
	}
	return value, false, nil
}

// stuck reports whether the side to move has no legal move but en passant.
func stuck(p *chess.Position) bool {
	var buf [chess.MaxMoves]chess.Move
	for _, m := range movegen.Legal(p, buf[:0]) {
		if m.Kind() != chess.EnPassant {
			return false
		}
	}
	return true
}

// capturing returns the outcome of a position without en passant, within
// bounds: the better of the table and of the captures. Source: CPW "Alpha-Beta".
func (t *Tables) capturing(p *chess.Position, alpha, beta WDL) (WDL, error) {
	var buf [chess.MaxMoves]chess.Move
	for _, m := range movegen.Captures(p, buf[:0]) {
		if !p.IsCapture(m) {
			continue
		}
		p.Make(m)
		v, err := t.capturing(p, -beta, -alpha)
		p.Unmake()
		if v = -v; err != nil || v >= beta {
			return v, err
		}
		alpha = max(alpha, v)
	}
	v, err := t.tableWDL(p)
	return max(alpha, v), err
}

// dtzOfZeroing is the distance of a position of which a capture or pawn move
// keeps the outcome, by outcome + 2. A cursed one lies beyond the hundred
// plies.
var dtzOfZeroing = [5]DTZ{-1, -101, 0, 101, 1}

// span is a distance as tables tell it: DTZ lies from least to most, both with the sign of the outcome.
type span struct{ least, most DTZ }

// exactly returns the span of a distance that is not rounded.
func exactly(d DTZ) span { return span{d, d} }

// before returns the distance of a position that is a ply before one with the distance s, for the other side.
func (s span) before() span {
	return span{-s.least - sign(s.least), -s.most - sign(s.most)}
}

// distance returns the DTZ of p.
func (t *Tables) distance(p *chess.Position) (span, error) {
	outcome, zeroing, err := t.resolve(p)
	if err != nil || outcome == Draw {
		return span{}, err
	}
	if zeroing {
		return exactly(dtzOfZeroing[outcome+2]), nil
	}
	var buf [chess.MaxMoves]chess.Move
	quiets := slices.DeleteFunc(movegen.Legal(p, buf[:0]), p.IsCapture)
	for _, m := range quiets {
		if outcome < 0 || p.Piece(m.From()).Type() != chess.Pawn {
			continue
		}
		p.Make(m)
		v, _, err := t.resolve(p)
		p.Unmake()
		if err != nil {
			return span{}, err
		}
		if -v == outcome {
			return exactly(dtzOfZeroing[outcome+2]), nil
		}
	}
	plies, stored, err := t.tableDTZ(p, outcome)
	switch {
	case err != nil:
		return span{}, err
	case stored:
		first, side := dtzOfZeroing[outcome+2], DTZ(sign(outcome))
		return span{first + side*plies.least, first + side*plies.most}, nil
	}
	return t.distanceByMoves(p, quiets, outcome)
}

// distanceByMoves returns the DTZ of a position whose side to move the table
// does not hold: that of the best move but one more. Captures and pawn moves
// are accounted for.
func (t *Tables) distanceByMoves(p *chess.Position, quiets []chess.Move, outcome WDL) (span, error) {
	const far = 1 << 20
	best := exactly(far)
	if outcome < 0 {
		// At worst a capture or a pawn move ends the resistance; a mated
		// position has no move at all.
		best = exactly(dtzOfZeroing[outcome+2])
	}
	for _, m := range quiets {
		if p.Piece(m.From()).Type() == chess.Pawn {
			continue
		}
		p.Make(m)
		d, err := t.distance(p)
		mate := d.least == -1 && mated(p)
		p.Unmake()
		if err != nil {
			return span{}, err
		}
		switch v := d.before(); {
		case mate:
			best = exactly(1)
		case outcome < 0 || v.least > 0:
			best = span{min(best.least, v.least), min(best.most, v.most)}
		}
	}
	if best.least == far {
		f := t.endings[layout.MaterialOf(p)][kindDTZ]
		return span{}, &FileError{f.path, 0, "no move keeps the win that the WDL table tells of"}
	}
	return best, nil
}

// mated reports whether the side to move is.
func mated(p *chess.Position) bool { return p.InCheck() && !p.HasLegalMove() }

// lookUp returns the table of p with the side to move as the table names it.
// Where both sides have the same pieces it is always the first.
func (t *Tables) lookUp(p *chess.Position, kind int) (f *file, swapped bool, side int, err error) {
	m := layout.MaterialOf(p)
	e := t.endings[m]
	if e == nil || e[kind] == nil {
		return nil, false, 0, ErrMissing
	}
	if f, err = e[kind].load(); err != nil {
		return nil, false, 0, err
	}
	if m == m.Swap() {
		return f, p.SideToMove() == chess.Black, 0, nil
	}
	_, swapped = m.Canonical()
	side = int(p.SideToMove())
	if swapped {
		side ^= 1
	}
	return f, swapped, side, nil
}

// part returns the part of f that holds pos, and fills squares in the order of
// its pieces.
func (f *file) part(pos *chess.Position, swapped bool, side int, squares *[layout.MaxPieces]uint8) *part {
	p := &f.parts[side][0]
	mirror := uint8(0)
	turn := chess.Color(0)
	if swapped {
		turn = 1
		if p.Pawns[0] > 0 {
			mirror = 56 // pawns go the other way
		}
	}
	from := 0
	if p.Pawns[0] > 0 {
		from = fill(pos, p.Pieces[0], turn, mirror, squares, 0)
		p = &f.parts[side][layout.Lead(squares, from)]
	}
	for from < p.Count {
		n := fill(pos, p.Pieces[from], turn, mirror, squares, from)
		if n == from {
			break // the layout is of these pieces; one more look costs little
		}
		from = n
	}
	return p
}

// fill writes the squares of all pieces of a code from place at on and returns
// the place after them.
func fill(p *chess.Position, code layout.Code, turn chess.Color, mirror uint8, squares *[layout.MaxPieces]uint8,
	at int) int {
	for set := p.Pieces(code.Color()^turn, code.Type()); set != 0 && at < len(squares); at++ {
		squares[at] = uint8(set.Pop()) ^ mirror
	}
	return at
}

// tableWDL returns what the WDL table says of pos: its outcome or, where a
// capture is as good, any that is not better.
func (t *Tables) tableWDL(pos *chess.Position) (value WDL, err error) {
	if pos.Occupied() == pos.ByType(chess.King) {
		return Draw, nil // two kings
	}
	f, swapped, side, err := t.lookUp(pos, kindWDL)
	if err != nil {
		return 0, err
	}
	defer f.guard(debug.SetPanicOnFault(true), &err)
	var squares [layout.MaxPieces]uint8
	p := f.part(pos, swapped, side, &squares)
	v, err := p.values.at(p.Index(&squares))
	if err == nil && v > 4 {
		err = f.bad(p.values.blocks.offset, "a value is no outcome")
	}
	return WDL(v) - 2, err
}

// mapOf is the number of the map of an outcome, by outcome + 2.
var mapOf = [5]int{1, 3, 0, 2, 0}

// lastRounded is the most that a win or loss counted in moves adds: where one takes the hundredth ply, the table
// counts plies.
const lastRounded = chess.FiftyMovePlies - 2

// tableDTZ returns the plies that the DTZ table adds to dtzOfZeroing for pos,
// whose outcome is known. stored is false where the table is of the other side
// to move.
func (t *Tables) tableDTZ(pos *chess.Position, outcome WDL) (plies span, stored bool, err error) {
	f, swapped, side, err := t.lookUp(pos, kindDTZ)
	if err != nil {
		return span{}, false, err
	}
	defer f.guard(debug.SetPanicOnFault(true), &err)
	var squares [layout.MaxPieces]uint8
	p := f.part(pos, swapped, 0, &squares)
	if m := layout.MaterialOf(pos); m != m.Swap() && int(p.flags&layout.FlagBlack) != side {
		return span{}, false, nil
	}
	value, err := p.values.at(p.Index(&squares))
	if err != nil {
		return span{}, false, err
	}
	if p.flags&layout.FlagMapped != 0 {
		if value, err = f.mapped(p, mapOf[outcome+2], value); err != nil {
			return span{}, false, err
		}
	}
	v := DTZ(value)
	switch {
	case outcome == Win && p.flags&layout.FlagWinPlies != 0, outcome == Loss && p.flags&layout.FlagLossPlies != 0:
		return exactly(v), true, nil
	case outcome == Win || outcome == Loss:
		return span{2 * v, max(2*v, min(2*v+1, lastRounded))}, true, nil
	}
	return span{2 * v, 2*v + 1}, true, nil
}

// mapped looks v up in a map of the part.
func (f *file) mapped(p *part, which int, v uint16) (uint16, error) {
	e := p.maps[which]
	width := int64(1)
	if p.flags&layout.FlagWide != 0 {
		width = 2
	}
	at := int64(v) * width
	if at+width > e.size {
		return 0, f.bad(e.offset+e.size, "the map ends before the value")
	}
	data := e.of(f)
	if width == 2 {
		return binary.LittleEndian.Uint16(data[at:]), nil
	}
	return uint16(data[at]), nil
}
