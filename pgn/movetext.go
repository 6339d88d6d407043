package pgn

import (
	"bytes"
	"slices"

	"github.com/tabula-chess/tabula/chess"
)

// MaxNesting bounds how deep variations may stand inside variations.
const MaxNesting = 200

// line reads moves up to the end of the game or, for depth above 0, of the
// variation, and leaves the board where it was for a variation. ended tells
// that a game had its termination marker.
func (r *Reader) line(out *Line, result *chess.Result, depth int) (ended bool, err error) {
	base := len(r.nodes)
	open := r.in.here()
	for {
		if err := r.tooLong(); err != nil {
			return false, err
		}
		r.in.space()
		at := r.in.here()
		c := r.in.peek()
		switch {
		case c < 0, r.in.atLineStart() && r.in.isTag(): // the next game
			if depth > 0 {
				return false, r.fail(open, "a variation that is not closed")
			}
			r.close(out, base)
			return false, nil
		case c == '{' || c == ';':
			err = r.comment(r.comments(out, base))
		case c == '(':
			err = r.variation(base, depth)
		case c == ')':
			if depth == 0 {
				return false, r.fail(at, "a closing parenthesis outside a variation")
			}
			r.in.skip()
			for range r.nodes[base:] {
				r.p.Unmake()
			}
			r.close(out, base)
			return false, nil
		case c == '$':
			err = r.nag(base)
		case c == '*':
			r.in.skip()
			ended = depth == 0
		case c == '<' && r.in.has("<>"): // a null move
			r.in.pos += len("<>")
			err = r.play(at, []byte("--"))
		case ends(byte(c)):
			return false, r.fail(at, "unexpected %q", byte(c))
		default:
			ended, err = r.word(at, result, base, depth)
		}
		if err != nil {
			return false, err
		}
		if ended {
			r.close(out, base)
			return true, nil
		}
	}
}

// close moves the nodes from base on into out.
func (r *Reader) close(out *Line, base int) {
	if len(r.nodes) > base {
		out.Moves = slices.Clone(r.nodes[base:])
		r.nodes = r.nodes[:base]
	}
}

// comments returns where a comment belongs: to the last move, or to the line.
func (r *Reader) comments(out *Line, base int) *[]string {
	if len(r.nodes) == base {
		return &out.Comments
	}
	return &r.nodes[len(r.nodes)-1].Comments
}

// variation reads from one parenthesis to the other.
func (r *Reader) variation(base, depth int) error {
	at := r.in.here()
	if len(r.nodes) == base {
		return r.fail(at, "a variation before any move")
	}
	if depth == MaxNesting {
		return r.fail(at, "variations nested deeper than %d", MaxNesting)
	}
	if err := r.count(at); err != nil {
		return err
	}
	r.in.skip()
	last := len(r.nodes) - 1
	r.p.Unmake()
	var v Line
	if _, err := r.line(&v, nil, depth+1); err != nil {
		return err
	}
	play(&r.p, r.nodes[last].Move)
	if len(v.Moves)+len(v.Comments) > 0 {
		r.nodes[last].Variations = append(r.nodes[last].Variations, v)
	}
	return nil
}

// nag reads a dollar sign and a number.
func (r *Reader) nag(base int) error {
	at := r.in.here()
	r.in.skip()
	n, digits := 0, 0
	for c := r.in.peek(); c >= '0' && c <= '9' && n <= 255; c = r.in.peek() {
		n, digits = n*10+c-'0', digits+1
		r.in.skip()
	}
	if digits == 0 || n > 255 {
		return r.fail(at, "a NAG wants a number from 0 to 255 after $")
	}
	return r.annotate(at, base, NAG(n))
}

// annotate gives the last move a NAG.
func (r *Reader) annotate(at place, base int, n NAG) error {
	if len(r.nodes) == base {
		return r.fail(at, "the annotation %s before any move", n)
	}
	last := &r.nodes[len(r.nodes)-1]
	last.NAGs = append(last.NAGs, n)
	return r.count(at)
}

