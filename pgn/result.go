package pgn

import (
	"strings"
	"unicode/utf8"

	"github.com/tabula-chess/tabula/chess"
)

// bothLose is a result that PGN does not know: both sides have lost.
const bothLose = "0-0"

// nextGame reports whether a word behind the result, which may be the first of its line, begins another game: number 1,
// or a legal first move that begins a line. Where it is the number of the next move this game goes on.
func (r *Reader) nextGame(l *level, at place, word []byte, first bool) bool {
	text := tidy(string(word))
	if v, digits, number := numberOf([]byte(text)); number > 0 {
		if v > 1 && (v == r.p.FullmoveNumber() || r.short) && number > digits {
			r.warn(at, "moves behind the result %s", l.result)
			l.ended = false
			return false
		}
		return v == 1 && (number == digits+1 || first && number > digits) && !isDecimal(text, digits) || text == "1"
	}
	_, err := r.start.ReadMove(strings.TrimRight(text, "!?"))
	return first && err == nil
}

// afterResult reports whether a word goes on a remark behind the result on the same line: it is neither another result
// nor number 1 of another game.
func afterResult(word string) bool {
	text := tidy(word)
	v, digits, number := numberOf([]byte(text))
	return text != "" && !isResult(strings.TrimRight(text, ".,")) &&
		(v != 1 || number != digits+1 || isDecimal(text, digits))
}

// beginsAgain reports whether a word behind an empty line is number 1 of another game, because this one
// is past it. Then this one has no result.
func (r *Reader) beginsAgain(at place, word []byte) bool {
	v, digits, number := numberOf(word)
	if v != 1 || number != digits+1 || r.p.FullmoveNumber() == 1 || r.moves < 2 || isDecimal(string(word), digits) {
		return false
	}
	r.warn(at, "move 1 of another game, without a result of this one")
	return true
}

// forfeit reports whether "0-0" means that both sides have lost: it ends the game, and it is not
// castling or the tags say so.
func (r *Reader) forfeit(l *level) bool {
	r.in.space()
	switch c := r.in.peek(); {
	case c == '{' || c == ';':
		return l.resultTag == bothLose
	case c >= 0 && (c != '[' || !r.in.beginsGame()):
		return false
	}
	_, err := r.p.ParseSAN(bothLose)
	return err != nil || l.resultTag == bothLose
}

// resultOf returns the result that a text means; known is false where it means none.
func resultOf(text string) (result chess.Result, known bool) {
	switch tidy(strings.ReplaceAll(text, " ", "")) {
	case "1-0", "1:0":
		return chess.WhiteWins, true
	case "0-1", "0:1":
		return chess.BlackWins, true
	case "1/2-1/2", "1/2:1/2", "1/2", "½-½", "½:½", "½", "0.5-0.5", "0,5-0,5":
		return chess.Draw, true
	case "*":
		return chess.NoResult, true
	}
	return chess.NoResult, false
}

// isResult reports whether a text means a result.
func isResult(text string) bool {
	_, known := resultOf(text)
	return known
}

// spaced returns the result or castling that a text and what follows it on the line are, as
// "1/2 - 1/2" or "0 - 0", and passes over it.
func (r *Reader) spaced(text string) (joined string, ok bool) {
	const parts, most, longest = "012/½-:O", 24, len("1/2-1/2")
	if strings.Trim(text, parts) != "" {
		return "", false
	}
	r.in.ahead(most - 1)
	rest := string(r.in.buf[r.in.pos:min(r.in.pos+most, r.in.end)])
	length := 0
	for i, c := range rest {
		if isBlank(int(c)) || c == 0xa0 {
			continue
		}
		next := tidy(string(c))
		apart := i > length && !strings.HasSuffix(text, "-") && !strings.HasSuffix(text, ":")
		if strings.Trim(next, parts) != "" || apart && next != "-" && next != ":" {
			break
		}
		if len(text) >= longest {
			return "", false
		}
		text, length = text+next, i+utf8.RuneLen(c)
	}
	if _, ok = resultOf(text); !ok {
		n, _ := castlingLength(text)
		ok = n == len(text)
	}
	if !ok || length == 0 || length == most {
		return "", false
	}
	r.in.pos += length
	return text, true
}
