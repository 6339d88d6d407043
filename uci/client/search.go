package client

import (
	"cmp"
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/tabula-chess/tabula/chess"
)

// GoLimits say how long an engine thinks; those that are not zero hold together.
// Without any the engine thinks until the context of the search ends. With Time, Inc or MovesToGo the game has
// clocks. One at zero or below is sent as a millisecond: engines take 0 for no clock.
type GoLimits struct {
	Depth     int              // plies
	Nodes     uint64           // positions
	Mate      int              // looks for a mate in this number of moves
	MoveTime  time.Duration    // for this move, whole milliseconds
	Time      [2]time.Duration // on the clocks of White and Black
	Inc       [2]time.Duration // that they gain each move
	MovesToGo int              // to the next time control
	Infinite  bool             // until it is stopped, even where it knows all

	// Ponder, if not nil, says that the last move of the position is only expected: the engine thinks
	// until the channel is closed, when that move was played, and from then on within the other limits.
	Ponder <-chan struct{}

	SearchMoves []chess.Move // no others than these
}

// check returns an error for limits that make no sense in p.
func (l *GoLimits) check(p *chess.Position) error {
	for _, n := range []struct {
		name  string
		value int64
	}{
		{"Depth", int64(l.Depth)}, {"Mate", int64(l.Mate)}, {"MoveTime", int64(l.MoveTime)}, {"MovesToGo",
			int64(l.MovesToGo)},
		{"Inc", int64(min(l.Inc[0], l.Inc[1]))},
	} {
		if n.value < 0 {
			return fmt.Errorf("uci client: limit %s is negative: %d", n.name, n.value)
		}
	}
	for _, m := range l.SearchMoves {
		if !p.IsLegal(m) {
			return fmt.Errorf("uci client: search move %s: %w", m, chess.ErrIllegal)
		}
	}
	return nil
}

// command writes the limits as a go command; text writes a move.
func (l *GoLimits) command(text func(chess.Move) string) string {
	b := []byte("go")
	add := func(name string, n int64) {
		if n != 0 {
			b = fmt.Appendf(b, " %s %d", name, n)
		}
	}
	if l.Ponder != nil {
		b = append(b, " ponder"...)
	}
	add("depth", int64(l.Depth))
	add("nodes", int64(l.Nodes))
	add("mate", int64(l.Mate))
	add("movetime", millis(l.MoveTime))
	if l.clocked() {
		add("wtime", millis(l.left(chess.White)))
		add("btime", millis(l.left(chess.Black)))
	}
	add("winc", millis(l.Inc[chess.White]))
	add("binc", millis(l.Inc[chess.Black]))
	add("movestogo", int64(l.MovesToGo))
	if l.Infinite || len(b) == len("go") {
		b = append(b, " infinite"...)
	}
	for i, m := range l.SearchMoves {
		if i == 0 {
			b = append(b, " searchmoves"...)
		}
		b = append(b, ' ')
		b = append(b, text(m)...)
	}
	return string(b)
}

// millis returns whole milliseconds, at least 1 for what is not zero.
func millis(d time.Duration) int64 {
	if d > 0 {
		return max(1, d.Milliseconds())
	}
	return d.Milliseconds()
}

// clocked reports whether the game has clocks.
func (l *GoLimits) clocked() bool {
	return l.Time != [2]time.Duration{} || l.Inc != [2]time.Duration{} || l.MovesToGo > 0
}

// left returns the time on a clock as it is sent.
func (l *GoLimits) left(side chess.Color) time.Duration { return max(time.Millisecond, l.Time[side]) }

// bound returns the time within which a side must have moved, 0 for none.
func (l *GoLimits) bound(side chess.Color) time.Duration {
	d := l.MoveTime
	if t := l.left(side); l.clocked() && (d == 0 || t < d) {
		d = t
	}
	if l.Infinite {
		d = 0
	}
	return d
}

// Answer is what a search has found.
type Answer struct {
	Best   chess.Move // legal; NoMove where the position has no legal move
	Ponder chess.Move // the reply that the engine expects, legal; NoMove for none
	Lines  []InfoLine // the last info with a PV of each line, by its number
}

// Info returns the last line of information about the best line, the zero InfoLine
// where there was none.
func (r *Answer) Info() InfoLine {
	if len(r.Lines) == 0 {
		return InfoLine{}
	}
	return r.Lines[0]
}

// Search has the engine look for the best move of p and returns what it found. report, if not nil, is told each
// info line in order, by the calling goroutine. When ctx ends, the engine is stopped and its answer returned with
// ctx's error. Errors: negative limits; a search move that is not legal; an [*OptionError] for a game of Chess960
// where the engine knows no Chess960; a [*ProtocolError] for a move that is not legal or missing, after which the
// engine can go on; those of [Engine.Command].
func (e *Engine) Search(
	ctx context.Context, p *chess.Position, limits GoLimits, report func(InfoLine),
) (Answer, error) {
	if err := limits.check(p); err != nil {
		return Answer{}, err
	}
	if !e.busy.TryLock() {
		return Answer{}, ErrBusy
	}
	defer e.busy.Unlock()
	p = p.Clone()
	g := gameOf(p)
	// The end of ctx must not end the engine, as that of another exchange would.
	if err := e.setUp(context.WithoutCancel(ctx), g); err != nil {
		return Answer{}, err
	}
	command := limits.command(func(m chess.Move) string { return g.text(p, m) })
	if err := e.send(ctx, command); err != nil {
		return Answer{}, err
	}
	var expired <-chan time.Time
	var limit time.Duration
	within := func(d time.Duration) { // and the time that an answer may take
		limit = min(d, math.MaxInt64-e.timeout) + e.timeout
		expired = time.After(limit)
	}
	bound := limits.bound(p.SideToMove())
	if bound > 0 && limits.Ponder == nil {
		within(bound)
	}
	hit, done := limits.Ponder, ctx.Done()
	var ended error // of ctx
	for r := (Answer{}); ; {
		select {
		case line, ok := <-e.process.lines:
			if !ok {
				return r, e.process.why()
			}
			switch word, _, _ := strings.Cut(line, " "); word {
			case "bestmove":
				return r, cmp.Or(r.best(p, line), ended)
			case "info":
				in := ParseInfo(p, line)
				r.keep(in)
				if report != nil {
					report(in)
				}
			}
		case <-hit:
			hit = nil
			_ = e.process.send("ponderhit", e.timeout)
			if bound > 0 {
				within(bound)
			}
		case <-done:
			hit, done, ended = nil, nil, context.Cause(ctx)
			_ = e.process.send("stop", e.timeout)
			within(0)
		case <-expired:
			return r, e.process.fail(&TimeoutError{Command: command, Limit: limit})
		}
	}
}

