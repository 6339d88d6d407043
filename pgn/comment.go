package pgn

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/tabula-chess/tabula/chess"
)

// Comment is a parsed comment: the commands in brackets that programs write, as values, and the text
// around them.
type Comment struct {
	Text     string         // without the commands, spaces trimmed
	Clock    *time.Duration // %clk: time left on the mover's clock; nil if not given
	Elapsed  *time.Duration // %emt: time that the move took; nil if not given
	Eval     *Eval          // %eval; nil if not given
	Squares  []Mark         // %csl: squares in colour
	Arrows   []Arrow        // %cal: arrows in colour
	Commands []Command      // others, and invalid ones of the above
}

// Eval is the value of a position for White, by an engine.
type Eval struct {
	Centipawns int `json:"cp"`              // hundredths of a pawn; 0 where Mate is not
	Mate       int `json:"mate,omitempty"`  // moves to mate, negative where Black mates; 0 for none
	Depth      int `json:"depth,omitempty"` // plies of the search, 0 where not said
}

// Mark is a square in a colour: G, R, Y, B and other capital letters.
type Mark struct {
	Color  byte
	Square chess.Square
}

// Arrow is an arrow in a colour, from the middle of a square to that of another.
type Arrow struct {
	Color    byte
	From, To chess.Square
}

// Command is a command without a meaning here: [%name value].
type Command struct{ Name, Value string }

// ParseComment parses the text of a comment. It has no errors: an invalid command stays in Commands or in
// Text. Of several commands of one kind the first counts and the others are in Commands; squares and arrows
// add up. A time of two numbers, such as 1:59, is in minutes and seconds, since hours and minutes
// would say nothing about most games; parts of a millisecond are cut off.
func ParseComment(text string) Comment {
	var c Comment
	var rest []string
	for {
		before, command, found := strings.Cut(text, "[%")
		inside, after, closed := strings.Cut(command, "]")
		if !found || !closed {
			rest = append(rest, strings.Fields(text)...)
			break
		}
		rest = append(rest, strings.Fields(before)...)
		name, value, _ := strings.Cut(inside, " ")
		if value = strings.TrimSpace(value); !c.command(name, value) {
			c.Commands = append(c.Commands, Command{name, value})
		}
		text = after
	}
	c.Text = strings.Join(rest, " ")
	return c
}

// command reads one command and reports whether it makes sense.
func (c *Comment) command(name, value string) bool {
	switch name {
	case "clk":
		return strings.Contains(value, ":") && keep(&c.Clock, value, parseClock)
	case "emt":
		return keep(&c.Elapsed, value, parseClock)
	case "eval":
		return keep(&c.Eval, value, parseEval)
	case "csl":
		return add(&c.Squares, value, parseMark)
	case "cal":
		return add(&c.Arrows, value, parseArrow)
	}
	return false
}

// keep parses a value into *to, which is empty yet, and reports whether it could.
func keep[T any](to **T, value string, parse func(string) (T, bool)) bool {
	v, ok := parse(value)
	if ok = ok && *to == nil; ok {
		*to = &v
	}
	return ok
}

// add parses a list with commas behind *to and reports whether it could.
func add[T any](to *[]T, value string, parse func(string) (T, bool)) bool {
	var list []T
	for _, text := range strings.Split(value, ",") {
		v, ok := parse(strings.TrimSpace(text))
		if !ok {
			return false
		}
		list = append(list, v)
	}
	*to = append(*to, list...)
	return true
}

// parseClock reads h:mm:ss, m:ss or a number of seconds, to the millisecond.
func parseClock(text string) (d time.Duration, ok bool) {
	parts := strings.Split(text, ":")
	if len(parts) > 3 {
		return 0, false
	}
	whole, fraction, _ := strings.Cut(parts[len(parts)-1], ".")
	parts[len(parts)-1] = whole
	for i, part := range parts {
		n, err := strconv.ParseUint(part, 10, 20)
		if err != nil || i > 0 && n > 59 {
			return 0, false
		}
		d = d*60 + time.Duration(n)*time.Second
	}
	ms, err := strconv.ParseUint((fraction + "000")[:3], 10, 32)
	return d + time.Duration(ms)*time.Millisecond, err == nil && strings.Trim(fraction, "0123456789") == ""
}

