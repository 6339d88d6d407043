package chess

import (
	"fmt"
	"slices"
	"strings"

	"github.com/tabula-chess/tabula/internal/plural"
)

// Bounds of the counters in a FEN and a [Setup].
const (
	MaxHalfmoveClock  = 9999
	MaxFullmoveNumber = 9999
)

// fenCounters are the bounds in the order of the fields.
var fenCounters = [2]int{MaxHalfmoveClock, MaxFullmoveNumber}

// FENError says why a FEN is invalid.
type FENError struct {
	Field  string // placement, side, castling, en passant, halfmove clock, fullmove number, or fields
	Reason string
	Offset int // byte offset into the text

	setup *SetupError
}

// Error returns "FEN field: reason (at byte N)".
func (e *FENError) Error() string {
	return fmt.Sprintf("FEN %s: %s (at byte %d)", e.Field, e.Reason, e.Offset)
}

// Unwrap returns the [*SetupError] if the text is well formed but the position is
// illegal.
func (e *FENError) Unwrap() error {
	if e.setup == nil {
		return nil
	}
	return e.setup
}

// fenFields are the names of the six fields in order.
var fenFields = [6]string{"placement", "side", "castling", "en passant", "halfmove clock", "fullmove number"}

// fenReader holds the fields of a text while it is read into parts.
type fenReader struct {
	setup    Setup
	shredder bool // castling is given by file letters
	fields   [6]string
	offset   [6]int
	n        int
	base     int // bytes before the text, in what the user gave
	repair   bool
	chess960 bool        // with repair: rights of Chess960 stay
	dropped  []*FENError // the first of each field; only with repair
}

// ParseFEN reads a FEN, X-FEN or Shredder-FEN of two to six fields; missing
// castling and en-passant fields count as "-", missing counters as 0 and 1, and
// move 0, as some programs write it, as move 1. ParseFEN detects the notation of the
// castling field. For what
// people paste see [ReadPosition]. Errors: a [*FENError] that names field, reason and
// byte offset.
func ParseFEN(text string) (*Position, error) {
	p := new(Position)
	if err := p.SetFEN(text); err != nil {
		return nil, err
	}
	return p, nil
}

// SetFEN sets p to the position of a FEN, like [ParseFEN], and reuses p's memory.
// The history becomes empty. On an error p is unchanged.
func (p *Position) SetFEN(text string) error { return new(fenReader).position(p, text) }

// RepairFEN reads a FEN like [ParseFEN], but drops castling rights and an en-passant
// square that the pieces do not allow, and takes a board alone for one with White to
// move and no rights. Board editors leave rights after a king or rook has moved, so
// unless chess960 says that the game is Chess960, rights of KQkq that only Chess960 has
// are dropped too. They stay where both sides have the same, as at the start of a game.
// Underscores count as blanks, as addresses have them, and "startpos" is [StartFEN].
// warning says what was dropped or assumed, and is nil for nothing; a [*FENError] is
// behind it. Errors: as ParseFEN.
func RepairFEN(text string, chess960 bool) (p *Position, warning, err error) {
	return repairFEN(text, 0, chess960)
}

// repairFEN is RepairFEN for a text behind so many bytes.
func repairFEN(text string, base int, chess960 bool) (p *Position, warning, err error) {
	r := fenReader{repair: true, chess960: chess960, base: base}
	p = new(Position)
	if err := r.position(p, text); err != nil {
		return nil, nil, err
	}
	return p, r.warning(p), nil
}

// warning returns what was repaired, nil for nothing.
func (r *fenReader) warning(p *Position) error {
	var all error
	for i, err := range r.dropped {
		done := fenRest + " is assumed"
		if err.Field != fenFields[1] {
			done = r.lost(err, p) + " dropped"
		}
		if i == 0 {
			all = fmt.Errorf("%w: %s", err, done)
		} else {
			all = fmt.Errorf("%w; %w: %s", all, err, done)
		}
	}
	if all == nil {
		return nil
	}
	return fmt.Errorf("%w; this is %s", all, p.FEN())
}

