package x88

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/tabula-chess/tabula/chess"
)

// letters holds the FEN letter of each piece at the piece's number.
const letters = ".PNBRQK..pnbrqk"

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
	b := &Board{passant: off, geometry: newGeometry()}
	if err := b.readBoard(fields[0]); err != nil {
		return nil, fmt.Errorf("fen board %q: %w", fields[0], err)
	}
	b.side = strings.Index("wb", fields[1])
	if b.side < 0 || len(fields[1]) != 1 {
		return nil, fmt.Errorf("fen side to move %q: want w or b", fields[1])
	}
	if err := b.readCastling(fields[2]); err != nil {
		return nil, fmt.Errorf("fen castling %q: %w", fields[2], err)
	}
	if err := b.readPassant(fields[3]); err != nil {
		return nil, fmt.Errorf("fen en passant %q: %w", fields[3], err)
	}
	var err error
	if b.clock, err = readCounter(fields[4]); err != nil {
		return nil, fmt.Errorf("fen half-move clock %q: %w", fields[4], err)
	}
	if b.number, err = readCounter(fields[5]); err != nil {
		return nil, fmt.Errorf("fen move number %q: %w", fields[5], err)
	}
	if b.attacked(b.kings[1-b.side], b.side) {
		return nil, fmt.Errorf("fen %q: the side not to move is in check", fen)
	}
	b.reserve(8)
	return b, nil
}

// readBoard walks the text once, with sq running from a8 to h1; at the end of
// a rank sq stands on the first cell of the unreal half.
func (b *Board) readBoard(text string) error {
	var pieces, kings [2]int
	sq := a8
	for i := range len(text) {
		letter := text[i]
		switch {
		case letter == '/':
			if sq&0x0f != 8 || sq < 0x10 {
				return fmt.Errorf("rank %d does not have 8 files, or ranks are not 8", sq>>4+1)
			}
			sq -= 0x18
			continue
		case letter >= '1' && letter <= '8':
			if sq&0x0f+int(letter-'0') > 8 {
				return fmt.Errorf("rank %d does not have 8 files", sq>>4+1)
			}
			sq += int(letter - '0')
			continue
		}
		p := strings.IndexByte(letters, letter)
		if p < 0 || letter == '.' {
			return fmt.Errorf("letter %q, want one of PNBRQKpnbrqk or 1-8", letter)
		}
		if sq&off != 0 {
			return fmt.Errorf("rank %d does not have 8 files", sq>>4+1)
		}
		b.cells[sq] = piece(p)
		if err := b.countPiece(sq, &pieces, &kings); err != nil {
			return err
		}
		sq++
	}
	if sq != 0x08 {
		return fmt.Errorf("the text ends on rank %d, file %d, want 8 ranks of 8 files", sq>>4+1, sq&0x0f)
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

func (b *Board) countPiece(sq int, pieces, kings *[2]int) error {
	p := b.cells[sq]
	pieces[p.side()]++
	switch p.kind() {
	case king:
		kings[p.side()]++
		b.kings[p.side()] = sq
	case pawn:
		if sq < 0x10 || sq >= 0x70 {
			return fmt.Errorf("pawn on %s", square(sq))
		}
	}
	return nil
}

// readCastling takes KQkq and the Shredder letters that mean the same, HAha.
func (b *Board) readCastling(text string) error {
	if text == "-" {
		return nil
	}
	for _, letter := range []byte(text) {
		var right uint8
		switch letter {
		case 'K', 'H':
			right = whiteShort
		case 'Q', 'A':
			right = whiteLong
		case 'k', 'h':
			right = blackShort
		case 'q', 'a':
			right = blackLong
		default:
			if strings.IndexByte("BCDEFGbcdefg", letter) >= 0 {
				return fmt.Errorf("%q is a Chess960 right, this generator knows standard chess only", letter)
			}
			return fmt.Errorf("%q, want some of KQkq or -", letter)
		}
		if b.castling&right != 0 {
			return fmt.Errorf("%q names a right twice", letter)
		}
		b.castling |= right
		side, corner := 0, h1
		if right >= blackShort {
			side = 1
		}
		if right&(whiteLong|blackLong) != 0 {
			corner = a1
		}
		home, corner := e1+homeOfSide*side, corner+homeOfSide*side
		if b.kings[side] != home || b.cells[corner] != rook|piece(side)<<3 {
			return fmt.Errorf("%q needs a king on %s and a rook on %s, this generator knows standard chess only, not Chess960",
				letter, square(home), square(corner))
		}
	}
	return nil
}

func (b *Board) readPassant(text string) error {
	if text == "-" {
		return nil
	}
	s, err := chess.ParseSquare(text)
	if err != nil {
		return err
	}
	sq := index(s)
	rank, forward, enemy := 0x50, -16, pawn|blackBit
	if b.side == 1 {
		rank, forward, enemy = 0x20, 16, pawn
	}
	if sq&0x70 != rank || b.cells[sq] != none || b.cells[sq-forward] != none || b.cells[sq+forward] != enemy {
		return errors.New("no pawn has just passed it with a double push")
	}
	b.passant = sq
	return nil
}

func readCounter(text string) (uint16, error) {
	n, err := strconv.ParseUint(text, 10, 16)
	if err != nil || n > 9999 {
		return 0, errors.New("want a number from 0 to 9999")
	}
	return uint16(n), nil
}

// FEN returns the position in six fields. The en-passant square is given
// after every double push, whether or not a pawn can capture there.
func (b *Board) FEN() string {
	var text []byte
	for rank := 7; rank >= 0; rank-- {
		gap := byte(0)
		for file := range 8 {
			p := b.cells[rank<<4|file]
			if p != none && gap > 0 {
				text, gap = append(text, '0'+gap), 0
			}
			if p == none {
				gap++
			} else {
				text = append(text, letters[p])
			}
		}
		if gap > 0 {
			text = append(text, '0'+gap)
		}
		if rank > 0 {
			text = append(text, '/')
		}
	}
	text = append(text, ' ', "wb"[b.side], ' ')
	if b.castling == 0 {
		text = append(text, '-')
	}
	for i := range 4 {
		if b.castling>>i&1 != 0 {
			text = append(text, "KQkq"[i])
		}
	}
	passant := chess.NoSquare
	if b.passant != off {
		passant = square(b.passant)
	}
	return fmt.Sprintf("%s %s %d %d", text, passant, b.clock, b.number)
}
