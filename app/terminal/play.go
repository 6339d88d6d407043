package terminal

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/internal/files"
	"github.com/tabula-chess/tabula/internal/journal"
	"github.com/tabula-chess/tabula/pgn"
	"github.com/tabula-chess/tabula/search"
)

// Opponent is the part of *search.Engine that a game needs.
type Opponent interface {
	Analyse(ctx context.Context, p *chess.Position, l search.Limits, o search.Options,
		report func(search.Info)) (search.Analysis, error)
}

// GameSettings describe the game.
type GameSettings struct {
	Engine   Opponent
	Hints    Opponent // gives hints; nil for Engine
	Name     string   // of the engine, for the PGN
	Start    *chess.Position
	Moves    []chess.Move  // played from Start before the game continues
	Player   chess.Color   // the user's side
	Base     time.Duration // on each clock; 0: no clocks
	Inc      time.Duration // added per move
	MoveTime time.Duration // of the engine, without clocks; 0 for no limit
	Nodes    uint64        // per move of the engine; 0 for no limit
	PGN      string        // file to append the game to; "" to print it

	In    io.Reader
	Out   io.Writer
	Color bool
}

// game is a game in progress.
type game struct {
	GameSettings
	p      *chess.Position
	nodes  []pgn.Node
	clocks [2]time.Duration
	before [][2]time.Duration // clocks before each move
	began  time.Time          // when the user's turn began
	lines  <-chan string      // the user's input; closed at its end
	score  eval.Score         // of the engine's last search, from its point of view
	result chess.Result
	why    string // why the game is over; "" while it goes on
	left   bool   // the user has left
}

// Play plays a game until it is over, the user leaves or the input ends. If ctx is done, it returns
// exit.ErrInterrupted. In every case it writes the PGN if a move has been made.
func Play(ctx context.Context, s GameSettings) error {
	if s.PGN != "" {
		f, err := journal.OpenFile(s.PGN) // known before the game
		if err == nil {
			err = f.Close()
		}
		if err != nil && !errors.Is(err, files.ErrInUse) { // another game may just be added
			return exit.WrongUse(err)
		}
	}
	if s.Hints == nil {
		s.Hints = s.Engine
	}
	g := &game{GameSettings: s, p: s.Start.Clone(), clocks: [2]time.Duration{s.Base, s.Base}, lines: read(ctx, s.In)}
	for _, m := range s.Moves {
		g.before, g.nodes = append(g.before, g.clocks), append(g.nodes, pgn.Node{Move: m})
		g.p.Make(m)
	}
	g.say("You have %s. Type moves such as e4, Nf3 or g1f3, or help.\n", s.Player)
	g.end()
	g.show()
	for g.why == "" && !g.left && ctx.Err() == nil {
		if g.p.SideToMove() == s.Player {
			g.person(ctx)
		} else {
			g.engine(ctx)
		}
	}
	err := g.save()
	if g.why != "" { // last, because the game may be longer than the screen
		g.say("%s: %s.\n", g.result, g.why)
	}
	if err == nil && ctx.Err() != nil {
		return exit.ErrInterrupted
	}
	return err
}

// read returns a channel of the input's lines, closed at its end.
func read(ctx context.Context, in io.Reader) <-chan string {
	lines := make(chan string)
	go func() {
		defer close(lines)
		for s := bufio.NewScanner(in); s.Scan(); {
			select {
			case lines <- s.Text():
			case <-ctx.Done():
				return
			}
		}
	}()
	return lines
}

// say writes to the user, or ends the game if that fails; the program's output remembers the error.
func (g *game) say(format string, args ...any) {
	if _, err := fmt.Fprintf(g.Out, format, args...); err != nil {
		g.left = true
	}
}

// show draws the board with the last move marked.
func (g *game) show() {
	g.say("\n%s\n", strings.Join(Board(g.p, g.p.LastMove(), g.Player, g.Color), "\n"))
	if g.Base > 0 {
		g.say(" White %s   Black %s\n", clock(g.clocks[chess.White]), clock(g.clocks[chess.Black]))
	}
}

// clock writes the time left.
func clock(d time.Duration) string {
	if d = max(0, d); d < 20*time.Second {
		return fmt.Sprintf("0:%04.1f", d.Seconds())
	}
	s := int(d.Seconds())
	if s >= 3600 {
		return fmt.Sprintf("%d:%02d:%02d", s/3600, s/60%60, s%60)
	}
	return fmt.Sprintf("%d:%02d", s/60, s%60)
}

// make makes a move that took some time and checks whether the game is over.
func (g *game) make(m chess.Move, took time.Duration) {
	us := g.p.SideToMove()
	g.before = append(g.before, g.clocks)
	n := pgn.Node{Move: m}
	if g.Base > 0 {
		g.clocks[us] += g.Inc - took
		left := max(0, g.clocks[us].Truncate(100*time.Millisecond))
		n.SetComment(pgn.Comment{Clock: &left})
	}
	g.nodes = append(g.nodes, n)
	g.p.Make(m)
	g.end()
}

// end ends the game if the rules do.
func (g *game) end() {
	if outcome := g.p.Outcome(); outcome.Over() {
		g.finish(g.p.Result(), outcome.String())
	}
}

// finish ends the game.
func (g *game) finish(r chess.Result, why string) { g.result, g.why = r, why }

// wins returns the result of a game that c has won.
func wins(c chess.Color) chess.Result {
	if c == chess.White {
		return chess.WhiteWins
	}
	return chess.BlackWins
}

// flag ends the game of a side whose time has run out. That side loses, unless the other side has a
// bare king: then the game is drawn.
func (g *game) flag(c chess.Color) {
	g.clocks[c] = 0
	if g.p.ByColor(c.Other()) == g.p.Pieces(c.Other(), chess.King) {
		g.finish(chess.Draw, fmt.Sprintf("%s has run out of time, %s has a bare king", c, c.Other()))
		return
	}
	g.finish(wins(c.Other()), fmt.Sprintf("%s has run out of time", c))
}

// think searches with an engine until a limit is reached or ctx is done.
func (g *game) think(ctx context.Context, e Opponent, l search.Limits) search.Analysis {
	o := search.Options{MoveOverhead: 10 * time.Millisecond, Tables: search.AllTables()}
	a, _ := e.Analyse(ctx, g.p, l, o, nil) // the callers check ctx
	return a
}

// limits returns the limits of the engine's move.
func (g *game) limits() search.Limits {
	l := search.Limits{Nodes: g.Nodes, MoveTime: g.MoveTime, Start: time.Now()}
	if g.Base > 0 {
		l.MoveTime, l.Time, l.Inc, l.Timed = 0, g.clocks, [2]time.Duration{g.Inc, g.Inc}, [2]bool{true, true}
	}
	return l
}

// engine lets the engine move.
func (g *game) engine(ctx context.Context) {
	us := g.p.SideToMove()
	began := time.Now()
	r := g.think(ctx, g.Engine, g.limits())
	took := time.Since(began)
	if ctx.Err() != nil {
		return
	}
	g.score = r.Score
	if g.Base > 0 && took > g.clocks[us] {
		g.flag(us)
		return
	}
	if g.p.Outcome().Claimable() && g.score < 0 {
		g.finish(chess.Draw, g.Name+" claims "+g.p.Outcome().String())
		return
	}
	text, _ := g.p.SANLine([]chess.Move{r.Best}) // a legal move, with its number
	g.make(r.Best, took)
	g.show()
	g.say(" %s plays %s\n", g.Name, text)
}
