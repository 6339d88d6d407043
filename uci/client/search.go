package client

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tabula-chess/tabula/chess"
)

// Limits say how long an engine thinks; those that are not zero hold together.
// Without any the engine thinks until it is stopped.
type Limits struct {
	Depth     int              // plies
	Nodes     uint64           // positions
	Mate      int              // looks for a mate in this number of moves
	MoveTime  time.Duration    // for this move, whole milliseconds
	Time      [2]time.Duration // on the clocks of White and Black
	Inc       [2]time.Duration // that they gain each move
	MovesToGo int              // to the next time control
	Infinite  bool             // until it is stopped, even where it knows all

	// Ponder says that the last move of the position is only expected: the
	// engine thinks until PonderHit, and from then on within the other limits.
	Ponder bool

	SearchMoves []chess.Move // no others than these
}

// check returns an error for limits that make no sense.
func (l *Limits) check() error {
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
	return nil
}

// command writes the limits as a go command; text writes a move.
func (l *Limits) command(text func(chess.Move) string) string {
	b := []byte("go")
	add := func(name string, n int64) {
		if n != 0 {
			b = fmt.Appendf(b, " %s %d", name, n)
		}
	}
	if l.Ponder {
		b = append(b, " ponder"...)
	}
	add("depth", int64(l.Depth))
	add("nodes", int64(l.Nodes))
	add("mate", int64(l.Mate))
	add("movetime", millis(l.MoveTime))
	add("wtime", millis(l.Time[chess.White]))
	add("btime", millis(l.Time[chess.Black]))
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

// bound returns the time within which a side must have moved, 0 for none.
func (l *Limits) bound(side chess.Color) time.Duration {
	d := l.MoveTime
	if t := l.Time[side]; t > 0 && (d == 0 || t < d) {
		d = t
	}
	if l.Infinite {
		d = 0
	}
	return d
}

// Result is what a search has found.
type Result struct {
	Best   chess.Move // legal; NoMove where the position has no legal move
	Ponder chess.Move // the reply that the engine expects, legal; NoMove for none
	Lines  []Info     // the last info with a PV of each line, by its number
}

// Info returns the last line of information about the best line, the zero Info
// where there was none.
func (r *Result) Info() Info {
	if len(r.Lines) == 0 {
		return Info{}
	}
	return r.Lines[0]
}

// Search is a search that goes on in an engine. [Search.Wait] must be called soon: an engine waits when
// thousands of its lines are not read, and stays busy until it is closed.
type Search struct {
	e       *Engine
	p       *chess.Position
	command string

	mu       sync.Mutex
	bound    time.Duration // how long the search may take, from when it counts
	deadline chan struct{} // holds a token when the bound begins to count
	stopped  bool
	over     bool

	waiting sync.Mutex
	cut     bool // the context ended before the search
	result  Result
	err     error
}

// Search has the engine look for the best move of p and returns what it found.
// report, if not nil, is told each info line in order, by the calling goroutine.
// Errors: limits that are negative; those of [Engine.Go] and [Search.Wait].
func (e *Engine) Search(ctx context.Context, p *chess.Position, limits Limits, report func(Info)) (Result, error) {
	s, err := e.Go(ctx, p, limits)
	if err != nil {
		return Result{}, err
	}
	return s.Wait(ctx, report)
}

// Go starts a search of p, which is copied. Errors: ErrBusy, ErrClosed, why the
// engine is gone; an [*OptionError] for a Chess960 position where the engine
// knows no Chess960; negative limits; a search move that is not legal.
func (e *Engine) Go(ctx context.Context, p *chess.Position, limits Limits) (*Search, error) {
	if err := limits.check(); err != nil {
		return nil, err
	}
	for _, m := range limits.SearchMoves {
		if !p.IsLegal(m) {
			return nil, fmt.Errorf("uci client: search move %s: %w", m, chess.ErrIllegal)
		}
	}
	if err := e.acquire(); err != nil {
		return nil, err
	}
	s := &Search{e: e, p: p.Clone(), deadline: make(chan struct{}, 1)}
	if err := s.start(ctx, &limits); err != nil {
		e.release()
		return nil, err
	}
	return s, nil
}

// start sends the position and the go command.
func (s *Search) start(ctx context.Context, limits *Limits) error {
	chess960 := s.e.Value(optionChess960) == "true"
	if s.p.Chess960() != chess960 {
		_, known := s.e.Option(optionChess960)
		if known || s.p.Chess960() {
			chess960 = s.p.Chess960()
			if err := s.e.setOption(ctx, optionChess960, fmt.Sprint(chess960)); err != nil {
				return err
			}
		}
	}
	s.command = limits.command(s.p.UCI)
	s.bound = limits.bound(s.p.SideToMove())
	if !limits.Ponder {
		s.deadline <- struct{}{}
	}
	// What an engine still says about an earlier search comes before readyok.
	if err := s.e.exchange(ctx, positionCommand(s.p, chess960)+"\nisready", s.e.timeout, isReadyOK); err != nil {
		return err
	}
	return s.e.send(ctx, s.command)
}

const optionChess960 = "UCI_Chess960"

// positionCommand writes a position with its history since the last null move.
func positionCommand(p *chess.Position, chess960 bool) string {
	q := p.Clone()
	var moves []chess.Move
	for q.Plies() > 0 && q.Step(0).Move != chess.NoMove {
		moves = append(moves, q.Step(0).Move)
		q.Unmake()
	}
	slices.Reverse(moves)
	style := chess.FENStyle{Castling: chess.CastlingXFEN}
	if chess960 {
		style.Castling = chess.CastlingShredder
	}
	b := []byte("position startpos")
	if fen := q.FormatFEN(style); chess960 || fen != chess.StartFEN {
		b = append([]byte("position fen "), fen...)
	}
	for i, m := range moves {
		if i == 0 {
			b = append(b, " moves"...)
		}
		b = append(append(b, ' '), q.UCI(m)...)
		q.Make(m)
	}
	return string(b)
}

// Stop tells the engine to answer now. It may be called from any goroutine and
// more than once; after the search is over it does nothing.
func (s *Search) Stop() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped || s.over {
		return
	}
	s.stopped, s.bound = true, 1 // what is left is the time to answer
	_ = s.e.process.send("stop", s.e.timeout)
	s.count()
}

