package session

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
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
	queues  queues         // of the session
	options map[string]int // values of its options; replaced, never changed

	mu       sync.Mutex
	calls    map[string]*call // running calls by the key of their id, until their final reply is written
	writing  int              // bytes of the final reply that is being written
	last     time.Time        // when a request came, or the reply to a call was written
	work     sync.WaitGroup   // the goroutines of calls
	finished chan *call       // to the writer
	news     chan struct{}    // holds a token if calls have events
}

// call is a request. Its work runs on a goroutine of its own.
type call struct {
	session *Session
	options map[string]int // of the session when the request came
	id      json.RawMessage
	key     string // of the id
	came    time.Time
	ctx     context.Context // ended by stop, with errStopped as its cause, and with the session
	end     context.CancelCauseFunc
	alone   bool    // the only request of its session
	endless bool    // only stop ends it, or the end of the session
	upload  *upload // the file that it imports; nil for other calls
	refused func()  // called if there is no room for the call; nil for nothing

	event   func() Reply // not written yet; nil for none
	result  any
	err     error
	warning string // for the final reply, "" for none
	bytes   int    // of the message, then of the final reply
	final   []byte // the final reply, once there is one
}

// Session returns a new session.
func (s *Service) Session() *Session {
	one := &Session{
		service: s, options: s.options, calls: map[string]*call{}, finished: make(chan *call), news: make(chan struct{}, 1),
		last: time.Now(),
	}
	for k := range one.queues {
		one.queues[k].places = make(chan struct{}, bounds[k].each)
	}
	return one
}

// Run answers requests. read returns a request; write writes one reply at a time. Both may block: no
// search waits for them, but no request is read while the reply to an earlier one waits.
//
// When read returns io.EOF, Run stops the requests that would never end, answers the others and
// returns nil. Any other error of read or write, and the end of ctx, ends all requests; Run returns
// the error or the cause. It then abandons a read that still blocks, and a write after a second.
//
// Run may be called once.
func (s *Session) Run(ctx context.Context, read func() ([]byte, error), write func([]byte) error) error {
	ctx, end := context.WithCancelCause(ctx)
	defer end(errOver)
	messages, written := make(chan []byte), make(chan struct{})
	go func() {
		for {
			message, err := read()
			if errors.Is(err, io.EOF) {
				close(messages)
				return
			} else if err != nil {
				end(err)
				return
			}
			select {
			case messages <- message:
			case <-ctx.Done():
				return
			}
		}
	}()
	go func() {
		defer close(written)
		if err := s.writeAll(ctx, write); err != nil {
			end(err)
		}
	}()
	s.obey(ctx, messages)
	s.work.Wait()
	close(s.finished)
	select {
	case <-written:
	case <-ctx.Done():
		select {
		case <-written:
		case <-time.After(time.Second):
		}
	}
	return context.Cause(ctx)
}

// obey starts the requests in messages, and at their end stops those that would never end.
func (s *Session) obey(ctx context.Context, messages <-chan []byte) {
	for {
		select {
		case message, more := <-messages:
			if !more {
				if to := s.importing(); to != nil {
					<-to.upload.read
				}
				s.stop(func(c *call) bool { return c.endless })
				return
			}
			c, later := s.open(ctx, message, "")
			if later == nil {
				c.final = c.reply().json()
				c.deliver(ctx)
				continue
			}
			s.work.Go(func() {
				c.do(later)
				c.deliver(ctx)
			})
		case <-ctx.Done():
			return
		}
	}
}

// open reads a request. It answers the request at once, or returns the work that does. word is the
// only request that the client may make, which nothing can stop; "" for any.
func (s *Session) open(ctx context.Context, message []byte, word string) (c *call, later work) {
	c = &call{session: s, options: s.options, came: time.Now(), alone: word != "", bytes: len(message)}
	handle, fields, err := c.read(message, word)
	if err == nil {
		err = s.checkID(c)
	}
	if err == nil {
		c.result, err = handle(c, fields)
	}
	later, slow := c.result.(work)
	if err == nil && c.endless && c.alone {
		err = fault("limits", "want a limit, because nothing could stop the request")
	}
	if err == nil && slow {
		if err = s.admit(ctx, c); err != nil && c.refused != nil {
			c.refused()
		}
	}
	if c.err = err; err != nil {
		return c, nil
	}
	return c, later
}

// checkID refuses a call if its id is in use.
func (s *Session) checkID(c *call) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last = c.came
	if s.calls[c.key] != nil {
		return fault("id", "%s is the id of a running request", c.key)
	}
	return nil
}

// admit adds a call whose work takes time, unless there are too many, or too many bytes. So a session is bounded, and
// still answers stop.
func (s *Session) admit(ctx context.Context, c *call) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	flight := s.writing + c.bytes
	for _, o := range s.calls {
		flight += o.bytes
	}
	switch {
	case len(s.calls) >= maxRequests:
		return fault("", "%d requests are running, the maximum", maxRequests)
	case flight > maxFlight:
		return fault("", "running requests and unread replies would have %d bytes, the maximum is %d", flight, maxFlight)
	}
	c.ctx, c.end = context.WithCancelCause(ctx)
	s.calls[c.key] = c
	return nil
}

