package chess

import (
	"errors"
	"fmt"
	"strings"
)

// MoveError says why a move text is invalid.
type MoveError struct {
	Text   string
	Reason string
	err    error
}

// Error returns `move "text": reason`.
func (e *MoveError) Error() string { return fmt.Sprintf("move %.40q: %s", e.Text, e.Reason) }

// Unwrap returns [ErrIllegal] if the text is well formed but the move is illegal.
func (e *MoveError) Unwrap() error { return e.err }

// UCI returns m, a legal move of p or NoMove for a null move ("0000"), as UCI text:
// castling is the king's own step ("e1g1"), and king takes rook where p is one of
// Chess960. For UCI_Chess960 use [Move.String], which writes king takes rook everywhere.
func (p *Position) UCI(m Move) string {
	if m.Kind() == Castling && !p.Chess960() {
		kingTo, _ := CastlingTargets(p.side, wingOf(m.From(), m.To()))
		return m.From().String() + kingTo.String()
	}
	return m.String()
}

// ParseUCI reads a legal move in UCI text. Castling may be written as the
// king's step (e1g1) or as king takes rook (e1h1). Errors: a [*MoveError]; if it is [ErrIllegal], the move is the one
// that the text names, with the kind of [Position.Infer], else NoMove.
func (p *Position) ParseUCI(text string) (Move, error) {
	m, err := readMove(text)
	if err == nil {
		m, err = p.resolve(m, text)
	}
	return m, err
}

// ReadMove reads a legal move as people type it: whatever [Position.ParseSAN] reads,
// with a number before it ("12. Nf3", "12...Nf6") and letters of either case (nf3, NF3,
// E2-E4). The letter b is the pawn, never the bishop. Errors: as ParseSAN, also for
// capitals that may mean a bishop or the pawn.
func (p *Position) ReadMove(text string) (Move, error) {
	m, err := p.ParseSAN(text)
	if err == nil {
		return m, nil
	}
	typed := withoutNumber(strings.TrimSpace(text))
	if typed != text {
		if m, err = p.ParseSAN(typed); err == nil {
			return m, nil
		}
	}
	pawn := strings.ToLower(typed) // UCI text and castling too
	plain := pawn
	if typed != "" && strings.IndexByte("PNRQKpnrqkB", typed[0]) >= 0 {
		plain = strings.ToUpper(typed[:1]) + pawn[1:]
	}
	m, wrong := p.ParseSAN(plain)
	if wrong != nil && len(typed) > 1 && typed[0] == 'B' && typed[1] <= '9' { // "B1-C3"
		m, wrong = p.ParseSAN(pawn)
	} else if wrong == nil && plain[0] == 'B' && plain != typed {
		if other, pawnErr := p.ParseSAN(pawn); pawnErr == nil && other != m {
			s := sanReader{p: p, fault: sanAmbiguous, rivals: [2]Move{m, other}}
			return NoMove, s.err(text)
		}
	}
	if wrong == nil {
		return m, nil
	}
	if errors.Is(wrong, ErrIllegal) {
		err = wrong
	}
	if e, ok := errors.AsType[*MoveError](err); ok {
		e.Text = strings.Clone(text)
	}
	return NoMove, err
}

// withoutNumber returns a text without the number of a move that it begins with, such as "12. " or "12...".
func withoutNumber(text string) string {
	rest := strings.TrimLeft(text, "0123456789")
	number := text[:len(text)-len(rest)]
	if number != "" && strings.Trim(number, "0") == "" { // "0-0", "0000"
		return text
	}
	move := strings.TrimLeft(rest, ".… )")
	if move == rest && move != "" { // "1-0", "7d4"
		return text
	}
	return move
}

// IsNullMove reports whether a text means a null move, in any of the forms that programs and people write.
func IsNullMove(text string) bool {
	switch strings.ToLower(text) {
	case "--", "---", "z0", "@@@@", "null", "0000", "pass", "<>":
		return true
	}
	return false
}

// readMove reads from and to squares and a promotion; the kind is Normal or
// Promotion.
func readMove(text string) (Move, error) {
	if len(text) != 4 && len(text) != 5 {
		return NoMove, &MoveError{Text: text, Reason: "want from and to squares, such as e2e4 or e7e8q"}
	}
	from, err := ParseSquare(text[:2])
	if err != nil {
		return NoMove, &MoveError{Text: text, Reason: err.Error()}
	}
	to, err := ParseSquare(text[2:4])
	if err != nil {
		return NoMove, &MoveError{Text: text, Reason: err.Error()}
	}
	if from == to {
		return NoMove, &MoveError{Text: text, Reason: "from a square to itself"}
	}
	if len(text) == 4 {
		return NewMove(from, to, Normal), nil
	}
	t := promotionOf(text[4] | 0x20)
	if t == NoPieceType {
		return NoMove, &MoveError{Text: text, Reason: fmt.Sprintf("promotion to %q, want n, b, r or q", text[4])}
	}
	return NewPromotion(from, to, t), nil
}