// word reads a move number, a move, an annotation mark or a result.
func (r *Reader) word(at place, result *chess.Result, base, depth int) (ended bool, err error) {
	word := r.in.token()
	if len(word) == maxToken {
		return false, r.fail(at, "%.20q… is too long for a move", word)
	}
	if i := markEnd(word); i < len(word) { // "e4!e5": what follows the mark is another word
		r.in.pos -= len(word) - i
		word = word[:i]
	}
	if word[0] >= '0' && word[0] <= '9' || word[0] == "½"[0] {
		var found chess.Result
		switch string(word) {
		case "1-0", "1:0":
			found = chess.WhiteWins
		case "0-1", "0:1":
			found = chess.BlackWins
		case "1/2-1/2", "1/2", "½-½":
			found = chess.Draw
		}
		if found != chess.NoResult {
			if depth == 0 {
				*result = found
			}
			return depth == 0, nil // results inside variations say nothing
		}
	}
	number := numberLength(word)
	word = word[number:]
	at.column += number
	if len(word) == 0 || string(word) == "e.p." {
		return false, nil
	}
	if n, ok := nagWord(word); ok {
		return false, r.annotate(at, base, n)
	}
	return false, r.move(at, word, base)
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

// nagWord returns the NAG of a word that some programs write in its stead: the
// assessments of the standard's table, and ChessBase's N for a novelty and D for a
// diagram.
func nagWord(word []byte) (n NAG, ok bool) {
	switch string(word) {
	case "=":
		return 10, true
	case "∞":
		return 13, true
	case "+/=", "+=", "⩲":
		return 14, true
	case "=/+", "=+", "⩱":
		return 15, true
	case "+/-", "±":
		return 16, true
	case "-/+", "∓":
		return 17, true
	case "+-":
		return 18, true
	case "-+":
		return 19, true
	case "N":
		return 146, true
	case "D":
		return 220, true
	}
	return 0, false
}

// numberLength returns the length of the move number, dots included, that
// word begins with. Dots may stand alone; digits want a dot or nothing behind.
func numberLength(word []byte) int {
	i := 0
	for i < len(word) && word[i] >= '0' && word[i] <= '9' {
		i++
	}
	if i < len(word) && word[i] != '.' {
		return 0
	}
	for i < len(word) && word[i] == '.' {
		i++
	}
	return i
}

// move plays a move, which may end in an annotation mark. The mark may also
// stand alone, behind its move.
func (r *Reader) move(at place, word []byte, base int) error {
	end := len(word)
	for end > 0 && (word[end-1] == '!' || word[end-1] == '?') {
		end--
	}
	if end > 0 {
		if err := r.play(at, word[:end]); err != nil {
			return err
		}
	}
	if end == len(word) {
		return nil
	}
	n := slices.Index(glyphs[:], string(word[end:]))
	if n < 0 {
		return r.fail(at, "unknown annotation mark %s", word[end:])
	}
	return r.annotate(at, base, NAG(n))
}

// play plays the move of a text.
func (r *Reader) play(at place, text []byte) error {
	if r.p.Plies() >= MaxPlies {
		return r.fail(at, "more than %d moves in a row", MaxPlies)
	}
	if err := r.count(at); err != nil {
		return err
	}
	if r.moves++; r.MaxMoves > 0 && r.moves > r.MaxMoves {
		return r.fail(at, "more than %d moves, variations included", r.MaxMoves)
	}
	m := chess.NoMove
	switch string(text) {
	case "--", "Z0", "@@@@", "null":
		if r.p.InCheck() {
			return r.fail(at, "a null move in check, in %s", r.p.FEN())
		}
	default:
		var err error
		if m, err = r.p.ParseSAN(string(text)); err != nil {
			return r.wrap(at, err)
		}
	}
	play(&r.p, m)
	r.nodes = append(r.nodes, Node{Move: m})
	return nil
}

// comment reads a comment in braces or to the end of the line and appends it
// to list, unless it is empty.
func (r *Reader) comment(list *[]string) error {
	in, open := &r.in, r.in.here()
	brace := in.peek() == '{'
	in.skip()
	r.text = r.text[:0]
	for {
		if in.peek() < 0 && brace || brace && in.atLineStart() && in.has(`[Event "`) {
			r.inTags = false
			return r.fail(open, "a comment that is not closed")
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
		r.text = append(r.text, chunk...)
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
			if c == '}' {
				break
			}
			r.text = append(bytes.TrimSuffix(r.text, []byte{'\r'}), ' ')
		}
	}
	if text := trimComment(r.text); text != "" {
		*list = append(*list, toUTF8(text))
	}
	return r.count(open)
}
