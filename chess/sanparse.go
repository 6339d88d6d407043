package chess

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// ParseSAN reads a legal move in standard or long algebraic notation. It is lenient
// about what cannot be misread: more disambiguation than needed, a missing
// "x", "=", "+" or "#", zeros for castling, annotation marks, chess symbols of either
// colour for the letters of pieces, no letter where both squares are named (g1-f3,
// e7e8q, also e1g1 and e1h1 for castling). A pawn that captures has to name its file. It
// does not allocate unless it fails. Errors: a [*MoveError] for text that is malformed,
// illegal or ambiguous.
func (p *Position) ParseSAN(text string) (Move, error) {
	s, m := sanReader{p: p}, NoMove
	core := s.trim(text)
	switch core {
	case "O-O", "0-0", "o-o":
		m = s.castle(KingSide)
	case "O-O-O", "0-0-0", "o-o-o":
		m = s.castle(QueenSide)
	default:
		if s.shape(core) {
			m = s.find()
		}
	}
	if s.fault != sanFine {
		return NoMove, s.err(text)
	}
	return m, nil
}

// sanFault is why a text is no move.
type sanFault uint8

const (
	sanFine sanFault = iota
	sanEmpty
	sanNoTarget
	sanNoSquare
	sanNoPromotion
	sanStray
	sanTooLong
	sanIllegal
	sanAmbiguous
)

// sanReader is what a SAN says before the position is asked, and what was
// wrong with it. The reasons are put into words at the end only, so that a
// text that is read can stay on its caller's stack.
type sanReader struct {
	p         *Position
	from      Bitboard // the squares that the disambiguation allows
	piece     PieceType
	letter    bool // the text has the letter of the piece
	promotion PieceType
	to        Square
	fault     sanFault
	wrong     rune   // of sanNoPromotion and sanStray
	name      string // of sanNoSquare
	rivals    [2]Move
}

// err puts the fault into words. The text is copied: it may be a part of a
// buffer that is about to change.
func (s *sanReader) err(text string) error {
	e := &MoveError{Text: strings.Clone(text)}
	switch s.fault {
	case sanEmpty:
		e.Reason = "empty"
	case sanNoTarget:
		e.Reason = "it names no square"
	case sanNoSquare:
		e.Reason = s.name + " is no square"
	case sanNoPromotion:
		e.Reason = fmt.Sprintf("promotion to %q, want N, B, R or Q", s.wrong)
	case sanStray:
		e.Reason = fmt.Sprintf("unexpected %q", s.wrong)
	case sanTooLong:
		e.Reason = "more than an origin and a target square"
	case sanAmbiguous:
		e.Reason = fmt.Sprintf("ambiguous: %s or %s in %s", s.rivals[0], s.rivals[1], s.p.FEN())
	default:
		e.Reason, e.err = "illegal in "+s.p.FEN(), ErrIllegal
	}
	return e
}

// trim cuts off check, mate and annotation marks.
func (s *sanReader) trim(text string) string {
	end := len(text)
	for end > 0 && (text[end-1] == '+' || text[end-1] == '#' || text[end-1] == '!' || text[end-1] == '?') {
		end--
	}
	text = text[:end]
	if end > 4 && text[end-1] == '.' {
		text = strings.TrimSuffix(text, "e.p.")
	}
	return text
}

// castle returns the castling move on wing w if it is legal.
func (s *sanReader) castle(w Wing) Move {
	if rook := s.p.CastlingRook(s.p.side, w); rook != NoSquare && s.p.CanCastle(w) {
		return NewMove(s.p.King(s.p.side), rook, Castling)
	}
	s.fault = sanIllegal
	return NoMove
}

