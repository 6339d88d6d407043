package games

import (
	"slices"
	"strings"

	"github.com/tabula-chess/tabula/chess"
)

// patternWord is a word of a pattern and how it reads its values: one, or one for each color.
type patternWord struct {
	word  string
	sided bool
	read  func(r *patternReader, values []token) stage
}

// vocabulary returns the words of a pattern.
func vocabulary() []patternWord {
	return []patternWord{
		{"pawns", true, bySide(standing)},
		{"onlypawns", true, onlyPawns},
		{"passed", true, bySide(func(b *board, m men) chess.Bitboard { return b.passed(m.piece.Color()) })},
		{"isolated", true, bySide(func(b *board, m men) chess.Bitboard { return b.isolated(m.piece.Color()) })},
		{"squares", false, squares},
		{"attacked", false, byPiece("PNBRQKpnbrqk", func(b *board, m men) chess.Bitboard {
			return b.attacked(m.piece.Color().Other(), b.pieces[m.piece]&m.region)
		})},
		{"pinned", false, byPiece("PNBRQpnbrq", func(b *board, m men) chess.Bitboard {
			return b.pinned(m.piece.Color()) & b.pieces[m.piece]
		})},
		{"empty", false, empty},
		{"open", false, open},
		{"castling", false, castling},
		{"material", false, material},
	}
}

const allSquares = ^chess.Bitboard(0)

// region reads a square, a file or a rank.
func (r *patternReader) region(t token) chess.Bitboard {
	text := strings.ToLower(t.text)
	if s, err := chess.ParseSquare(text); err == nil {
		return s.Bitboard()
	}
	if len(text) == 1 {
		if file := strings.Index("abcdefgh", text); file >= 0 {
			return chess.FileA << file
		}
		if rank := strings.Index("12345678", text); rank >= 0 {
			return chess.Rank1 << (8 * rank)
		}
	}
	r.fail(t, "%.20q: want a square such as d4, a file such as d or a rank such as 7", t.text)
	return 0
}

// men says that at least one man of a kind stands in a region.
type men struct {
	piece  chess.Piece
	region chess.Bitboard
}

// men reads where a man is to stand.
func (r *patternReader) men(pc chess.Piece, t token) men {
	m := men{pc, r.region(t)}
	if pc.Type() == chess.Pawn && m.region&^(chess.Rank1|chess.Rank8) == 0 {
		r.fail(t, "%.20q: no pawn can stand there", t.text)
	}
	return m
}

// set returns squares of the men that count, and perhaps others.
type set func(*board, men) chess.Bitboard

func standing(b *board, m men) chess.Bitboard { return b.pieces[m.piece] }

// count returns a test for each of some men: whether one of them counts.
func count(all []men, in set) (tests stage) {
	for _, m := range all {
		tests = append(tests, func(b *board) bool { return in(b, m)&m.region != 0 })
	}
	return tests
}

// side is the pawns of one color that a value names.
type side struct {
	pawn chess.Piece
	men  []men
}

// sides reads white for any pawn of White, or white:d4,e for pawns on d4 and on the e-file; if these are to be the only
// ones, there must be a list, which may be none.
func (r *patternReader) sides(values []token, only bool) (all []side) {
	for _, v := range values {
		_, list, given := v.cut(":")
		c, ok := v.color()
		s := side{pawn: chess.MakePiece(c, chess.Pawn)}
		switch {
		case !ok:
			r.fail(v, "%.20q: want white or black, such as white:d4,e5", v.text)
		case slices.ContainsFunc(all, func(o side) bool { return o.pawn == s.pawn }):
			r.fail(v, "%s is given twice", c)
		case only && list.is("none"):
		case !only && !given:
			s.men = []men{{s.pawn, allSquares}}
		default:
			for _, part := range list.list() {
				s.men = append(s.men, r.men(s.pawn, part))
			}
		}
		all = append(all, s)
	}
	return all
}

func bySide(in set) func(*patternReader, []token) stage {
	return func(r *patternReader, values []token) (tests stage) {
		for _, s := range r.sides(values, false) {
			tests = append(tests, count(s.men, in)...)
		}
		return tests
	}
}

func onlyPawns(r *patternReader, values []token) (tests stage) {
	for _, s := range r.sides(values, true) {
		here, all := count(s.men, standing), chess.Bitboard(0)
		for _, m := range s.men {
			all |= m.region
		}
		tests = append(tests, func(b *board) bool { return b.pieces[s.pawn]&^all == 0 && here.holds(b) })
	}
	return tests
}

// byPiece reads lists of men: N for any white knight, nc6 for a black one on c6, R7 for a white rook on the seventh
// rank.
func byPiece(letters string, in set) func(*patternReader, []token) stage {
	return func(r *patternReader, values []token) stage {
		var all []men
		for _, part := range values[0].list() {
			if part.text == "" || !strings.Contains(letters, part.text[:1]) {
				r.fail(part, "%.20q: want one of %s and a square, such as Nf5 or pg7", part.text, letters)
				break
			}
			pc, _ := chess.ParsePiece(part.text[:1])
			m := men{pc, allSquares}
			if len(part.text) > 1 {
				m = r.men(pc, token{part.text[1:], part.at + 1})
			}
			all = append(all, m)
		}
		return count(all, in)
	}
}

func squares(r *patternReader, values []token) stage {
	return byPiece("PNBRQKpnbrqk", standing)(r, values)
}

func empty(r *patternReader, values []token) (tests stage) {
	for _, part := range values[0].list() {
		region := r.region(part)
		tests = append(tests, func(b *board) bool { return b.occupied()&region == 0 })
	}
	return tests
}

func open(r *patternReader, values []token) (tests stage) {
	for _, part := range values[0].list() {
		if len(part.text) != 1 || !strings.Contains("abcdefgh", strings.ToLower(part.text)) {
			r.fail(part, "%.20q: want a file, such as d", part.text)
		}
		file := r.region(part)
		tests = append(tests, func(b *board) bool { return (b.pawns(chess.White)|b.pawns(chess.Black))&file == 0 })
	}
	return tests
}

func castling(r *patternReader, values []token) stage {
	want := 1
	if values[0].is("opposite") {
		want = -1
	} else if !values[0].is("same") {
		r.fail(values[0], "%.20q: want opposite or same", values[0].text)
	}
	return stage{func(b *board) bool { return b.wing(chess.White)*b.wing(chess.Black) == want }}
}

// material reads text such as KRPvKR, which is met with either color.
func material(r *patternReader, values []token) stage {
	var want [2]counts
	a, b, ok := values[0].cut("v")
	for i, side := range []token{a, b} {
		if !ok || !strings.HasPrefix(side.text, "K") {
			r.fail(values[0], "%.40q: want two sides, such as KRPvKR", values[0].text)
			break
		}
		for at, letter := range side.text[1:] {
			t := strings.IndexRune("PNBRQ", letter)
			if t < 0 {
				r.fail(token{"", side.at + 1 + at}, "%q: want P, N, B, R or Q", letter)
				break
			}
			want[i][t]++
		}
	}
	men := len(a.text) + len(b.text)
	return stage{func(b *board) bool {
		if b.occupied().Count() != men {
			return false
		}
		have := [2]counts{b.counts(chess.White), b.counts(chess.Black)}
		return have == want || have == [2]counts{want[1], want[0]}
	}}
}

// counts says how many men of each kind but the king a side has.
type counts [chess.King]int

func (b *board) counts(c chess.Color) (n counts) {
	for t := range n {
		n[t] = b.pieces[chess.MakePiece(c, chess.PieceType(t))].Count()
	}
	return n
}
