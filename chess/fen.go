package chess

import "fmt"

// Bounds of the FEN counters.
const (
	MaxHalfmoveClock  = 9999
	MaxFullmoveNumber = 9999
)

// FENError tells why a FEN was refused.
type FENError struct {
	Field  string // placement, side, castling, en passant, halfmove clock, fullmove number, or fields
	Reason string
	Offset int // byte offset into the text
}

// Error returns "FEN field: reason (at byte N)".
func (e *FENError) Error() string {
	return fmt.Sprintf("FEN %s: %s (at byte %d)", e.Field, e.Reason, e.Offset)
}

// fenFields are the names of the six fields in order.
var fenFields = [6]string{"placement", "side", "castling", "en passant", "halfmove clock", "fullmove number"}

// fenReader holds the fields of a text while it is read into a position.
type fenReader struct {
	p      Position // by value: what the error texts hold on to must not drag it to the heap
	fields [6]string
	offset [6]int
	n      int
}

// ParseFEN reads a FEN, X-FEN or Shredder-FEN of two to six fields; missing
// castling and en-passant fields count as "-", missing counters as 0 and 1.
// Which notation the castling field uses is found out by itself. Errors: a
// [*FENError] that names field, reason and byte offset.
func ParseFEN(text string) (*Position, error) {
	p := new(Position)
	if err := p.SetFEN(text); err != nil {
		return nil, err
	}
	return p, nil
}

// SetFEN makes p the position of a FEN as [ParseFEN] does, reusing p's memory.
// The history becomes empty. On an error p is unchanged.
func (p *Position) SetFEN(text string) error {
	var r fenReader
	if err := r.read(text); err != nil {
		return err
	}
	r.p.history = p.history[:0]
	*p = r.p
	return nil
}

// fail builds the error for field i, at bytes after its start.
func (r *fenReader) fail(i, at int, format string, args ...any) error {
	return &FENError{Field: fenFields[i], Reason: fmt.Sprintf(format, args...), Offset: r.offset[i] + at}
}

