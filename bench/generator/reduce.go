package generator

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/plural"
)

// reduceLine returns the shortest line found that still shows the difference. It starts the game as late as
// possible, then drops single moves, then removes pieces from the start position. If the difference does not
// occur again, it returns the line unchanged.
func reduceLine(gens []*Generator, e *External, l opening, found *difference) (opening, *difference) {
	again := func(l opening) *difference {
		d := replay(gens, e, l)
		if d == nil || d.check != found.check {
			return nil
		}
		return d
	}
	short, diff := l, again(l)
	if diff == nil {
		return l, found
	}
	short = shorten(l, func(l opening) bool {
		d := again(l)
		if d != nil {
			diff = d
		}
		return d != nil
	})
	return short, diff
}

// shorten starts a failing line as late as possible, then makes it smaller as long as it still fails.
func shorten(l opening, fails func(opening) bool) opening {
	for k := len(l.moves); k > 0; k-- {
		if p := l.position(k); p != nil {
			if later := (opening{p.FEN(), slices.Clone(l.moves[k:])}); fails(later) {
				l = later
				break
			}
		}
	}
	return shrink(l, fails)
}

// ReduceList leaves out parts of a failing list, large ones first, as long as it still fails.
func ReduceList[T any](list []T, fails func([]T) bool) []T {
	for size := (len(list) + 1) / 2; size > 0; size /= 2 {
		for i := 0; i < len(list); {
			if shorter := slices.Delete(slices.Clone(list), i, min(i+size, len(list))); fails(shorter) {
				list = shorter
			} else {
				i += size
			}
		}
	}
	return list
}

// ReduceGame makes a failing game smaller: it starts as late as possible, then single moves, castling rights and pieces
// go, as long as it still fails.
func ReduceGame(p *chess.Position, fails func(p *chess.Position) bool) *chess.Position {
	var l opening
	root := p.Clone()
	for ; root.Plies() > 0; root.Unmake() {
		l.moves = append(l.moves, root.LastMove())
	}
	slices.Reverse(l.moves)
	l.root = root.FEN()
	short := shorten(l, func(l opening) bool {
		q := l.position(len(l.moves))
		return q != nil && fails(q)
	})
	return short.position(len(short.moves))
}

// shrink makes a line smaller as long as it still fails.
func shrink(l opening, fails func(opening) bool) opening {
	for changed := true; changed; {
		changed = false
		for _, smaller := range smallerLines(l) {
			if fails(smaller) {
				l, changed = smaller, true
				break
			}
		}
	}
	return l
}

// Reduce removes pieces and castling rights from a position as long as it still fails. Every FEN that it passes to
// fails is valid.
func Reduce(fen string, fails func(fen string) bool) string {
	return shrink(opening{root: fen}, func(l opening) bool { return fails(l.root) }).root
}

// smallerLines returns the line without one or two consecutive moves, without one castling right, and without
// one piece.
func smallerLines(l opening) []opening {
	var lines []opening
	for n := 1; n <= 2; n++ {
		for i := 0; i+n <= len(l.moves); i++ {
			lines = append(lines, opening{l.root, slices.Delete(slices.Clone(l.moves), i, i+n)})
		}
	}
	p, err := chess.ParseFEN(l.root)
	if err != nil {
		return lines
	}
	without := func(rights, pieces chess.Bitboard) {
		s := p.Setup()
		s.Castling &^= rights | pieces
		for c := range s.Pieces {
			for k := range s.Pieces[c] {
				s.Pieces[c][k] &^= pieces
			}
		}
		if q, err := s.Position(); err == nil {
			lines = append(lines, opening{q.FEN(), l.moves})
		}
	}
	for rook := range p.Setup().Castling.Squares() {
		without(rook.Bitboard(), 0)
	}
	for at := range (p.Occupied() &^ p.ByType(chess.King)).Squares() {
		without(0, at.Bitboard())
	}
	return lines
}

// position returns the position after the first n moves, and nil if they are not legal.
func (l opening) position(n int) *chess.Position {
	p, err := chess.ParseFEN(l.root)
	if err != nil {
		return nil
	}
	for _, m := range l.moves[:n] {
		if p.Play(m) != nil {
			return nil
		}
	}
	return p
}

// replay plays a line and runs all checks at its end. It returns nil if there is no difference or the line is not
// legal.
func replay(gens []*Generator, e *External, l opening) (d *difference) {
	if l.position(len(l.moves)) == nil {
		return nil
	}
	defer func() {
		if cause := recover(); cause != nil {
			d = &difference{check: "make", fen: l.root, names: [2]string{"the generator", "expected"},
				answers: [2]string{fmt.Sprint("panic: ", cause), "a position"}}
		}
	}()
	r, err := newRig(gens, l.root, rand.New(rand.NewPCG(1, 1)))
	if err != nil {
		return refusal(l, err)
	}
	for _, m := range l.moves {
		if err := r.play(m); err != nil {
			return refusal(l, err)
		}
	}
	r.thorough, r.engine = true, e
	return r.check()
}

// describeFinding describes the difference after the reduced line.
func describeFinding(long, short opening, d *difference) string {
	var sb strings.Builder
	fmt.Fprintf(&sb, "difference in %s after %s, reduced from %d\n", d.check, plural.Of(len(short.moves), "move"),
		len(long.moves))
	fmt.Fprintf(&sb, "FEN:  %s\n", short.root)
	if len(short.moves) > 0 {
		var texts []string
		for _, m := range short.moves {
			texts = append(texts, m.String())
		}
		fmt.Fprintf(&sb, "line: %s\nthen: %s\n", strings.Join(texts, " "), d.fen)
	}
	if d.move != "" {
		fmt.Fprintf(&sb, "move: %s\n", d.move)
	}
	for i := range d.names {
		fmt.Fprintf(&sb, "%s: %s\n", d.names[i], d.answers[i])
	}
	return sb.String()
}
