package layout

import (
	"errors"
	"fmt"

	"github.com/tabula-chess/tabula/chess"
)

// Code is a piece as the files write it: 1 to 6 for White's pawn to king, and
// 8 more for Black's.
type Code uint8

// MakeCode returns the code of a piece.
func MakeCode(c chess.Color, t chess.PieceType) Code { return Code(t) + 1 + 8*Code(c) }

// Color returns the side of the piece.
func (c Code) Color() chess.Color { return chess.Color(c >> 3 & 1) }

// Type returns the kind of the piece.
func (c Code) Type() chess.PieceType { return chess.PieceType(c&7) - 1 }

// Valid reports whether the code names a piece.
func (c Code) Valid() bool { return c < 16 && c&7 >= 1 && c&7 <= 6 }

// Pieces returns the pieces of an ending in an order that [New] takes, with the places 0 and 1 for its
// groups of pawns: pawns that lead, other pawns, kings, single pieces before others.
func Pieces(m Material) (all []Code) {
	add := func(c chess.Color, t chess.PieceType) {
		for range m.Count(c, t) {
			all = append(all, MakeCode(c, t))
		}
	}
	lead, _ := m.LeadingPawns()
	add(lead, chess.Pawn)
	add(lead.Other(), chess.Pawn)
	add(chess.White, chess.King)
	add(chess.Black, chess.King)
	for _, single := range [2]bool{true, false} {
		for t := chess.Queen; t > chess.Pawn; t-- {
			for c := chess.White; c <= chess.Black; c++ {
				if (m.Count(c, t) == 1) == single {
					add(c, t)
				}
			}
		}
	}
	return all
}

// Layout numbers the positions of one part of a table: of one side to move,
// and where there are pawns of one file of the leading pawn.
type Layout struct {
	Pieces [MaxPieces]Code // in the order of the squares that Index takes
	Count  int             // of them
	Pawns  [2]int          // of the leading colour and of the other one
	Size   uint64          // number of indices

	kings  bool              // the leading group is the two kings alone
	group  [MaxPieces]int    // lengths of the groups
	factor [MaxPieces]uint64 // of each group
	groups int
}

// Files returns the number of parts by file of the leading pawn.
func (m Material) Files() int {
	if m.Pawns() > 0 {
		return 4
	}
	return 1
}

// LeadingPawns returns the colour whose pawns come first, and the number of
// its pawns and of those of the other colour: the side with fewer leads.
func (m Material) LeadingPawns() (lead chess.Color, pawns [2]int) {
	white, black := m.Count(chess.White, chess.Pawn), m.Count(chess.Black, chess.Pawn)
	if black > 0 && (white == 0 || black < white) {
		return chess.Black, [2]int{black, white}
	}
	return chess.White, [2]int{white, black}
}

// unique returns the number of pieces of which there is only one, kings
// included.
func (m Material) unique() int {
	n := 2
	for c := chess.White; c <= chess.Black; c++ {
		for t := chess.Pawn; t < chess.King; t++ {
			if m.Count(c, t) == 1 {
				n++
			}
		}
	}
	return n
}

// Orders returns the number of order bytes of a part: how many groups have a
// place of their own choosing among the factors.
func (m Material) Orders() int {
	if _, pawns := m.LeadingPawns(); pawns[1] > 0 {
		return 2
	}
	return 1
}

var errPieces = errors.New("its pieces are not those of its name")

// New returns the layout of a part: pieces in their order, the places of the
// leading group and of the other side's pawns among the factors, and the file
// of the leading pawn. Errors say what of it cannot be.
func New(m Material, pieces []Code, order [2]int, file int) (*Layout, error) {
	l := &Layout{Count: m.Pieces()}
	if len(pieces) != l.Count {
		return nil, errPieces
	}
	left := m
	seen := [2]int{}
	for i, p := range pieces {
		if !p.Valid() {
			return nil, fmt.Errorf("piece %d has the unknown code %d", i, p)
		}
		l.Pieces[i] = p
		if p.Type() == chess.King {
			seen[p.Color()]++
			continue
		}
		if left.Count(p.Color(), p.Type()) == 0 {
			return nil, errPieces
		}
		left -= Unit(p.Color(), p.Type())
	}
	if left != 0 || seen != [2]int{1, 1} {
		return nil, errPieces
	}
	if err := l.setGroups(m); err != nil {
		return nil, err
	}
	return l, l.setFactors(order, m.Pawns() > 0, file)
}

