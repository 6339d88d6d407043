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

// Count is a line of the divide of another program: a root move and the leaves that it
// counts below it.
type Count struct {
	Text  string     // the move as the program writes it
	Move  chess.Move // legal or not; NoMove for a text that denotes no move of the position
	Nodes uint64
	Line  int // in the text, from 1
}

// DivideError tells which line of a divide cannot be read.
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

// ReadDivide reads what a program prints as the divide of p: lines with a move, in UCI
// text, in long or in standard algebraic notation, and a count, as Stockfish and others
// write them. Lines without a move, such as totals, are passed over. Errors: a
// [*DivideError] that names the line of a move that cannot be read or that comes twice,
// or of a count that is none.
func ReadDivide(p *chess.Position, text string) ([]Count, error) {
	var counts []Count
	first := map[string]int{} // the line of each move
	for i, line := range strings.Split(text, "\n") {
		move, count := moveAndCount(line)
		if count == "" {
			if move := squaresIn(line); move != "" && !strings.HasPrefix(strings.TrimSpace(line), "info") {
				return nil, &DivideError{i + 1, fmt.Sprintf("%s has no count behind it", move)}
			}
			continue
		}
		castling := strings.HasPrefix(strings.ToUpper(move), "O-O")
		if !castling && !strings.ContainsAny(move, digits) { // a word such as "Nodes"
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
		counts = append(counts, Count{move, m, n, i + 1})
	}
	if counts == nil {
		return nil, &DivideError{0, "no line with a move and a count, such as e2e4: 20"}
	}
	return counts, nil
}

const (
	digits  = "0123456789"
	letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
)

// moveAndCount returns the move and the count of a line, such as "e2e4: 20", "1. Nf3 - 20"
// or "| e7-e8=Q | 1,024 |", both empty where there is none. A number may stand before and
// anything behind. (Patterns of package regexp would weigh more than all generators of a
// program for browsers.)
func moveAndCount(line string) (move, count string) {
	line = strings.TrimLeft(line, " \t|*")
	if rest := strings.TrimLeft(line, digits); rest != line && rest != "" && strings.IndexByte(".):", rest[0]) >= 0 {
		line = strings.TrimLeft(rest[1:], " \t")
	}
	for _, word := range []string{"move: ", "move "} {
		line = strings.TrimLeft(strings.TrimPrefix(line, word), " \t")
	}
	rest := strings.TrimLeft(line, letters+digits+"=+#-")
	move = line[:len(line)-len(rest)]
	castling := strings.HasPrefix(strings.ToUpper(move), "O-O") || strings.HasPrefix(move, "0-0")
	if !castling && strings.TrimLeft(move, letters) == move {
		return "", ""
	}
	behind := strings.TrimLeft(rest, " \t-:=,|>")
	if behind == rest || behind == "" || strings.IndexByte(digits, behind[0]) < 0 {
		at := strings.LastIndexAny(move, "=-") // nothing else parts the two, as in e2e4=20
		if castling || at < 0 || strings.Trim(move[at+1:], digits) != "" {
			return "", ""
		}
		move, behind = move[:at], move[at+1:]+rest
	}
	count = behind[:len(behind)-len(strings.TrimLeft(behind, digits+",_'"))]
	return strings.TrimRight(move, "-"), count
}

// longMove reads two squares at the beginning of a text, as in e2e4, e2-e4 and e2xe4.
func longMove(text string) (from, to, rest string, ok bool) {
	square := func(s string) bool { return len(s) >= 2 && 'a' <= s[0] && s[0] <= 'h' && '1' <= s[1] && s[1] <= '8' }
	if !square(text) {
		return "", "", "", false
	}
	from, rest = text[:2], text[2:]
	if rest != "" && strings.IndexByte("-x", rest[0]) >= 0 {
		rest = rest[1:]
	}
	if !square(rest) {
		return "", "", "", false
	}
	return from, rest[:2], rest[2:], true
}

// squaresIn returns the first two squares that stand together in a line.
func squaresIn(line string) string {
	for i := range line {
		if _, _, rest, ok := longMove(line[i:]); ok {
			return line[i : len(line)-len(rest)]
		}
	}
	return ""
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
	if from, to, rest, ok := longMove(text); ok {
		if piece := strings.ToLower(strings.TrimPrefix(rest, "=")); len(piece) <= 1 && strings.Contains("nbrq", piece) {
			m, err := chess.ParseMove(from + to + piece)
			return p.Infer(m), err
		}
	}
	m, err := p.ParseSAN(text)
	if errors.Is(err, chess.ErrIllegal) {
		return chess.NoMove, nil
	}
	return m, err
}

// Difference is a root move of which two divides differ.
type Difference struct {
	Move    chess.Move       // NoMove where the other program's text denotes no move
	Text    string           // the move as the other program writes it, in UCI text where it lacks it
	Legal   bool             // it is a legal move
	Listed  bool             // the other program has it
	Right   uint64           // leaves below a legal move
	Nodes   uint64           // leaves that the other program counts
	Reasons []movegen.Reason // why a move is not legal; none for NoMove
}

// String tells of the difference in a line.
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

// Compare returns where the divide of another program differs from the right one of p:
// first moves that are not legal or are missing, then those of another count, each by
// their text.
func Compare(p *chess.Position, right []Branch, theirs []Count) []Difference {
	var found []Difference
	listed := map[chess.Move]Count{}
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
