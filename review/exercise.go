package review

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/pgn"
)

// Exercise is a position before a mistake, for its side to play better. As PGN it is a game from that
// position: the moves are a line of best play, with its evaluation, and the mistake with its refutation
// is the variation. The tags are those of the game in which it happened and Exercise, Motif, Box, Due and Wrong.
type Exercise struct {
	Tags     []pgn.Tag // of the game
	Position *chess.Position
	Best     []chess.Move // at least one
	Score    *Score       // that Best leads to; nil: unknown
	Played   []chess.Move // the mistake and its refutation; none: unknown
	Also     []chess.Move // other right answers, of a repertoire
	Kind     string       // Missed, Mistaken or Repertoire; "" unknown
	Motif    string       // what went wrong: see Move.Motif
	Box      int          // 0: not tried yet, else 1 to the number of Intervals
	Due      string       // the day from which on it is due, as 2026.11.27; "": at once
	Wrong    int          // wrong moves since it was solved or shown last

	game *pgn.Game // that it was read from; nil: none
}

// Kinds of exercises.
const (
	Missed   = "missed chance" // a short mate, or the move before it was a mistake of the other side
	Mistaken = "mistake"

	// Repertoire asks for a move that the player has prepared: no other move is right. The main line and the variations of
	// its first move are the answers.
	Repertoire = "repertoire"
)

// Intervals returns the days after which an exercise in each of the Leitner boxes is due again.
func Intervals() []int { return []int{1, 3, 7, 21, 60} }

// Day is the form of a date, as PGN writes it.
const Day = "2006.01.02"

// Exercises returns the mistakes, blunders and missed short mates of a side, nil for both, as exercises; tags
// are those of the game. A move that repeats a position is left out, because it may be bad only for that.
func (r *Report) Exercises(tags []pgn.Tag, side *chess.Color) ([]*Exercise, error) {
	kept := slices.DeleteFunc(slices.Clone(tags), func(t pgn.Tag) bool {
		return !slices.Contains([]string{"Event", "Site", "Date", "Round", "White", "Black", "Variant"}, t.Name)
	})
	p, err := chess.ParseFEN(r.Start)
	if err != nil {
		return nil, err
	}
	var all []*Exercise
	for i := range r.Moves {
		m := &r.Moves[i]
		mate := m.MissedMate > 0 && m.MissedMate <= shortMate
		wanted := (mate || m.Loss >= mistakeLoss) && m.Best != nil && (side == nil || m.Side == side.String())
		before := p
		if wanted {
			before = p.Clone()
		}
		played, err := movesOf(p, m.UCI)
		if err != nil {
			return nil, err
		}
		play(p, played[0])
		if !wanted || p.Repetitions() > 0 {
			continue
		}
		e := &Exercise{Tags: kept, Kind: Mistaken, Motif: m.Motif, Score: &m.Best.Score, Played: played}
		// Without its history. An en-passant square behind a null move in check is dropped.
		if e.Position, _, err = chess.RepairFEN(before.FEN(), true); err != nil {
			return nil, err
		}
		if mate || i > 0 && r.Moves[i-1].Loss >= mistakeLoss {
			e.Kind = Missed
		}
		if e.Best, err = movesOf(before, m.Best.UCI...); err != nil {
			return nil, err
		}
		if m.Refutation != nil {
			reply, err := movesOf(p, m.Refutation.UCI...)
			if err != nil {
				return nil, err
			}
			e.Played = append(e.Played, reply...)
		}
		e.Best, e.Played = e.Best[:min(len(e.Best), linePlies)], e.Played[:min(len(e.Played), linePlies)]
		all = append(all, e)
	}
	return all, nil
}

// movesOf reads a line of play from p on.
func movesOf(p *chess.Position, uci ...string) (moves []chess.Move, err error) {
	p = p.Clone()
	for _, text := range uci {
		m := chess.NoMove
		if text != chess.NoMove.String() {
			if m, err = p.ReadMove(text); err != nil {
				return nil, err
			}
		}
		moves = append(moves, m)
		play(p, m)
	}
	return moves, nil
}

func play(p *chess.Position, m chess.Move) { (&pgn.Node{Move: m}).Play(p) }

// Key tells exercises of one position from others: its FEN without the counters.
func (e *Exercise) Key() string { return strings.Join(strings.Fields(e.Position.FEN())[:4], " ") }

