package pgn

import (
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/tabula-chess/tabula/chess"
)

// tagSpan is where text holds the name and the value of a tag.
type tagSpan struct{ name, value, end int }

// header reads tags, and what stands before and between them. fen is the place of the FEN
// tag.
func (r *Reader) header(g *Game) (fen place, err error) {
	variants, last, tried := 0, 0, 0
	for {
		if err := r.tooLong(); err != nil {
			return fen, err
		}
		r.in.space()
		at := r.in.here()
		switch c := r.in.peek(); {
		case c == '{' || c == ';':
			err = r.comment(&g.Main.Comments)
		case c == '[':
			if r.anotherGame(0, at.line > last+1) {
				return fen, nil
			}
			var name string
			name, err = r.tag(at, &g.Main.Comments)
			switch last = r.in.line; name {
			case "FEN":
				if fen == (place{}) { // the tag that counts, as in Game.Tag
					fen = at
				}
			case "Variant":
				if span := r.tags[len(r.tags)-1]; variants == 0 {
					r.variant(at, string(r.text[span.value:span.end]))
				}
				variants++
			}
		case c == ']' || c == '}':
			r.drop(at, 1)
		default:
			if at.offset >= tried {
				var length int
				if length, tried = r.strayText(at.line > last+1); length > 0 {
					err = r.keepStray(at, length, &g.Main.Comments)
					break
				}
			}
			word := r.in.token()
			r.in.pos -= len(word)
			text := string(word)
			if c <= '9' || !isProse(text) {
				return fen, nil
			}
			r.in.pos += len(text)
			err = r.remark(at, &g.Main.Comments, text)
		}
		if err != nil {
			return fen, err
		}
	}
}

// firstTags is how many tags of a game are compared with the first one behind an empty line.
const firstTags = 32

// anotherGame reports whether the tag n bytes behind the next one is one of another game, as where a
// game has no movetext: an Event tag behind another, or, apart from the last tag, one that is there
// already.
func (r *Reader) anotherGame(n int, apart bool) bool {
	if len(r.tags) == 0 {
		return false
	}
	if in := &r.in; !apart && in.pos+2 < in.end && in.buf[in.pos+2]|0x20 != 'v' && in.buf[in.pos+1] > ' ' {
		return false // not even an Event tag
	}
	raw, _ := r.in.tagName(n)
	name := canonical(raw)
	there := func(s tagSpan) bool { return string(r.text[s.name:s.value]) == name }
	return (apart || name == "Event") && slices.ContainsFunc(r.tags[:min(len(r.tags), firstTags)], there)
}

// tag reads a tag pair into text and tags and returns its name where the reader cares. What
// has brackets and is no tag pair becomes a comment.
func (r *Reader) tag(at place, comments *[]string) (name string, err error) {
	span, ok := r.tagLine()
	if !ok {
		if span, ok, err = r.tagPair(at); err != nil {
			return "", err
		}
		if !ok {
			r.text = r.text[:span.name]
			return "", r.span(at, comments, ']')
		}
	}
	if r.tags = append(r.tags, span); len(r.text)+4*len(r.tags) > MaxTagSize {
		return "", r.fail(r.in.here(), "tags of more than %d KiB", MaxTagSize>>10)
	}
	raw := r.text[span.name:span.value]
	if len(raw) <= len("Variant") {
		copy(raw, canonical(raw))
	}
	switch string(raw) {
	case "FEN":
		return "FEN", nil
	case "Variant":
		return "Variant", nil
	}
	return "", nil
}

// canonical returns the name of a tag, as the standard writes it where this package knows it.
func canonical(name []byte) string {
	for _, known := range [...]string{
		"Event", "Site", "Date", "Round", "White", "Black", "Result", "FEN", "SetUp", "Variant",
	} {
		if len(name) == len(known) && name[0]|0x20 == known[0]|0x20 && strings.EqualFold(known, string(name)) {
			return known
		}
	}
	return string(name)
}

// tagPair reads a tag pair in any form into text: the name may hold blanks and other bytes,
// which become underscores, the value may lack its quotes, and the closing bracket may be
// missing. ok is false, and nothing is read, for what has no name or nothing behind it.
func (r *Reader) tagPair(at place) (span tagSpan, ok bool, err error) {
	in := &r.in
	n := 1
	for ; isBlank(in.ahead(n)); n++ {
	}
	// The name goes as far as a quote that follows it, or else is one word.
	start, word, end := n, 0, 0
	for ; end == 0; n++ {
		c := in.ahead(n)
		switch {
		case c == '"' && word > 0 && r.lastQuote(n):
		case c == '"':
			end = n
		case c < 0 || c == '\n' || c == '\r' || c == '[' || c == ']' || n > maxTagName:
			if end = word; word == 0 {
				return tagSpan{name: len(r.text)}, false, nil
			}
		case isBlank(c) && word == 0:
			word = n
		}
	}
	span.name = len(r.text)
	name := bytes.TrimRight(in.buf[in.pos+start:in.pos+end], " \t")
	quoted := in.buf[in.pos+end] == '"'
	if len(name) == 0 || !isLetter(name[0]) && name[0] < utf8.RuneSelf && !(quoted && tagByte(name[0])) {
		return span, false, nil
	}
	odd := false
	for _, c := range name {
		if !tagByte(c) {
			c, odd = '_', true
		}
		r.text = append(r.text, c)
	}
	span.value = len(r.text)
	if odd {
		r.warn(at, "the name of the tag %.40q is read as %s", name, r.text[span.name:])
	}
	for in.pos += end; isBlank(in.peek()); in.pos++ {
	}
	if in.peek() == '"' {
		err = r.quoted(at, span)
	} else {
		err = r.unquoted(at, span)
	}
	span.end = len(r.text)
	return span, true, err
}

