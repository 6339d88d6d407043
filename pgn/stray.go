package pgn

import (
	"strings"
	"unicode"

	"github.com/tabula-chess/tabula/chess"
)

// strayWindow is how far ahead is looked for the tag behind a stray text, in bytes.
const strayWindow = 1 << 10

// strayText returns the length of the text that comes next where it stands among the tags of a game, as a
// line "Round 3" or "12.05.2024" does: a tag of the same game follows, and no movetext comes before it. apart
// says that an empty line is in front of it. Otherwise the length is 0, and no text before the offset tried is one.
func (r *Reader) strayText(apart bool) (length, tried int) {
	in := &r.in
	if len(r.tags) == 0 {
		return 0, 0
	}
	if in.ahead(4) >= 0 && in.peek() == '1' {
		if b := in.buf[in.pos:][:5]; b[1] == '.' && b[2] == ' ' && b[3]-'a' < 8 && b[4]-'1' < 8 {
			return 0, in.offset() + 5 // as most games begin: "1. e4"
		}
	}
	s := signs{apart: apart}
	first := false // of its line
	end := func(n int) {
		if length == 0 {
			length = n
		}
	}
	n := 0
	for ; n < strayWindow && !s.numbered; n++ {
		switch c := in.ahead(n); {
		case c < 0:
			return 0, in.offset() + n
		case c == '\n':
			s.apart, first = s.apart || first, true
			continue
		case isBlank(c) || c == '\r':
			continue
		case c == '[' && in.isTag(n):
			if s.movetext(in.has(n, eventTag)) || r.anotherGame(n, true) {
				return 0, in.offset() + n
			}
			end(n)
			return length, 0
		case c == '[' && first:
			end(n)
		case c == '{', c == ';' && !s.entity, c == '%' && n > 0 && in.buf[in.pos+n-1] == '\n':
			end(n)
			closing := byte('\n')
			if c == '{' {
				closing = '}'
			}
			for n++; n < strayWindow && in.ahead(n) >= 0 && in.buf[in.pos+n] != closing; n++ {
			}
			if c != '{' {
				n--
			}
		case c == '*':
			s.results++
		case !ends(byte(c)):
			to := n + 1
			for ; to < n+maxToken && in.ahead(to) >= 0 && !ends(in.buf[in.pos+to]); to++ {
			}
			s.word(string(in.buf[in.pos+n : in.pos+to]))
			n = to - 1
			first = false
			continue
		}
		s.entity, first = false, false
	}
	if !s.numbered {
		n /= 2 // so that a long text is not looked through from each of its words
	}
	return 0, in.offset() + n
}

// signs are what tells movetext from other texts.
type signs struct {
	moves    int // words of the shape of a move
	results  int
	number   bool // the last word was a move number
	numbered bool // a move stands behind its number
	prose    bool // there are words that can be nothing else
	apart    bool // there is an empty line before, behind or inside
	entity   bool // the last word was a character of HTML but for its semicolon
}

// word counts a word.
func (s *signs) word(word string) {
	text := tidy(word)
	_, digits, dots := numberOf([]byte(text))
	number := s.number || dots > digits
	s.number, s.entity = false, isEntity(text)
	switch rest := text[dots:]; {
	case rest == "":
		s.number = number
	case moveShape(rest):
		s.moves++
		s.numbered = number
	case number && chess.IsNullMove(rest):
		s.numbered = true
	case isResult(strings.TrimRight(text, ".,")) || isResult(rest):
		s.results++
	case isProse(word):
		s.prose = true
	}
}

// movetext reports whether the text up to a tag, perhaps an Event tag, is that of a game. A single move and a result
// are, where an empty line parts them from the tags; a result is in front of an Event tag, as endsGame has it.
func (s *signs) movetext(event bool) bool {
	return s.numbered || s.results > 0 && (s.apart || event) ||
		!s.prose && (s.moves > 1 || s.moves == 1 && (s.apart || s.results > 0))
}

