package terminal

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/search"
)

// word is a command that the user may type instead of a move.
type word struct {
	names  []string
	doc    string
	handle func(g *game, ctx context.Context)
}

// words returns the commands in the order of help.
func words() []word {
	return []word{
		{[]string{"undo", "takeback"}, "take back your last move and the reply to it",
			func(g *game, _ context.Context) { g.undo() }},
		{[]string{"hint"}, "show what the engine would play at full strength", (*game).hint},
		{[]string{"draw"}, "claim a draw by threefold repetition or the fifty-move rule, or offer one; " +
			"the engine accepts if it is worse, or late in a level game", (*game).draw},
		{[]string{"resign"}, "resign the game", func(g *game, _ context.Context) {
			g.finish(wins(g.Player.Other()), g.Player.String()+" resigns")
		}},
		{[]string{"board"}, "draw the board again", func(g *game, _ context.Context) { g.show() }},
		{[]string{"moves"}, "list the legal moves", func(g *game, _ context.Context) { g.legal() }},
		{[]string{"fen"}, "print the position", func(g *game, _ context.Context) { g.say("%s\n", g.p.FEN()) }},
		{[]string{"pgn"}, "print the game so far", func(g *game, _ context.Context) { g.say("%s", g.text()) }},
		{[]string{"help", "?"}, "list these commands", func(g *game, _ context.Context) { g.help() }},
		{[]string{"quit", "exit"}, "leave; the game is saved unfinished",
			func(g *game, _ context.Context) { g.left = true }},
	}
}

// person reads lines until one is a move or ends the game.
func (g *game) person(ctx context.Context) {
	g.began = time.Now()
	var out <-chan time.Time
	if g.Base > 0 {
		timer := time.NewTimer(g.clocks[g.Player])
		defer timer.Stop()
		out = timer.C
	}
	plies := len(g.nodes)
	for len(g.nodes) == plies && g.why == "" && !g.left {
		g.say("%s to move: ", g.Player)
		select {
		case <-ctx.Done():
			g.say("\n")
			return
		case <-out:
			g.say("\n")
			g.flag(g.Player)
		case text, more := <-g.lines:
			took := time.Since(g.began)
			switch {
			case g.late(took): // select may take a line although the timer has fired
				g.say("\n")
				g.flag(g.Player)
			case more:
				g.handle(ctx, strings.TrimSpace(text), took)
			default:
				g.say("\n")
				g.left = true
			}
		}
	}
}

// late reports whether the user, who has thought for some time, has run out of it.
func (g *game) late(took time.Duration) bool { return g.Base > 0 && took >= g.clocks[g.Player] }

// handle runs a command or plays a move.
func (g *game) handle(ctx context.Context, text string, took time.Duration) {
	if text == "" {
		return
	}
	for _, w := range words() {
		for _, name := range w.names {
			if strings.EqualFold(text, name) {
				w.handle(g, ctx)
				return
			}
		}
	}
	m, err := g.p.ReadMove(text)
	if err != nil {
		var names []string
		for _, w := range words() {
			names = append(names, w.names...)
		}
		g.say("%s%s\n", reason(text, err), exit.DidYouMean(text, names, "; help lists the commands"))
		return
	}
	g.make(m, took)
	if g.why != "" {
		g.show()
	}
}

// reason returns why a move was refused, without the position, which is on the screen.
func reason(text string, err error) string {
	why := err.Error()
	if wrong, ok := errors.AsType[*chess.MoveError](err); ok {
		why, _, _ = strings.Cut(wrong.Reason, " in ")
	}
	return fmt.Sprintf("cannot play %.40q: %s", text, why)
}

// undo takes back the user's last move and the reply to it.
func (g *game) undo() {
	n := len(g.nodes) - 2 // the engine has answered
	if n < len(g.Moves) {
		g.say("you have no move to take back\n")
		return
	}
	g.clocks = g.before[n]
	for range len(g.nodes) - n {
		g.p.Unmake()
	}
	g.nodes, g.before = g.nodes[:n], g.before[:n]
	g.show()
}

// hintTime is the search time for a hint or a draw offer.
const hintTime = time.Second

// brief returns the limits of a search for a hint or a draw offer.
func (g *game) brief() search.Limits {
	if g.Nodes > 0 {
		return search.Limits{Nodes: g.Nodes}
	}
	return search.Limits{MoveTime: hintTime}
}

// hint shows what the engine would play.
func (g *game) hint(ctx context.Context) {
	r := g.think(ctx, g.Hints, g.brief())
	if ctx.Err() != nil || r.Best == chess.NoMove {
		return
	}
	line := r.Lines[0].Moves
	text, _ := g.p.SANLine(line[:min(len(line), 5)]) // no error: the moves of a search are legal
	g.say("hint: %s (%s for %s; %s)\n", g.p.SAN(r.Best), r.Score, g.Player, text)
}

// The engine accepts a draw by these rules, the same as on the page (web/src/play/match.ts).
const (
	longGame = 60  // plies; earlier it plays on in a level position
	level    = 20  // centipawns; a position within this score is level
	worse    = 100 // centipawns; if it is behind by this much, it accepts at any time
)

// draw claims a draw if the rules allow it, and offers one otherwise. The engine searches the
// position for the time of a hint, at its own strength.
func (g *game) draw(ctx context.Context) {
	if outcome := g.p.Outcome(); outcome.Claimable() {
		g.finish(chess.Draw, outcome.String()+" claimed")
		return
	}
	r := g.think(ctx, g.Engine, g.brief())
	switch {
	case ctx.Err() != nil, g.late(time.Since(g.began)):
	case r.Score < worse && (g.p.Plies() < longGame || r.Score < -level): // the user's score
		g.say("%s declines the draw\n", g.Name)
	default:
		g.finish(chess.Draw, "agreed")
	}
}

// legal lists the legal moves.
func (g *game) legal() {
	var names []string
	for _, m := range movegen.Legal(g.p, nil) {
		names = append(names, g.p.SAN(m))
	}
	g.say("%s\n", strings.Join(names, " "))
}

// help lists the commands.
func (g *game) help() {
	g.say("Type a move, such as e4, Nf3, O-O, e8=Q or g1f3, or one of these commands:\n")
	for _, w := range words() {
		g.say("  %-15s %s\n", strings.Join(w.names, ", "), w.doc)
	}
}
