package session

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/pgn"
)

// jsonGame is a game in the result of pgn and in the request write.
type jsonGame struct {
	Number   int           `json:"number,omitempty"`
	Tags     []pgn.Tag     `json:"tags"`
	Result   string        `json:"result"`
	Start    string        `json:"start,omitempty"`
	Chess960 bool          `json:"chess960,omitempty"`
	Comments []jsonComment `json:"comments,omitempty"` // before the first move
	Moves    []jsonNode    `json:"moves,omitempty"`

	Warning *GameError `json:"warning,omitempty"` // what was not understood
}

// jsonNode is a move with its comments and variations.
type jsonNode struct {
	UCI        string          `json:"uci,omitempty"`
	SAN        string          `json:"san,omitempty"`
	FEN        string          `json:"fen,omitempty"` // after the move
	NAGs       []int           `json:"nags,omitempty"`
	Comments   []jsonComment   `json:"comments,omitempty"`
	Variations []jsonVariation `json:"variations,omitempty"`
}

// jsonVariation is an alternative to a move.
type jsonVariation struct {
	Comments []jsonComment `json:"comments,omitempty"`
	Moves    []jsonNode    `json:"moves"`
}

// jsonComment is a comment. Its embedded commands are separate fields.
type jsonComment struct {
	Text    string      `json:"text"`
	Eval    *pgn.Eval   `json:"eval,omitempty"`
	Clock   *int64      `json:"clock,omitempty"` // ms left
	Elapsed *int64      `json:"elapsed,omitempty"`
	Shapes  []jsonShape `json:"shapes,omitempty"`
}

// jsonShape is an arrow in a colour, such as G, R, Y or B, or a circle where it ends on its square.
type jsonShape struct {
	From  string `json:"from"`
	To    string `json:"to"`
	Color string `json:"color"`
}

