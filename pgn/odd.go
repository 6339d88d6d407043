package pgn

import (
	"cmp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tabula-chess/tabula/chess"
)

// symbols are what programs and people write in place of NAGs: the assessments of the standard's
// table, those of books, and ChessBase's N for a novelty and D for a diagram; -1 stands for a
// symbol that does not say which side it is about.
var symbols = [...]struct {
	text string
	nag  int
}{

	{"!!", 3}, {"‼", 3}, {"??", 4}, {"⁇", 4}, {"!?", 5}, {"⁉", 5}, {"?!", 6}, {"⁈", 6}, {"!", 1}, {"?", 2},
	{"□", 7}, {"☐", 7}, {"=", 10}, {"∞", 13}, {"+/=", 14}, {"+=", 14}, {"⩲", 14}, {"=/+", 15}, {"=+", 15}, {"⩱", 15},
	{"+/-", 16}, {"±", 16}, {"-/+", 17}, {"∓", 17}, {"+-", 18}, {"-+", 19}, {"∆", 140},
	{"Δ", 140}, {"△", 140}, {"∇", 141}, {"⌓", 142}, {"<=", 143}, {"≤", 143}, {"RR", 145}, {"N", 146},
	{"TN", 146}, {"D", 220}, {"=/∞", -1},
}

// symbolOf returns the number of a symbol, 0 for other texts.
func symbolOf(text string) int {
	for i := range symbols {
		if symbols[i].text == text {
			return symbols[i].nag
		}
	}
	return 0
}

// lookalikes are characters that only look different from ASCII: dashes, stops, files in Cyrillic, as are
// the letters of O-O, and marks in one character. What does not show is left out.
var lookalikes = strings.NewReplacer(
	"‐", "-", "‑", "-", "‒", "-", "–", "-", "—", "-", "―", "-", "−", "-", "﹘", "-", "﹣", "-",
	"…", "...", "。", ".", "、", ".", "а", "a", "с", "c", "е", "e", "×", "x", "†", "+", "‡", "#",
	"\ufe0e", "", "\ufe0f", "", "\u00ad", "",
)

// tidy returns a word as ASCII has it where characters only look different, those of East Asian width too.
func tidy(word string) string {
	if !strings.ContainsFunc(word, func(c rune) bool { return c >= utf8.RuneSelf }) {
		return word
	}
	return lookalikes.Replace(strings.Map(func(c rune) rune {
		if c > 0xff00 && c < 0xff5f {
			c -= 0xfee0
		}
		return c
	}, toUTF8(word)))
}

// oddWord reads a word that is no number, move or result as the standard has it. It may be of
// several parts. The bytes are the last ones that the input has passed.
func (r *Reader) oddWord(l *level, at place, bytes []byte) error {
	for i, width := 0, 0; i < len(bytes); i += width {
		if wideSpace(bytes[i:]) > 0 { // "1.", a no-break space and "e4"
			r.in.pos -= len(bytes) - i
			bytes = bytes[:i]
			break
		}
		_, width = utf8.DecodeRune(bytes[i:])
	}
	o := oddText{at: at, text: tidy(string(bytes)), whole: string(bytes)}
	if joined, ok := r.spaced(o.text); ok {
		o.text, o.whole = joined, joined
	}
	for o.text != "" {
		n, err := 0, error(nil)
		for i := 0; n == 0 && err == nil; i++ { // the last rule takes all
			n, err = oddRules[i].read(r, l, o)
		}
		if err != nil {
			return err
		}
		o.at, o.text, o.whole = o.at.plus(n), o.text[n:], ""
	}
	return nil
}

// oddText is a word, or what is left of one, with ASCII in place of what only looks different.
type oddText struct {
	at    place
	text  string
	whole string // the word as the input has it; "" for what is left of one
}

