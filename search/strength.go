package search

import (
	"fmt"
	"slices"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
)

// Strength says how well an engine plays. The zero Strength is as well as it can.
//
// A weakened engine errs like a person: it looks no further than a player of its
// strength, and it misjudges what it sees. Its misjudgements belong to a game: the
// same pieces on the same squares are over- and underrated as long as it lasts.
// A piece that it sees taken at once for nothing it hardly ever gives away.
// One thread searches, whatever their number, so that more of them do not
// strengthen it; endgame tables are used as ever.
type Strength struct {
	Elo  int    // LeastElo to MostElo, about on the scale of Stockfish's UCI_Elo; 0: no limit
	Game uint64 // another number, other mistakes; does nothing without Elo
}

// Bounds of [Strength].Elo.
const (
	LeastElo = 1320
	MostElo  = 2850
)

// Check returns nil for a strength that an engine can play at, or an error that
// names the field.
func (s Strength) Check() error {
	if s.Elo != 0 && (s.Elo < LeastElo || s.Elo > MostElo) {
		return fmt.Errorf("strength Elo %d: want %d to %d, or 0 for no limit", s.Elo, LeastElo, MostElo)
	}
	return nil
}

// level is how an engine is held to a strength.
type level struct {
	elo   int
	depth int // plies of the last iteration
	nodes int // of a search, for each line that it is to find
	error int // centipawns by which a piece on a square is misjudged at most; see [judgement]
}

// levels are put where games against Stockfish's UCI_Elo place them; docs/strength.md
// has the games. Between two rows all numbers change evenly.
var levels = [...]level{
	{LeastElo, 2, 160, 45},
	{1620, 4, 750, 28},
	{1990, 8, 6000, 12},
	{2110, 10, 9000, 9},
	{2270, 12, 12000, 6},
	{2520, 16, 16000, 3},
	{2770, 24, 24000, 0},
	{MostElo, 30, 45000, 0},
}

// levelOf returns the level for an Elo within bounds.
func levelOf(elo int) level {
	i := 1
	for i < len(levels)-1 && elo > levels[i].elo {
		i++
	}
	a, b := &levels[i-1], &levels[i]
	between := func(from, to int) int { return from + (to-from)*(elo-a.elo)/(b.elo-a.elo) }
	return level{elo, between(a.depth, b.depth), between(a.nodes, b.nodes), between(a.error, b.error)}
}

// SetStrength holds the engine to a strength from now on. Where that changes how
// it plays it forgets what it has learnt, as another player has. Errors: those of
// [Strength.Check]; the old strength stays.
func (e *Engine) SetStrength(s Strength) error {
	if err := s.Check(); err != nil {
		return err
	}
	if s.Elo == 0 {
		s.Game = 0
	}
	if s == e.strength {
		return nil
	}
	e.strength, e.level = s, level{}
	var j *judgement
	if s.Elo > 0 {
		e.level = levelOf(s.Elo)
		j = newJudgement(s.Game, e.level.error)
	}
	e.judgement = j
	for _, w := range e.workers {
		w.judgement = j
	}
	e.Clear()
	return nil
}

// limited reports whether the engine is held to a strength.
func (e *Engine) limited() bool { return e.strength.Elo > 0 }

// active returns the workers that search.
func (e *Engine) active() []*worker {
	if e.limited() {
		return e.workers[:1]
	}
	return e.workers
}

// weaken makes the limits of the level of a weakened engine apply to l too.
func (e *Engine) weaken(l *Limits, lines int) {
	if !e.limited() {
		return
	}
	if l.Depth <= 0 && l.Nodes == 0 { // else somebody waits for no clock
		e.clock.linger()
	}
	if depth := Depth(e.level.depth); l.Depth <= 0 || l.Depth > depth {
		l.Depth = depth
	}
	if nodes := uint64(e.level.nodes * lines); l.Nodes == 0 || l.Nodes > nodes {
		l.Nodes = nodes
	}
}

// A weakened engine that plays by the clock does not answer at once: it lets so
// large a part of the time planned for the move pass, but no more than a second.
const (
	lingerPart = 8
	lingerMost = time.Second
)

// judgement is how a weakened engine misjudges positions in one game: each kind of
// piece on each square by up to so many centipawns, alike for both sides, and each
// position as a whole by up to as many. A quiet move changes two of the first and the
// second, so that it looks better or worse than it is by four times as much at the
// very most, by five times where it captures and six times where it castles.
type judgement struct {
	seed   uint64
	most   int
	places [6][64]int8 // by kind of piece and square as White sees it
}

// newJudgement returns the misjudgements of a game; errors up to most, which lies
// below 128, nil for none.
func newJudgement(game uint64, most int) *judgement {
	if most == 0 {
		return nil
	}
	j := &judgement{seed: mix(game), most: most}
	for kind := range j.places {
		for sq := range j.places[kind] {
			j.places[kind][sq] = int8(j.err(uint64(kind<<6 | sq)))
		}
	}
	return j
}

// err returns the error that belongs to x, -most to most, small ones more often.
func (j *judgement) err(x uint64) int {
	h := mix(j.seed ^ x)
	a, b := int(h>>32&0xffff), int(h>>48)
	return (a - b) * j.most >> 16
}

// mix scatters the bits of x. Source: Steele, Lea and Flood, "Fast Splittable
// Pseudorandom Number Generators", the finisher of SplitMix64.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// misjudge returns what the evaluation s of p becomes.
func (j *judgement) misjudge(p *chess.Position, s eval.Score) eval.Score {
	sum := j.err(uint64(p.Key()))
	for kind := range j.places {
		men := p.ByType(chess.PieceType(kind))
		for b := men & p.ByColor(chess.White); b != 0; {
			sum += int(j.places[kind][b.Pop()])
		}
		for b := men & p.ByColor(chess.Black); b != 0; {
			sum -= int(j.places[kind][b.Pop()^56])
		}
	}
	if p.SideToMove() == chess.Black {
		sum = -sum
	}
	return max(-eval.Limit, min(eval.Limit, s+eval.Score(sum)))
}

// Elos returns the rows of the table of strengths: what is measured lies there.
func Elos() []int {
	rows := make([]int, 0, len(levels))
	for i := range levels {
		rows = append(rows, levels[i].elo)
	}
	return slices.Clip(rows)
}