// do does the work of a call and makes its final reply, which is an error where too much of earlier ones is unread.
func (c *call) do(later work) {
	c.result, c.err = later()
	c.end(errOver)
	final, s := c.reply().json(), c.session
	s.mu.Lock()
	defer s.mu.Unlock()
	unread := s.writing
	for _, o := range s.calls {
		unread += len(o.final)
	}
	if unread > 0 && unread+len(final) > maxFlight {
		c.err = fault("", "the unread replies would have %d bytes, the maximum is %d", unread+len(final), maxFlight)
		final = c.reply().json()
	}
	c.result, c.bytes, c.final = nil, len(final), final
}

// Idle returns since when the session has had no request in progress; false where one is.
func (s *Session) Idle() (since time.Time, idle bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.last, len(s.calls) == 0
}

// deliver hands the final reply to the writer.
func (c *call) deliver(ctx context.Context) {
	select {
	case c.session.finished <- c:
	case <-ctx.Done():
	}
}

// tell adds an event, which replaces one that is not written yet. It does not wait. The writer calls
// build.
func (c *call) tell(build func() Reply) {
	c.session.mu.Lock()
	c.event = build
	c.session.mu.Unlock()
	select {
	case c.session.news <- struct{}{}:
	default:
	}
}

// progress tells the progress of a call.
func (c *call) progress(p any) { c.tell(func() Reply { return Reply{ID: c.id, Progress: p} }) }

// reply returns the final reply.
func (c *call) reply() Reply {
	if c.err != nil {
		return Reply{ID: c.id, Error: asError(c.err), Warning: c.warning}
	}
	return Reply{ID: c.id, Result: c.result, Warning: c.warning}
}

// writeAll writes events and final replies until all calls have finished.
func (s *Session) writeAll(ctx context.Context, write func([]byte) error) error {
	for {
		select {
		case c, more := <-s.finished:
			if !more {
				return nil
			}
			s.mu.Lock() // the id is free when the final reply is written
			if s.calls[c.key] == c {
				delete(s.calls, c.key)
				s.last = time.Now()
			}
			s.writing = len(c.final)
			s.mu.Unlock()
			if err := write(c.final); err != nil {
				return err
			}
			s.mu.Lock()
			s.writing = 0
			s.mu.Unlock()
		case <-s.news:
			for _, event := range s.events() {
				if err := write(event().json()); err != nil {
					return err
				}
			}
		case <-ctx.Done():
			return nil
		}
	}
}

// events takes the events of the running calls.
func (s *Session) events() (events []func() Reply) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.calls {
		if c.event != nil {
			events, c.event = append(events, c.event), nil
		}
	}
	return events
}

// stop ends the running calls that which chooses, and returns their number.
func (s *Session) stop(which func(*call) bool) (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.calls {
		if which(c) {
			c.end(errStopped)
			n++
		}
	}
	return n
}

// stopFields are the fields of stop.
type stopFields struct {
	Target json.RawMessage `json:"target"`
}

// stopCall answers stop.
func stopCall(c *call, f *stopFields) (any, error) {
	id, err := canonicalID(f.Target)
	if err != nil {
		return nil, fault("target", "%v", err)
	}
	return &Stopped{Stopped: c.session.stop(func(o *call) bool { return o.key == string(id) }) > 0}, nil
}

// stopped reports whether stop ended the call.
func (c *call) stopped() bool { return errors.Is(context.Cause(c.ctx), errStopped) }

// Answer answers the one request in message and returns the final reply and whether it is an error. An
// empty message means {}; do defaults to word and id to 0. A request that only stop could end is
// refused. The error is the cause of ctx's end.
func (s *Service) Answer(ctx context.Context, word string, message []byte) (reply []byte, failed bool, err error) {
	if len(bytes.TrimSpace(message)) == 0 {
		message = []byte("{}")
	}
	c, later := s.Session().open(ctx, message, word)
	if later != nil {
		c.do(later)
	} else {
		c.final = c.reply().json()
	}
	return c.final, c.err != nil, context.Cause(ctx)
}

// Stream runs a session whose messages are the lines of in and out, until the end of in or ctx. The
// error is the first failed read or write, [ErrTooLong], or the cause of ctx's end. Empty lines are
// ignored.
func (s *Service) Stream(ctx context.Context, in io.Reader, out io.Writer) error {
	lines := bufio.NewScanner(in)
	lines.Buffer(make([]byte, 64<<10), MaxMessage+len("\r\n"))
	read := func() ([]byte, error) {
		for lines.Scan() {
			switch line := bytes.TrimSpace(lines.Bytes()); {
			case len(line) > MaxMessage:
				return nil, ErrTooLong
			case len(line) > 0:
				return bytes.Clone(line), nil
			}
		}
		if err := lines.Err(); errors.Is(err, bufio.ErrTooLong) {
			return nil, ErrTooLong
		} else if err != nil {
			return nil, err
		}
		return nil, io.EOF
	}
	write := func(data []byte) error {
		_, err := out.Write(append(data, '\n'))
		return err
	}
	return s.Session().Run(ctx, read, write)
}
