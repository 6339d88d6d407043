package games

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/pgn"
)

// Repertoire is what a player wants to play with one color: the moves of a PGN with variations, by position, so that
// transpositions are one position. Two own moves in a position are two right answers.
type Repertoire struct {
	Color chess.Color
	nodes map[positionID]*prepared
	order []*prepared // as the PGN has them
}

// prepared is a position of a repertoire.
type prepared struct {
	fen   string
	own   bool         // the player is to move
	moves []chess.Move // that the repertoire has; none at the end of a line
	tags  []pgn.Tag    // of its exercise
}

// ReadRepertoires reads the games of a PGN as a repertoire for each color of which it has any. A game is one as White
// or as Black by color, if that is not nil, or its tag Orientation, or its moves: lines end with a move of the player,
// who has fewer alternatives. Own moves marked ? or ?? are no answers. bad is called with each game that cannot be
// read, warn with the warning of each other game that has one. Errors: those of the source; no game with a move.
func ReadRepertoires(src io.Reader, color *chess.Color, bad, warn func(error)) ([]*Repertoire, error) {
	var both [2]*Repertoire
	for g, err := range pgn.NewReader(src).Games() {
		var wrong *pgn.Error
		if err != nil && !errors.As(err, &wrong) {
			return nil, err
		}
		var c chess.Color
		if err == nil {
			if g.Warning != nil {
				warn(g.Warning)
			}
			if len(g.Main.Moves) == 0 {
				continue
			}
			c = repertoireColor(g, color)
		}
		if err != nil {
			bad(err)
			continue
		}
		if both[c] == nil {
			both[c] = &Repertoire{Color: c, nodes: map[positionID]*prepared{}}
		}
		kept := []pgn.Tag{{Name: "Exercise", Value: "repertoire"}} // for exercises
		for _, name := range []string{"Event", "White", "Black"} {
			kept = append(kept, pgn.Tag{Name: name, Value: cmp.Or(g.Tag(name), "?")})
		}
		both[c].add(kept, g.Position(), &g.Main)
	}
	all := slices.DeleteFunc(both[:], func(r *Repertoire) bool { return r == nil })
	if len(all) == 0 {
		return nil, errors.New("no game with a move that can be read")
	}
	return all, nil
}

// repertoireColor returns the color that a game is a repertoire of.
func repertoireColor(g *pgn.Game, color *chess.Color) chess.Color {
	if color != nil {
		return *color
	}
	if c, err := chess.ParseColor(strings.ToLower(g.Tag("Orientation"))); err == nil {
		return c
	}
	var points [2]int // of each side: lines that end with its move, less its alternatives
	var count func(us chess.Color, l *pgn.Line)
	count = func(us chess.Color, l *pgn.Line) {
		for i := range l.Moves {
			for j := range l.Moves[i].Variations {
				if v := &l.Moves[i].Variations[j]; len(v.Moves) > 0 && !refuted(&v.Moves[0]) {
					points[us]--
					count(us, v)
				}
			}
			us = us.Other()
		}
		points[us.Other()]++
	}
	count(g.Position().SideToMove(), &g.Main)
	if points[chess.White] > points[chess.Black] { // a tie is impossible: there is one line more than alternatives
		return chess.White
	}
	return chess.Black
}

// refuted reports whether a move is marked ? or ??.
func refuted(n *pgn.Node) bool {
	return slices.Contains(n.NAGs, pgn.Mistake) || slices.Contains(n.NAGs, pgn.Blunder)
}

// at returns the position p of the repertoire, which may be new.
func (r *Repertoire) at(tags []pgn.Tag, p *chess.Position) *prepared {
	id := identify(p)
	n := r.nodes[id]
	if n == nil {
		n = &prepared{fen: p.FEN(), own: p.SideToMove() == r.Color, tags: tags}
		r.nodes[id] = n
		r.order = append(r.order, n)
	}
	return n
}

// add adds a line that begins in p, and restores p.
func (r *Repertoire) add(tags []pgn.Tag, p *chess.Position, l *pgn.Line) {
	made := 0
	for i := range l.Moves {
		n, at := &l.Moves[i], r.at(tags, p)
		ends := n.Move == chess.NoMove || at.own && refuted(n)
		if !ends && !slices.Contains(at.moves, n.Move) {
			at.moves = append(at.moves, n.Move)
		}
		for j := range n.Variations {
			r.add(tags, p, &n.Variations[j])
		}
		if ends {
			break
		}
		n.Play(p)
		made++
	}
	r.at(tags, p)
	for range made {
		p.Unmake()
	}
}

// exercisePlies bounds the lines of exercises.
const exercisePlies = 7

// WriteExercises writes each position with an answer as PGN that package review reads as an exercise: the first answer
// and how the repertoire goes on, and the other answers as variations.
func WriteExercises(w io.Writer, repertoires ...*Repertoire) error {
	out := pgn.NewWriter(w)
	for _, r := range repertoires {
		for _, n := range r.order {
			if !n.own || len(n.moves) == 0 {
				continue
			}
			p, err := chess.ParseFEN(n.fen)
			if err != nil {
				return err
			}
			g := &pgn.Game{Tags: n.tags, Start: p, Main: r.line(p, n.moves[0])}
			for _, m := range n.moves[1:] {
				g.Main.Moves[0].Variations = append(g.Main.Moves[0].Variations, r.line(p, m))
			}
			if err := out.Write(g); err != nil {
				return err
			}
		}
	}
	return nil
}