// PonderHit tells the engine that the expected move was played: from now on it
// thinks within its limits.
func (s *Search) PonderHit() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.stopped || s.over {
		return
	}
	_ = s.e.process.send("ponderhit", s.e.timeout)
	s.count()
}

// count lets the bound count from now.
func (s *Search) count() {
	select {
	case s.deadline <- struct{}{}:
	default:
	}
}

// Wait waits for the end of the search; report is told each info line in order.
// When ctx ends the engine is stopped and its answer returned with ctx's error.
// A second call returns the same at once. Errors: a [*ProtocolError] for a move
// that is not legal or missing, after which the engine can go on; an [*ExitError]
// or [*TimeoutError], after which it is gone.
func (s *Search) Wait(ctx context.Context, report func(Info)) (Result, error) {
	s.waiting.Lock()
	defer s.waiting.Unlock()
	if s.over {
		return s.result, s.err
	}
	line, err := s.read(ctx, report)
	if err == nil {
		err = s.best(line)
	}
	if err == nil && s.cut {
		err = context.Cause(ctx)
	}
	s.mu.Lock()
	s.over, s.err = true, err
	s.mu.Unlock()
	s.e.release()
	return s.result, err
}

// read takes the lines of the search and returns that with the best move.
func (s *Search) read(ctx context.Context, report func(Info)) (best string, err error) {
	var expired <-chan time.Time
	var limit time.Duration
	done := ctx.Done()
	for {
		select {
		case line, ok := <-s.e.process.lines:
			if !ok {
				return "", s.e.process.why()
			}
			switch word, _, _ := strings.Cut(line, " "); word {
			case "bestmove":
				return line, nil
			case "info":
				s.info(line, report)
			}
		case <-s.deadline:
			s.mu.Lock()
			if s.bound > 0 {
				limit = s.bound + s.e.timeout
				expired = time.After(limit)
			}
			s.mu.Unlock()
		case <-expired:
			return "", s.e.process.fail(&TimeoutError{Command: s.command, Limit: limit})
		case <-done:
			done, s.cut = nil, true
			s.Stop()
		}
	}
}

// info keeps and reports an info line.
func (s *Search) info(line string, report func(Info)) {
	in := ParseInfo(s.p, line)
	if len(in.PV) > 0 && in.MultiPV <= chess.MaxMoves {
		n := max(in.MultiPV, 1) - 1
		for len(s.result.Lines) <= n {
			s.result.Lines = append(s.result.Lines, Info{})
		}
		s.result.Lines[n] = in
	}
	if report != nil {
		report(in)
	}
}

// best reads the line with the best move.
func (s *Search) best(line string) error {
	words := strings.Fields(line)
	if len(words) < 2 || words[1] == "(none)" || words[1] == "0000" || words[1] == "NULL" {
		if s.p.HasLegalMove() {
			return protocolError(line, "no best move in "+s.p.FEN(), nil)
		}
		return nil
	}
	m, err := s.p.ParseUCI(words[1])
	if err != nil {
		return protocolError(line, "the best move in "+s.p.FEN(), err)
	}
	s.result.Best = m
	if len(words) > 3 && words[2] == "ponder" {
		s.p.Make(m)
		if reply, err := s.p.ParseUCI(words[3]); err == nil {
			s.result.Ponder = reply
		}
		s.p.Unmake()
	}
	return nil
}
