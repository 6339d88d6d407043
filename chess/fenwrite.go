package chess

import "strconv"

// FENStyle chooses between the notations of a FEN.
type FENStyle struct {
	EnPassant EnPassantStyle
	Castling  CastlingStyle
}

// EnPassantStyle says when a FEN names the en-passant square.
type EnPassantStyle uint8

// The three habits of sites and programs.
const (
	EnPassantAlways      EnPassantStyle = iota // after every double push, as the FEN standard says
	EnPassantPseudoLegal                       // where a pawn attacks the square, as X-FEN says
	EnPassantLegal                             // where the capture is legal, as lichess does
)

// CastlingStyle says how a FEN names castling rights.
type CastlingStyle uint8

// The notations of castling rights.
const (
	CastlingAsRead   CastlingStyle = iota // as parsed, X-FEN otherwise; files of rooks where KQkq is not clear
	CastlingXFEN                          // KQkq, and a file letter where the rook is not the outermost
	CastlingShredder                      // the files of the rooks
)

// FEN returns the position as a six-field FEN in the zero [FENStyle]. Counters are
// limited to the largest values that [ParseFEN] reads.
func (p *Position) FEN() string { return p.FormatFEN(FENStyle{}) }

// String returns [Position.FEN].
func (p *Position) String() string { return p.FEN() }

// FormatFEN returns the position as a six-field FEN in the given style.
func (p *Position) FormatFEN(style FENStyle) string {
	return string(p.AppendFEN(make([]byte, 0, 90), style))
}

// AppendFEN appends the FEN in the given style to buf; it does not allocate
// while buf has room for 92 bytes.
func (p *Position) AppendFEN(buf []byte, style FENStyle) []byte {
	for rank := 7; rank >= 0; rank-- {
		empty := byte(0)
		for file := range 8 {
			pc := p.Piece(MakeSquare(file, rank))
			if pc == NoPiece {
				empty++
				continue
			}
			if empty > 0 {
				buf = append(buf, '0'+empty)
				empty = 0
			}
			buf = append(buf, pieceLetters[pc])
		}
		if empty > 0 {
			buf = append(buf, '0'+empty)
		}
		if rank > 0 {
			buf = append(buf, '/')
		}
	}
	buf = append(buf, ' ', "wb"[p.side], ' ')
	buf = p.appendCastling(buf, style.Castling)
	buf = append(buf, ' ')
	if p.writesEnPassant(style.EnPassant) {
		buf = append(buf, p.enPassant.String()...)
	} else {
		buf = append(buf, '-')
	}
	buf = append(buf, ' ')
	buf = strconv.AppendInt(buf, int64(p.HalfmoveClock()), 10)
	buf = append(buf, ' ')
	return strconv.AppendInt(buf, int64(min(p.fullmove, MaxFullmoveNumber)), 10)
}

// appendCastling writes the castling field.
func (p *Position) appendCastling(buf []byte, style CastlingStyle) []byte {
	if p.rights == NoCastling {
		return append(buf, '-')
	}
	byFile := style == CastlingShredder || style == CastlingAsRead && (p.shredder || p.looksLeftOver())
	for c := White; c <= Black; c++ {
		for w := KingSide; w <= QueenSide; w++ {
			rook := p.CastlingRook(c, w)
			if rook == NoSquare {
				continue
			}
			letter := "KQ"[w]
			if byFile || rook != outermostRook(c, w, p.King(c), p.Pieces(c, Rook)) {
				letter = 'A' + byte(rook.File())
			}
			buf = append(buf, letter+byte(c)*('a'-'A'))
		}
	}
	return buf
}

// looksLeftOver reports whether rights that only Chess960 has, written as KQkq, would be taken for rights left over in
// standard chess, as [RepairFEN] takes them.
func (p *Position) looksLeftOver() bool {
	rights := p.castlingRooks()
	white, black := p.King(White), p.King(Black)
	return foreignRights(white, black, rights) != 0 && !bothSides(white, black, rights)
}

// writesEnPassant decides whether the en-passant field names a square.
func (p *Position) writesEnPassant(style EnPassantStyle) bool {
	if p.enPassant == NoSquare {
		return false
	}
	switch style {
	case EnPassantLegal:
		return p.epLegal
	case EnPassantPseudoLegal:
		return PawnAttacks(p.side.Other(), p.enPassant)&p.Pieces(p.side, Pawn) != 0
	}
	return true
}
