package session

import (
	"context"
	"encoding/json"
	"sync"
)

// roomFor is the number of bytes of waiting replies at which no more requests are read.
const roomFor = 1 << 20

// outbox queues messages for the writer. Adding a message never waits. For each request it keeps only
// the newest event, so that it holds at most the final replies and one event per running request.
type outbox struct {
	mu     sync.Mutex
	queue  []*parcel
	events map[string]*parcel // those of queue that are events, by the key of their request
	bytes  int                // of the final replies in queue
	wake   chan struct{}      // holds a token when there is something to take
	taken  chan struct{}      // closed and made anew when something was taken
	closed bool
}

// parcel is one message: an event that is written out when it is taken, or a
// final reply that already is.
type parcel struct {
	key   string
	event func() Reply
	data  []byte
}

func newOutbox() *outbox {
	return &outbox{events: map[string]*parcel{}, wake: make(chan struct{}, 1), taken: make(chan struct{})}
}

// event adds an event of the request with that key and replaces a waiting one. The goroutine that
// takes the event calls build.
func (o *outbox) event(key string, build func() Reply) {
	o.mu.Lock()
	if p := o.events[key]; p != nil {
		p.event = build
	} else if !o.closed {
		p = &parcel{key: key, event: build}
		o.events[key] = p
		o.queue = append(o.queue, p)
	}
	o.mu.Unlock()
	o.nudge()
}

// final adds the final reply of the request with that key. Later events with the key belong to
// another request.
func (o *outbox) final(key string, r Reply) {
	data, err := json.Marshal(r)
	if err != nil { // a result of ours that is no JSON
		data, _ = json.Marshal(Reply{ID: r.ID, Error: &Error{Reason: err.Error()}})
	}
	o.mu.Lock()
	if !o.closed {
		delete(o.events, key)
		o.queue = append(o.queue, &parcel{data: data})
		o.bytes += len(data)
	}
	o.mu.Unlock()
	o.nudge()
}

// close closes the outbox: nothing more is added, and take ends when it is empty.
func (o *outbox) close() {
	o.mu.Lock()
	o.closed = true
	o.mu.Unlock()
	o.nudge()
}

func (o *outbox) nudge() {
	select {
	case o.wake <- struct{}{}:
	default:
	}
}

// take waits for the next message. ok is false if the outbox is closed and empty, or ctx has ended.
func (o *outbox) take(ctx context.Context) (data []byte, ok bool) {
	for {
		p, over := o.next()
		switch {
		case p != nil && p.event != nil:
			data, err := json.Marshal(p.event())
			if err != nil {
				continue
			}
			return data, true
		case p != nil:
			return p.data, true
		case over:
			return nil, false
		}
		select {
		case <-o.wake:
		case <-ctx.Done():
			return nil, false
		}
	}
}

// next takes the first parcel; over says that none will come.
func (o *outbox) next() (p *parcel, over bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if len(o.queue) == 0 {
		return nil, o.closed
	}
	p, o.queue[0] = o.queue[0], nil
	o.queue = o.queue[1:]
	o.bytes -= len(p.data)
	if o.events[p.key] == p {
		delete(o.events, p.key)
	}
	close(o.taken)
	o.taken = make(chan struct{})
	return p, false
}

// room waits until less than roomFor bytes wait or ctx ends, and reports whether they do.
func (o *outbox) room(ctx context.Context) bool {
	for {
		o.mu.Lock()
		full, taken := o.bytes >= roomFor, o.taken
		o.mu.Unlock()
		if !full {
			return true
		}
		select {
		case <-taken:
		case <-ctx.Done():
			return false
		}
	}
}
