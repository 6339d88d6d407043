package search

import (
	"fmt"
	"slices"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
)

// Strength limits how well an engine plays. The zero Strength means no limit.
//
// A weakened engine errs like a person: it searches less deeply and misjudges
// positions. Its misjudgements are the same throughout a game: it over- or underrates
// the same pieces on the same squares. Below an Elo of 1320 it also overlooks captures
// and checks, the opponent's more than its own and most easily long and backward ones, and
// judges more by counting pieces; above, it hardly ever leaves a piece to be captured at
// once. Below 2110 it plays openings that have names, of
// which a weaker player knows fewer and mixes more, and considers mostly what a person
// thinks of first: captures, checks, threats, and what is near the last move. It searches
// with one thread, so that more threads do not make it stronger, and uses endgame tables
// as usual.
type Strength struct {
	Elo  int    // LeastElo to MostElo, from 1320 on about the scale of Stockfish's UCI_Elo; 0: no limit
	Game uint64 // selects the mistakes; unused without Elo
}

// Bounds of [Strength].Elo.
const (
	LeastElo = 100
	MostElo  = 2850
)

// Check returns an error that names the field if the strength is out of bounds.
func (s Strength) Check() error {
	if s.Elo != 0 && (s.Elo < LeastElo || s.Elo > MostElo) {
		return fmt.Errorf("strength Elo %d: want %d to %d, or 0 for no limit", s.Elo, LeastElo, MostElo)
	}
	return nil
}

// level holds the limits for a strength.
type level struct {
	elo        int
	depth      int // plies of the last iteration
	nodes      int // of a search, for each line
	noise      int // largest error for a piece on a square, in centipawns; see [judgement]
	network    int // percentage of the network in the evaluation; the rest counts material
	blindness  int // how often captures by knights are overlooked, in %, above 100 always; see [judgement.overlooks]
	attention  int // percentage of inconspicuous quiet moves that are thought of; see [judgement.considered]
	openings   int // percentage of positions of named openings that are known; see [judgement.known]
	spread     int // how little the moves that are played most are preferred there
	candidates int // moves that come to mind there, among which it chooses
}

// levels have the fields of level in their order. They are calibrated by games: from 1320 on against Stockfish's
// UCI_Elo, below it against each other, with random moves at the bottom and a player that looks one move ahead at 400
// (examples/movers). See docs/strength.md. Between two rows all values are interpolated.
var levels = [...]level{
	{LeastElo, 1, 60, 61, 5, 293, 30, 55, 60, 1},
	{150, 1, 62, 61, 12, 195, 31, 58, 60, 1},
	{200, 1, 64, 61, 18, 137, 32, 60, 60, 1},
	{300, 1, 68, 61, 32, 73, 35, 65, 55, 1},
	{400, 2, 71, 61, 42, 46, 37, 70, 50, 1},
	{600, 2, 78, 61, 54, 30, 41, 72, 45, 1},
	{800, 2, 93, 61, 70, 19, 46, 75, 40, 1},
	{1000, 2, 113, 61, 86, 10, 51, 80, 35, 1},
	{1200, 2, 143, 56, 96, 3, 60, 86, 25, 1},
	{1320, 2, 160, 52, 100, 0, 64, 90, 20, 1},
	{1620, 4, 750, 33, 100, 0, 84, 95, 10, 1},
	{1990, 8, 6000, 15, 100, 0, 100, 100, 0, 2},
	{2110, 10, 9000, 11, 100, 0, 100, 0, 0, 0},
	{2270, 12, 12000, 8, 100, 0, 100, 0, 0, 0},
	{2520, 16, 16000, 4, 100, 0, 100, 0, 0, 0},
	{2770, 24, 24000, 0, 100, 0, 100, 0, 0, 0},
	{MostElo, 30, 45000, 0, 100, 0, 100, 0, 0, 0},
}

// levelOf returns the level for an Elo within bounds.
func levelOf(elo int) level {
	i := 1
	for i < len(levels)-1 && elo > levels[i].elo {
		i++
	}
	a, b := &levels[i-1], &levels[i]
	between := func(from, to int) int { return from + (to-from)*(elo-a.elo)/(b.elo-a.elo) }
	return level{
		elo, between(a.depth, b.depth), between(a.nodes, b.nodes), between(a.noise, b.noise),
		between(a.network, b.network), between(a.blindness, b.blindness), between(a.attention, b.attention),
		between(a.openings, b.openings),
		between(a.spread, b.spread), between(a.candidates, b.candidates),
	}
}

// SetStrength limits the strength of the engine. A change clears what the engine has
// learnt. Errors: those of [Strength.Check]; the old strength stays.
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
		j = newJudgement(s.Game, &e.level)
	}
	e.judgement = j
	for _, w := range e.workers {
		w.judgement = j
	}
	e.Clear()
	return nil
}

// limited reports whether the strength is limited.
func (e *Engine) limited() bool { return e.strength.Elo > 0 }

// active returns the workers that search.
func (e *Engine) active() []*worker {
	if e.limited() {
		return e.workers[:1]
	}
	return e.workers
}