// GameError is the reason why a game was skipped.
type GameError struct {
	Game   int    `json:"game"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
	At     int    `json:"at"` // byte from 0 into the text
	Reason string `json:"reason"`
}

// Games is the result of pgn.
type Games struct {
	Games  []jsonGame  `json:"games"`
	Errors []GameError `json:"errors"`
	Next   int         `json:"next"` // number of the first game not returned, 0 for none
}

// gamesFields are the fields of pgn.
type gamesFields struct {
	Text  string `json:"text"`
	First *int   `json:"first"`
	Count *int   `json:"count"`
}

// readGames answers pgn.
func readGames(_ *call, f *gamesFields) (any, error) {
	first, count := given(f.First, 1), given(f.Count, maxGames)
	if err := cmp.Or(within("first", int64(first), 1, MaxMessage),
		within("count", int64(count), 0, maxGames)); err != nil {
		return nil, err
	}
	return gamesOf(f.Text, first, count), nil
}

// gamesOf reads at most count games of a text, starting at number first.
func gamesOf(text string, first, count int) *Games {
	out := &Games{Games: []jsonGame{}, Errors: []GameError{}}
	r := pgn.NewReader(strings.NewReader(text))
	r.MaxMoves = maxParts
	given := 0 // parts
	for number := 1; ; number++ {
		game, err := r.ReadTags()
		if errors.Is(err, io.EOF) {
			return out
		}
		if number < first {
			_ = r.ReadMoves(game) // which finds the next game also where it has no tags
			continue
		}
		if len(out.Games)+len(out.Errors) >= count || given >= maxParts {
			out.Next = number
			return out
		}
		parts := 0
		if err == nil {
			err = r.ReadMoves(game)
		}
		if errors.Is(err, io.EOF) { // text without a game
			return out
		}
		if err == nil {
			parts, err = measure(game, MaxMessage)
		}
		if err != nil {
			out.Errors = append(out.Errors, failed(text, err, number))
			continue
		}
		given += parts
		one := gameOf(game, number)
		one.Warning = warningOf(text, game, number)
		out.Games = append(out.Games, one)
	}
}

// warningOf returns what was not understood in a game of a text, nil for nothing.
func warningOf(text string, game *pgn.Game, number int) *GameError {
	if game.Warning == nil {
		return nil
	}
	warning := failed(text, game.Warning, number)
	return &warning
}

// measure returns the approximate number of parts of a game. Errors: more parts than a reply may
// have, or more than most bytes of comments.
func measure(game *pgn.Game, most int) (parts int, err error) {
	if n := len(game.Main.Moves); n > maxMoves {
		return 0, fmt.Errorf("%d moves, want at most %d", n, maxMoves)
	}
	parts, remarks := partsOf(&game.Main)
	if parts += len(game.Tags); parts > maxParts {
		return 0, fmt.Errorf("moves, tags, comments and marks: %d, want at most %d", parts, maxParts)
	}
	if remarks > most {
		return 0, fmt.Errorf("%d bytes of comments, want at most %d", remarks, most)
	}
	return parts, nil
}

// partsOf returns the number of parts of a line and the bytes of its comments. Commas separate marks
// and arrows.
func partsOf(l *pgn.Line) (parts, remarks int) {
	count := func(comments []string) {
		for _, text := range comments {
			parts += 1 + strings.Count(text, ",")
			remarks += len(text)
		}
	}
	count(l.Comments)
	for i := range l.Moves {
		n := &l.Moves[i]
		parts += 1 + len(n.NAGs)
		count(n.Comments)
		for j := range n.Variations {
			p, r := partsOf(&n.Variations[j])
			parts, remarks = parts+1+p, remarks+r
		}
	}
	return parts, remarks
}

// failed returns why a game was skipped.
func failed(text string, err error, number int) GameError {
	at, ok := errors.AsType[*pgn.Error](err)
	if !ok {
		return GameError{Game: number, Reason: err.Error()}
	}
	return GameError{Game: number, Line: at.Line, Column: at.Column, At: at.Offset, Reason: at.Reason}
}

// gameOf converts a game to a message.
func gameOf(game *pgn.Game, number int) jsonGame {
	p := game.Position()
	out := jsonGame{
		Number: number, Tags: append([]pgn.Tag{}, game.Tags...), Result: game.Result.String(), Start: p.FEN(),
		Chess960: p.Chess960(),
		Comments: comments(game.Main.Comments), Moves: nodesOf(p, &game.Main),
	}
	return out
}

// nodesOf converts the moves of a line that starts at p. It restores p.
func nodesOf(p *chess.Position, l *pgn.Line) []jsonNode {
	nodes := make([]jsonNode, 0, len(l.Moves))
	for i := range l.Moves {
		n := &l.Moves[i]
		move := describe(p, n.Move)
		node := jsonNode{UCI: move.UCI, SAN: move.SAN, Comments: comments(n.Comments)}
		for _, nag := range n.NAGs {
			node.NAGs = append(node.NAGs, int(nag))
		}
		for j := range n.Variations {
			v := &n.Variations[j]
			node.Variations = append(node.Variations, jsonVariation{Comments: comments(v.Comments), Moves: nodesOf(p, v)})
		}
		n.Play(p)
		node.FEN = p.FEN()
		nodes = append(nodes, node)
	}
	for range l.Moves {
		p.Unmake()
	}
	return nodes
}

// comments converts comments and their embedded commands.
func comments(texts []string) []jsonComment {
	var out []jsonComment
	for _, text := range texts {
		c := pgn.ParseComment(text)
		kept := pgn.Comment{Text: c.Text, Commands: c.Commands}
		o := jsonComment{
			Text: kept.String(), Eval: c.Eval, Clock: durationMillis(c.Clock), Elapsed: durationMillis(c.Elapsed),
		}
		for _, m := range c.Squares {
			o.Shapes = append(o.Shapes, jsonShape{m.Square.String(), m.Square.String(), string(rune(m.Color))})
		}
		for _, a := range c.Arrows {
			o.Shapes = append(o.Shapes, jsonShape{a.From.String(), a.To.String(), string(rune(a.Color))})
		}
		out = append(out, o)
	}
	return out
}

func durationMillis(d *time.Duration) *int64 {
	if d == nil {
		return nil
	}
	ms := millis(*d)
	return &ms
}

// writeFields are the fields of write.
type writeFields struct {
	Games []jsonGame `json:"games"`
}

// writeGames answers write.
func writeGames(_ *call, f *writeFields) (any, error) {
	var text bytes.Buffer
	w := pgn.NewWriter(&text)
	for i := range f.Games {
		field := fmt.Sprintf("games[%d]", i)
		game, err := f.Games[i].game(field)
		if err != nil {
			return nil, err
		}
		if i > 0 {
			text.WriteByte('\n')
		}
		if err := w.Write(game); err != nil {
			return nil, fault(field, "%v", err)
		}
	}
	return &Written{Text: text.String()}, nil
}

// game converts a message to a game of package pgn. Errors name fields below field.
func (g *jsonGame) game(field string) (*pgn.Game, error) {
	out := &pgn.Game{}
	for _, t := range g.Tags {
		if name := t.Name; name != "FEN" && name != "SetUp" { // the start position determines them
			out.Tags = append(out.Tags, t)
		}
	}
	result, err := chess.ParseResult(cmp.Or(g.Result, chess.NoResult.String()))
	if err != nil {
		return nil, fault(field+".result", "%v", err)
	}
	out.Result = result
	p := chess.NewPosition()
	if g.Start != "" { // as pgn gave it: nothing is repaired
		if p, err = chess.ParseFEN(g.Start); err != nil {
			return nil, faultOfFEN(field+".start", err)
		}
	}
	if p.FEN() != chess.StartFEN {
		out.Start = p.Clone()
	}
	if out.Main.Comments, err = commentTexts(g.Comments, field); err != nil {
		return nil, err
	}
	out.Main.Moves, err = readNodes(p, g.Moves, field+".moves", 0)
	return out, err
}

// readNodes reads the moves of a line that starts at p. It restores p.
func readNodes(p *chess.Position, nodes []jsonNode, field string, depth int) ([]pgn.Node, error) {
	if depth > pgn.MaxNesting {
		return nil, fault(field, "variations nested deeper than %d", pgn.MaxNesting)
	}
	out := make([]pgn.Node, 0, len(nodes))
	made := 0
	defer func() {
		for range made {
			p.Unmake()
		}
	}()
	for i := range nodes {
		n := &nodes[i]
		at := fmt.Sprintf("%s[%d]", field, i)
		text, name := n.UCI, ".uci"
		if text == "" {
			text, name = n.SAN, ".san"
		}
		m, err := readMove(p, text)
		if err != nil {
			return nil, fault(at+name, "%v", err)
		}
		texts, err := commentTexts(n.Comments, at)
		if err != nil {
			return nil, err
		}
		node := pgn.Node{Move: m, Comments: texts}
		for _, nag := range n.NAGs {
			if err := within(at+".nags", int64(nag), 0, pgn.MaxNAG); err != nil {
				return nil, err
			}
			node.NAGs = append(node.NAGs, pgn.NAG(nag))
		}
		for j := range n.Variations {
			v := &n.Variations[j]
			under := fmt.Sprintf("%s.variations[%d]", at, j)
			texts, err := commentTexts(v.Comments, under)
			if err != nil {
				return nil, err
			}
			moves, err := readNodes(p, v.Moves, under+".moves", depth+1)
			if err != nil {
				return nil, err
			}
			node.Variations = append(node.Variations, pgn.Line{Comments: texts, Moves: moves})
		}
		play(p, m)
		made++
		out = append(out, node)
	}
	return out, nil
}

// commentTexts returns the text of comments. Errors name fields below field.
func commentTexts(list []jsonComment, field string) (texts []string, err error) {
	for i, c := range list {
		at := fmt.Sprintf("%s.comments[%d]", field, i)
		w := pgn.Comment{Text: c.Text, Eval: c.Eval}
		if w.Clock, err = millisDuration(at+".clock", c.Clock); err != nil {
			return nil, err
		}
		if w.Elapsed, err = millisDuration(at+".elapsed", c.Elapsed); err != nil {
			return nil, err
		}
		for j, s := range c.Shapes {
			from, err := chess.ParseSquare(s.From)
			to, err2 := chess.ParseSquare(s.To)
			switch at := fmt.Sprintf("%s.shapes[%d]", at, j); {
			case err != nil:
				return nil, of(at+".from", err)
			case err2 != nil:
				return nil, of(at+".to", err2)
			case len(s.Color) != 1 || s.Color[0] < 'A' || s.Color[0] > 'Z':
				return nil, fault(at+".color", "%.10q, want a capital letter", s.Color)
			case from == to:
				w.Squares = append(w.Squares, pgn.Mark{Square: from, Color: s.Color[0]})
			default:
				w.Arrows = append(w.Arrows, pgn.Arrow{From: from, To: to, Color: s.Color[0]})
			}
		}
		if text := w.String(); text != "" {
			texts = append(texts, text)
		}
	}
	return slices.Clip(texts), nil
}

func millisDuration(field string, ms *int64) (*time.Duration, error) {
	if ms == nil {
		return nil, nil
	}
	return new(time.Duration(*ms) * time.Millisecond), within(field, *ms, 0, maxMillis)
}
