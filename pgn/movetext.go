package pgn

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/tabula-chess/tabula/chess"
)

// MaxNesting bounds how deep variations may stand inside variations.
const MaxNesting = 200

// level is a line that is being read.
type level struct {
	out   *Line
	base  int    // of its moves in the nodes of the Reader
	depth int    // of variations, 0 for the game
	open  place  // of its parenthesis
	marks []NAG  // in front of the first move
	first []Line // variations in front of the first move
	early bool   // there are such

	// At depth 0:
	resultTag string
	result    chess.Result
	resultAt  place
	marked    bool // there was a result
	ended     bool // there was, and nothing but remarks has followed
	over      bool // the next game follows
	forfeit   bool // both sides have lost
}

// line reads moves up to the end of the game or of the variation, and leaves the board where it
// was for a variation.
func (r *Reader) line(l *level) error {
	parted := false // a line that parts games came before
	for {
		if err := r.tooLong(); err != nil {
			return err
		}
		line := r.in.line
		r.in.space()
		r.tokens++
		at := r.in.here()
		apart := at.line > line+1 || parted
		parted = false
		c := r.in.peek()
		var err error
		switch {
		case c >= '0' && c <= '9' || c >= 'A' && c <= 'Z' || c >= 'a' && c <= 'z':
			err = r.word(l, at, apart)
		case c < 0, c == '[' && r.in.beginsGame():
			if l.depth > 0 {
				r.warn(l.open, "a variation that is not closed")
				r.torn = r.torn || r.result == r.tokens-1
			}
			r.close(l, at)
			return nil
		case c == '{' || c == ';':
			err = r.comment(r.comments(l))
		case r.in.blankTo == r.in.pos && r.in.separator() > 0:
			r.drop(at, r.in.separator())
			parted = true
		case c == '%':
			r.warn(at, "%% inside a line: read as a comment")
			err = r.comment(r.comments(l))
		case c == '(':
			err = r.variation(l)
		case c == ')' && l.depth > 0:
			r.in.skip()
			r.close(l, at)
			return nil
		case c == '$':
			err = r.nag(l, at)
		case c == '*':
			r.in.skip()
			err = r.marker(l, at, chess.NoResult, "*")
		case ends(byte(c)):
			err = r.sign(l, at, c)
		default:
			err = r.word(l, at, apart)
		}
		if err != nil {
			return err
		}
		switch {
		case l.over:
			r.close(l, at)
			return nil
		case l.early && len(r.nodes) > l.base:
			n := &r.nodes[l.base]
			n.NAGs = append(l.marks, n.NAGs...)
			n.Variations = append(l.first, n.Variations...)
			l.marks, l.first, l.early = nil, nil, false
		}
	}
}

// close moves the nodes of a line into its Line. What stands in front of a first move that
// does not come is kept as far as possible: variations by the line that this one departs from.
func (r *Reader) close(l *level, at place) {
	if len(l.marks) > 0 {
		r.warn(at, "annotations without a move: kept as a comment")
		l.out.Comments = append(l.out.Comments, strings.Trim(fmt.Sprint(l.marks), "[]"))
	}
	if len(l.first) > 0 && l.depth == 0 {
		r.warn(at, "a variation of no move: dropped")
	}
	if len(r.nodes) == l.base {
		return
	}
	if l.depth > 0 {
		for range r.nodes[l.base:] {
			r.p.Unmake()
		}
	}
	if r.visitor == nil {
		l.out.Moves = slices.Clone(r.nodes[l.base:])
	}
	r.nodes = r.nodes[:l.base]
}

// comments returns where a comment belongs: to the last move, or to the line.
func (r *Reader) comments(l *level) *[]string {
	if len(r.nodes) == l.base {
		return &l.out.Comments
	}
	return &r.nodes[len(r.nodes)-1].Comments
}

// variation reads from one parenthesis to the other.
func (r *Reader) variation(l *level) error {
	at := r.in.here()
	if l.depth == MaxNesting {
		return r.fail(at, "variations nested deeper than %d", MaxNesting)
	}
	if err := r.count(at); err != nil {
		return err
	}
	r.in.skip()
	last := len(r.nodes) - 1
	early := last < l.base
	if !early {
		r.p.Unmake()
	}
	if r.visitor != nil {
		return r.visitVariation(l, at, last)
	}
	var v Line
	inner := level{out: &v, base: len(r.nodes), depth: l.depth + 1, open: at}
	if err := r.line(&inner); err != nil {
		return err
	}
	to := &l.first
	if early {
		l.early = true
	} else {
		play(&r.p, r.nodes[last].Move)
		to = &r.nodes[last].Variations
	}
	if len(v.Moves)+len(v.Comments) > 0 {
		*to = append(*to, v)
	}
	*to = append(*to, inner.first...)
	return nil
}