// Game returns the exercise as PGN has it: with the moves, comments and variations of the game that it was read from,
// if it was.
func (e *Exercise) Game() *pgn.Game {
	g := &pgn.Game{Tags: slices.Clone(e.Tags), Start: e.Position}
	number := func(n int) string { return strings.TrimPrefix(strconv.Itoa(n), "0") }
	for _, t := range []pgn.Tag{
		{Name: "Exercise", Value: e.Kind}, {Name: "Motif", Value: e.Motif},
		{Name: "Box", Value: number(e.Box)}, {Name: "Due", Value: e.Due}, {Name: "Wrong", Value: number(e.Wrong)},
	} {
		if t.Value != "" {
			g.SetTag(t.Name, t.Value)
		}
	}
	if e.game != nil {
		g.Main, g.Result = e.game.Main, e.game.Result
		return g
	}
	line := func(moves []chess.Move) (l pgn.Line) {
		for _, m := range moves {
			l.Moves = append(l.Moves, pgn.Node{Move: m})
		}
		return l
	}
	g.Main = line(e.Best)
	if e.Score != nil {
		(&Move{After: *e.Score}).evaluate(&g.Main.Moves[0])
	}
	if len(e.Played) > 0 {
		g.Main.Moves[0].Variations = []pgn.Line{line(e.Played)}
	}
	return g
}

// ReadExercise reads what [Exercise.Game] returns, and takes any position with a solution. Errors: no FEN
// or no move, a tag with a bad value.
func ReadExercise(g *pgn.Game) (*Exercise, error) {
	if g.Start == nil || len(g.Main.Moves) == 0 || g.Main.Moves[0].Move == chess.NoMove {
		return nil, errors.New("no exercise: want the tag FEN and a move")
	}
	e := &Exercise{game: g, Position: g.Start, Kind: g.Tag("Exercise"), Motif: g.Tag("Motif"), Due: g.Tag("Due")}
	if _, err := time.Parse(Day, e.Due); e.Due != "" && err != nil {
		return nil, fmt.Errorf("tag Due: %q, want a day such as 2026.11.27", e.Due)
	}
	for name, n := range map[string]*int{"Box": &e.Box, "Wrong": &e.Wrong} {
		text := cmp.Or(g.Tag(name), "0")
		most := map[string]int{"Box": len(Intervals()), "Wrong": 1e6}[name]
		var err error
		if *n, err = strconv.Atoi(text); err != nil || *n < 0 || *n > most {
			return nil, fmt.Errorf("tag %s: %q, want 0 to %d", name, text, most)
		}
	}
	for _, t := range g.Tags {
		switch t.Name {
		case "Exercise", "Motif", "Due", "Box", "Wrong", "FEN", "SetUp", "Result":
		default:
			e.Tags = append(e.Tags, t)
		}
	}
	moves := func(l *pgn.Line) (all []chess.Move) {
		for i := range l.Moves {
			all = append(all, l.Moves[i].Move)
		}
		return all
	}
	e.Best = moves(&g.Main)
	first := &g.Main.Moves[0]
	if eval := first.Comment().Eval; eval != nil {
		score := scoreOf(eval)
		e.Score = &score
	}
	switch {
	case e.Kind == Repertoire:
		for i := range first.Variations {
			e.Also = append(e.Also, moves(&first.Variations[i])[:min(1, len(first.Variations[i].Moves))]...)
		}
	case len(first.Variations) > 0:
		e.Played = moves(&first.Variations[0])
	}
	return e, nil
}

// Try judges a move of the exercise by a search and reports whether it is right: it is the answer, or it leaves at
// least what the answer is good for. Where a search sees no loss that the answer's score would, the answer is searched
// as well. In a repertoire its answers are right, and nothing else.
func (e *Exercise) Try(ctx context.Context, engine Engine, m chess.Move, o Options) (*Move, bool, error) {
	o.NoPuzzles = true
	judge := func(m chess.Move) (*Move, float64, error) {
		g := &pgn.Game{Start: e.Position, Main: pgn.Line{Moves: []pgn.Node{{Move: m}}}}
		r, err := Game(ctx, engine, g, o, nil)
		if err != nil {
			return nil, 0, err
		}
		return &r.Moves[0], e.chance(r.Moves[0].Chance), nil
	}
	tried, have, err := judge(m)
	if err != nil {
		return nil, false, err
	}
	if e.Kind == Repertoire {
		return tried, slices.Contains(e.answers(), m), nil
	}
	right := tried.Judgment == "" || m == e.Best[0]
	if e.Score == nil || m == e.Best[0] {
		return tried, right, nil
	}
	if _, mate := e.Score.Mate(); mate {
		return tried, right, nil
	}
	need := e.chance(e.Score.Chance())
	if right && need-have >= inaccuracyLoss {
		var best float64
		if _, best, err = judge(e.Best[0]); err != nil {
			return nil, false, err
		}
		need = min(need, best)
	}
	return tried, need-have < inaccuracyLoss, nil
}