// oddRules read words that the standard does not have, the first that can. Each returns the length of what it has read.
var oddRules = [...]struct {
	what string
	read func(r *Reader, l *level, o oddText) (n int, err error)
}{
	{"a result in another form", func(r *Reader, l *level, o oddText) (int, error) {
		name := strings.TrimRight(o.text, ".,")
		result, ok := resultOf(name)
		if name == "" || !ok {
			return 0, nil
		}
		return len(o.text), r.marker(l, o.at, result, name)
	}},
	{"0-0 where both have lost", func(r *Reader, l *level, o oddText) (int, error) {
		if o.whole == "" || o.text != bothLose || l.depth > 0 || !r.forfeit(l) {
			return 0, nil
		}
		l.forfeit = true
		return len(o.text), r.marker(l, o.at, chess.NoResult, o.text)
	}},
	{"a null move", func(r *Reader, l *level, o oddText) (int, error) {
		null := strings.TrimRight(o.text, "!?")
		if l.ended || !chess.IsNullMove(null) || !r.isPass(o.at) {
			return 0, nil
		}
		return len(null), r.play(o.at, chess.NoMove)
	}},
	{"an evaluation", func(r *Reader, l *level, o oddText) (int, error) {
		if o.whole == "" || !isValue(o.text) {
			return 0, nil
		}
		return len(o.text), r.remark(o.at, r.comments(l), o.whole)
	}},
	{"a character of HTML", func(r *Reader, l *level, o oddText) (int, error) {
		if r.in.peek() != ';' || !isEntity(o.text) {
			return 0, nil
		}
		r.in.skip()
		r.warn(o.at, "unexpected %q: dropped", o.text+";")
		return len(o.text), nil
	}},
	{"a move number", func(r *Reader, l *level, o oddText) (int, error) { return r.oddNumber(l, o.at, o.text) }},
	{"a symbol for a NAG, a check or en passant", func(r *Reader, l *level, o oddText) (int, error) {
		return r.symbol(l, o.at, o.text, o.whole != "")
	}},
	{"a move, perhaps with more behind it", func(r *Reader, l *level, o oddText) (int, error) {
		m, n := r.splitMove(o.text)
		if n == 0 || l.ended {
			return 0, nil
		}
		_, err := r.p.ParseSAN(o.text[:n])
		if _, typed := r.p.ReadMove(o.text[:n]); err != nil && typed == nil { // by letters of the wrong case
			r.warn(o.at, "%s: read as %s", o.text[:n], r.p.SAN(m))
		}
		return n, r.play(o.at, m)
	}},
	{"punctuation", func(r *Reader, _ *level, o oddText) (int, error) {
		n := len(o.text) - len(strings.TrimLeft(o.text, ".,:;'`´’-/\\|&^~_@"))
		if o.text == "x" {
			n = 1
		}
		if n > 0 {
			r.warn(o.at, "unexpected %q: dropped", o.text[:n])
		}
		return n, nil
	}},
	{"what looks like a move", func(r *Reader, l *level, o oddText) (int, error) {
		if l.ended || !r.looksLikeMove(o.text) {
			return 0, nil
		}
		return len(o.text), r.noMove(l, o.at, o.text)
	}},
	{"prose", func(r *Reader, l *level, o oddText) (int, error) {
		goesOn := isProse
		if l.ended {
			goesOn = afterResult
		}
		return len(o.text), r.remarkWhile(o.at, r.comments(l), cmp.Or(o.whole, o.text), goesOn)
	}},
}

// oddNumber reads a move number without dots, or one with dots in the middle of a word.
func (r *Reader) oddNumber(l *level, at place, text string) (n int, err error) {
	v, digits, number := numberOf([]byte(text))
	if l.ended {
		return 0, nil
	}
	castling := digits > 1 && strings.Trim(text, "0") == "" // "00", which is refused as OO is
	if number == 0 || digits > mostDigits || castling || isDecimal(text, digits) {
		return 0, nil
	}
	known := r.p.FullmoveNumber()
	if number == digits {
		switch {
		case digits < len(text) && v != known:
			return 0, nil
		case digits < len(text) && strings.IndexByte(":,-", text[digits]) >= 0: // "1: e4"
			number++
		case digits < len(text): // "1e4"
			if m, length := r.splitMove(text[digits:]); length == 0 || m == chess.NoMove {
				return 0, nil
			}
		case digits >= 4 && v != known && strings.Trim(text, "12345678") == "":
			return len(text), r.cut(l, at, text, &chess.MoveError{Text: text, Reason: "want moves in algebraic notation"})
		case r.in.peek() == ')' && (l.depth == 0 || r.number.paren): // "1) e4"
			r.in.skip()
			r.number.paren = true
		case l.depth == 0 && len(r.nodes) == 0:
			r.number.shift = v - known
		case v != known && v != known+r.number.shift:
			return digits, r.remark(at, r.comments(l), text)
		}
	}
	r.take(v, digits, number)
	return number, nil
}