// lost returns what was dropped for an error and others in its field: "castling rights Kk" or "square e6".
func (r *fenReader) lost(e *FENError, p *Position) string {
	if e.Field == fenFields[3] {
		return "square " + r.fields[3]
	}
	kept := strings.Fields(p.FEN())[2]
	letters := strings.Map(func(letter rune) rune {
		if strings.ContainsRune(kept, letter) {
			return -1
		}
		return letter
	}, r.fields[2])
	if letters == "" { // one is given twice
		letters = string(runeAt(r.fields[2], e.Offset-r.offset[2]))
	}
	return "castling rights " + letters
}

// fenRest completes a FEN that has only the board.
const fenRest = "w - - 0 1"

// position makes p the position of a text.
func (r *fenReader) position(p *Position, text string) error {
	if err := r.read(text); err != nil {
		return err
	}
	var q Position
	wrong := r.setup.build(&q)
	for range 2 { // there are two such fields
		if !r.repair || wrong == nil || wrong.Field != fenFields[2] && wrong.Field != fenFields[3] {
			break
		}
		if r.drop(r.locate(wrong)); wrong.Field == fenFields[2] {
			r.setup.Castling = 0
		} else {
			r.setup.EnPassant = 0
		}
		q = Position{}
		wrong = r.setup.build(&q)
	}
	if wrong != nil {
		return r.locate(wrong)
	}
	q.history, q.shredder = p.history[:0], r.shredder
	p.contents = q.contents
	return nil
}

// drop keeps the first error of each field that is repaired.
func (r *fenReader) drop(err *FENError) {
	if !slices.ContainsFunc(r.dropped, func(e *FENError) bool { return e.Field == err.Field }) {
		r.dropped = append(r.dropped, err)
	}
}

// fail builds the error for field i, at bytes after its start.
func (r *fenReader) fail(i, at int, format string, args ...any) *FENError {
	return &FENError{Field: fenFields[i], Reason: fmt.Sprintf(format, args...), Offset: r.offset[i] + at}
}

// locate finds the place in the text that an error of the setup is about.
func (r *fenReader) locate(err *SetupError) *FENError {
	i := slices.Index(fenFields[:], err.Field)
	at := r.offset[i]
	if i == 0 && err.Square != NoSquare {
		at += placementOffset(r.fields[0], err.Square)
	}
	return &FENError{Field: err.Field, Reason: err.Reason, Offset: at, setup: err}
}

// placementOffset returns where a well-formed placement names the piece on s.
func placementOffset(text string, s Square) int {
	at := Square(0) // counted from a8
	for i := range len(text) {
		switch c := text[i]; {
		case c == '/':
		case c <= '8':
			at += Square(c - '0')
		case at == s.Flip():
			return i
		default:
			at++
		}
	}
	return 0
}

// read fills the parts; what they mean together is for [Setup] to judge.
func (r *fenReader) read(text string) error {
	err := r.split(text)
	if err == nil {
		err = r.placement()
	}
	if err == nil {
		err = r.side()
	}
	if err == nil {
		err = r.castling()
	}
	if err == nil {
		err = r.enPassant()
	}
	if err == nil {
		err = r.counters()
	}
	if err != nil {
		return err
	}
	return nil
}

// blank says what separates the fields.
func (r *fenReader) blank(c byte) bool { return isSpace(c) || c == '_' && r.repair }

// split cuts the text into fields and fills in the defaults.
func (r *fenReader) split(text string) *FENError {
	if r.repair && strings.TrimSpace(text) == "startpos" {
		text = StartFEN
	}
	for i := 0; ; {
		for i < len(text) && r.blank(text[i]) {
			i++
		}
		if i == len(text) {
			break
		}
		start := i
		for i < len(text) && !r.blank(text[i]) {
			i++
		}
		if r.n == len(r.fields) {
			reason := fmt.Sprintf("more than six, from %.20q on", text[start:])
			return &FENError{Field: "fields", Reason: reason, Offset: r.base + start}
		}
		r.fields[r.n], r.offset[r.n] = text[start:i], r.base+start
		r.n++
	}
	switch {
	case r.n == 0:
		return &FENError{Field: fenFields[0], Reason: "missing, want " + fenShape, Offset: r.base}
	case !strings.Contains(r.fields[0], "/") || r.n == 1 && strings.Count(r.fields[0], "/") != 7:
		return r.fail(0, 0, "%.20q is no board, want %s", r.fields[0], fenShape)
	case r.n == 1:
		const alone = "only the board is given, want w or b behind it"
		err := &FENError{Field: fenFields[1], Reason: alone, Offset: r.base + len(text)}
		if !r.repair {
			return err
		}
		r.drop(err)
	}
	for i, value := range [6]string{"", "w", "-", "-", "0", "1"} {
		if i >= r.n {
			r.fields[i], r.offset[i] = value, r.base+len(text)
		}
	}
	return nil
}

