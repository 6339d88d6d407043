package pgn

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/tabula-chess/tabula/chess"
)

// splitMove returns the legal move that a text begins with and its length, 0 where there is none.
// What follows the move is a mark, a number, a word known behind moves or another move.
func (r *Reader) splitMove(text string) (m chess.Move, n int) {
	read := func(text string) bool {
		var err error
		m, err = r.p.ReadMove(text)
		return err == nil
	}
	if unmarked := strings.TrimRight(text, "!?"); read(unmarked) {
		return m, len(unmarked)
	}
	n, letters := castlingLength(text)
	if n > 0 && (n == len(text) || afterMove(text[n:])) && read("O-O-O"[:2*letters-1]) {
		return m, n
	}
	for end := 2; end <= len(text); end++ {
		if !isSquare(text[end-2:]) {
			continue
		}
		rest := text[end:]
		if (rest == "" || rest == "=") && r.in.peek() == '(' && r.in.ahead(2) == ')' &&
			read(text[:end]+"="+string(rune(r.in.ahead(1)))) { // "c8(N)"
			r.in.pos += len("(N)")
			return m, len(text)
		}
		if rest != "" && afterMove(rest) && read(text[:end]) {
			return m, end
		}
	}
	return chess.NoMove, 0
}

// castlingLength returns the length of the castling move that a text begins with, written with
// letters or zeros, and of how many of these it is: 2 or 3; 0 and 0 for none.
func castlingLength(text string) (n, letters int) {
	for i, c := range text {
		if strings.ContainsRune("O0oОо", c) && (letters == 0 || text[i-1] == '-') {
			letters, n = letters+1, i+utf8.RuneLen(c)
		} else if c != '-' || n != i || letters == 3 {
			break
		}
	}
	if letters < 2 {
		return 0, 0
	}
	return n, letters
}

// afterMove reports whether a text may follow a move in the same word.
func afterMove(text string) bool {
	c, width := utf8.DecodeRuneInString(text)
	switch {
	case text == "x" || isResult(text) || checkWord(text) != "" || c >= utf8.RuneSelf && !unicode.IsLetter(c):
		return true
	case strings.ContainsRune("x:-@/", c):
		return !hasSquare(text)
	case c == '=':
		return len(text) == width || !isLetter(text[width])
	case c >= '0' && c <= '9':
		_, digits, number := numberOf([]byte(text))
		return number > digits
	case unicode.IsLetter(c):
		return symbolOf(text) > 0 || moveShape(text)
	}
	return true
}

// isSquare reports whether a text begins with the name of a square.
func isSquare(text string) bool {
	return len(text) >= 2 && text[0] >= 'a' && text[0] <= 'h' && text[1] >= '1' && text[1] <= '8'
}

// hasSquare reports whether a text holds the name of a square.
func hasSquare(text string) bool {
	for i := range text {
		if isSquare(text[i:]) {
			return true
		}
	}
	return false
}

// moveShape reports whether a text has the shape of a move in this language or another: the name
// of a square and not much else, castling, or two pieces in descriptive notation.
func moveShape(text string) bool {
	text = strings.TrimRight(text, "!?+#.,:;")
	for _, word := range []string{"mate", "check", "ch", "ep", "e.p"} {
		text = strings.TrimSuffix(text, word)
	}
	squares, others := 0, 0
	letters := append([]rune(text), 0, 0)
	for i := 0; i < len(letters)-2; i++ {
		c, next := letters[i], letters[i+1]
		switch {
		case (c >= 'a' && c <= 'h' || c >= 'A' && c <= 'H') && next >= '1' && next <= '8' && !unicode.IsDigit(letters[i+2]):
			squares++
			i++
		default:
			others++
		}
	}
	if squares > 0 && others <= 4 {
		return true
	}
	if n, _ := castlingLength(text); n > 0 && n == len(text) || text != "" && strings.Trim(text, "O0") == "" {
		return true
	}
	const pieces = "KQRBNPt"
	i := strings.IndexAny(text, "-x")
	return i > 0 && i+1 < len(text) && strings.Trim(text[:i], pieces) == "" &&
		strings.Trim(text[i+1:], pieces+"12345678") == ""
}

// looksLikeMove reports whether a text has the shape of a move, or leaves out what only a move of
// the position can leave out: the piece's square, or the rank where a pawn takes another.
func (r *Reader) looksLikeMove(text string) bool {
	if moveShape(text) || len(text) == 1 && isLetter(text[0]) && text[0] <= 'Z' && r.squareAhead() != "" {
		return true
	}
	files, _, _ := strings.Cut(strings.Replace(strings.TrimRight(text, "!?+#"), "x", "", 1), "=")
	if len(files) != 2 || strings.Trim(files, "abcdefgh") != "" {
		return false
	}
	for rank := '1'; rank <= '8'; rank++ {
		to := files[:1] + "x" + files[1:] + string(rank)
		if _, err := r.p.ParseSAN(to); err == nil {
			return true
		}
		if _, err := r.p.ParseSAN(to + "=Q"); err == nil {
			return true
		}
	}
	return false
}

// noMove deals with what looks like a move and is none. A move of Black where White is to move,
// as in "1... e5", makes a null move of White; what takes the king is a comment; all else ends
// the moves.
func (r *Reader) noMove(l *level, at place, text string) error {
	us := r.p.SideToMove()
	if king := r.p.King(us.Other()); strings.Contains(text, king.String()) && r.p.Attacked(king, us, r.p.Occupied()) {
		r.warn(at, "%s takes the king: kept as a comment", text)
		list := r.comments(l)
		r.say(list, text)
		return nil
	}
	_, err := r.p.ReadMove(text)
	n := &r.number
	if n.dots > 1 && n.token >= r.tokens-1 && n.value == r.p.FullmoveNumber() && us == chess.White && !r.p.InCheck() {
		r.p.MakeNull()
		m, wrong := r.p.ReadMove(text)
		r.p.Unmake()
		if wrong == nil {
			r.warn(at, "no move of White before %s: read as a null move", text)
			if err := r.play(at, chess.NoMove); err != nil {
				return err
			}
			return r.play(at, m)
		}
	}
	return r.cut(l, at, text, err)
}

// cut ends the moves of a line before a text that is no move: the rest becomes a comment. It is an error where the game
// has no move before.
func (r *Reader) cut(l *level, at place, text string, err error) error {
	switch {
	case l.depth > 0:
		r.warn(at, "%v: kept as a comment, with the rest of the variation", err)
	case len(r.nodes) == 0:
		return r.wrap(at, err)
	default:
		if r.warning != nil {
			r.more++
		}
		r.short, r.warning = true, r.errorAt(at, err.Error()+": the moves end before it", err)
	}
	return r.keepRest(l, at, text)
}

// squareAhead returns the square that the next word is, or "".
func (r *Reader) squareAhead() string {
	n := 0
	for ; isBlank(r.in.ahead(n)); n++ {
	}
	r.in.ahead(n + 1)
	square := string(r.in.buf[min(r.in.pos+n, r.in.end):min(r.in.pos+n+2, r.in.end)])
	if n == 0 || !isSquare(square) {
		return ""
	}
	return square
}