// game is a position with its history since the last null move.
type game struct {
	start    *chess.Position
	moves    []chess.Move
	chess960 bool // one of its positions is of Chess960, if only because of castling rights that are gone by now
}

func gameOf(p *chess.Position) game {
	g := game{start: p.Clone(), chess960: p.Chess960()}
	for g.start.Plies() > 0 && g.start.Step(0).Move != chess.NoMove {
		g.moves = append(g.moves, g.start.Step(0).Move)
		g.start.Unmake()
		g.chess960 = g.chess960 || g.start.Chess960()
	}
	slices.Reverse(g.moves)
	return g
}

// text writes a move of p, a position of the game. With UCI_Chess960, castling is king takes rook everywhere.
func (g *game) text(p *chess.Position, m chess.Move) string {
	if g.chess960 {
		return m.String()
	}
	return p.UCI(m)
}

// PositionCommand returns the command that sets up p with its history since the last null move. chess960 says that
// UCI_Chess960 is set, so that castling is written as king takes rook and castling rights by the files of the rooks.
func PositionCommand(p *chess.Position, chess960 bool) string {
	g := gameOf(p.Clone())
	g.chess960 = chess960
	return g.command()
}

// ParsePosition reads a position command and returns the position with the history of its moves. Errors: those of
// [chess.ParseFEN] and [chess.Position.ParseUCI]; a [*ProtocolError] for another command.
func ParsePosition(command string) (*chess.Position, error) {
	words := strings.Fields(command)
	moves := slices.Index(append(words, "moves"), "moves")
	p := chess.NewPosition()
	switch {
	case moves < 2 || words[0] != "position" || words[1] != "startpos" && words[1] != "fen":
		return nil, protocolError(command, "no position", nil)
	case words[1] == "fen":
		if err := p.SetFEN(strings.Join(words[2:moves], " ")); err != nil {
			return nil, err
		}
	}
	for _, w := range words[min(moves+1, len(words)):] {
		m, err := p.ParseUCI(w)
		if err != nil {
			return nil, err
		}
		p.Make(m)
	}
	return p, nil
}

// command writes the game as a position command.
func (g *game) command() string {
	style := chess.FENStyle{Castling: chess.CastlingXFEN}
	if g.chess960 {
		style.Castling = chess.CastlingShredder
	}
	b := []byte("position startpos")
	if fen := g.start.FormatFEN(style); g.chess960 || fen != chess.StartFEN {
		b = append([]byte("position fen "), fen...)
	}
	p := g.start.Clone()
	for i, m := range g.moves {
		if i == 0 {
			b = append(b, " moves"...)
		}
		b = append(append(b, ' '), g.text(p, m)...)
		p.Make(m)
	}
	return string(b)
}

// setUp sends a game, and the option Chess960 where it differs from what the game needs.
func (e *Engine) setUp(ctx context.Context, g game) error {
	if _, known := e.Option(optionChess960); g.chess960 != (e.Value(optionChess960) == "true") && (known || g.chess960) {
		if err := e.setOption(ctx, optionChess960, fmt.Sprint(g.chess960)); err != nil {
			return err
		}
	}
	// What an engine still says about an earlier search comes before readyok.
	return e.exchange(ctx, g.command()+"\nisready", e.timeout, isReadyOK)
}

const optionChess960 = "UCI_Chess960"

// keep keeps an info line with a PV.
func (r *Answer) keep(in InfoLine) {
	if len(in.PV) == 0 || in.MultiPV > chess.MaxMoves {
		return
	}
	n := max(in.MultiPV, 1) - 1
	for len(r.Lines) <= n {
		r.Lines = append(r.Lines, InfoLine{})
	}
	r.Lines[n] = in
}

// best reads the line with the best move in p.
func (r *Answer) best(p *chess.Position, line string) error {
	words := strings.Fields(line)
	if len(words) < 2 || words[1] == "(none)" || words[1] == "0000" || words[1] == "NULL" {
		if p.HasLegalMove() {
			return protocolError(line, "no best move in "+p.FEN(), nil)
		}
		return nil
	}
	m, err := p.ParseUCI(words[1])
	if err != nil {
		return protocolError(line, "the best move in "+p.FEN(), err)
	}
	r.Best = m
	if len(words) > 3 && words[2] == "ponder" {
		p.Make(m)
		if reply, err := p.ParseUCI(words[3]); err == nil {
			r.Ponder = reply
		}
		p.Unmake()
	}
	return nil
}