// isDecimal reports whether a text that begins with so many digits is a number with a fraction, such
// as "0.25/12", or a time: no move number in front of a result or castling.
func isDecimal(text string, digits int) bool {
	if digits == 0 || digits == len(text) || strings.IndexByte(".,:", text[digits]) < 0 {
		return false
	}
	rest := text[digits+1:]
	_, fraction, number := numberOf([]byte(rest))
	if fraction == 0 || fraction > 3 || number > fraction {
		return false
	}
	castling, _ := castlingLength(rest)
	return castling == 0 && !isResult(strings.TrimRight(rest, ".,"))
}

// isValue reports whether a text is an evaluation with its sign, such as "+0.25/12" or "-M5", or "#3".
func isValue(text string) bool {
	value := strings.TrimLeft(text, "+-")
	if len(value) != len(text)-1 && text[0] != '#' {
		return false
	}
	value = strings.TrimLeft(value, "M#")
	return value != "" && strings.Trim(value, "0123456789.,/:%") == "" && value[0] <= '9'
}

// isEntity reports whether a text is a character reference of HTML but for its semicolon, such as
// "&nbsp".
func isEntity(text string) bool {
	return len(text) > 1 && text[0] == '&' && !strings.ContainsFunc(text[1:], func(c rune) bool {
		return c != '#' && !isLetter(byte(c)) && !(c >= '0' && c <= '9') || c >= utf8.RuneSelf
	})
}

// symbol reads what stands for a NAG, or says that a move checks, mates or captures en passant.
// alone tells that the text is a word of its own.
func (r *Reader) symbol(l *level, at place, text string, alone bool) (n int, err error) {
	if run := len(text) - len(strings.TrimLeft(text, "!?")); run > 0 {
		if nag := symbolOf(text[:run]); nag > 0 {
			return run, r.annotate(l, at, NAG(nag))
		}
		return run, r.remark(at, r.comments(l), text[:run])
	}
	for n := min(len(text), 7); n > 0; n-- {
		nag := symbolOf(text[:n])
		switch {
		case nag == 0 || isLetter(text[0]) && n < len(text):
		case n == 1 && isLetter(text[0]) && alone:
			return n, r.letter(l, at, text, NAG(nag))
		case nag < 0:
			return n, r.remark(at, r.comments(l), text[:n])
		default:
			return n, r.annotate(l, at, NAG(nag))
		}
	}
	if n := len(text) - len(strings.TrimLeft(text, "+#")); n > 0 {
		if len(r.nodes) == l.base || alone && !r.p.InCheck() {
			r.warn(at, "unexpected %q: dropped", text[:n])
		}
		return n, nil
	}
	switch checkWord(text) {
	case "check":
		if len(r.nodes) > l.base && r.p.InCheck() {
			return len(text), nil
		}
	case "ep":
		if r.p.LastMove().Kind() == chess.EnPassant && len(r.nodes) > l.base {
			return len(text), nil
		}
	}
	return 0, nil
}

// letter reads a letter that stands alone: the sign for a NAG, as N for a novelty, or what is left of a move.
func (r *Reader) letter(l *level, at place, text string, nag NAG) error {
	numbered, square := r.number.token >= r.tokens-1 && r.number.moves == r.moves, r.squareAhead()
	switch {
	case numbered && square != "":
		return r.noMove(l, at, text)
	case numbered:
		return r.remark(at, r.comments(l), text)
	}
	if _, err := r.p.ReadMove(text + square); err == nil {
		r.warn(at, "%q before %s: read as $%d", text, square, nag)
	}
	return r.annotate(l, at, nag)
}

// checkWord returns "check" or "ep" for what people write behind moves that check or mate, or
// capture en passant.
func checkWord(text string) string {
	switch strings.ToLower(strings.TrimRight(text, ".+#")) {
	case "ch", "check", "mate", "checkmate":
		return "check"
	case "ep", "e.p":
		return "ep"
	}
	return ""
}