// isLetter reports whether c is a letter of ASCII.
func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// quoted reads a string up to its closing quote into text, and on past the bracket
// behind it. A backslash escapes a quote or a backslash and stands for itself
// elsewhere. A quote without a bracket behind it belongs to the value: python-chess
// and others do not escape.
func (r *Reader) quoted(at place, tag tagSpan) error {
	inner := 0 // offset up to which no quote closes the value
	r.in.skip()
	for {
		if err := r.tooLong(); err != nil {
			return err
		}
		c := r.in.peek()
		switch {
		case c == '\n' && r.continues():
			r.in.skip()
			r.text = append(r.text, ' ')
			continue
		case c < 0 || c == '\n':
			value := bytes.TrimRight(r.text[tag.value:], " ")
			value = bytes.TrimRight(bytes.TrimSuffix(value, []byte{']'}), " ")
			r.text = r.text[:tag.value+len(value)]
			r.warn(at, "the value of the tag %.40s has no closing quote", r.text[tag.name:tag.value])
			return nil
		case c == '"':
			if r.closing(at, tag, &inner) {
				return nil
			}
			continue
		case c == '\\':
			r.in.skip()
			next := r.in.peek()
			if next == '\\' || next == '"' && !r.lastQuote(0) {
				c = next
				r.in.skip()
			}
			r.text = append(r.text, byte(c))
			continue
		case c < ' ':
			c = ' '
		}
		r.text = append(r.text, byte(c))
		r.in.skip()
	}
}

// continues reports whether the value of a tag goes on in the line behind the next byte: its line does not end the
// value, and the next begins no tag and ends in a quote and a bracket.
func (r *Reader) continues() bool {
	if bytes.HasSuffix(bytes.TrimRight(r.text, " "), []byte{']'}) || r.in.ahead(1) == '[' {
		return false
	}
	var last [2]int
	for n := 1; n < maxTagName; n++ {
		switch c := r.in.ahead(n); {
		case c < 0 || c == '\n':
			return last == [2]int{'"', ']'}
		case !isBlank(c) && c != '\r':
			last = [2]int{last[1], c}
		}
	}
	return false
}

// lastQuote reports whether nothing but a bracket follows the quote n bytes behind the next byte on
// its line.
func (r *Reader) lastQuote(n int) bool {
	brackets := 0
	for n++; ; n++ {
		switch c := r.in.ahead(n); {
		case c == ']':
			brackets++
		case c < 0 || c == '\n':
			return brackets == 1
		case !isBlank(c) && c != '\r':
			return false
		}
	}
}

// closing passes over a quote in a value and reports whether it closes it: a bracket
// follows, over which it passes too. Otherwise the quote and the spaces behind it are part
// of the value, unless the line ends there. inner is where a later one is known to close it.
func (r *Reader) closing(at place, tag tagSpan, inner *int) bool {
	end, line, here := len(r.text), r.in.line, r.in.offset()
	r.text = append(r.text, '"')
	r.in.skip()
	c := r.in.peek()
	for ; c == ' ' || c == '\t'; c = r.in.peek() {
		r.text = append(r.text, ' ')
		r.in.skip()
	}
	if c == '\n' || c == '\r' || c < 0 {
		r.in.space()
	}
	switch {
	case r.in.peek() == ']':
		if here >= *inner {
			*inner = r.in.laterEnd()
		}
		if here < *inner {
			return false
		}
		r.text = r.text[:end]
		r.in.skip()
		return true
	case r.in.peek() < 0 || r.in.line > line:
		r.text = r.text[:end]
		r.warn(at, "the tag %.40s has no closing bracket", r.text[tag.name:tag.value])
		return true
	}
	return false
}

// laterEnd returns the offset of the quote that ends a value instead of the one in front of the bracket that
// comes next, as in [Event "Simul [board "1"] final"]: no tag is behind the bracket, and the line, or the text in
// front of another tag, ends with another quote and bracket, which have no tag of their own. 0 is none.
func (in *input) laterEnd() int {
	behind := func(n int) int { // blanks
		for n++; isBlank(in.ahead(n)) || in.ahead(n) == '\r'; n++ {
		}
		return n
	}
	first, open := behind(0), false // in another tag
	for n := first; n < strayWindow; n++ {
		switch c := in.ahead(n); {
		case c < 0 || c == '\n' || n == first && in.isTag(n):
			return 0
		case c == '[' && in.isTag(n):
			open = true
		case c == '\\':
			n++
		case c == '"':
			bracket := behind(n)
			if in.ahead(bracket) != ']' {
				continue
			}
			next := behind(bracket)
			if c := in.ahead(next); !open && (c < 0 || c == '\n' || in.isTag(next)) {
				return in.offset() + n
			}
			if open {
				open, n = false, bracket
			}
		}
	}
	return 0
}

