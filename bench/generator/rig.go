package generator

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/plural"
	"github.com/tabula-chess/tabula/movegen"
)

// difference holds two different answers of one check of a position.
type difference struct {
	check   string // name of the check
	fen     string
	move    string // the move in question, or ""
	names   [2]string
	answers [2]string
}

// rig is one position, set up in all generators.
type rig struct {
	gens   []*Generator
	boards []Board // nil where the generator does not apply
	p      *chess.Position
	rand   *rand.Rand
	engine *External // to check this position; nil for none
	err    error     // of the engine
	// thorough runs every check in every position. Otherwise the slowest run in some positions only.
	thorough bool

	legal    []chess.Move // the moves of p that package movegen lists, sorted
	outcomes []outcome    // of each legal move
	before   chess.Position
	scratch  chess.Position
	buf      []chess.Move
	text     []byte
	member   [1 << 16]bool
}

// outcome describes the position after a move.
type outcome struct {
	check, double, pin bool // of the side that replies
	replies            int
}

// newRig sets up a position in all generators, except those without Chess960 if the position has Chess960
// castling rights.
func newRig(gens []*Generator, root string, random *rand.Rand) (*rig, error) {
	p, err := chess.ParseFEN(root)
	if err != nil {
		return nil, err
	}
	r := &rig{gens: gens, boards: make([]Board, len(gens)), p: p, rand: random}
	p.Reserve(512)
	return r, r.open()
}

// open sets up the generators that can play the position and are not yet set up.
func (r *rig) open() error {
	for i, g := range r.gens {
		if r.boards[i] != nil || !g.Chess960 && r.p.Chess960() {
			continue
		}
		b, err := g.Open(r.p)
		if err != nil {
			return err
		}
		r.boards[i] = b
	}
	return nil
}

// play makes a legal move on all boards.
func (r *rig) play(m chess.Move) error {
	r.p.Make(m)
	for _, b := range r.boards {
		if b != nil {
			b.Make(m)
		}
	}
	return r.open()
}

// sometimes is true on one position in n, and always on a thorough rig.
func (r *rig) sometimes(n int) bool { return r.thorough || r.rand.IntN(n) == 0 }

// check runs all checks and returns the first difference, or nil. A panic counts as a difference.
func (r *rig) check() (d *difference) {
	asked := "panic"
	defer func() {
		if cause := recover(); cause != nil {
			d = r.differ(asked, "", "the generator", fmt.Sprint("panic: ", cause), "expected", "an answer")
		}
	}()
	r.legal = movegen.Legal(r.p, r.legal[:0])
	slices.Sort(r.legal)
	for _, question := range []struct {
		name string
		ask  func(*rig) *difference
	}{
		{"legal moves", (*rig).checkLists},
		{"count", (*rig).checkCounts},
		{"IsLegal", (*rig).checkIsLegal},
		{"make and unmake", (*rig).checkMoves},
		{"null move", (*rig).checkNull},
		{"FEN", (*rig).checkFEN},
		{"notation", (*rig).checkNotation},
		{"engine", (*rig).checkEngine},
	} {
		asked = question.name
		if d := question.ask(r); d != nil {
			return d
		}
	}
	return nil
}

// differ builds a difference about the current position.
func (r *rig) differ(check, move, nameA, answerA, nameB, answerB string) *difference {
	return &difference{check: check, fen: r.p.FEN(), move: move, names: [2]string{nameA, nameB},
		answers: [2]string{answerA, answerB}}
}

// compareSets returns a difference if two sorted lists differ.
func (r *rig) compareSets(check, nameA string, a []chess.Move, nameB string, b []chess.Move) *difference {
	if slices.Equal(a, b) {
		return nil
	}
	onlyA, onlyB := without(a, b), without(b, a)
	move := ""
	switch {
	case len(onlyA) > 0:
		move = onlyA[0].String()
	case len(onlyB) > 0:
		move = onlyB[0].String()
	}
	return r.differ(check, move, nameA, describe(a, onlyA), nameB, describe(b, onlyB))
}

// without returns the moves of a that are not in b, with multiplicity.
func without(a, b []chess.Move) []chess.Move {
	left := map[chess.Move]int{}
	for _, m := range b {
		left[m]++
	}
	var only []chess.Move
	for _, m := range a {
		if left[m]--; left[m] < 0 {
			only = append(only, m)
		}
	}
	return only
}

// describe summarises a list of moves.
func describe(all, only []chess.Move) string {
	if len(only) == 0 {
		return plural.Of(len(all), "move")
	}
	var texts []string
	for _, m := range only {
		texts = append(texts, describeMove(m))
	}
	return plural.Of(len(all), "move") + ", only here: " + strings.Join(texts, " ")
}

// describeMove returns a move in UCI text, with its kind if the text does not show it.
func describeMove(m chess.Move) string {
	switch m.Kind() {
	case chess.Castling:
		return m.String() + " (castling)"
	case chess.EnPassant:
		return m.String() + " (en passant)"
	}
	return m.String()
}