// clock writes a time as h:mm:ss, with milliseconds where it has any.
func clock(d time.Duration) string {
	d = max(0, d).Round(time.Millisecond)
	s := fmt.Sprintf("%d:%02d:%02d", d/time.Hour, d/time.Minute%60, d/time.Second%60)
	if ms := d % time.Second / time.Millisecond; ms > 0 {
		s += "." + strings.TrimRight(fmt.Sprintf("%03d", ms), "0")
	}
	return s
}

// parseEval reads pawns (0.17, -1.5) or moves to mate (#3, #-2), and the depth
// behind a comma.
func parseEval(text string) (e Eval, ok bool) {
	value, depth, more := strings.Cut(text, ",")
	if more {
		n, err := strconv.Atoi(strings.TrimSpace(depth))
		if err != nil || n < 0 {
			return e, false
		}
		e.Depth = n
	}
	if mate, ok := strings.CutPrefix(value, "#"); ok {
		n, err := strconv.Atoi(mate)
		e.Mate = n
		return e, err == nil && n != 0
	}
	pawns, err := strconv.ParseFloat(value, 64)
	if err != nil || pawns != pawns || pawns > 1e6 || pawns < -1e6 {
		return e, false
	}
	if pawns *= 100; pawns < 0 {
		e.Centipawns = int(pawns - 0.5)
	} else {
		e.Centipawns = int(pawns + 0.5)
	}
	return e, true
}

// String returns the value as a command has it: "0.17", "#-3", "0.17,20".
func (e Eval) String() string {
	s := fmt.Sprintf("%.2f", float64(e.Centipawns)/100)
	if e.Mate != 0 {
		s = fmt.Sprintf("#%d", e.Mate)
	}
	if e.Depth > 0 {
		s += fmt.Sprintf(",%d", e.Depth)
	}
	return s
}

// isColor reports whether a byte names a colour.
func isColor(c byte) bool { return c >= 'A' && c <= 'Z' }

func parseMark(text string) (m Mark, ok bool) {
	if len(text) != 3 || !isColor(text[0]) {
		return m, false
	}
	s, err := chess.ParseSquare(text[1:])
	return Mark{text[0], s}, err == nil
}

func parseArrow(text string) (a Arrow, ok bool) {
	if len(text) != 5 || !isColor(text[0]) {
		return a, false
	}
	from, err := chess.ParseSquare(text[1:3])
	to, err2 := chess.ParseSquare(text[3:])
	return Arrow{text[0], from, to}, err == nil && err2 == nil
}

// String returns the text of the comment, commands first, as lichess writes them. ParseComment
// returns the same Comment for it.
func (c Comment) String() string {
	var words []string
	say := func(name, value string) { words = append(words, strings.TrimSpace("[%"+name+" "+value)+"]") }
	if c.Eval != nil {
		say("eval", c.Eval.String())
	}
	if c.Clock != nil {
		say("clk", clock(*c.Clock))
	}
	if c.Elapsed != nil {
		say("emt", clock(*c.Elapsed))
	}
	var list []string
	for _, m := range c.Squares {
		list = append(list, string(m.Color)+m.Square.String())
	}
	if list != nil {
		say("csl", strings.Join(list, ","))
	}
	list = nil
	for _, a := range c.Arrows {
		list = append(list, string(a.Color)+a.From.String()+a.To.String())
	}
	if list != nil {
		say("cal", strings.Join(list, ","))
	}
	for _, o := range c.Commands {
		say(o.Name, o.Value)
	}
	if c.Text != "" {
		words = append(words, c.Text)
	}
	return strings.Join(words, " ")
}

// Comment parses all comments after the move together.
func (n *Node) Comment() Comment { return ParseComment(strings.Join(n.Comments, " ")) }

// SetComment replaces the comments of the move by c, or removes them if c is empty.
func (n *Node) SetComment(c Comment) {
	n.Comments = nil
	if text := c.String(); text != "" {
		n.Comments = []string{text}
	}
}