// setGroups divides the pieces into the leading group, the other side's pawns,
// and runs of like pieces.
func (l *Layout) setGroups(m Material) error {
	add := func(n int) {
		l.group[l.groups] = n
		l.groups++
	}
	next := 0
	if m.Pawns() > 0 {
		_, l.Pawns = m.LeadingPawns()
		add(l.Pawns[0])
		if l.Pawns[1] > 0 {
			add(l.Pawns[1])
		}
		next = l.Pawns[0] + l.Pawns[1]
		for i := range next {
			side := l.Pieces[0].Color()
			if i >= l.Pawns[0] {
				side = side.Other()
			}
			if l.Pieces[i] != MakeCode(side, chess.Pawn) {
				return errors.New("its pawns do not come first")
			}
		}
	} else {
		l.kings = m.unique() == 2
		next = 3
		if l.kings {
			next = 2
		}
		add(next)
		for i := range next {
			single := l.Pieces[i].Type() == chess.King || m.Count(l.Pieces[i].Color(), l.Pieces[i].Type()) == 1
			if !single || l.kings && l.Pieces[i].Type() != chess.King {
				return errors.New("the pieces of its leading group are not single")
			}
		}
	}
	for i := next; i < l.Count; {
		n := 1
		for i+n < l.Count && l.Pieces[i+n] == l.Pieces[i] {
			n++
		}
		if m.Count(l.Pieces[i].Color(), l.Pieces[i].Type()) != n {
			return errors.New("like pieces do not stand together")
		}
		add(n)
		i += n
	}
	return nil
}

// setFactors computes what the number of each group is multiplied by. order
// says after how many groups the leading one and that of the other pawns come.
func (l *Layout) setFactors(order [2]int, pawns bool, file int) error {
	second := -1
	if l.Pawns[1] > 0 {
		second = order[1]
	}
	if order[0] < 0 || order[0] >= l.groups || second >= l.groups || second == order[0] {
		return fmt.Errorf("its groups are in the impossible order %v", order)
	}
	next, free := 1, 64-l.group[0]
	if second >= 0 {
		next, free = 2, free-l.group[1]
	}
	size := uint64(1)
	for place := range l.groups {
		switch place {
		case order[0]:
			l.factor[0] = size
			switch {
			case pawns:
				size *= number.leads[l.group[0]-1][file]
			case l.kings:
				size *= 462
			default:
				size *= 31332
			}
		case second:
			l.factor[1] = size
			size *= number.choose[l.group[1]][48-l.group[0]]
		default:
			l.factor[next] = size
			size *= number.choose[l.group[next]][free]
			free -= l.group[next]
			next++
		}
	}
	l.Size = size
	return nil
}

// Lead puts the leading pawn of s, squares of all the pawns of the leading
// colour first, in front and returns the file part it belongs to, 0 to 3.
func Lead(s *[MaxPieces]uint8, pawns int) int {
	for i := 1; i < pawns; i++ {
		if number.twist[s[i]&63] > number.twist[s[0]&63] {
			s[0], s[i] = s[i], s[0]
		}
	}
	file := int(s[0] & 7)
	return min(file, 7-file)
}

