package lichess

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/uci/client"
)

// tab is a browser tab with its engine.
type tab struct {
	*provider
	id     string
	engine *client.Engine     // nil before the first work and after a failure
	stop   context.CancelFunc // ends the current work; nil before the first
	done   chan struct{}      // closed when the work has ended

	sink atomic.Pointer[io.PipeWriter] // receives the engine's lines; nil without work
}

// line forwards a line of the engine if it belongs to a search.
func (s *tab) line(sent bool, line string) {
	word, _, _ := strings.Cut(line, " ")
	if sink := s.sink.Load(); sink != nil && !sent && (word == "info" || word == "bestmove") {
		_, _ = io.WriteString(sink, line+"\n") // the end of the request stops the search
	}
}

// end stops the current work and waits for it.
func (s *tab) end() {
	if s.stop != nil {
		s.stop()
		<-s.done
	}
}

// close stops the work and the engine.
func (s *tab) close() {
	s.end()
	if s.engine != nil {
		_ = s.engine.Close() // returns nil
	}
}

// begin ends the previous work and starts w, and sends the engine's lines to the broker as they
// come. The search ends at its limits, or when the broker ends the request or ctx is done.
func (s *tab) begin(ctx context.Context, w work) {
	s.end()
	working, stop := context.WithCancel(ctx)
	done, searched := make(chan struct{}), make(chan error, 1)
	s.stop, s.done = stop, done
	lines, sink := io.Pipe()
	go func() {
		err := s.search(working, ctx, w, sink)
		sink.CloseWithError(err) // nil ends the request normally
		searched <- err
	}()
	go func() {
		defer close(done)
		defer stop()
		err := s.broker.call(working, http.MethodPost, engines+"/work/"+url.PathEscape(w.ID), lines, nil)
		stop()
		lines.CloseWithError(context.Canceled)
		if err := cmp.Or(<-searched, err); err != nil && !errors.Is(err, context.Canceled) {
			s.tell("work %.40q: %v", w.ID, err)
		}
	}()
}

// search searches until ctx is done and writes the engine's lines to sink. The engine stays for
// later work until life ends, unless it breaks the protocol.
func (s *tab) search(ctx, life context.Context, w work, sink *io.PipeWriter) error {
	position, warning, err := w.position()
	if err != nil {
		return err
	}
	if warning != nil {
		s.tell("work %.40q: initialFen: %v", w.ID, warning)
	}
	if s.engine == nil {
		if s.engine, err = s.start(life, s.line); err != nil {
			return err
		}
	}
	if err = s.prepare(life, w); err == nil {
		limits := client.GoLimits{Depth: max(w.Work.Depth, 0), Nodes: w.Work.Nodes,
			MoveTime: time.Duration(max(w.Work.MoveTime, 0)) * time.Millisecond}
		limits.Infinite = limits.Depth == 0 && limits.Nodes == 0 && limits.MoveTime == 0
		s.sink.Store(sink)
		defer s.sink.Store(nil)
		_, err = s.engine.Search(ctx, position, limits, nil)
	}
	if err != nil && !errors.Is(err, ctx.Err()) {
		_ = s.engine.Close() // returns nil
		s.engine = nil
	}
	return err
}

// prepare sets the requested options that the engine has, within the limits of provider and engine.
func (s *tab) prepare(ctx context.Context, w work) error {
	spin := func(name string, value, most int) string {
		o, _ := s.engine.Option(name)
		value = max(1, min(value, most))
		if o.Max > o.Min { // it has bounds
			value = int(min(max(int64(value), o.Min), o.Max))
		}
		return strconv.Itoa(value)
	}
	for _, o := range [][2]string{
		{"Threads", spin("Threads", w.Work.Threads, s.threads)}, {"Hash", spin("Hash", w.Work.Hash, s.hash)},
		{"MultiPV", spin("MultiPV", w.Work.MultiPV, 5)}, {"UCI_AnalyseMode", "true"},
	} {
		if _, ok := s.engine.Option(o[0]); !ok || s.engine.Value(o[0]) == o[1] {
			continue
		}
		if err := s.engine.SetOption(ctx, o[0], o[1]); err != nil {
			return err
		}
	}
	return nil
}

// position returns the position to search, with its history, and what was dropped from its FEN.
func (w work) position() (p *chess.Position, warning, err error) {
	if v := w.Work.Variant; v != "" && v != "chess" {
		return nil, nil, fmt.Errorf("variant %.20q: only chess is supported", v)
	}
	// Chess960 is a variant "chess" too, and has rights KQkq with other squares.
	p, warning, err = chess.RepairFEN(w.Work.InitialFEN, true)
	if err != nil {
		return nil, nil, fmt.Errorf("initialFen: %w", err)
	}
	for i, text := range w.Work.Moves {
		m, err := p.ParseUCI(text)
		if err != nil {
			return nil, nil, fmt.Errorf("move %d: %w", i+1, err)
		}
		p.Make(m)
	}
	return p, warning, nil
}