// read fills the position; every later step relies on the earlier ones.
func (r *fenReader) read(text string) error {
	if err := r.split(text); err != nil {
		return err
	}
	for s := range r.p.board {
		r.p.board[s] = NoPiece
	}
	r.p.state.enPassant, r.p.state.captured = NoSquare, NoPiece
	err := r.placement()
	if err == nil {
		err = r.pieceCounts()
	}
	if err == nil {
		err = r.side()
	}
	if err == nil {
		err = r.kingSafety()
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
	if err == nil {
		r.p.refresh()
	}
	return err
}

// split cuts the text into fields and fills in the defaults.
func (r *fenReader) split(text string) error {
	for i := 0; ; {
		for i < len(text) && (text[i] == ' ' || text[i] == '\t') {
			i++
		}
		if i == len(text) {
			break
		}
		start := i
		for i < len(text) && text[i] != ' ' && text[i] != '\t' {
			i++
		}
		if r.n == len(r.fields) {
			return &FENError{Field: "fields", Reason: fmt.Sprintf("more than six, from %.20q on", text[start:]), Offset: start}
		}
		r.fields[r.n], r.offset[r.n] = text[start:i], start
		r.n++
	}
	if r.n < 2 {
		return &FENError{Field: fenFields[r.n], Reason: "missing", Offset: len(text)}
	}
	for i, value := range [6]string{2: "-", 3: "-", 4: "0", 5: "1"} {
		if i >= r.n {
			r.fields[i], r.offset[i] = value, len(text)
		}
	}
	return nil
}

// placement reads the eight ranks, eighth first.
func (r *fenReader) placement() error {
	rank, file, digit := 7, 0, false
	for i := range len(r.fields[0]) {
		c := r.fields[0][i]
		if c == '/' {
			if file != 8 {
				return r.fail(0, i, "rank %d has %d files, want 8", rank+1, file)
			}
			if rank == 0 {
				return r.fail(0, i, "more than 8 ranks")
			}
			rank, file, digit = rank-1, 0, false
			continue
		}
		if c >= '1' && c <= '8' {
			if digit {
				return r.fail(0, i, "two numbers of empty squares in a row")
			}
			file, digit = file+int(c-'0'), true
		} else {
			pc := pieceOf(c)
			if pc == NoPiece {
				return r.fail(0, i, "unknown letter %q", c)
			}
			if file > 7 {
				return r.fail(0, i, "rank %d has more than 8 files", rank+1)
			}
			if pc.Type() == Pawn && (rank == 0 || rank == 7) {
				return r.fail(0, i, "pawn on rank %d", rank+1)
			}
			r.p.put(pc, MakeSquare(file, rank))
			file, digit = file+1, false
		}
		if file > 8 {
			return r.fail(0, i, "rank %d has more than 8 files", rank+1)
		}
	}
	if file != 8 {
		return r.fail(0, len(r.fields[0]), "rank %d has %d files, want 8", rank+1, file)
	}
	if rank != 0 {
		return r.fail(0, len(r.fields[0]), "%d ranks, want 8", 8-rank)
	}
	return nil
}

// pieceCounts refuses what no game can reach: kings, pawns and promoted
// pieces beyond what sixteen men allow.
func (r *fenReader) pieceCounts() error {
	for c := White; c <= Black; c++ {
		count := func(t PieceType) int { return r.p.Pieces(c, t).Count() }
		if n := count(King); n != 1 {
			return r.fail(0, 0, "%s has %d kings, want 1", c, n)
		}
		if n := r.p.colors[c].Count(); n > 16 {
			return r.fail(0, 0, "too many pieces: %s has %d, at most 16", c, n)
		}
		pawns := count(Pawn)
		if pawns > 8 {
			return r.fail(0, 0, "too many pieces: %s has %d pawns, at most 8", c, pawns)
		}
		promoted := max(0, count(Knight)-2) + max(0, count(Bishop)-2) + max(0, count(Rook)-2) + max(0, count(Queen)-1)
		if promoted > 8-pawns {
			return r.fail(0, 0, "too many pieces: %s has %d promoted pieces and %d pawns", c, promoted, pawns)
		}
	}
	return nil
}

// side reads "w" or "b".
func (r *fenReader) side() error {
	switch r.fields[1] {
	case "w":
		r.p.side = White
	case "b":
		r.p.side = Black
	default:
		return r.fail(1, 0, "%.20q, want w or b", r.fields[1])
	}
	return nil
}

// kingSafety refuses a side not to move that is in check.
func (r *fenReader) kingSafety() error {
	us := r.p.side
	if r.p.Attacked(r.p.King(us.Other()), us, r.p.Occupied()) {
		return r.fail(1, 0, "%s is to move and %s is in check", us, us.Other())
	}
	return nil
}

// castling reads KQkq, or rook files as letters, in any order.
func (r *fenReader) castling() error {
	r.p.castling.setStandard()
	field := r.fields[2]
	if field == "-" {
		return nil
	}
	for i := range len(field) {
		if err := r.castlingLetter(i, field[i]); err != nil {
			return err
		}
	}
	if r.p.Chess960() {
		r.chess960Rights()
	}
	return nil
}

// castlingLetter grants the right of one letter.
func (r *fenReader) castlingLetter(i int, letter byte) error {
	c, lower := White, letter
	if letter >= 'a' && letter <= 'z' {
		c = Black
	} else {
		lower = letter | 0x20
	}
	king := r.p.King(c)
	if king.Relative(c).Rank() != 0 {
		return r.fail(2, i, "%q, but the %s king stands on %s", letter, c, king)
	}
	rooks := r.p.Pieces(c, Rook)
	rook := NoSquare
	switch {
	case lower == 'k':
		rook = r.p.outermostRook(c, KingSide)
	case lower == 'q':
		rook = r.p.outermostRook(c, QueenSide)
	case lower >= 'a' && lower <= 'h':
		if s := MakeSquare(int(lower-'a'), king.Rank()); rooks.Has(s) {
			rook = s
		}
		// X-FEN too writes a file where the rook is not the outermost.
		if rook != NoSquare && rook != r.p.outermostRook(c, wingOf(king, rook)) {
			break
		}
		r.p.shredder = true
	default:
		return r.fail(2, i, "unknown letter %q", letter)
	}
	if rook == NoSquare {
		return r.fail(2, i, "%q, but %s has no such rook", letter, c)
	}
	w := wingOf(king, rook)
	if r.p.rights&Right(c, w) != 0 {
		return r.fail(2, i, "%q repeats a right", letter)
	}
	r.p.rights |= Right(c, w)
	r.p.castling.rooks[uint8(c)<<1|uint8(w)] = rook
	return nil
}

// outermostRook returns the rook of colour c farthest from its king on wing
// w, on the back rank, or NoSquare.
func (p *Position) outermostRook(c Color, w Wing) Square {
	king := p.King(c)
	rooks := p.Pieces(c, Rook) & Line(A1.Relative(c), H1.Relative(c))
	if w == QueenSide {
		return (rooks & (king.Bitboard() - 1)).First()
	}
	return (rooks &^ (king.Bitboard() - 1)).Last()
}

// chess960Rights replaces the standard table of squares that end a right.
func (r *fenReader) chess960Rights() {
	g := castlingGeometry{rooks: r.p.castling.rooks}
	for c := White; c <= Black; c++ {
		for w := KingSide; w <= QueenSide; w++ {
			if rook := r.p.CastlingRook(c, w); rook != NoSquare {
				g.grant(c, w, r.p.King(c), rook)
			}
		}
	}
	r.p.castling = g
}

// enPassant reads the target square and demands that a double push can have
// made it.
func (r *fenReader) enPassant() error {
	field := r.fields[3]
	if field == "-" {
		return nil
	}
	s, err := ParseSquare(field)
	if err != nil {
		return r.fail(3, 0, "%.20q, want a square or -", field)
	}
	p, them := &r.p, r.p.side.Other()
	if s.Relative(them).Rank() != 2 {
		return r.fail(3, 0, "%s is not behind a double push of %s", s, them)
	}
	pawn, origin := s^8, Square(int(s)*2-int(s^8))
	if !p.Has(MakePiece(them, Pawn), pawn) {
		return r.fail(3, 0, "no %s pawn on %s in front of %s", them, pawn, s)
	}
	if p.Piece(s) != NoPiece || p.Piece(origin) != NoPiece {
		return r.fail(3, 0, "a piece stands on %s or %s, where the pawn came through", s, origin)
	}
	// Before the push it was the other side's turn, so this king was not in check.
	occ := p.Occupied()&^pawn.Bitboard() | origin.Bitboard()
	if p.attackersOf(p.King(p.side), them, occ)&^pawn.Bitboard() != 0 {
		return r.fail(3, 0, "the king on %s would have been in check before the double push to %s", p.King(p.side), pawn)
	}
	p.state.enPassant = s
	return nil
}

// counters reads both clocks.
func (r *fenReader) counters() error {
	var n [2]int
	for i := range n {
		var reason string
		if n[i], reason = parseCounter(4+i, r.fields[4+i]); reason != "" {
			return r.fail(4+i, 0, "%s", reason)
		}
	}
	r.p.setHalfmove(n[0])
	r.p.fullmove = n[1]
	return nil
}

// setHalfmove sets the clock of plies without a capture or pawn move. They
// count as moves of the game, none of them null, though the history does not
// know them.
func (p *Position) setHalfmove(n int) { p.halfmove, p.sinceNull = int16(n), int16(n) }

// parseCounter reads the counter of FEN field i in plain digits; reason tells
// what is wrong.
func parseCounter(i int, text string) (n int, reason string) {
	low, high := 0, MaxHalfmoveClock
	if i == 5 {
		low, high = 1, MaxFullmoveNumber
	}
	digits := 0
	for digits < len(text) && digits < 9 && text[digits] >= '0' && text[digits] <= '9' {
		n = n*10 + int(text[digits]-'0')
		digits++
	}
	switch {
	case digits == 0 || digits < len(text):
		return 0, fmt.Sprintf("%.20q is not a number in range %d to %d", text, low, high)
	case n < low || n > high:
		return 0, fmt.Sprintf("%d out of range %d to %d", n, low, high)
	}
	return n, ""
}
