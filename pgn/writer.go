package pgn

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/tabula-chess/tabula/chess"
)

// lineWidth is the most columns of a line of movetext: the standard allows
// fewer than 80.
const lineWidth = 79

// Writer writes games in export format. It is not safe for concurrent use.
type Writer struct {
	dst    io.Writer
	buf    []byte
	column int    // how much of the line is used
	prefix string // of the next word
	san    []byte // scratch
	p      chess.Position
}

// NewWriter returns a Writer to dst. Each game is one call of dst.Write.
func NewWriter(dst io.Writer) *Writer { return &Writer{dst: dst} }

// Write writes g and an empty line: the tags of [Game.ExportTags], then the movetext in lines shorter
// than 80 columns, except for comments with longer words or a closing brace. Errors: a tag name that
// PGN does not allow, an illegal move and a start position that no [Reader] takes, before anything is
// written, and those of the underlying writer.
func (w *Writer) Write(g *Game) error {
	w.buf, w.column, w.prefix = w.buf[:0], 0, ""
	if g.Start != nil {
		if _, _, err := chess.RepairFEN(g.Start.FEN(), g.Start.Chess960()); err != nil {
			return fmt.Errorf("a start position that no reader takes: %w", err)
		}
	}
	if err := w.tags(g); err != nil {
		return err
	}
	w.buf = append(w.buf, '\n')
	w.p.CopyFrom(g.Position())
	if err := w.line(&g.Main, 0); err != nil {
		return err
	}
	w.word(g.Result.String())
	w.buf = append(w.buf, "\n\n"...)
	_, err := w.dst.Write(w.buf)
	return err
}

// tags writes all tag pairs.
func (w *Writer) tags(g *Game) error {
	for _, t := range g.ExportTags() {
		if t.Name == "" || strings.IndexFunc(t.Name, func(c rune) bool { return c > 127 || !tagByte(byte(c)) }) >= 0 {
			return fmt.Errorf("tag name %.40q: want letters, digits and _+#=:- only", t.Name)
		}
		w.tag(t.Name, t.Value)
	}
	return nil
}

// ExportTags returns the tags of g as a [Writer] writes them: the seven-tag roster in its order, with
// the result of g and "?" for unknown values; the other tags in the game's order, duplicates too
// except Event, which would begin another game; SetUp and FEN if g.Start is not nil, and Variant if
// that is a position of Chess960.
func (g *Game) ExportTags() []Tag {
	tags := make([]Tag, 0, len(roster)+len(g.Tags)+3)
	for _, t := range roster {
		value := g.Tag(t.Name)
		if _, known := resultOf(value); t.Name == "Result" && (known || value == "?" || g.Result != chess.NoResult) {
			value = g.Result.String() // else it says what PGN has no word for
		}
		tags = append(tags, Tag{t.Name, cmp.Or(value, t.Value)})
	}
	// An empty Variant says nothing; it makes room for one that does, so that
	// the game has one of them however often it is written.
	names := func(t Tag) bool { return t.Name == "Variant" && t.Value != "" }
	addVariant := g.Start != nil && g.Start.Chess960() && !slices.ContainsFunc(g.Tags, names)
	var said [len(roster)]bool
	for _, t := range g.Tags {
		i := slices.IndexFunc(roster[:], func(r Tag) bool { return r.Name == t.Name })
		first := i >= 0 && !said[i]
		if first {
			said[i] = true
		}
		if !first && t.Name != "Event" && t.Name != "Result" && t.Name != "FEN" && t.Name != "SetUp" &&
			!(addVariant && t.Name == "Variant") {
			tags = append(tags, t)
		}
	}
	if addVariant {
		tags = append(tags, Tag{"Variant", "Chess960"})
	}
	if g.Start != nil {
		tags = append(tags, Tag{"SetUp", "1"}, Tag{"FEN", g.Start.FEN()})
	}
	return tags
}

// tag writes a tag pair, control characters as spaces.
func (w *Writer) tag(name, value string) {
	w.buf = append(w.buf, '[')
	w.buf = append(w.buf, name...)
	w.buf = append(w.buf, ` "`...)
	for i := range len(value) {
		c := value[i]
		switch {
		case c < ' ':
			c = ' '
		case c == '"' || c == '\\':
			w.buf = append(w.buf, '\\')
		}
		w.buf = append(w.buf, c)
	}
	w.buf = append(w.buf, "\"]\n"...)
}