// unquoted reads a value without quotes into text: up to a bracket behind which the line ends or
// another tag begins.
func (r *Reader) unquoted(at place, tag tagSpan) error {
	for {
		c := r.in.peek()
		if c < 0 || c == '\n' {
			r.warn(at, "the tag %.40s has no closing bracket", r.text[tag.name:tag.value])
			break
		}
		r.in.skip()
		if c == ']' {
			n := 0
			for ; isBlank(r.in.ahead(n)) || r.in.ahead(n) == '\r'; n++ {
			}
			if next := r.in.ahead(n); next < 0 || next == '\n' || next == '[' {
				break
			}
		}
		r.text = append(r.text, byte(max(c, ' ')))
		if err := r.tooLong(); err != nil {
			return err
		}
	}
	value := bytes.TrimRight(r.text[tag.value:], " ")
	if bytes.HasSuffix(value, []byte{'"'}) {
		value = value[:len(value)-1]
		r.warn(at, "the value of the tag %.40s has no opening quote", r.text[tag.name:tag.value])
	}
	r.text = append(r.text[:tag.value], inQuotes(toUTF8(string(value)))...)
	return nil
}

// inQuotes returns what is inside a pair of quotes that are not those of PGN, such as word
// processors make, and other texts as they are.
func inQuotes(text string) string {
	open, first := utf8.DecodeRuneInString(text)
	end, last := utf8.DecodeLastRuneInString(text)
	pairs := []string{"“”", "„“", "„”", "””", "‘’", "‚‘", "«»", "»«", "''"}
	if first+last <= len(text) && slices.Contains(pairs, string(open)+string(end)) {
		return text[first : len(text)-last]
	}
	return text
}

// keepTags turns the tags into strings.
func (r *Reader) keepTags(g *Game) {
	if len(r.tags) == 0 {
		return
	}
	all := string(r.text) // one allocation for the tags of a game
	g.Tags = make([]Tag, len(r.tags))
	valid := utf8.ValidString(all)
	for i, s := range r.tags {
		value := all[s.value:s.end]
		if !valid {
			value = toUTF8(value)
		}
		g.Tags[i] = Tag{all[s.name:s.value], value}
	}
}

// startPosition sets up the board.
func (r *Reader) startPosition(g *Game, fenAt place) error {
	if r.bad != (place{}) {
		return r.fail(r.bad, "unknown variant %.40q", g.Tag("Variant"))
	}
	r.repaired = nil
	fen := g.Tag("FEN")
	if fen == "" || fen == "?" {
		r.p.CopyFrom(r.start)
		return nil
	}
	p, warning, err := chess.RepairFEN(fen, true)
	if err != nil {
		return r.wrap(fenAt, err)
	}
	if warning != nil {
		r.warn(fenAt, "%v", warning)
	}
	if standard, _, err := chess.RepairFEN(fen, false); err == nil && !r.chess960 && standard.Key() != p.Key() {
		r.repaired = standard
	}
	r.p.CopyFrom(p)
	g.Start = p
	return nil
}

// variant looks at the value of a Variant tag. Standard chess and Chess960 differ in the castling
// rights that their FENs may have; what starts from a position may be either. Names that mean
// neither are often those of openings or time controls; games of other rules are refused.
func (r *Reader) variant(at place, name string) {
	letters := strings.Map(func(c rune) rune {
		switch {
		case c >= 'A' && c <= 'Z':
			return c + 'a' - 'A'
		case c >= 'a' && c <= 'z' || c >= '0' && c <= '9':
			return c
		}
		return -1
	}, name)
	kind := strings.ReplaceAll(letters, "960", "")
	r.chess960 = kind != letters
	switch strings.TrimSuffix(strings.TrimPrefix(kind, "chess"), "chess") {
	case "", "standard", "normal", "regular", "orthodox", "classic", "classical":
	case "fromposition", "frc", "dfrc", "freestyle", "wildfr":
		r.chess960 = true
	case "atomic", "crazyhouse", "bughouse", "anti", "giveaway", "suicide", "loser", "losers", "threecheck",
		"3check", "fivecheck", "5check", "kingofthehill", "koth", "racingkings", "horde", "shogi", "xiangqi", "makruk",
		"shatranj", "sittuyin", "capablanca", "gothic", "grand", "janus", "s", "seirawan", "duck", "fogofwar", "dark",
		"kriegspiel", "knightmate", "berolina", "extinction", "twokings", "cylinder", "alice", "courier", "spartan",
		"progressive", "placement", "amazon", "chaturanga", "hoppelpoppel":
		r.bad = at
	default:
		if r.chess960 = r.chess960 || strings.Contains(letters, "fischer"); r.chess960 {
			return
		}
		r.warn(at, "unknown variant %.40q: read as standard chess", name)
	}
}