// Index returns the number of the position with the pieces on squares s, in
// the order of Pieces, which it moves about; with pawns, Lead must have been
// called. It is below Size where the squares are those of a legal position.
func (l *Layout) Index(s *[MaxPieces]uint8) uint64 {
	if s[0]&4 != 0 {
		l.flip(s, 7)
	}
	var index uint64
	next, g := 0, 1
	if l.Pawns[0] > 0 {
		index = l.leadingPawns(s) * l.factor[0]
		next = l.Pawns[0]
		if l.Pawns[1] > 0 {
			index += combination(s, next, l.Pawns[1], 8) * l.factor[1]
			next, g = next+l.Pawns[1], 2
		}
	} else {
		index = l.leadingPieces(s) * l.factor[0]
		next = l.group[0]
	}
	for ; g < l.groups; g++ {
		index += combination(s, next, l.group[g], 0) * l.factor[g]
		next += l.group[g]
	}
	return index
}

// flip mirrors the squares: 7 left to right, 56 top to bottom.
func (l *Layout) flip(s *[MaxPieces]uint8, by uint8) {
	for i := range l.Count {
		s[i] ^= by
	}
}

// leadingPawns numbers the pawns of the leading colour.
func (l *Layout) leadingPawns(s *[MaxPieces]uint8) uint64 {
	k := l.Pawns[0]
	for i := 2; i < k; i++ { // the highest rank first
		for j := i; j > 1 && number.twist[s[j]&63] > number.twist[s[j-1]&63]; j-- {
			s[j], s[j-1] = s[j-1], s[j]
		}
	}
	index := number.lead[k-1][s[0]&63]
	for i := 1; i < k; i++ {
		index += number.choose[k-i][number.twist[s[i]&63]]
	}
	return index
}

// leadingPieces brings the board into the orientation in which the first piece
// stands in the triangle a1-d1-d4 and the first of the group that leaves the
// diagonal stands below it, and numbers the two kings or three pieces.
func (l *Layout) leadingPieces(s *[MaxPieces]uint8) uint64 {
	if s[0]&0x20 != 0 {
		l.flip(s, 56)
	}
	for i := range l.group[0] {
		if off := offDiagonal(int(s[i])); off != 0 {
			if off > 0 {
				for j := range l.Count {
					s[j] = s[j]&7<<3 | s[j]>>3
				}
			}
			break
		}
	}
	if l.kings {
		return uint64(number.kings[number.triangle[s[0]&63]%10][s[1]&63])
	}
	return threePieces(int(s[0]), int(s[1]), int(s[2]))
}

// threePieces numbers three different squares: with the first off the diagonal,
// with it alone on the diagonal, with the first two there, with all three.
func threePieces(a, b, c int) uint64 {
	skipB, skipC := 0, 0
	if b > a {
		skipB = 1
	}
	if c > a {
		skipC = 1
	}
	if c > b {
		skipC++
	}
	const off, one, two = 6 * 63 * 62, 4 * 28 * 62, 4 * 7 * 28
	switch {
	case offDiagonal(a) != 0:
		return uint64(int(number.triangle[a&63])*63*62 + (b-skipB)*62 + c - skipC)
	case offDiagonal(b) != 0:
		return uint64(off + (a&7)*28*62 + int(number.below[b&63])*62 + c - skipC)
	case offDiagonal(c) != 0:
		return uint64(off + one + (a&7)*7*28 + (b&7-skipB)*28 + int(number.below[c&63]))
	}
	return uint64(off + one + two + (a&7)*7*6 + (b&7-skipB)*6 + c&7 - skipC)
}

// combination numbers n like pieces, squares s[from:from+n], which it sorts,
// among the squares that the pieces before them leave; the first low squares
// do not count.
func combination(s *[MaxPieces]uint8, from, n int, low int) uint64 {
	group := s[from : from+n]
	for i := 1; i < len(group); i++ {
		for j := i; j > 0 && group[j] < group[j-1]; j-- {
			group[j], group[j-1] = group[j-1], group[j]
		}
	}
	index := uint64(0)
	for i, square := range group {
		place := int(square) - low
		for _, before := range s[:from] {
			if before < square {
				place--
			}
		}
		index += number.choose[i+1][place&63]
	}
	return index
}