// fenShape is what a FEN consists of.
const fenShape = "eight ranks with slashes between them, then w or b"

// placement reads the eight ranks, eighth first.
func (r *fenReader) placement() *FENError {
	text := r.fields[0]
	rank, file, digit := 7, 0, false
	for i := range len(text) + 1 {
		switch {
		case i == len(text) || text[i] == '/':
			if file != 8 {
				return r.fail(0, i, "rank %d has %s, want 8", rank+1, plural.Of(file, "file"))
			}
			if last := i == len(text); last && rank > 0 {
				return r.fail(0, i, "%s, want 8", plural.Of(8-rank, "rank"))
			} else if !last && rank == 0 {
				return r.fail(0, i, "more than 8 ranks, want 8")
			}
			rank, file, digit = rank-1, 0, false
		case text[i] >= '1' && text[i] <= '8':
			if digit {
				return r.fail(0, i, "two numbers of empty squares in a row, want their sum")
			}
			file, digit = file+int(text[i]-'0'), true
		default:
			pc := pieceOf(text[i])
			if pc == NoPiece {
				return r.fail(0, i, "unknown letter %q, want a piece (KQRBNP, kqrbnp), a number 1 to 8 or /", runeAt(text, i))
			}
			r.setup.Pieces[pc.Color()][pc.Type()] |= MakeSquare(file, rank).Bitboard() // a ninth one is refused below
			file, digit = file+1, false
		}
		if file > 8 {
			return r.fail(0, i, "rank %d has more than 8 files", rank+1)
		}
	}
	return nil
}

// side reads "w" or "b".
func (r *fenReader) side() *FENError {
	switch r.fields[1] {
	case "w":
		r.setup.Side = White
	case "b":
		r.setup.Side = Black
	default:
		return r.fail(1, 0, "%.20q, want w or b", r.fields[1])
	}
	return nil
}

// castling reads KQkq, or rook files as letters, in any order.
func (r *fenReader) castling() *FENError {
	field := r.fields[2]
	if field == "-" {
		return nil
	}
	for i := range len(field) {
		if err := r.castlingLetter(i, field[i]); err != nil {
			return err
		}
	}
	if r.repair && !r.chess960 && !strings.ContainsAny(field, "ABCDEFGHabcdefgh") {
		r.dropForeign()
	}
	return nil
}

// dropForeign drops the rights that standard chess does not have, unless both sides have the same.
func (r *fenReader) dropForeign() {
	white, black := r.setup.Pieces[White][King].First(), r.setup.Pieces[Black][King].First()
	rights := r.setup.Castling
	foreign := foreignRights(white, black, rights)
	if foreign == 0 || r.dropped == nil && bothSides(white, black, rights) {
		return
	}
	rook := foreign.First()
	king := white
	if rook >= A8 {
		king = black
	}
	file := 'A' + rune(rook.File())
	if rook >= A8 {
		file = 'a' + rune(rook.File())
	}
	r.drop(r.fail(2, 0, "%q, but only Chess960, which can write %q, castles with a king on %s and a rook on %s",
		r.fields[2], file, king, rook))
	r.setup.Castling &^= foreign
}

// foreignRights returns the rooks with rights that standard chess does not have.
func foreignRights(white, black Square, rights Bitboard) Bitboard {
	if white == E1 {
		rights &^= A1.Bitboard() | H1.Bitboard()
	}
	if black == E8 {
		rights &^= A8.Bitboard() | H8.Bitboard()
	}
	return rights
}

