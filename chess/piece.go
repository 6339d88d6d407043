package chess

import (
	"fmt"
	"strings"
	"unicode/utf8"
)

// Color is a side: White or Black. As a number it indexes per-colour arrays.
type Color uint8

// The two sides.
const (
	White Color = iota
	Black
)

// Other returns the opposing side.
func (c Color) Other() Color { return c ^ 1 }

// String returns "white" or "black".
func (c Color) String() string {
	if c == White {
		return "white"
	}
	return "black"
}

// ParseColor reads "white" or "black", or as in a FEN "w" or "b".
func ParseColor(text string) (Color, error) {
	switch text {
	case "white", "w":
		return White, nil
	case "black", "b":
		return Black, nil
	}
	return White, fmt.Errorf("colour %.20q: want white or black", text)
}

// PieceType is a kind of piece without its colour.
type PieceType uint8

// The six kinds of piece. NoPieceType is the explicit absence.
const (
	Pawn PieceType = iota
	Knight
	Bishop
	Rook
	Queen
	King
	NoPieceType
)

// String returns the lower-case English letter of the kind: p n b r q k.
func (t PieceType) String() string { return "pnbrqk."[t : t+1] }

// Piece is a coloured piece: PieceType·2 + Color, so 0 is a white pawn and 11
// a black king. [NoPiece] marks an empty square.
type Piece uint8

// NoPiece is the content of an empty square.
const NoPiece Piece = Piece(NoPieceType) << 1

// MakePiece returns the piece of colour c and kind t.
func MakePiece(c Color, t PieceType) Piece { return Piece(t)<<1 | Piece(c) }

// Type returns the kind of the piece, NoPieceType for NoPiece.
func (p Piece) Type() PieceType { return PieceType(p >> 1) }

// Color returns the side that owns the piece; meaningless for NoPiece.
func (p Piece) Color() Color { return Color(p & 1) }

const pieceLetters = "PpNnBbRrQqKk.."

// String returns the FEN letter, upper case for White, "." for NoPiece.
func (p Piece) String() string { return pieceLetters[p : p+1] }

// ParsePiece reads the FEN letter of a piece, or "." for [NoPiece].
func ParsePiece(text string) (Piece, error) {
	if text == "." {
		return NoPiece, nil
	}
	if len(text) == 1 {
		if p := pieceOf(text[0]); p != NoPiece {
			return p, nil
		}
	}
	return NoPiece, fmt.Errorf("piece %.20q: want a dot or one of PNBRQKpnbrqk", text)
}

// pieceOf returns the piece of a FEN letter, NoPiece where it is none.
func pieceOf(letter byte) Piece {
	if i := strings.IndexByte(pieceLetters[:NoPiece], letter); i >= 0 {
		return Piece(i)
	}
	return NoPiece
}

// pieceOfFigurine returns the kind of a chess symbol of either colour.
func pieceOfFigurine(symbol rune) PieceType {
	if symbol < '♔' || symbol > '♟' {
		return NoPieceType
	}
	return King - PieceType((symbol-'♔')%6)
}

// runeAt returns the character at a place in text, to be named in an error.
func runeAt(text string, i int) rune {
	r, _ := utf8.DecodeRuneInString(text[i:])
	return r
}

// pieceOfSAN returns the kind of an upper-case piece letter.
func pieceOfSAN(letter byte) PieceType {
	switch letter {
	case 'N':
		return Knight
	case 'B':
		return Bishop
	case 'R':
		return Rook
	case 'Q':
		return Queen
	case 'K':
		return King
	case 'P':
		return Pawn
	}
	return NoPieceType
}