// keepStray makes a comment of a text of so many bytes among the tags, unless it is nothing but signs.
func (r *Reader) keepStray(at place, length int, list *[]string) error {
	r.in.ahead(length - 1)
	text := strings.Join(strings.Fields(toUTF8(string(r.in.buf[r.in.pos:r.in.pos+length]))), " ")
	for range length {
		r.in.skip()
	}
	if !strings.ContainsFunc(text, func(c rune) bool { return unicode.IsLetter(c) || unicode.IsNumber(c) }) {
		r.warn(at, "unexpected %.40q: dropped", text)
		return nil
	}
	r.warn(at, "%.40q is no move: kept as a comment", text)
	r.say(list, text)
	return r.count(at)
}

// separator returns the length of a line that only parts games, such as "=====" or "--- Game 2 ---": signs alone, or
// words between such signs. 0 is none. Two or three dashes may be null moves.
func (in *input) separator() (length int) {
	const most = 120
	sign := in.peek()
	if strings.IndexByte("-=*_~#+", byte(sign)) < 0 || in.ahead(1) != sign && in.ahead(1) != ' ' {
		return 0
	}
	for length = 1; length < most && in.ahead(length) >= 0 && in.buf[in.pos+length] != '\n'; length++ {
	}
	text := strings.TrimRight(string(in.buf[in.pos:in.pos+length]), " \t\r")
	signs := text[:1]
	run, least := len(text)-len(strings.TrimLeft(text, signs)), 3
	if sign == '-' {
		least = 4
	}
	middle := strings.Trim(text, signs+" \t")
	words, moves := wordsOf(middle)
	switch {
	case length == most || moves || run < 2 && (sign == '-' || middle != ""):
		return 0
	case middle == "" && strings.Count(text, signs) >= least && (sign != '-' || run == len(text)):
		return len(text)
	case middle != "" && strings.HasSuffix(text, text[:2]) && (run >= least || words):
		return len(text)
	}
	return 0
}

// wordsOf reports whether a text has words that are no moves, and whether it has moves.
func wordsOf(text string) (words, moves bool) {
	for _, word := range strings.Fields(toUTF8(text)) {
		text := tidy(word)
		_, _, number := numberOf([]byte(text))
		switch text = text[number:]; {
		case moveShape(text) || chess.IsNullMove(text):
			moves = true
		case len(text) > 1 && symbolOf(text) == 0 && strings.ContainsFunc(text, unicode.IsLetter):
			words = true
		}
	}
	return words, moves
}

// isPass reports whether a null move at a place is one, and no dash: behind a move number, or in front of a move, the
// next number, an annotation or a result, or behind a move at the end.
func (r *Reader) isPass(at place) bool {
	in, n := &r.in, 0
	if number := &r.number; number.dots > 0 && number.token >= r.tokens-1 && number.moves == r.moves {
		return true
	}
	for c := in.ahead(n); n < window && (isBlank(c) || c == '\n' || c == '\r'); c = in.ahead(n) {
		n++
	}
	switch c := in.ahead(n); {
	case c < 0 || c == '[':
		return r.moved == r.tokens-1 && at.offset > in.passed+in.blankTo
	case strings.IndexByte("{;()$*", byte(c)) >= 0:
		return true
	}
	to := n
	for ; to < n+maxToken && in.ahead(to) >= 0 && !ends(in.buf[in.pos+to]); to++ {
	}
	text := tidy(string(in.buf[in.pos+n : in.pos+to]))
	v, digits, dots := numberOf([]byte(text))
	switch {
	case isResult(strings.TrimRight(text, ".,")) || chess.IsNullMove(text) || symbolOf(text) != 0:
		return true
	case digits == 0 || dots == digits && digits < len(text):
		return moveShape(text)
	case r.p.SideToMove() == chess.White: // who has a number of his own, unless Black's follows
		return dots > digits+1
	}
	return v != r.p.FullmoveNumber()
}
