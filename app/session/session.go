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

	"github.com/tabula-chess/tabula/games"
)

// ErrTooLong is the error of a message longer than [MaxMessage].
var ErrTooLong = fmt.Errorf("a message is longer than %d bytes", MaxMessage)

var (
	errStopped = errors.New("stopped")
	errOver    = errors.New("the session is over")
)

// Session is one client. Its settings and the ids of its requests are its own.
type Session struct {
	service *Service
	client  client
	places  places // of the session
	out     *outbox

	mu    sync.Mutex
	calls map[string]*call // under way, by the key of their id
	work  sync.WaitGroup   // the goroutines of calls
	own   values           // of its options; of the goroutine of Run

	loading []byte                   // what has come of a database
	loaded  atomic.Pointer[games.DB] // the one that has come

	word   string      // of the only request, which no other can stop; "" where there may be many
	failed atomic.Bool // a final reply was an error
}

// ErrBusy is the error of a session whose large message had to wait for too long, as
// others' large messages were not answered yet.
var ErrBusy = errors.New("too many large messages are under way; try again later")

// ErrRead is the error of a message that did not come whole.
var ErrRead = errors.New("the message did not come")

// BusyTime is how long a large message waits for others.
const BusyTime = 30 * time.Second

// call is a request under way.
type call struct {
	key     string
	id      json.RawMessage
	ctx     context.Context // ended by stop, with errStopped as its cause, and with the session
	end     context.CancelCauseFunc
	endless bool // nothing ends it but stop
	keeps   bool // its work needs the message
	came    time.Time
}

// Session returns a new session.
func (s *Service) Session() *Session {
	return &Session{
		service: s, out: newOutbox(), calls: map[string]*call{}, own: defaultValues(),
		places: newPlaces(func(k kind) int { return bounds[k].each }),
	}
}

// Run answers the requests that read returns, each a reader of one message, and writes
// the replies, each one message, one at a time.
// read and write block as they like: no search waits for them. When read returns
// io.EOF, requests that would never end are stopped, the others are answered, and
// Run returns nil; any other error of read or write ends all requests and is returned, as
// is the cause of ctx's end. A read that still blocks then is left behind, and a write,
// after a second.
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

// incoming is a message, or why there is none.
type incoming struct {
	data []byte
	done func() // to be called once the data are not needed any more
	err  error
}

// readAll reads messages until an error that ends the reading, or ctx.
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

// receive reads a message. What is more than a small one waits until the session has no
// other one under way that is, and then for its turn: so is the memory bounded that
// messages take.
func (s *Session) receive(ctx context.Context, r io.Reader) incoming {
	m := incoming{done: func() {}}
	var err error
	if m.data, err = io.ReadAll(io.LimitReader(r, smallMessage+1)); err != nil {
		m.err = fmt.Errorf("%w: %v", ErrRead, err) // no io.EOF, which would be the end of the messages
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

// obey obeys messages until there are no more. The error is why, nil for io.EOF.
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

// request answers one message, or begins to.
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
			later, wrong = nil, fault("limits", "want a limit: nothing could stop it")
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

// admit refuses a call whose id is in use, and one too many.
func (s *Session) admit(c *call) *Error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.calls[c.key] != nil:
		return fault("id", "%s is the id of a request under way", c.key)
	case len(s.calls) >= maxRequests:
		return fault("", "%d requests are under way, that is all there may be", maxRequests)
	}
	return nil
}

// finish gives the final reply.
func (s *Session) finish(c *call, result any, wrong *Error) {
	r := Reply{ID: c.id, Result: result, Error: wrong}
	if wrong != nil {
		r.Result = nil
		s.failed.Store(true)
	}
	s.out.final(c.key, r)
}

// begin lets the work of a call begin beside the session.
func (s *Session) begin(ctx context.Context, c *call, later work, done func()) {
	c.ctx, c.end = context.WithCancelCause(ctx)
	s.mu.Lock()
	s.calls[c.key] = c
	s.mu.Unlock()
	s.work.Go(func() {
		result, wrong := later(c)
		done()
		c.end(errOver)
		s.mu.Lock() // the id is free when its final reply is there
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

// stopEndless ends the calls that would go on for ever.
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

// Answer answers one request, whose message body holds, and returns its final reply and whether that
// is an error; an empty body is {}. What do and id leave out is word and 0. A request that nothing but
// stop would end is refused. Errors: [ErrTooLong], [ErrBusy], [ErrRead] and the cause of ctx's end.
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