// line writes a line of moves and leaves the board where it was for depth
// above 0.
func (w *Writer) line(l *Line, depth int) error {
	if depth > MaxNesting {
		return fmt.Errorf("variations nested deeper than %d", MaxNesting)
	}
	for _, c := range l.Comments {
		w.comment(c)
	}
	number := true // Black's move wants a number too: at the start and after an interruption
	for i := range l.Moves {
		n := &l.Moves[i]
		if err := w.move(n.Move, number); err != nil {
			return err
		}
		for _, nag := range n.NAGs {
			w.word(string(nag.appendTo(w.san[:0])))
		}
		for _, c := range n.Comments {
			w.comment(c)
		}
		for j := range n.Variations {
			w.p.Unmake()
			w.prefix += "("
			if err := w.line(&n.Variations[j], depth+1); err != nil {
				return err
			}
			w.closeVariation()
			play(&w.p, n.Move)
		}
		number = len(n.Comments)+len(n.Variations) > 0
	}
	if depth > 0 {
		for range l.Moves {
			w.p.Unmake()
		}
	}
	return nil
}

// move writes a move and plays it, with its number for White or where asked.
func (w *Writer) move(m chess.Move, number bool) error {
	w.san = w.san[:0]
	if white := w.p.SideToMove() == chess.White; white || number {
		w.san = strconv.AppendInt(w.san, int64(w.p.FullmoveNumber()), 10)
		w.san = append(w.san, '.')
		if !white {
			w.san = append(w.san, ".."...)
		}
		w.word(string(w.san))
		w.san = w.san[:0]
	}
	switch {
	case m == chess.NoMove:
		w.san = append(w.san, "--"...)
	case !w.p.IsLegal(m):
		return fmt.Errorf("move %s in %s: %w", m, w.p.FEN(), chess.ErrIllegal)
	default:
		w.san = w.p.AppendSAN(w.san, m)
	}
	w.word(string(w.san))
	play(&w.p, m)
	return nil
}

// word writes a word behind a space, or at the start of the next line where
// this one is full.
func (w *Writer) word(text string) {
	switch n := len(w.prefix) + len(text); {
	case w.column == 0:
	case w.column+1+n > lineWidth:
		w.newline()
	default:
		w.raw(" ")
	}
	w.raw(w.prefix)
	w.raw(text)
	w.prefix = ""
}

// closeVariation writes a parenthesis right behind the last word, or at the
// start of the next line.
func (w *Writer) closeVariation() {
	if w.prefix != "" { // nothing came behind the opening one
		w.word(")")
		return
	}
	if w.column == lineWidth {
		w.newline()
	}
	w.raw(")")
}

// raw writes text where the line stands.
func (w *Writer) raw(text string) {
	w.buf = append(w.buf, text...)
	w.column += len(text)
}

// newline begins a line.
func (w *Writer) newline() {
	w.buf = append(w.buf, '\n')
	w.column = 0
}

// comment writes a comment in braces, broken only at spaces, so that it reads
// back the same. One with a brace goes behind a semicolon.
func (w *Writer) comment(text string) {
	text = trimComment([]byte(text))
	if text == "" {
		return
	}
	if strings.ContainsAny(text, "{}") {
		w.word(";" + text)
		w.newline()
		return
	}
	word, rest, more := strings.Cut(text, " ")
	if !more {
		w.word("{" + word + "}")
		return
	}
	w.word("{" + word)
	for more {
		word, rest, more = strings.Cut(rest, " ")
		if !more {
			word += "}"
		}
		// A line must not begin with what means something there.
		if w.column+1+len(word) > lineWidth && (word == "" || word[0] != '%' && word[0] != '[') {
			w.newline()
		} else {
			w.raw(" ")
		}
		w.raw(word)
	}
}

// trimComment makes white space in a comment spaces and trims it, in place.
func trimComment(text []byte) string {
	for i, c := range text {
		if c == '\n' || c == '\r' || c == '\t' || c == '\v' || c == '\f' {
			text[i] = ' '
		}
	}
	return string(bytes.Trim(text, " "))
}

// appendTo appends "$n".
func (n NAG) appendTo(buf []byte) []byte { return strconv.AppendUint(append(buf, '$'), uint64(n), 10) }
