package kit

import (
	"slices"
	"strings"
	"unicode"

	"github.com/tabula-chess/tabula/chess"
)

// Position returns the position of a FEN after some moves, as [Move] reads them.
func Position(t T, fen string, moves ...string) *chess.Position {
	t.Helper()
	p, err := chess.ParseFEN(fen)
	Succeed(t, err)
	for _, text := range moves {
		p.Make(Move(t, p, text))
	}
	return p
}

// Composed returns the position of a FEN's first field, sixteen men a side, whatever they are, with a side to move.
func Composed(t T, placement string, side chess.Color) *chess.Position {
	t.Helper()
	s := chess.Setup{Side: side, Composed: true}
	at := chess.A8
	for _, c := range placement {
		switch {
		case c == '/':
			at -= 16
		case unicode.IsDigit(c):
			at += chess.Square(c - '0')
		default:
			piece, err := chess.ParsePiece(string(c))
			Succeed(t, err)
			s.Put(piece, at)
			at++
		}
	}
	p, err := s.Position()
	Succeed(t, err)
	return p
}

// Move returns the legal move of p that a text in UCI's notation or in SAN names.
func Move(t T, p *chess.Position, text string) chess.Move {
	t.Helper()
	m, err := p.ReadMove(text)
	Succeed(t, err)
	return m
}

// Mirror returns the FEN that has the colours of another exchanged and the board turned top
// to bottom.
func Mirror(fen string) string {
	fields := strings.Fields(fen)
	rows := strings.Split(fields[0], "/")
	slices.Reverse(rows)
	fields[0] = strings.Map(swapCase, strings.Join(rows, "/"))
	fields[1] = map[string]string{"w": "b", "b": "w"}[fields[1]]
	if first := strings.IndexFunc(fields[2], unicode.IsLower); first > 0 { // White's stand first
		fields[2] = fields[2][first:] + fields[2][:first]
	}
	fields[2] = strings.Map(swapCase, fields[2])
	fields[3] = strings.NewReplacer("3", "6", "6", "3").Replace(fields[3])
	return strings.Join(fields, " ")
}

// MirrorMove turns the squares in the text of a move top to bottom.
func MirrorMove(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= '1' && r <= '8' {
			return '1' + '8' - r
		}
		return r
	}, text)
}

func swapCase(r rune) rune {
	if unicode.IsUpper(r) {
		return unicode.ToLower(r)
	}
	return unicode.ToUpper(r)
}

// Setup puts pieces down by bytes, three or more: kings first, then in turn the kind,
// the colour and the square of others. Most are not positions.
func Setup(data []byte) (s chess.Setup) {
	var taken chess.Bitboard
	place := func(c chess.Color, k chess.PieceType, at chess.Square) {
		if !taken.Has(at) && (k != chess.Pawn || at >= 8 && at < 56) {
			taken |= at.Bitboard()
			s.Pieces[c][k] |= at.Bitboard()
		}
	}
	for i, b := range data {
		at := chess.Square(b & 63)
		switch {
		case i < 2:
			place(chess.Color(i), chess.King, at)
		case i == 2:
			s.Side = chess.Color(b & 1)
		case i%2 == 0 && i+1 < len(data):
			place(chess.Color(b>>6&1), chess.PieceType(data[i+1]%5), at)
		}
	}
	for c := range s.Pieces {
		rooks := s.Pieces[c][chess.Rook] & (chess.Rank1 | chess.Rank8)
		for ; rooks != 0 && data[0]&64 != 0; rooks &= rooks - 1 {
			if s.Pieces[c][chess.King].First().Rank() == rooks.First().Rank() && s.Castling&s.Pieces[c][chess.Rook] == 0 {
				s.Castling |= rooks.First().Bitboard()
			}
		}
	}
	return s
}
