package perft

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
)

// DivideLine is a line of another program's divide: a root move and its number of leaves.
type DivideLine struct {
	Text  string     // the move as the program writes it
	Move  chess.Move // legal or not; NoMove for a text that denotes no move of the position
	Nodes uint64
	Line  int // in the text, from 1
}

// DivideError names an invalid line of a divide.
type DivideError struct {
	Line   int // from 1; 0 where it is not about one line
	Reason string
}

// Error returns "divide line N: reason".
func (e *DivideError) Error() string {
	if e.Line == 0 {
		return "divide: " + e.Reason
	}
	return fmt.Sprintf("divide line %d: %s", e.Line, e.Reason)
}

// readCount splits a line with a move and its count, such as "e2e4: 20", "1. Nf3 - 20" or
// "| e7-e8=Q | 1,024 |". A number may stand before and anything behind. A page's program of the rules
// has this in it, so that it is no regular expression, whose package is as large as movegen.
func readCount(line string) (move, count string, ok bool) {
	const digits = "0123456789"
	line = strings.TrimLeft(line, spaces+"|*")
	if rest := strings.TrimLeft(line, digits); rest != line && rest != "" && strings.Contains(".):", rest[:1]) {
		line = strings.TrimLeft(rest[1:], spaces)
	}
	if rest, found := strings.CutPrefix(line, "move"); found {
		rest = strings.TrimPrefix(rest, ":")
		if begin := strings.TrimLeft(rest, spaces); begin != rest {
			line = begin
		}
	}
	end := 0
	for end < len(line) && (isLetter(line[end]) || end > 0 && strings.IndexByte(digits+"=+#-", line[end]) >= 0) {
		end++
	}
	least, step := 1, 1
	if strings.HasPrefix(line, "0-0") {
		end, least, step = len("0-0"), len("0-0"), len("-0")
		if strings.HasPrefix(line, "0-0-0") {
			end += step
		}
	}
	// A dash may belong to the move or stand before the count.
	for ; end >= least; end -= step {
		rest := strings.TrimLeft(strings.TrimLeft(strings.TrimLeft(line[end:], spaces), "-:=,|>"), spaces)
		count := rest[:len(rest)-len(strings.TrimLeft(rest, digits+",_'"))]
		if len(rest) < len(line)-end && count != "" && strings.Contains(digits, count[:1]) {
			return line[:end], count, true
		}
	}
	return "", "", false
}

// spaces separate words.
const spaces = " \t\r\f"

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// squarePair returns the two squares that a text begins with, with - or x between them at most, and what
// follows.
func squarePair(text string) (from, to, rest string, ok bool) {
	square := func() (name string) {
		if len(text) >= 2 && 'a' <= text[0] && text[0] <= 'h' && '1' <= text[1] && text[1] <= '8' {
			name, text = text[:2], text[2:]
		}
		return name
	}
	if from = square(); from != "" && text != "" && (text[0] == '-' || text[0] == 'x') {
		text = text[1:]
	}
	to = square()
	return from, to, text, from != "" && to != ""
}

// ReadDivide reads a program's divide of p: lines with a move, in UCI text, long or
// standard algebraic notation, and a count, as Stockfish and others print them. It skips
// lines without a move, such as totals. Errors: a [*DivideError] that names the line of
// an invalid or repeated move or of an invalid count.
func ReadDivide(p *chess.Position, text string) ([]DivideLine, error) {
	var counts []DivideLine
	first := map[string]int{} // the line of each move
	for i, line := range strings.Split(text, "\n") {
		move, count, ok := readCount(line)
		if !ok {
			for at := range line {
				if _, _, rest, ok := squarePair(line[at:]); ok && !strings.HasPrefix(strings.TrimSpace(line), "info") {
					return nil, &DivideError{i + 1, fmt.Sprintf("%s has no count behind it", line[at:len(line)-len(rest)])}
				}
			}
			continue
		}
		castling := strings.HasPrefix(strings.ToUpper(move), "O-O")
		if !castling && !strings.ContainsAny(move, "0123456789") { // a word such as "Nodes"
			continue
		}
		m, err := readMove(p, move)
		if err != nil {
			return nil, &DivideError{i + 1, err.Error()}
		}
		n, err := strconv.ParseUint(strings.Map(digit, count), 10, 64)
		if err != nil {
			return nil, &DivideError{i + 1, fmt.Sprintf("count %s of %s: want a number below 2^64", count, move)}
		}
		key := move
		if m != chess.NoMove {
			key = m.String()
		}
		if at := first[key]; at > 0 {
			return nil, &DivideError{i + 1, fmt.Sprintf("%s comes a second time, first in line %d", move, at)}
		}
		first[key] = i + 1
		counts = append(counts, DivideLine{move, m, n, i + 1})
	}
	if counts == nil {
		return nil, &DivideError{0, "no line with a move and a count, such as e2e4: 20"}
	}
	return counts, nil
}