// line returns the repertoire's line from p that begins with m.
func (r *Repertoire) line(p *chess.Position, m chess.Move) (l pgn.Line) {
	p = p.Clone()
	for len(l.Moves) < exercisePlies {
		l.Moves = append(l.Moves, pgn.Node{Move: m})
		p.Make(m)
		next := r.nodes[identify(p)]
		if next == nil || len(next.moves) == 0 {
			break
		}
		m = next.moves[0]
	}
	return l
}

// RepertoireReport says where games of a player left a repertoire.
type RepertoireReport struct {
	Color   string       `json:"color"`
	Answers int          `json:"answers"` // positions of the repertoire with an answer
	Games   int          `json:"games"`   // of the player with that color
	Within  int          `json:"within"`  // that stayed in the repertoire to its end or theirs
	Outside int          `json:"outside"` // that never came to a position of it
	Left    []*Departure `json:"left"`    // by the player, most games first
	Gaps    []*Departure `json:"gaps"`    // by opponents, to positions without an answer, most games first
}

// Departure is a move that left the repertoire, in all games that left it so. Other orders of moves to the same
// position count as well.
type Departure struct {
	Line   string   `json:"line"` // of the first of the games, with the move
	FEN    string   `json:"fen"`  // before the player's move; the position without an answer
	SAN    string   `json:"san"`
	Says   []string `json:"says"` // the moves of the repertoire where this one was made
	Wins   int      `json:"wins"` // of the player
	Draws  int      `json:"draws"`
	Losses int      `json:"losses"`
	Score  *float64 `json:"score"` // 0 to 1; null where no game has a result
	Games  []Listed `json:"games"` // with the ply of the move, from 1
}

// Repertoire reports where the games of a filter left a repertoire of its player. A game that comes back to a position
// of the repertoire has not left it. Errors: a filter without a player, and those of [DB.Find].
func (db *DB) Repertoire(ctx context.Context, r *Repertoire, f Filter) (*RepertoireReport, error) {
	if f.Player == "" {
		return nil, fmt.Errorf("%w: a repertoire needs a player", ErrQuery)
	}
	out := &RepertoireReport{Color: r.Color.String(), Left: []*Departure{}, Gaps: []*Departure{}}
	for _, n := range r.order {
		if n.own && len(n.moves) > 0 {
			out.Answers++
		}
	}
	known := map[departed]*Departure{}
	f.Color = &r.Color
	for found, err := range db.Find(ctx, Query{Filter: f}) {
		if err != nil {
			return nil, err
		}
		g, err := found.Game()
		if err != nil {
			return nil, err
		}
		out.Games++
		key, one, ply := r.follow(g)
		switch {
		case ply < 0:
			out.Outside++
			continue
		case one == nil:
			out.Within++
			continue
		case known[key] != nil:
			one = known[key]
		case key.move != chess.NoMove:
			out.Left = append(out.Left, one)
		default:
			out.Gaps = append(out.Gaps, one)
		}
		known[key] = one
		found.Ply = ply
		one.count(found.Listed, r.Color)
	}
	for _, list := range [][]*Departure{out.Left, out.Gaps} {
		slices.SortStableFunc(list, func(a, b *Departure) int { return cmp.Compare(len(b.Games), len(a.Games)) })
	}
	return out, nil
}

// departed tells departures apart: by the position and the player's move, or by the position without an answer.
type departed struct {
	positionID
	move chess.Move
}

// follow returns where a game left the repertoire: the ply of the move, from 1. one is nil for a game that did not, and
// ply -1 for one that never came to it.
func (r *Repertoire) follow(g *pgn.Game) (key departed, one *Departure, ply int) {
	var last *prepared // the position before
	var moves []chess.Move
	p, ply := g.Position(), -1
	left := func(by departed, at *prepared, fen string) { // p is the position before the last of the moves
		key, ply, one = by, len(moves), &Departure{FEN: fen, Says: []string{}}
		one.SAN = p.SAN(moves[ply-1])
		for _, m := range at.moves {
			one.Says = append(one.Says, p.SAN(m))
		}
		one.Line, _ = g.Position().SANLine(moves) // they are legal
	}
	for i := 0; i <= len(g.Main.Moves); i++ {
		id := identify(p)
		at := r.nodes[id]
		if at != nil {
			one, ply = nil, 0
		}
		if p.SideToMove() == r.Color && last != nil && len(last.moves) > 0 && (at == nil || len(at.moves) == 0) {
			fen := p.FEN()
			p.Unmake()
			left(departed{positionID: id}, last, fen)
			g.Main.Moves[i-1].Play(p)
		}
		if last = at; i == len(g.Main.Moves) {
			break
		}
		m := g.Main.Moves[i].Move
		moves = append(moves, m)
		if at != nil && at.own && len(at.moves) > 0 && !slices.Contains(at.moves, m) {
			left(departed{id, m}, at, p.FEN())
		}
		g.Main.Moves[i].Play(p)
	}
	return key, one, ply
}

// count counts a game.
func (d *Departure) count(g Listed, c chess.Color) {
	d.Games = append(d.Games, g)
	switch g.Result {
	case chess.Draw:
		d.Draws++
	case chess.WhiteWins, chess.BlackWins:
		if (g.Result == chess.WhiteWins) == (c == chess.White) {
			d.Wins++
		} else {
			d.Losses++
		}
	}
	if n := d.Wins + d.Draws + d.Losses; n > 0 {
		d.Score = new((float64(d.Wins) + float64(d.Draws)/2) / float64(n))
	}
}