// bothSides reports whether both sides have the same rights, as at the start of a game of Chess960.
func bothSides(white, black Square, rights Bitboard) bool {
	return white == black.Flip() && rights == rights.Flip()
}

// castlingLetter grants the right of one letter.
func (r *fenReader) castlingLetter(i int, letter byte) *FENError {
	c, lower := White, letter
	if letter >= 'a' && letter <= 'z' {
		c = Black
	} else {
		lower = letter | 0x20
	}
	if lower != 'k' && lower != 'q' && (lower < 'a' || lower > 'h') {
		return r.fail(2, i, "unknown letter %q, want KQkq, files of rooks, or -", runeAt(r.fields[2], i))
	}
	kings, rooks := r.setup.Pieces[c][King], r.setup.Pieces[c][Rook]
	if kings == 0 || kings.MoreThanOne() {
		return nil // the setup refuses it for its kings
	}
	king := kings.First()
	if king.Relative(c).Rank() != 0 {
		return r.impossible(r.fail(2, i, "%q, but the %s king stands on %s", letter, c, king))
	}
	rook := NoSquare
	switch lower {
	case 'k':
		rook = outermostRook(c, KingSide, king, rooks)
	case 'q':
		rook = outermostRook(c, QueenSide, king, rooks)
	default:
		if s := MakeSquare(int(lower-'a'), king.Rank()); rooks.Has(s) {
			rook = s
		}
		// X-FEN too writes a file where the rook is not the outermost.
		if rook != NoSquare && rook == outermostRook(c, wingOf(king, rook), king, rooks) {
			r.shredder = true
		}
	}
	if rook == NoSquare {
		return r.impossible(r.fail(2, i, "%q, but %s has no such rook", letter, c))
	}
	if r.setup.Castling.Has(rook) {
		return r.impossible(r.fail(2, i, "%q repeats a right", letter))
	}
	r.setup.Castling |= rook.Bitboard()
	return nil
}

// impossible returns the error of a right that cannot be, nil where it is dropped.
func (r *fenReader) impossible(err *FENError) *FENError {
	if !r.repair {
		return err
	}
	r.drop(err)
	return nil
}

// outermostRook returns the one of the rooks of colour c that is farthest from
// the king on wing w, on the back rank, or NoSquare.
func outermostRook(c Color, w Wing, king Square, rooks Bitboard) Square {
	rooks &= Rank1 << (A1.Relative(c))
	if w == QueenSide {
		return (rooks & (king.Bitboard() - 1)).First()
	}
	return (rooks &^ (king.Bitboard() - 1)).Last()
}

// enPassant reads the target square.
func (r *fenReader) enPassant() *FENError {
	field := r.fields[3]
	if field == "-" {
		return nil
	}
	s, err := ParseSquare(field)
	if err != nil {
		return r.fail(3, 0, "%.20q, want a square or -", field)
	}
	r.setup.EnPassant = s.Bitboard()
	return nil
}

// counters reads both clocks.
func (r *fenReader) counters() *FENError {
	for i, n := range [2]*int{&r.setup.Halfmove, &r.setup.Fullmove} {
		var reason string
		if *n, reason = parseCounter(4+i, r.fields[4+i]); reason != "" {
			return r.fail(4+i, 0, "%s", reason)
		}
	}
	return nil
}

// setHalfmove sets the clock of plies without a capture or pawn move. They
// count as moves of the game, none of them null, though the history does not
// know them.
func (p *Position) setHalfmove(n int) { p.halfmove, p.sinceNull = int32(n), int32(n) }

// parseCounter reads the counter of FEN field i, 4 or 5, in plain digits;
// reason tells what is wrong. Move 0 is read as move 1.
func parseCounter(i int, text string) (n int, reason string) {
	low, high := i-4, fenCounters[i-4]
	digits := 0
	for digits < len(text) && digits < 9 && text[digits] >= '0' && text[digits] <= '9' {
		n = n*10 + int(text[digits]-'0')
		digits++
	}
	switch {
	case digits == 0 || digits < len(text):
		return 0, fmt.Sprintf("%.20q is not a number in range %d to %d", text, low, high)
	case n > high:
		return 0, fmt.Sprintf("%d out of range %d to %d", n, low, high)
	}
	return max(low, n), ""
}
