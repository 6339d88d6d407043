package review

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/pgn"
)

// Exercise is a position before a mistake, for its side to play better. As PGN it is a game from that
// position: the moves are a line of best play, with its evaluation, and the mistake with its refutation
// is the variation. The tags are those of the game in which it happened, Exercise and Motif.
type Exercise struct {
	Tags     []pgn.Tag // of the game
	Position *chess.Position
	Best     []chess.Move // at least one
	Score    *Score       // that Best leads to; nil: unknown
	Played   []chess.Move // the mistake and its refutation; none: unknown
	Also     []chess.Move // other right answers, of a repertoire
	Kind     string       // Missed, Mistaken or Repertoire; "" unknown
	Motif    string       // what went wrong: see Move.Motif

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
		if !legalFirst(e) {
			continue // an en-passant capture whose square was dropped
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

// legalFirst reports whether both the best and the played move begin in the exercise's position.
func legalFirst(e *Exercise) bool {
	for _, m := range []chess.Move{e.Best[0], e.Played[0]} {
		if m != chess.NoMove && !e.Position.IsLegal(m) {
			return false
		}
	}
	return true
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
	for _, t := range []pgn.Tag{{Name: "Exercise", Value: e.Kind}, {Name: "Motif", Value: e.Motif}} {
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

// WriteExercises writes exercises as PGN.
func WriteExercises(w io.Writer, all []*Exercise) error {
	out := pgn.NewWriter(w)
	for _, e := range all {
		if err := out.Write(e.Game()); err != nil {
			return err
		}
	}
	return nil
}

// ReadExercise reads what [Exercise.Game] returns, and takes any position with a solution. Errors: no FEN
// or no move.
func ReadExercise(g *pgn.Game) (*Exercise, error) {
	if g.Start == nil || len(g.Main.Moves) == 0 || g.Main.Moves[0].Move == chess.NoMove {
		return nil, errors.New("no exercise: want the tag FEN and a move")
	}
	e := &Exercise{game: g, Position: g.Start, Kind: g.Tag("Exercise"), Motif: g.Tag("Motif")}
	for _, t := range g.Tags {
		switch t.Name {
		case "Exercise", "Motif", "FEN", "SetUp", "Result":
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
	o.NoPuzzles, o.Why = true, false
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
		return tried, m == e.Best[0] || slices.Contains(e.Also, m), nil
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
