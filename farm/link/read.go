package link

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
)

// Msg is a message of a stream.
type Msg struct {
	Subject string
	Seq     uint64
	Time    time.Time // by the server's clock: for plots, never for a decision
	Data    []byte
}

// batchSize is the number of messages that are asked for at a time.
const batchSize = 1000

// batchBytes bounds the bytes of an answer, below what a server takes for a slow
// reader.
const batchBytes = 8 << 20

// getRequest is the body of a direct get of JetStream. Source: NATS ADR-31.
type getRequest struct {
	Seq      uint64 `json:"seq,omitempty"`
	Next     string `json:"next_by_subj,omitempty"`
	Last     string `json:"last_by_subj,omitempty"`
	Batch    int    `json:"batch,omitempty"`
	MaxBytes int    `json:"max_bytes,omitempty"`
}

// Since returns messages of a stream whose subject matches the filter, from the sequence
// number on, in order: all there are up to a bound, and whether there are more. None is no
// error.
func (c *Conn) Since(ctx context.Context, stream, filter string, seq uint64) (all []Msg, more bool, err error) {
	return c.get(ctx, stream, getRequest{Seq: max(seq, 1), Next: filter, Batch: batchSize, MaxBytes: batchBytes})
}

// Latest returns the last message of each subject that matches the filter, of a stream that
// keeps no other, in their order. What is written meanwhile comes as it was or as
// it is.
func (c *Conn) Latest(ctx context.Context, stream, filter string) (latest []Msg, err error) {
	at := map[string]int{}
	for seq, more := uint64(1), true; more; {
		var next []Msg
		if next, more, err = c.Since(ctx, stream, filter, seq); err != nil {
			return nil, err
		}
		for _, m := range next {
			if old, ok := at[m.Subject]; ok {
				latest[old] = m
			} else {
				at[m.Subject], latest = len(latest), append(latest, m)
			}
			seq = m.Seq + 1
		}
	}
	return latest, nil
}

// ErrNone says that a subject has no message.
var ErrNone = errors.New("there is no such message")

// Last returns the last message of a subject, or ErrNone.
func (c *Conn) Last(ctx context.Context, stream, subject string) (m Msg, err error) {
	all, _, err := c.get(ctx, stream, getRequest{Last: subject})
	if err == nil && len(all) == 0 {
		err = fmt.Errorf("%s: %w", subject, ErrNone)
	}
	if err != nil {
		return m, err
	}
	return all[0], nil
}

// get asks for messages and gathers the answers, which come one by one and end
// with one that says so, and whether there are more.
func (c *Conn) get(ctx context.Context, stream string, r getRequest) (all []Msg, more bool, err error) {
	body, err := json.Marshal(&r)
	if err != nil {
		return nil, false, err
	}
	inbox := c.NC.NewInbox()
	sub, err := c.NC.SubscribeSync(inbox)
	if err != nil {
		return nil, false, err
	}
	defer func() { _ = sub.Unsubscribe() }()
	if err := sub.SetPendingLimits(-1, -1); err != nil {
		return nil, false, err
	}
	if err := c.NC.PublishRequest("$JS.API.DIRECT.GET."+stream, inbox, body); err != nil {
		return nil, false, err
	}
	for {
		wait, cancel := context.WithTimeoutCause(ctx, answerWait, errLate)
		answer, err := sub.NextMsgWithContext(wait)
		if err != nil && wait.Err() != nil {
			err = context.Cause(wait)
		}
		cancel()
		if err != nil {
			return nil, false, fmt.Errorf("read %s: %w", stream, err)
		}
		switch status := answer.Header.Get("Status"); status {
		case "":
			m, err := parseMsg(answer)
			if err != nil {
				return nil, false, fmt.Errorf("read %s: %w", stream, err)
			}
			if all = append(all, m); r.Batch == 0 {
				return all, false, nil
			}
		case "204": // the end
			return all, answer.Header.Get("Nats-Num-Pending") != "0", nil
		case "404": // none
			return nil, false, nil
		case "503":
			return nil, false, fmt.Errorf("read %s: %w", stream, nats.ErrNoResponders)
		default:
			return nil, false, fmt.Errorf("read %s: %s %s", stream, status, answer.Header.Get("Description"))
		}
	}
}

// parseMsg reads what a direct get answers.
func parseMsg(answer *nats.Msg) (m Msg, err error) {
	m = Msg{Subject: answer.Header.Get("Nats-Subject"), Data: answer.Data}
	if m.Seq, err = strconv.ParseUint(answer.Header.Get("Nats-Sequence"), 10, 64); err != nil {
		return m, fmt.Errorf("sequence number: %w", err)
	}
	m.Time, err = time.Parse(time.RFC3339Nano, answer.Header.Get("Nats-Time-Stamp"))
	return m, err
}

// tooMany is the server's code for "maximum messages per subject exceeded" and
// for limits of the whole stream alike; the text tells them apart.
const tooMany = 10077

// IsTaken reports whether a publish failed because its subject has a message
// already: somebody was first.
func IsTaken(err error) bool {
	e, ok := errors.AsType[*jetstream.APIError](err)
	return ok && e.ErrorCode == tooMany && e.Description == "maximum messages per subject exceeded"
}

// First publishes a message to a stream where the first write wins, and reports
// whether this one was the first.
func (c *Conn) First(ctx context.Context, subject string, data []byte) (first bool, err error) {
	err = c.Ask(ctx, func(ctx context.Context) error {
		_, err := c.JS.Publish(ctx, subject, data)
		return err
	})
	if IsTaken(err) {
		return false, nil
	}
	return err == nil, err
}

// Put publishes a message to a stream where the last write wins.
func (c *Conn) Put(ctx context.Context, subject string, data []byte) error {
	_, err := c.First(ctx, subject, data)
	return err
}

// Purge removes the messages of a stream whose subjects match the filter.
func (c *Conn) Purge(ctx context.Context, stream, filter string) error {
	return c.Ask(ctx, func(ctx context.Context) error {
		s, err := c.JS.Stream(ctx, stream)
		if err != nil {
			return err
		}
		return s.Purge(ctx, jetstream.WithPurgeSubject(filter))
	})
}
