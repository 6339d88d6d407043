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

// session is a browser tab with its engine.
type session struct {
	*provider
	id     string
	engine *client.Engine     // of the work under way or the next; nil before the first and after a fault
	stop   context.CancelFunc // ends the work under way; nil before the first
	done   chan struct{}      // is closed when it has ended

	sink atomic.Pointer[io.PipeWriter] // where the engine's lines go; nil while it has no work
}

// line passes a line of the engine on, if it belongs to a search.
func (s *session) line(sent bool, line string) {
	word, _, _ := strings.Cut(line, " ")
	if sink := s.sink.Load(); sink != nil && !sent && (word == "info" || word == "bestmove") {
		_, _ = io.WriteString(sink, line+"\n") // an end of the request stops the search
	}
}

// end stops the work under way and waits until it has ended.
func (s *session) end() {
	if s.stop != nil {
		s.stop()
		<-s.done
	}
}

// close ends the work and the engine.
func (s *session) close() {
	s.end()
	if s.engine != nil {
		_ = s.engine.Close() // returns nil
	}
}

// begin ends the work before and starts w, whose lines go to the broker as they come. The
// search ends by its limits, or when the broker ends the request or ctx is done.
func (s *session) begin(ctx context.Context, w work) {
	s.end()
	working, stop := context.WithCancel(ctx)
	done, searched := make(chan struct{}), make(chan error, 1)
	s.stop, s.done = stop, done
	lines, sink := io.Pipe()
	go func() {
		err := s.search(working, ctx, w, sink)
		sink.CloseWithError(err) // nil ends the request in order
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

// search lets the engine search until ctx is done, with its lines going to sink. An
// engine lives as long as life, for later work, unless it does what it must not.
func (s *session) search(ctx, life context.Context, w work, sink *io.PipeWriter) error {
	position, err := w.position()
	if err != nil {
		return err
	}
	if s.engine == nil {
		if s.engine, err = s.start(life, s.line); err != nil {
			return err
		}
	}
	if err = s.prepare(life, w); err == nil {
		limits := client.Limits{Depth: max(w.Work.Depth, 0), Nodes: w.Work.Nodes, MoveTime: time.Duration(max(w.Work.MoveTime, 0)) * time.Millisecond}
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

// prepare sets the options that the work asks for, within the limits of provider and
// engine, if the engine has them.
func (s *session) prepare(ctx context.Context, w work) error {
	spin := func(name string, value, most int) string {
		o, _ := s.engine.Option(name)
		return strconv.FormatInt(min(max(int64(value), 1, o.Min), int64(most), o.Max), 10)
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