// parseMove reads UCI text without a position, or "0000" for NoMove: squares and
// promotion are as in the text, the kind is [Normal] or [Promotion].
// Errors: a [*MoveError].
func parseMove(text string) (Move, error) {
	if text == NoMove.String() {
		return NoMove, nil
	}
	return readMove(text)
}

// resolve returns the move of p from m's square to m's other square with m's promotion, whatever kind m says it is of.
// If it is not legal, the error names the text, that of m where it is empty.
func (p *Position) resolve(m Move, text string) (Move, error) {
	if p.IsLegal(m) {
		return m, nil
	}
	if m = p.Infer(m); p.IsLegal(m) {
		return m, nil
	}
	if text == "" {
		text = m.String()
	}
	return m, &MoveError{Text: text, Reason: "illegal in " + p.FEN(), err: ErrIllegal}
}

// Infer returns m with the kind that its squares imply in p, as [Position.Play]
// does, legal or not: castling where the right exists, a capture en passant on
// [Position.EnPassant], and a promotion where m says so.
func (p *Position) Infer(m Move) Move {
	from, to := m.From(), m.To()
	us := p.side
	switch pc := p.Piece(from); {
	case m.Kind() == Promotion:
		return m
	case pc == MakePiece(us, King):
		for w := KingSide; w <= QueenSide; w++ {
			kingTo, _ := CastlingTargets(us, w)
			rook := p.CastlingRook(us, w)
			if rook != NoSquare && (to == rook || to == kingTo && Distance(from, to) > 1) {
				return NewMove(from, rook, Castling)
			}
		}
	case pc == MakePiece(us, Pawn) && to == p.enPassant && PawnAttacks(us, from).Has(to):
		return NewMove(from, to, EnPassant)
	}
	return NewMove(from, to, Normal)
}

// promotionOf returns the kind a pawn may promote to for a lower-case letter.
func promotionOf(letter byte) PieceType {
	if i := strings.IndexByte("nbrq", letter); i >= 0 {
		return Knight + PieceType(i)
	}
	return NoPieceType
}

// SAN returns m, a legal move of p, in standard algebraic notation, with the
// fewest disambiguating letters and "+" or "#". NoMove, a null move, is "--".
// For a move that is not legal in p, such as one already made, it returns
// [Move.String].
func (p *Position) SAN(m Move) string {
	return string(p.AppendSAN(make([]byte, 0, 8), m))
}

// AppendSAN appends the text of [Position.SAN] to buf.
func (p *Position) AppendSAN(buf []byte, m Move) []byte {
	from, to := m.From(), m.To()
	t := p.Piece(from).Type()
	switch {
	case m == NoMove:
		return append(buf, "--"...)
	case !p.IsLegal(m):
		return append(buf, m.String()...)
	case m.Kind() == Castling && to > from:
		buf = append(buf, "O-O"...)
	case m.Kind() == Castling:
		buf = append(buf, "O-O-O"...)
	case t == Pawn:
		if from.File() != to.File() {
			buf = append(buf, 'a'+byte(from.File()), 'x')
		}
		buf = append(buf, to.String()...)
		if m.Kind() == Promotion {
			buf = append(buf, '=', "NBRQ"[m.PromotionType()-Knight])
		}
	default:
		buf = append(buf, "PNBRQK"[t])
		buf = p.appendOrigin(buf, m)
		if p.Piece(to) != NoPiece {
			buf = append(buf, 'x')
		}
		buf = append(buf, to.String()...)
	}
	if !p.GivesCheck(m) {
		return buf
	}
	p.Make(m)
	mate := !p.HasLegalMove()
	p.Unmake()
	if mate {
		return append(buf, '#')
	}
	return append(buf, '+')
}

// appendOrigin writes the file, rank or both of the from square where other
// pieces of the same kind could go to the same square.
func (p *Position) appendOrigin(buf []byte, m Move) []byte {
	from, to := m.From(), m.To()
	var rivals Bitboard
	t := p.Piece(from).Type()
	for b := p.Pieces(p.side, t) & PieceAttacks(t, to, p.Occupied()) &^ from.Bitboard(); b != 0; {
		s := b.Pop()
		if p.IsLegal(NewMove(s, to, Normal)) {
			rivals |= s.Bitboard()
		}
	}
	if rivals == 0 {
		return buf
	}
	name := from.String()
	switch {
	case rivals&(FileA<<from.File()) == 0:
		return append(buf, name[0])
	case rivals&(Rank1<<(8*from.Rank())) == 0:
		return append(buf, name[1])
	}
	return append(buf, name...)
}
