package session

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"
)

// ErrTooLong reports a message longer than [MaxMessage].
var ErrTooLong = fmt.Errorf("a message is longer than %d bytes", MaxMessage)

var (
	errStopped = errors.New("stopped")
	errOver    = errors.New("the session is over")
)

// Session is one client. Its settings and the ids of its requests are its own.
type Session struct {
	service *Service
	places  places // of the session
	out     *outbox
	*player

	mu    sync.Mutex
	calls map[string]*call // running calls by the key of their id
	work  sync.WaitGroup   // the goroutines of calls

	word   string      // name of the only request, which no other can stop; "" if there may be many
	failed atomic.Bool // a final reply was an error
}

// ErrBusy reports that a large message waited too long for other large messages.
var ErrBusy = errors.New("too many large messages at once; try again later")

// ErrRead reports a message that did not arrive completely.
var ErrRead = errors.New("the message did not arrive")

// BusyTime is how long a large message waits for others.
const BusyTime = 30 * time.Second

// call is a running request.
type call struct {
	key     string
	id      json.RawMessage
	ctx     context.Context // ended by stop, with errStopped as its cause, and with the session
	end     context.CancelCauseFunc
	endless bool // only stop ends it
	keeps   bool // its work needs the message
	came    time.Time
}

// Session returns a new session.
func (s *Service) Session() *Session {
	return &Session{
		service: s, out: newOutbox(), calls: map[string]*call{}, player: s.player(),
		places: newPlaces(func(k kind) int { return bounds[k].each }),
	}
}

// Run answers requests. read returns a reader for each request; write writes one reply at a time.
// Both may block: no search waits for them.
//
// When read returns io.EOF, Run stops the requests that would never end, answers the others and
// returns nil. Any other error of read or write, and the end of ctx, ends all requests; Run returns
// the error or the cause. It then abandons a read that still blocks, and a write after a second.
//
// Run may be called once.
func (s *Session) Run(ctx context.Context, read func() (io.Reader, error), write func([]byte) error) error {
	ctx, end := context.WithCancelCause(ctx)
	written := make(chan struct{})
	go func() {
		defer close(written)
		for {
			data, ok := s.out.take(ctx)
			if !ok {
				return
			}
			if err := write(data); err != nil {
				end(err)
				return
			}
		}
	}()
	err := s.obey(ctx, s.readAll(ctx, read))
	if err == nil {
		s.stopEndless()
	} else {
		end(err)
	}
	s.work.Wait()
	s.out.close()
	select {
	case <-written:
	case <-ctx.Done():
		select {
		case <-written:
		case <-time.After(time.Second):
		}
	}
	err = context.Cause(ctx)
	end(errOver)
	return err
}

// incoming is a message or an error.
type incoming struct {
	data []byte
	done func() // must be called when the data are no longer needed
	err  error
}

// readAll reads messages until a read error or the end of ctx.
func (s *Session) readAll(ctx context.Context, read func() (io.Reader, error)) <-chan incoming {
	messages := make(chan incoming)
	go func() {
		for {
			m := incoming{done: func() {}}
			r, err := read()
			if m.err = err; err == nil {
				m = s.receive(ctx, r)
			}
			select {
			case messages <- m:
			case <-ctx.Done():
				m.done()
				return
			}
			if m.err != nil {
				return
			}
		}
	}()
	return messages
}

// receive reads a message. To bound the memory, a large message waits until the session has no other
// large message, and then for a place of the service.
func (s *Session) receive(ctx context.Context, r io.Reader) incoming {
	m := incoming{done: func() {}}
	var err error
	if m.data, err = io.ReadAll(io.LimitReader(r, smallMessage+1)); err != nil {
		m.err = fmt.Errorf("%w: %v", ErrRead, err) // not io.EOF, which would mean the end of the messages
		return m
	}
	if len(m.data) <= smallMessage {
		return m
	}
	wait, cancel := context.WithTimeoutCause(ctx, BusyTime, ErrBusy)
	defer cancel()
	leave, err := s.enter(wait, sending)
	if err != nil {
		m.err = err
		return m
	}
	m.done = sync.OnceFunc(leave)
	rest := bytes.NewBuffer(append(make([]byte, 0, 2*len(m.data)), m.data...))
	if _, err = rest.ReadFrom(io.LimitReader(r, MaxMessage+1-int64(len(m.data)))); err != nil {
		m.err = fmt.Errorf("%w: %v", ErrRead, err)
	}
	if m.data = rest.Bytes(); len(m.data) > MaxMessage {
		m.err = ErrTooLong
	}
	if m.err != nil {
		m.done()
	}
	return m
}

