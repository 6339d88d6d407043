package lichess

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/uci/client"
)

// session is a browser tab with its engine.
type session struct {
	*provider
	id     string
	engine *client.Engine
	stop   context.CancelFunc // ends the work under way; nil before the first
	done   chan struct{}      // is closed when it has ended

	sink   atomic.Pointer[io.Writer] // where the engine's lines go; nil while it has no work
	failed atomic.Bool               // the engine did what it must not
}

// line passes a line of the engine on, if it belongs to a search.
func (s *session) line(sent bool, line string) {
	word, _, _ := strings.Cut(line, " ")
	if sent || word != "info" && word != "bestmove" {
		return
	}
	if sink := s.sink.Load(); sink != nil {
		_, _ = io.WriteString(*sink, line+"\n") // an end of the request stops the search
	}
}

// end stops the work under way and waits until it has ended.
func (s *session) end() {
	if s.stop != nil {
		s.stop()
		<-s.done
	}
}

// begin ends the work before and starts w.
func (s *session) begin(ctx context.Context, w work) {
	s.end()
	ctx, s.stop = context.WithCancel(ctx)
	s.done = make(chan struct{})
	go func(ctx context.Context, stop context.CancelFunc, done chan struct{}) {
		defer close(done)
		defer stop()
		if err := s.answer(ctx, stop, w); err != nil && !errors.Is(err, context.Canceled) {
			s.logf("work %.40q: %v", w.ID, err)
		}
	}(ctx, s.stop, s.done)
}

// answer searches and sends the lines on the way. The search ends by its limits, or when
// the broker ends the request or ctx is done.
func (s *session) answer(ctx context.Context, stop context.CancelFunc, w work) error {
	lines, sink := io.Pipe()
	submitted := make(chan error, 1)
	go func() {
		submitted <- s.api.submit(ctx, w.ID, lines)
		stop()
		lines.CloseWithError(context.Canceled)
	}()
	err := s.search(ctx, w, sink)
	sink.CloseWithError(err) // nil ends the request in order
	return cmp.Or(err, <-submitted)
}

// search lets the engine search, with its lines going to sink.
func (s *session) search(ctx context.Context, w work, sink io.Writer) error {
	position, err := w.position()
	if err != nil {
		return err
	}
	if err := s.prepare(context.WithoutCancel(ctx), w); err != nil { // whose end would kill the engine
		return s.fail(ctx, err)
	}
	limits := client.Limits{Depth: max(w.Work.Depth, 0), Nodes: w.Work.Nodes, MoveTime: time.Duration(max(w.Work.MoveTime, 0)) * time.Millisecond}
	limits.Infinite = limits.Depth == 0 && limits.Nodes == 0 && limits.MoveTime == 0
	s.sink.Store(&sink)
	defer s.sink.Store(nil)
	_, err = s.engine.Search(ctx, position, limits, nil)
	return s.fail(ctx, err)
}

// fail notes that the engine has failed, unless err is nil or that ctx is done.
func (s *session) fail(ctx context.Context, err error) error {
	if err != nil && !errors.Is(err, ctx.Err()) {
		s.failed.Store(true)
	}
	return err
}

// prepare sets the options that the work asks for, within the limits of settings and
// engine, if the engine has them.
func (s *session) prepare(ctx context.Context, w work) error {
	for _, o := range []struct {
		name        string
		value, most int
	}{
		{"Threads", w.Work.Threads, s.Threads}, {"Hash", w.Work.Hash, s.Hash}, {"MultiPV", w.Work.MultiPV, 5},
	} {
		option, ok := s.engine.Option(o.name)
		if !ok {
			continue
		}
		value := min(max(int64(o.value), 1, option.Min), int64(o.most), option.Max)
		if s.engine.Value(o.name) == strconv.FormatInt(value, 10) {
			continue
		}
		if err := s.engine.SetSpin(ctx, o.name, value); err != nil {
			return err
		}
	}
	if _, ok := s.engine.Option("UCI_AnalyseMode"); ok && s.engine.Value("UCI_AnalyseMode") != "true" {
		if err := s.engine.SetCheck(ctx, "UCI_AnalyseMode", true); err != nil {
			return err
		}
	}
	return s.engine.Ready(ctx)
}

// position returns the position that is to be searched, with its history.
func (w work) position() (*chess.Position, error) {
	if v := w.Work.Variant; v != "" && v != "chess" {
		return nil, fmt.Errorf("variant %.20q: only chess is offered", v)
	}
	p, err := chess.ParseFEN(w.Work.InitialFEN)
	if err != nil {
		return nil, fmt.Errorf("initialFen: %w", err)
	}
	for i, text := range w.Work.Moves {
		m, err := p.ParseUCI(text)
		if err != nil {
			return nil, fmt.Errorf("move %d: %w", i+1, err)
		}
		p.Make(m)
	}
	return p, nil
}
