package rays

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/tabula-chess/tabula/chess"
)

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
	b := &Board{tables: newTables(), passant: chess.NoSquare}
	for s := range b.squares {
		b.squares[s] = chess.NoPiece
	}
	if err := b.readBoard(fields[0]); err != nil {
		return nil, fmt.Errorf("fen board %q: %w", fields[0], err)
	}
	switch fields[1] {
	case "w":
	case "b":
		b.side = chess.Black
	default:
		return nil, fmt.Errorf("fen side to move %q: want w or b", fields[1])
	}
	if err := b.readCastling(fields[2]); err != nil {
		return nil, fmt.Errorf("fen castling %q: %w", fields[2], err)
	}
	if err := b.readPassant(fields[3]); err != nil {
		return nil, fmt.Errorf("fen en passant %q: %w", fields[3], err)
	}
	for i, counter := range []*uint16{&b.clock, &b.number} {
		n, err := strconv.ParseUint(fields[4+i], 10, 16)
		if err != nil || n > 9999 {
			name := [2]string{"half-move clock", "move number"}[i]
			return nil, fmt.Errorf("fen %s %q: want a number from 0 to 9999", name, fields[4+i])
		}
		*counter = uint16(n)
	}
	waiting := first(b.pieces[b.side.Other()][chess.King])
	if b.attackers(waiting, b.sides[0]|b.sides[1], b.side) != 0 {
		return nil, fmt.Errorf("fen %q: the side not to move is in check", fen)
	}
	b.reserve(8)
	return b, nil
}

func (b *Board) readBoard(text string) error {
	ranks := strings.Split(text, "/")
	if len(ranks) != 8 {
		return fmt.Errorf("%d ranks, want 8", len(ranks))
	}
	for i, row := range ranks {
		if err := b.readRank(7-i, row); err != nil {
			return fmt.Errorf("rank %d: %w", 8-i, err)
		}
	}
	for side, name := range [2]string{"White", "Black"} {
		own := &b.pieces[side]
		if n := chess.Bitboard(own[chess.King]).Count(); n != 1 {
			return fmt.Errorf("%s has %d kings, want 1", name, n)
		}
		if n := chess.Bitboard(b.sides[side]).Count(); n > 16 {
			return fmt.Errorf("%s has %d pieces, want at most 16", name, n)
		}
		if bad := chess.Bitboard(own[chess.Pawn] & ends); bad != 0 {
			return fmt.Errorf("pawn on %s", bad.First())
		}
	}
	return nil
}

func (b *Board) readRank(rank int, row string) error {
	file := 0
	for _, letter := range []byte(row) {
		kind := strings.IndexByte("pnbrqk", letter|0x20)
		switch {
		case letter >= '1' && letter <= '8':
			file += int(letter - '0')
		case kind < 0:
			return fmt.Errorf("letter %q, want one of PNBRQKpnbrqk or 1-8", letter)
		case file < 8:
			color := chess.Color(letter >> 5 & 1)
			b.put(chess.MakePiece(color, chess.PieceType(kind)), chess.MakeSquare(file, rank))
			file++
		default:
			file = 9 // too long, whatever follows
		}
	}
	if file != 8 {
		return errors.New("want 8 files")
	}
	return nil
}

// readCastling takes KQkq and the Shredder letters that mean the same, HAha.
func (b *Board) readCastling(text string) error {
	if text == "-" {
		return nil
	}
	for _, letter := range []byte(text) {
		color := chess.Color(letter >> 5 & 1)
		corner, right := chess.H1, whiteShort
		switch letter | 0x20 {
		case 'k', 'h':
		case 'q', 'a':
			corner, right = chess.A1, whiteLong
		case 'b', 'c', 'd', 'e', 'f', 'g':
			return fmt.Errorf("%q is a Chess960 right, this generator knows standard chess only", letter)
		default:
			return fmt.Errorf("%q, want some of KQkq or -", letter)
		}
		right <<= 2 * color
		home, corner := chess.E1.Relative(color), corner.Relative(color)
		if b.squares[home] != chess.MakePiece(color, chess.King) || b.squares[corner] != chess.MakePiece(color, chess.Rook) {
			return fmt.Errorf("%q needs a king on %s and a rook on %s, this generator knows standard chess only, not Chess960",
				letter, home, corner)
		}
		if b.castling&right != 0 {
			return fmt.Errorf("%q names a right twice", letter)
		}
		b.castling |= right
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
	// As the capturer sees it: the pawn went from the seventh rank over the
	// sixth to the fifth.
	relative := s.Relative(b.side)
	if relative.Rank() != 5 ||
		b.squares[s] != chess.NoPiece ||
		b.squares[(relative+8).Relative(b.side)] != chess.NoPiece ||
		b.squares[(relative-8).Relative(b.side)] != chess.MakePiece(b.side.Other(), chess.Pawn) {
		return errors.New("no pawn has just passed it with a double push")
	}
	b.passant = s
	return nil
}

// FEN returns the position in six fields. The en-passant square is given
// after every double push, whether or not a pawn can capture there.
func (b *Board) FEN() string {
	var sb strings.Builder
	for rank := 7; rank >= 0; rank-- {
		gap := 0
		for file := range 8 {
			p := b.squares[chess.MakeSquare(file, rank)]
			if p == chess.NoPiece {
				gap++
				continue
			}
			if gap > 0 {
				sb.WriteString(strconv.Itoa(gap))
				gap = 0
			}
			sb.WriteString(p.String())
		}
		if gap > 0 {
			sb.WriteString(strconv.Itoa(gap))
		}
		if rank > 0 {
			sb.WriteByte('/')
		}
	}
	rights := ""
	for i, letter := range "KQkq" {
		if b.castling>>i&1 != 0 {
			rights += string(letter)
		}
	}
	if rights == "" {
		rights = "-"
	}
	fmt.Fprintf(&sb, " %c %s %s %d %d", "wb"[b.side], rights, b.passant, b.clock, b.number)
	return sb.String()
}