// nag reads a dollar sign and a number.
func (r *Reader) nag(l *level, at place) error {
	n, digits := 0, 1
	for c := r.in.ahead(digits); c >= '0' && c <= '9' && n <= MaxNAG; c = r.in.ahead(digits) {
		n, digits = n*10+c-'0', digits+1
	}
	if digits == 1 || n > MaxNAG {
		r.drop(at, digits)
		return nil
	}
	r.in.pos += digits
	return r.annotate(l, at, NAG(n))
}

// annotate gives the last move a NAG, or the first one where none has been read.
func (r *Reader) annotate(l *level, at place, n NAG) error {
	if r.visitor != nil {
		r.visitor.NAG(n)
	} else if len(r.nodes) == l.base {
		l.marks, l.early = append(l.marks, n), true
	} else {
		last := &r.nodes[len(r.nodes)-1]
		last.NAGs = append(last.NAGs, n)
	}
	return r.count(at)
}

// marker ends the game by a result. In a variation a result is a comment.
func (r *Reader) marker(l *level, at place, result chess.Result, text string) error {
	r.result = r.tokens
	switch {
	case l.depth > 0 && result == chess.NoResult:
	case l.depth > 0:
		r.warn(at, "the result %s in a variation: kept as a comment", text)
		list := r.comments(l)
		r.say(list, text)
	case !l.marked || l.result == chess.NoResult:
		l.result, l.resultAt, l.marked, l.ended = result, at, true, true
	default:
		if l.ended = true; result != l.result && result != chess.NoResult {
			r.warn(at, "a second result, %s: dropped", text)
		}
	}
	return nil
}

// moveNumber is the move number read last.
type moveNumber struct {
	value int
	dots  int
	token int  // what r.tokens was
	moves int  // what r.moves was
	shift int  // of numbers without dots, against those of the moves
	paren bool // some number of the game stands before a closing parenthesis, as in "1) e4"
}

// take keeps a number that a word begins with, of so many digits and bytes with its dots.
func (r *Reader) take(value, digits, number int) {
	if digits > 0 || r.number.token != r.tokens-1 { // or "1. ... e5"
		r.number.value = value
	}
	r.number.dots, r.number.token, r.number.moves = number-digits, r.tokens, r.moves
}

// word reads a word. apart tells that there is an empty line in front of it.
func (r *Reader) word(l *level, at place, apart bool) error {
	word := r.in.token()
	first := r.in.blankTo == r.in.pos-len(word)
	if l.ended && r.nextGame(l, at, word, first) || apart && l.depth == 0 && r.beginsAgain(at, word) {
		r.in.pos -= len(word)
		l.over = true
		return nil
	}
	if r.short && l.depth == 0 { // behind the result
		return r.keepRest(l, at, string(word))
	}
	if i := markEnd(word); i < len(word) { // "e4!e5": what follows the mark is another word
		r.in.pos -= len(word) - i
		word = word[:i]
	}
	if l.ended {
		return r.oddWord(l, at, word)
	}
	rest, err := r.plainWord(l, at, word)
	if err != nil || len(rest) == 0 {
		return err
	}
	return r.oddWord(l, at.plus(len(word)-len(rest)), rest)
}

// plainWord reads a move number, a move or a result as the standard has them, and returns what is left: nothing, or
// what is none of them, without a number before it.
func (r *Reader) plainWord(l *level, at place, word []byte) (rest []byte, err error) {
	switch string(word) {
	case "1-0":
		return nil, r.marker(l, at, chess.WhiteWins, "1-0")
	case "0-1":
		return nil, r.marker(l, at, chess.BlackWins, "0-1")
	case "1/2-1/2":
		return nil, r.marker(l, at, chess.Draw, "1/2-1/2")
	}
	if word[0] <= '9' {
		value, digits, number := numberOf(word)
		if number == digits || digits > mostDigits ||
			number < len(word) && word[number] <= '9' && isDecimal(string(word), digits) {
			return word, nil
		}
		r.take(value, digits, number)
		if word, at = word[number:], at.plus(number); len(word) == 0 {
			return nil, nil
		}
	}
	end := len(word)
	for end > 0 && (word[end-1] == '!' || word[end-1] == '?') {
		end--
	}
	mark := 0
	if end < len(word) {
		mark = slices.Index(glyphs[:], string(word[end:]))
	}
	if end == 0 || mark < 0 || end >= maxToken-2 {
		return word, nil
	}
	m, wrong := r.p.ParseSAN(string(word[:end]))
	if wrong != nil {
		return word, nil
	}
	if err := r.play(at, m); err != nil || mark == 0 {
		return nil, err
	}
	return nil, r.annotate(l, at, NAG(mark))
}