// keepRest keeps a text that cannot be read, and what follows it in its variation, or in the game up to the result, as
// a comment.
func (r *Reader) keepRest(l *level, at place, text string) error {
	rest, list := []byte(text), r.comments(l)
	for open, apart := 0, false; ; {
		if err := r.tooLong(); err != nil {
			return err
		}
		behind, line := r.in.offset(), r.in.line
		r.in.space()
		here, c := r.in.here(), r.in.peek()
		word := string(r.in.token())
		l.over = l.depth == 0 && open <= 0 && here.line > line+1 && r.beginsAgain(here, []byte(word))
		if l.over || c < 0 || c == '[' && r.in.beginsGame() || c == ')' && open == 0 && l.depth > 0 {
			r.in.pos -= len(word)
			r.say(list, toUTF8(trimComment(rest)))
			return r.count(at)
		}
		if apart = apart && c != ')' || here.offset > behind || c == '{' || c == ';'; apart {
			rest, apart = append(rest, ' '), false
		}
		if joined, ok := r.spaced(word); ok {
			word = joined
		}
		result, ends := resultOf(word)
		if r.result = -1; ends || c == '*' {
			r.result = r.tokens
		}
		switch {
		case l.depth == 0 && open <= 0 && (ends || c == '*'):
			if c == '*' {
				r.in.skip()
			}
			r.say(list, toUTF8(trimComment(rest)))
			return cmp.Or(r.count(at), r.marker(l, here, result, word))
		case word != "":
			rest = append(rest, word...)
			continue
		case c == '{' || c == ';':
			var notes []string
			if err := r.comment(&notes); err != nil {
				return err
			}
			note := strings.ReplaceAll(strings.Join(notes, ""), "[%", "[") // clocks of other moves than the last one
			rest, apart = append(rest, note...), true
			continue
		case c == '(':
			open++
		case c == ')':
			open--
		}
		rest = append(rest, byte(c))
		r.in.skip()
	}
}

// remark makes a comment of a text and of the prose that follows it.
func (r *Reader) remark(at place, list *[]string, text string) error {
	return r.remarkWhile(at, list, text, isProse)
}

// remarkWhile is remark where also other words go on a remark on the same line.
func (r *Reader) remarkWhile(at place, list *[]string, text string, goesOn func(word string) bool) error {
	r.warn(at, "%.40q is no move: kept as a comment", text)
	r.note = append(r.note[:0], text...)
	line := r.in.line
	for long := len(text) == maxToken; ; {
		if err := r.tooLong(); err != nil {
			return err
		}
		if !long {
			r.in.space()
		}
		word := r.in.token()
		if !long && !isProse(string(word)) && (r.in.line > line || !goesOn(string(word))) {
			r.in.pos -= len(word)
			break
		}
		line = r.in.line
		if !long {
			r.note = append(r.note, ' ')
		}
		r.note = append(r.note, word...)
		long = len(word) == maxToken
	}
	r.say(list, toUTF8(trimComment(r.note)))
	return r.count(at)
}

// isProse reports whether a word can be nothing but a word: letters, with the punctuation of
// words, that are no move and stand for nothing.
func isProse(word string) bool {
	letters := 0
	for _, c := range toUTF8(word) {
		switch {
		case unicode.IsLetter(c):
			letters++
		case !strings.ContainsRune(".,:'’-&/!?", c) || letters == 0:
			return false
		}
	}
	text := tidy(word)
	return (letters > 1 || word == "a") && symbolOf(text) == 0 && checkWord(text) == "" && !chess.IsNullMove(text) &&
		!moveShape(text)
}

// closings are the bytes that may end a span.
const closings = `]">`

// span makes a comment of what follows up to a closing byte on the same line. Without one it drops
// the byte that comes next.
func (r *Reader) span(at place, list *[]string, closing byte) error {
	in := &r.in
	unclosed := &in.unclosed[strings.IndexByte(closings, closing)]
	for n := 1; n < 1<<10 && in.offset() >= *unclosed; n++ {
		switch c := in.ahead(n); {
		case c == int(closing):
			text := toUTF8(trimComment(append(r.note[:0], in.buf[in.pos:in.pos+n+1]...)))
			in.pos += n + 1
			r.warn(at, "%.40q is no move: kept as a comment", text)
			r.say(list, text)
			return r.count(at)
		case c < 0 || c == '\n' || n == 1<<10-1:
			*unclosed = in.offset() + n
		}
	}
	r.drop(at, 1)
	return nil
}

// sign reads punctuation that the standard gives no meaning in movetext.
func (r *Reader) sign(l *level, at place, c int) error {
	switch next := r.in.ahead(1); {
	case c == '[':
		return r.span(at, r.comments(l), ']')
	case c == '"':
		return r.span(at, r.comments(l), '"')
	case c == '<' && next == '>': // a null move
		r.in.pos += len("<>")
		return r.play(at, chess.NoMove)
	case c == '<' && next == '=':
		r.in.pos += len("<=")
		return r.annotate(l, at, NAG(symbolOf("<=")))
	case c == '<' && (next == '/' || next >= 0 && isLetter(byte(next))): // markup
		return r.span(at, r.comments(l), '>')
	}
	r.drop(at, 1)
	return nil
}