// weaken applies the limits of the level to l.
func (e *Engine) weaken(l *Limits, lines int) {
	if !e.limited() {
		return
	}
	if l.Depth <= 0 && l.Nodes == 0 { // otherwise no clock is running
		e.clock.linger()
	}
	if depth := Depth(e.level.depth); l.Depth <= 0 || l.Depth > depth {
		l.Depth = depth
	}
	if nodes := uint64(e.level.nodes * lines); l.Nodes == 0 || l.Nodes > nodes {
		l.Nodes = nodes
	}
}

// A weakened engine with a clock does not answer at once: it waits for this part of the
// planned time, but no more than a second.
const (
	lingerPart = 8
	lingerMost = time.Second
)

// judgement holds the errors of a weakened engine in one game: each kind of piece on
// each square is misjudged by up to noise centipawns, the same for both sides, and so is
// each position as a whole. A quiet move is therefore misjudged by at most four times
// that, a capture by five times and castling by six times. What is not the network's
// follows material and [taste].
type judgement struct {
	level
	seed   uint64
	places [6][64]int8 // by kind of piece and square as White sees it
}

// newJudgement returns the errors of a game at a level, whose noise must be below 128.
// It returns nil if the level makes none.
func newJudgement(game uint64, l *level) *judgement {
	if l.noise == 0 && l.blindness == 0 {
		return nil
	}
	j := &judgement{level: *l, seed: mix(game)}
	for kind := range j.places {
		for sq := range j.places[kind] {
			j.places[kind][sq] = int8(j.err(uint64(kind<<6|sq)) + taste(kind, sq)*(100-l.network)/100)
		}
	}
	return j
}

// taste returns what people are told about a kind of piece on a square, in centipawns:
// that pieces belong in the centre, pawns forward and the king home.
func taste(kind, sq int) int {
	file, rank := sq&7, sq>>3
	inward := min(file, 7-file, rank, 7-rank) // 0 to 3
	switch chess.PieceType(kind) {
	case chess.Pawn:
		return 4*rank + 4*min(file, 7-file)
	case chess.Rook:
		return 0
	case chess.King:
		return -10 * rank
	}
	return 10 * inward
}

// overlooks reports whether m is a capture, a check or a promotion that this player does
// not see; theirs says that the opponent would play it. What decides is the kind of piece
// and the two squares, so that a bishop which aims at a square unseen does so until it
// moves. A step to the next square is overlooked least, a long move most, and a backward
// move more than a forward one. The player overlooks half as much of its own chances and
// of what the piece can do that the opponent has just moved, and a quarter of recaptures.
// A player in check sees everything, and a pawn becomes a queen.
func (j *judgement) overlooks(p *chess.Position, m chess.Move, theirs bool) bool {
	if j.blindness == 0 {
		return false
	}
	if m.Kind() == chess.Promotion && m.PromotionType() != chess.Queen {
		return true
	}
	if p.InCheck() || !isTactical(p, m) && !p.GivesCheck(m) {
		return false
	}
	from, to := m.From(), m.To()
	ranks := int(to.Rank()) - int(from.Rank())
	if p.SideToMove() == chess.Black {
		ranks = -ranks
	}
	files := int(to.File()) - int(from.File())
	difficulty := j.blindness * max(ranks, -ranks, files, -files) / 2 // 2 is a knight's distance
	if ranks < 0 {
		difficulty += difficulty / 2
	}
	switch {
	case p.Captured() != chess.NoPiece && recaptures(p, m):
		difficulty /= 4
	case !theirs, p.Plies() > 0 && p.Step(1).Move.To() == from:
		difficulty /= 2
	}
	return int(mix(j.seed^(1<<20|uint64(p.Piece(from).Type())<<12|uint64(from)<<6|uint64(to)))%100) < difficulty
}

// seen returns those of the moves of p that the player sees, and all of them if it
// would see none.
func (j *judgement) seen(p *chess.Position, moves []chess.Move) []chess.Move {
	if known := j.known(p, moves); known != nil {
		return known
	}
	moves = j.considered(p, moves)
	left := slices.DeleteFunc(slices.Clone(moves), func(m chess.Move) bool { return j.overlooks(p, m, false) })
	if len(left) == 0 {
		return moves
	}
	return left
}

// err returns the error for x, -noise to noise; small errors are more frequent.
func (j *judgement) err(x uint64) int {
	h := mix(j.seed ^ x)
	a, b := int(h>>32&0xffff), int(h>>48)
	return (a - b) * j.noise >> 16
}

// mix scatters the bits of x. Source: Steele, Lea and Flood, "Fast Splittable
// Pseudorandom Number Generators", the finisher of SplitMix64.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}

// misjudge returns the evaluation s of p with its errors.
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
	if j.network < 100 {
		s = (s*eval.Score(j.network) + material(p)*eval.Score(100-j.network)) / 100
	}
	return max(-eval.Limit, min(eval.Limit, s+eval.Score(sum)))
}

// material returns what the side to move of p has more than the other.
func material(p *chess.Position) (sum eval.Score) {
	us := p.ByColor(p.SideToMove())
	for kind, value := range seeValue {
		men := p.ByType(chess.PieceType(kind))
		sum += eval.Score(value * ((men & us).Count() - (men &^ us).Count()))
	}
	return sum
}