// markEnd returns where the first annotation mark in a word ends, the length of
// the word where it has none or nothing behind it.
func markEnd(word []byte) int {
	i := 0
	for i < len(word) && word[i] != '!' && word[i] != '?' {
		i++
	}
	for i < len(word) && (word[i] == '!' || word[i] == '?') {
		i++
	}
	return i
}

// mostDigits bounds the digits of a move number.
const mostDigits = 8

// numberOf returns the number that word begins with, the length of its digits, and of these and
// the dots behind them.
func numberOf(word []byte) (value, digits, number int) {
	for digits < len(word) && word[digits] >= '0' && word[digits] <= '9' {
		value = (value*10 + int(word[digits]-'0')) & (1<<30 - 1)
		digits++
	}
	for number = digits; number < len(word) && word[number] == '.'; {
		number++
	}
	return value, digits, number
}

// play plays a legal move or a null move.
func (r *Reader) play(at place, m chess.Move) error {
	if r.p.Plies() >= MaxPlies {
		return r.fail(at, "more than %d moves in a row", MaxPlies)
	}
	if err := r.count(at); err != nil {
		return err
	}
	if r.moves++; r.MaxMoves > 0 && r.moves > r.MaxMoves {
		return r.fail(at, "more than %d moves, variations included", r.MaxMoves)
	}
	if r.repaired != nil && m.Kind() == chess.Castling && !isStandard(m) {
		r.repaired = nil // the game has these rights
	}
	r.moved = r.tokens
	if r.visitor != nil {
		r.visitor.Move(&r.p, m)
	}
	play(&r.p, m)
	r.nodes = append(r.nodes, Node{Move: m})
	return nil
}

// isStandard reports whether a castling move is one of standard chess.
func isStandard(m chess.Move) bool {
	from, to := m.From(), m.To() // the king and the rook
	return (from == chess.E1 || from == chess.E8) && (to.File() == 0 || to.File() == 7)
}

// comment reads a comment in braces or to the end of the line and appends it
// to list, unless it is empty. Braces in braces belong to the comment where they match. One that is
// not closed ends where the next game begins.
func (r *Reader) comment(list *[]string) error {
	in, open := &r.in, r.in.here()
	brace := in.peek() == '{'
	in.skip()
	r.note = r.note[:0]
	nested := -1 // how many braces inside are open, where that was asked
	for {
		if brace && (in.peek() < 0 || in.pos == in.lineStart && in.eventLine(0) && !in.closesComment(false)) {
			r.warn(open, "a comment that is not closed")
			break
		}
		chunk := in.buf[in.pos:in.end]
		// One walk: a search for the brace alone would look through the whole
		// buffer for each line of a long comment.
		for i, c := range chunk {
			if c == '\n' || c == '}' && brace {
				chunk = chunk[:i]
				break
			}
		}
		r.note = append(r.note, chunk...)
		in.pos += len(chunk)
		if err := r.tooLong(); err != nil {
			return err
		}
		if in.pos == in.end && in.peek() >= 0 { // the comment goes on in what was just read
			continue
		}
		if !brace {
			break
		}
		if c := in.peek(); c >= 0 {
			in.skip()
			switch {
			case c != '}':
				r.note = append(bytes.TrimSuffix(r.note, []byte{'\r'}), ' ')
				continue
			case nested < 0:
				nested = bytes.Count(r.note, []byte{'{'})
			}
			if nested > 0 && in.closesComment(true) { // up to which there is no other brace
				nested--
				r.note = append(r.note, '}')
				continue
			}
			break
		}
	}
	if text := trimComment(r.note); text != "" {
		r.say(list, toUTF8(text))
	}
	return r.count(open)
}
