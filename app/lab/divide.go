package lab

import (
	"context"
	"errors"
	"fmt"
	"iter"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/movegen/perft"
)

// MaxDepth is the maximum depth of a count in plies.
const MaxDepth = 7

// Division is the divide of a position and its differences from another program's.
type Division struct {
	FEN         string       `json:"fen"`
	Depth       int          `json:"depth"`
	Nodes       uint64       `json:"nodes"`
	Moves       []Divided    `json:"moves"`
	Theirs      uint64       `json:"theirs"` // sum of the other program
	Differences []Difference `json:"differences"`
}

// Divided is a legal move with the leaves below it.
type Divided struct {
	UCI   string `json:"uci"`
	SAN   string `json:"san"`
	Nodes uint64 `json:"nodes"`
}

// Difference is a move on which the other program disagrees.
type Difference struct {
	UCI     string  `json:"uci"`  // "" where the text denotes no move
	Text    string  `json:"text"` // what is wrong, in words
	Legal   bool    `json:"legal"`
	Listed  bool    `json:"listed"` // the other program has it
	Reasons []Cause `json:"reasons"`
}

// Counted is the progress of a count.
type Counted struct {
	Done  int `json:"done"` // root moves
	Total int `json:"total"`
}

// Divide counts the leaves below each move of p and compares them with another program's output,
// unless that is empty. Errors: a [*Fault], and the error of ctx.
func Divide(
	ctx context.Context, p *chess.Position, depth int, theirs string, progress func(Counted),
) (*Division, error) {
	var counts []perft.DivideLine
	var err error
	if theirs != "" {
		if counts, err = perft.ReadDivide(p, theirs); err != nil {
			var unread *perft.DivideError
			errors.As(err, &unread)
			return nil, &Fault{Field: "theirs", Reason: err.Error(), Line: unread.Line}
		}
	}
	out := &Division{FEN: p.FEN(), Depth: depth, Moves: []Divided{}, Differences: []Difference{}}
	board := p.Clone()
	pace := pacer{ctx: ctx}
	var right []perft.Branch
	moves := movegen.Legal(p, nil)
	for i, m := range moves {
		board.Make(m)
		nodes, err := count(&pace, board, depth-1)
		board.Unmake()
		if err != nil {
			return nil, err
		}
		right = append(right, perft.Branch{Move: m, Nodes: nodes})
		out.Moves = append(out.Moves, Divided{p.UCI(m), p.SAN(m), nodes})
		out.Nodes += nodes
		progress(Counted{i + 1, len(moves)})
	}
	if theirs == "" {
		return out, nil
	}
	for _, c := range counts {
		out.Theirs += c.Nodes
	}
	for _, d := range perft.Compare(p, right, counts) {
		out.Differences = append(out.Differences, difference(p, d))
	}
	return out, nil
}

// difference converts a difference to a message.
func difference(p *chess.Position, d perft.Difference) Difference {
	out := Difference{Text: d.String(), Legal: d.Legal, Listed: d.Listed, Reasons: causes(d.Reasons)}
	switch {
	case d.Legal:
		out.UCI = p.UCI(d.Move)
	case d.Move != chess.NoMove:
		out.UCI = d.Move.String()
		out.Text = fmt.Sprintf("%s: not legal", d.Text)
	}
	return out
}

// slicePlies is the depth of a tree that is counted without a pause: at most some hundred thousand
// leaves, mostly some thousand.
const slicePlies = 3

// count counts the leaves below a position in slices.
func count(pace *pacer, p *chess.Position, depth int) (sum uint64, err error) {
	for n := range leaves(p, depth, fastest) {
		sum += n
		if err := pace.pause(); err != nil {
			return 0, err
		}
	}
	return sum, nil
}

// counter counts the leaves below a position.
type counter func(p *chess.Position, depth int) uint64

// fastest counts on the path chosen for the process.
func fastest(p *chess.Position, depth int) uint64 {
	nodes, _ := perft.Count(context.Background(), p, depth, perft.Options{}) // the depth is within bounds
	return nodes
}

// leaves counts the leaves below a position one subtree at a time. It restores p.
func leaves(p *chess.Position, depth int, count counter) iter.Seq[uint64] {
	var below func(depth int, yield func(uint64) bool) bool
	below = func(depth int, yield func(uint64) bool) bool {
		if depth <= slicePlies {
			return yield(count(p, depth))
		}
		for _, m := range movegen.Legal(p, nil) {
			p.Make(m)
			more := below(depth-1, yield)
			p.Unmake()
			if !more {
				return false
			}
		}
		return true
	}
	return func(yield func(uint64) bool) { below(depth, yield) }
}