// digit drops what groups digits.
func digit(r rune) rune {
	if r < '0' || r > '9' {
		return -1
	}
	return r
}

// readMove reads a move that need not be legal.
func readMove(p *chess.Position, text string) (chess.Move, error) {
	if from, to, rest, ok := squarePair(text); ok {
		piece := strings.TrimPrefix(rest, "=")
		if piece == "" || len(piece) == 1 && strings.Contains("nbrqNBRQ", piece) {
			m, err := p.ParseUCI(from + to + strings.ToLower(piece))
			if errors.Is(err, chess.ErrIllegal) {
				err = nil
			}
			return m, err
		}
	}
	m, err := p.ParseSAN(text)
	if errors.Is(err, chess.ErrIllegal) {
		return chess.NoMove, nil
	}
	return m, err
}

// Difference is a root move on which two divides differ.
type Difference struct {
	Move    chess.Move       // NoMove where the other program's text denotes no move
	Text    string           // the move as the other program writes it, in UCI text where it lacks it
	Legal   bool             // it is a legal move
	Listed  bool             // the other program has it
	Right   uint64           // leaves below a legal move
	Nodes   uint64           // leaves that the other program counts
	Reasons []movegen.Reason // why a move is not legal; none for NoMove
}

// String describes the difference in one line.
func (d Difference) String() string {
	switch {
	case !d.Listed:
		return d.Text + ": missing"
	case d.Legal:
		return fmt.Sprintf("%s: %d, want %d", d.Text, d.Nodes, d.Right)
	}
	var texts []string
	for _, r := range d.Reasons {
		texts = append(texts, r.Text)
	}
	return d.Text + ": not legal. " + cmp.Or(strings.Join(texts, " "), "No piece can move so.")
}

// Compare returns the differences between another program's divide and the correct one
// of p: first illegal and missing moves, then different counts, each sorted by text.
func Compare(p *chess.Position, right []Branch, theirs []DivideLine) []Difference {
	var found []Difference
	listed := map[chess.Move]DivideLine{}
	for _, c := range theirs {
		if p.IsLegal(c.Move) {
			listed[c.Move] = c
			continue
		}
		d := Difference{Move: c.Move, Text: c.Text, Listed: true, Nodes: c.Nodes}
		if c.Move != chess.NoMove {
			d.Reasons = movegen.Explain(p, c.Move)
		}
		found = append(found, d)
	}
	for _, b := range right {
		c, ok := listed[b.Move]
		if !ok {
			found = append(found, Difference{Move: b.Move, Text: p.UCI(b.Move), Legal: true, Right: b.Nodes})
		} else if c.Nodes != b.Nodes {
			found = append(found, Difference{b.Move, c.Text, true, true, b.Nodes, c.Nodes, nil})
		}
	}
	slices.SortFunc(found, func(a, b Difference) int {
		return cmp.Or(cmp.Compare(rank(a), rank(b)), strings.Compare(a.Text, b.Text))
	})
	return found
}

// rank orders kinds of differences.
func rank(d Difference) int {
	if d.Legal && d.Listed {
		return 1
	}
	return 0
}
