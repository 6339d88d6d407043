package mailbox

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/tabula-chess/tabula/chess"
)

// letters holds the FEN letter of each kind at the kind's number.
const letters = ".pnbrqk"

// New reads a FEN of two to six fields; left out, castling and en passant
// count as "-" and the counters as 0 and 1. It refuses, with an error that
// names the field, what is no position of standard chess: a malformed field, a side without exactly one king or with
// more than sixteen pieces, pawns on the first or last rank, castling rights
// without king and rook at home (so all rights that only Chess960 knows), an
// en-passant square that no double push has made, and the side to move being
// able to capture the king.
func New(fen string) (*Board, error) {
	fields := strings.Fields(fen)
	if len(fields) < 2 || len(fields) > 6 {
		return nil, fmt.Errorf("fen %q: %d fields, want 2 to 6", fen, len(fields))
	}
	missing := [6]string{2: "-", "-", "0", "1"}
	fields = append(fields, missing[len(fields):]...)
	b := &Board{}
	for i := range b.cells {
		if i < a1 || i > h8 || i%10 == 0 || i%10 == 9 {
			b.cells[i] = border
		}
	}
	for i, parse := range []struct {
		field string
		read  func(string) error
	}{
		{"board", b.readCells},
		{"side to move", b.readSide},
		{"castling", b.readCastling},
		{"en passant", b.readEnPassant},
		{"half-move clock", func(s string) error { return readCounter(s, &b.clock) }},
		{"move number", func(s string) error { return readCounter(s, &b.number) }},
	} {
		if err := parse.read(fields[i]); err != nil {
			return nil, fmt.Errorf("fen %s %q: %w", parse.field, fields[i], err)
		}
	}
	side := b.state.side()
	if b.attacked(b.state.king(1-side), side) {
		return nil, fmt.Errorf("fen %q: the side not to move is in check", fen)
	}
	b.reserve(8)
	return b, nil
}

func (b *Board) readCells(text string) error {
	rows := strings.Split(text, "/")
	if len(rows) != 8 {
		return fmt.Errorf("%d ranks, want 8", len(rows))
	}
	var pieces, kings [2]int
	for i, row := range rows {
		sq := a8 - 10*i
		end := sq + 8
		for _, letter := range []byte(row) {
			if letter >= '1' && letter <= '8' {
				sq += int(letter - '0')
				continue
			}
			kind := cell(strings.IndexByte(letters[1:], letter|0x20) + 1)
			if kind == 0 {
				return fmt.Errorf("letter %q, want one of PNBRQKpnbrqk or 1-8", letter)
			}
			if sq >= end {
				return fmt.Errorf("rank %d does not have 8 files", 8-i)
			}
			if kind == pawn && (i == 0 || i == 7) {
				return fmt.Errorf("pawn on %s", square(sq))
			}
			side := int(letter >> 5 & 1)
			pieces[side]++
			if kind == king {
				kings[side]++
				b.state = b.state.withKing(side, sq)
			}
			b.cells[sq] = white<<side | kind
			sq++
		}
		if sq != end {
			return fmt.Errorf("rank %d does not have 8 files", 8-i)
		}
	}
	for side, name := range [2]string{"White", "Black"} {
		if kings[side] != 1 {
			return fmt.Errorf("%s has %d kings, want 1", name, kings[side])
		}
		if pieces[side] > 16 {
			return fmt.Errorf("%s has %d pieces, want at most 16", name, pieces[side])
		}
	}
	return nil
}

func (b *Board) readSide(text string) error {
	switch text {
	case "w":
	case "b":
		b.state |= sideBit
	default:
		return errors.New("want w or b")
	}
	return nil
}

// readCastling takes KQkq and the Shredder letters that mean the same, HAha.
func (b *Board) readCastling(text string) error {
	if text == "-" {
		return nil
	}
	for _, letter := range []byte(text) {
		var flag state
		home, corner := e1, h1
		switch letter | 0x20 {
		case 'k', 'h':
			flag = whiteShort
		case 'q', 'a':
			flag, corner = whiteLong, a1
		case 'b', 'c', 'd', 'e', 'f', 'g':
			return fmt.Errorf("%q is a Chess960 right, this generator knows standard chess only", letter)
		}
		if flag == 0 {
			return fmt.Errorf("%q, want some of KQkq or -", letter)
		}
		us := white
		if letter >= 'a' {
			us, home, corner, flag = black, e8, corner+70, flag<<2
		}
		if b.cells[home] != us|king || b.cells[corner] != us|rook {
			return fmt.Errorf("%q needs a king on %s and a rook on %s, this generator knows standard chess only, not Chess960",
				letter, square(home), square(corner))
		}
		if b.state&flag != 0 {
			return fmt.Errorf("%q names a right twice", letter)
		}
		b.state |= flag
	}
	return nil
}

func (b *Board) readEnPassant(text string) error {
	if text == "-" {
		return nil
	}
	s, err := chess.ParseSquare(text)
	if err != nil {
		return err
	}
	sq, side := index(s), b.state.side()
	back := passed(sq, side) - sq
	if s.Rank() != 5-3*side || b.cells[sq] != empty || b.cells[sq-back] != empty ||
		b.cells[sq+back] != (black>>side)|pawn {
		return errors.New("no pawn has just passed it with a double push")
	}
	b.state |= state(sq)
	return nil
}

func readCounter(text string, counter *uint16) error {
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil || n > 9999 {
		return errors.New("want a number from 0 to 9999")
	}
	*counter = uint16(n)
	return nil
}

// FEN returns the position in six fields. The en-passant square is given
// after every double push, whether or not a pawn can capture there.
func (b *Board) FEN() string {
	var sb strings.Builder
	for row := a8; row >= a1; row -= 10 {
		gap := 0
		for sq := row; sq < row+8; sq++ {
			c := b.cells[sq]
			if c == empty {
				gap++
				continue
			}
			if gap > 0 {
				sb.WriteByte('0' + byte(gap))
				gap = 0
			}
			letter := letters[c&kinds]
			if c&white != 0 {
				letter -= 0x20
			}
			sb.WriteByte(letter)
		}
		if gap > 0 {
			sb.WriteByte('0' + byte(gap))
		}
		if row > a1 {
			sb.WriteByte('/')
		}
	}
	castles, passant := "", "-"
	for i, letter := range "KQkq" {
		if b.state&(whiteShort<<i) != 0 {
			castles += string(letter)
		}
	}
	if castles == "" {
		castles = "-"
	}
	if sq := b.state.enPassant(); sq != 0 {
		passant = square(sq).String()
	}
	fmt.Fprintf(&sb, " %c %s %s %d %d", "wb"[b.state.side()], castles, passant, b.clock, b.number)
	return sb.String()
}