// chance returns the solver's chance, of White's.
func (e *Exercise) chance(white float64) float64 {
	if e.Position.SideToMove() == chess.Black {
		return 1 - white
	}
	return white
}

// answers returns the moves that are right in a repertoire.
func (e *Exercise) answers() []chess.Move { return append([]chess.Move{e.Best[0]}, e.Also...) }

// renew makes an exercise of a repertoire one whose answers have changed, not tried yet, and reports whether they have.
func (e *Exercise) renew(o *Exercise) bool {
	if e.Kind != Repertoire || o.Kind != Repertoire || slices.Equal(e.answers(), o.answers()) {
		return false
	}
	*e = *o
	return true
}

// Miss notes a wrong move.
func (e *Exercise) Miss() { e.Wrong++ }

// Solve puts the exercise into the next box, or leaves it in its box after wrong moves.
func (e *Exercise) Solve(now time.Time) {
	if e.Wrong == 0 || e.Box == 0 {
		e.Box = min(e.Box+1, len(Intervals()))
	}
	e.put(now)
}

// Fail puts an exercise whose answer was shown into the first box.
func (e *Exercise) Fail(now time.Time) {
	e.Box = 1
	e.put(now)
}

func (e *Exercise) put(now time.Time) {
	e.Wrong = 0
	e.Due = now.AddDate(0, 0, Intervals()[e.Box-1]).Format(Day)
}

// Deck is a set of exercises with one for each position.
type Deck struct{ Exercises []*Exercise }

// ErrTwin is the error for a second exercise of one position, which is left out.
var ErrTwin = errors.New("it has the position")

// Read reads a deck that [Deck.Write] wrote, or any PGN of exercises, into d. bad is called with each game that is
// none, or has the position of another in r. It returns how many exercises are new to d, or have new answers in a
// repertoire. Errors: those of the reader.
func (d *Deck) Read(r io.Reader, bad func(game int, err error)) (added int, err error) {
	type place struct {
		game int // in r, 0 for one that d had
		*Exercise
	}
	known := map[string]place{} // by position
	for _, e := range d.Exercises {
		known[e.Key()] = place{0, e}
	}
	number := 0
	for g, err := range pgn.NewReader(r).Games() {
		number++
		var wrong *pgn.Error
		if err != nil && !errors.As(err, &wrong) {
			return added, err
		}
		var e *Exercise
		if err == nil && g.Shortened { // its solution may be in the rest
			err = g.Warning
		}
		if err == nil {
			e, err = ReadExercise(g)
		}
		if err != nil {
			bad(number, err)
			continue
		}
		switch twin, ok := known[e.Key()]; {
		case !ok:
			known[e.Key()] = place{number, e}
			d.Exercises = append(d.Exercises, e)
			added++
		case twin.game > 0:
			bad(number, fmt.Errorf("%w of game %d", ErrTwin, twin.game))
		case twin.renew(e):
			added++
		}
	}
	return added, nil
}

// Write writes the exercises as PGN.
func (d *Deck) Write(w io.Writer) error {
	out := pgn.NewWriter(w)
	for _, e := range d.Exercises {
		if err := out.Write(e.Game()); err != nil {
			return err
		}
	}
	return nil
}

// Next returns the exercise that is due on a day: the one with the most wrong moves, then the one of the lowest box
// that was tried, then new ones in their order; nil where none is. due counts all of them.
func (d *Deck) Next(now time.Time) (next *Exercise, due int) {
	today := now.Format(Day)
	order := func(e *Exercise) int { return cmp.Or(e.Box, len(Intervals())+1) }
	for _, e := range d.Exercises {
		if e.Due > today {
			continue
		}
		due++
		if next == nil || e.Wrong > next.Wrong || e.Wrong == next.Wrong && order(e) < order(next) {
			next = e
		}
	}
	return next, due
}