// obey handles messages until reading ends, and returns the read error, nil for io.EOF.
func (s *Session) obey(ctx context.Context, messages <-chan incoming) error {
	for {
		s.out.room(ctx)
		select {
		case m := <-messages:
			switch {
			case errors.Is(m.err, io.EOF):
				return nil
			case m.err != nil:
				return m.err
			default:
				s.request(ctx, m)
			}
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
}

// request answers one message or starts its work.
func (s *Session) request(ctx context.Context, m incoming) {
	r, wrong := s.readRequest(m.data)
	c := &call{key: string(r.id), id: r.id, came: time.Now()}
	if wrong == nil {
		wrong = s.admit(c)
	}
	var result any
	if wrong == nil {
		var later work
		result, later, wrong = s.service.handlers[r.do](s, c, r.fields)
		if later != nil && c.endless && s.word != "" {
			later, wrong = nil, fault("limits", "want a limit, because nothing could stop the request")
		}
		if later != nil {
			if !c.keeps {
				m.done()
			}
			s.begin(ctx, c, later, m.done)
			return
		}
	}
	s.finish(c, result, wrong)
	m.done()
}

// admit refuses a call if its id is in use or there are too many calls.
func (s *Session) admit(c *call) *Error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.calls[c.key] != nil:
		return fault("id", "%s is the id of a running request", c.key)
	case len(s.calls) >= maxRequests:
		return fault("", "%d requests are running, the maximum", maxRequests)
	}
	return nil
}

// finish sends the final reply.
func (s *Session) finish(c *call, result any, wrong *Error) {
	r := Reply{ID: c.id, Result: result, Error: wrong}
	if wrong != nil {
		r.Result = nil
		s.failed.Store(true)
	}
	s.out.final(c.key, r)
}

// begin starts the work of a call.
func (s *Session) begin(ctx context.Context, c *call, later work, done func()) {
	c.ctx, c.end = context.WithCancelCause(ctx)
	s.mu.Lock()
	s.calls[c.key] = c
	s.mu.Unlock()
	s.work.Go(func() {
		result, wrong := later(c)
		done()
		c.end(errOver)
		s.mu.Lock() // the id is free when the final reply is sent
		delete(s.calls, c.key)
		s.finish(c, result, wrong)
		s.mu.Unlock()
	})
}

// stop ends the call with that key and reports whether there is one.
func (s *Session) stop(key string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.calls[key]
	if c != nil {
		c.end(errStopped)
	}
	return c != nil
}

// stopFields are the fields of stop.
type stopFields struct {
	Target json.RawMessage `json:"target"`
}

// stopRequest answers stop.
func (s *Session) stopRequest(f *stopFields) (any, *Error) {
	key, err := canonicalID(f.Target)
	if err != nil {
		return nil, fault("target", "%v", err)
	}
	return &Stopped{Stopped: s.stop(string(key))}, nil
}

// stopEndless ends the calls that would never end.
func (s *Session) stopEndless() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.calls {
		if c.endless {
			c.end(errStopped)
		}
	}
}

// stopped reports whether stop ended the call.
func (c *call) stopped() bool { return errors.Is(context.Cause(c.ctx), errStopped) }

// Answer answers the one request in body and returns the final reply and whether it is an error. An
// empty body means {}; do defaults to word and id to 0. A request that only stop could end is
// refused. Errors: [ErrTooLong], [ErrBusy], [ErrRead] and the cause of ctx's end.
func (s *Service) Answer(ctx context.Context, word string, body io.Reader) (reply []byte, failed bool, err error) {
	one := s.Session()
	one.word = word
	m := one.receive(ctx, body)
	if m.err != nil {
		return nil, false, m.err
	}
	if len(bytes.TrimSpace(m.data)) == 0 {
		m.data = []byte("{}")
	}
	ctx, end := context.WithCancelCause(ctx)
	defer end(errOver)
	one.request(ctx, m)
	one.work.Wait()
	one.out.close()
	for data, ok := one.out.take(ctx); ok; data, ok = one.out.take(ctx) {
		reply = data // the final reply is the last message
	}
	return reply, one.failed.Load(), context.Cause(ctx)
}