// shape takes apart piece, origin, target and promotion of a text without its
// marks and reports whether it is well formed.
func (s *sanReader) shape(core string) bool {
	s.piece, s.promotion, s.from = Pawn, NoPieceType, ^Bitboard(0)
	if core == "" {
		s.fault = sanEmpty
		return false
	}
	if t := pieceOfSAN(core[0]); t != NoPieceType {
		s.piece, s.letter, core = t, true, core[1:]
	} else if t := pieceOfFigurine(runeAt(core, 0)); t != NoPieceType {
		s.piece, s.letter, core = t, true, core[len("♔"):]
	}
	if s.piece == Pawn {
		core = s.cutPromotion(core)
	}
	if s.fault != sanFine {
		return false
	}
	end := len(core) - 2
	if end < 0 || core[end]-'a' > 7 || core[end+1]-'1' > 7 {
		if s.fault = sanNoTarget; end >= 0 && core[end]|0x20-'a' < 26 && core[end+1]-'0' < 10 {
			s.fault, s.name = sanNoSquare, strings.Clone(core[end:])
		}
		return false
	}
	s.to = MakeSquare(int(core[end]-'a'), int(core[end+1]-'1'))
	for end > 0 && (core[end-1] == 'x' || core[end-1] == ':' || core[end-1] == '-') {
		end--
	}
	return s.origin(core[:end])
}

// cutPromotion returns core without the promotion at its end, if there is one.
func (s *sanReader) cutPromotion(core string) string {
	last := len(core) - 1
	if last > 2 && core[last] == ')' {
		last--
	}
	if last < 2 || core[last] <= '9' { // a square ends in a digit
		return core
	}
	letter, width := utf8.DecodeLastRuneInString(core[:last+1])
	end := last + 1 - width
	for end > 0 && (core[end-1] == '=' || core[end-1] == '/' || core[end-1] == '(') {
		end--
	}
	if end == 0 || core[end-1] > '9' { // no square before it
		return core
	}
	if t := pieceOfFigurine(letter); t >= Knight && t <= Queen {
		s.promotion = t
	} else if letter < utf8.RuneSelf {
		s.promotion = promotionOf(byte(letter) | 0x20)
	}
	if s.promotion == NoPieceType {
		s.fault, s.wrong = sanNoPromotion, letter
	}
	return core[:end]
}

// origin narrows from by the file, rank or square in text. A square says which piece it is where no letter does.
func (s *sanReader) origin(text string) bool {
	if text == "" && s.piece == Pawn {
		s.from = FileA << s.to.File() // a capture names its file
	}
	if len(text) == 2 && text[0]-'a' < 8 && text[1]-'1' < 8 {
		from := MakeSquare(int(text[0]-'a'), int(text[1]-'1'))
		s.from = from.Bitboard()
		if !s.letter && s.p.colors[s.p.side].Has(from) {
			s.piece = s.p.Piece(from).Type()
		}
		return true
	}
	for i := range len(text) {
		switch c := text[i]; {
		case c >= 'a' && c <= 'h':
			s.from &= FileA << (c - 'a')
		case c >= '1' && c <= '8':
			s.from &= Rank1 << (8 * (c - '1'))
		default:
			s.fault, s.wrong = sanStray, runeAt(text, i)
			return false
		}
	}
	if len(text) > 2 {
		s.fault = sanTooLong
	}
	return s.fault == sanFine
}

// find returns the one legal move that the shape allows.
func (s *sanReader) find() Move {
	p, found := s.p, NoMove
	b := p.Pieces(p.side, s.piece) & s.from
	if s.piece != Pawn {
		b &= PieceAttacks(s.piece, s.to, p.Occupied())
	}
	for ; b != 0; b &= b - 1 {
		from := b.First()
		m := NewMove(from, s.to, Normal)
		if s.promotion != NoPieceType {
			m = NewPromotion(from, s.to, s.promotion)
		} else if s.piece == Pawn && s.to == p.enPassant && from.File() != s.to.File() {
			m = NewMove(from, s.to, EnPassant)
		}
		if !p.IsLegal(m) {
			continue
		}
		if found != NoMove {
			s.fault, s.rivals = sanAmbiguous, [2]Move{found, m}
			return NoMove
		}
		found = m
	}
	if found == NoMove && s.piece == King && s.promotion == NoPieceType && s.from.Count() == 1 {
		found = s.castleTo()
	}
	if found == NoMove {
		s.fault = sanIllegal
	}
	return found
}

// castleTo returns the castling move that is written as one of the king from square to square, as e1-g1, Ke1g1 or, as
// in UCI text, e1h1; NoMove where there is none.
func (s *sanReader) castleTo() Move {
	m := s.p.Infer(NewMove(s.from.First(), s.to, Normal))
	if m.Kind() != Castling || s.letter && m.To() == s.to || !s.p.IsLegal(m) {
		return NoMove
	}
	return m
}
