package hub

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/tabula-chess/tabula/farm/run"
)

// lease is a job in the hands of a worker: what a token says.
type lease struct {
	run.Job           // without its input
	Key     string    `json:"key"`
	Ack     string    `json:"ack"` // the subject by which JetStream knows the delivery
	Issued  time.Time `json:"issued"`
	token   string
	heard   time.Time
}

// sign returns the token of a lease, check what a token says. Only a hub of this farm can make one.
func (g *gate) sign(text []byte) string {
	mac := hmac.New(sha256.New, g.secret)
	mac.Write(text)
	return base64.RawURLEncoding.EncodeToString(append(mac.Sum(nil), text...))
}

func (g *gate) check(token, key string) (*lease, error) {
	text, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || len(text) < sha256.Size || g.sign(text[sha256.Size:]) != token {
		return nil, errors.New("this farm has given no such job")
	}
	l := &lease{token: token, heard: time.Now()}
	if err := json.Unmarshal(text[sha256.Size:], l); err != nil {
		return nil, err
	}
	if l.Key != key {
		return nil, errors.New("the job was given to another worker")
	}
	return l, nil
}

// delivery returns the delivery of a lease, to be acknowledged, kept alive or given back.
func (g *gate) delivery(l *lease) *nats.Msg { return &nats.Msg{Reply: l.Ack, Sub: g.reply} }

// drop forgets a lease.
func (g *gate) drop(w *worker, l *lease) {
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(w.leases, l.token)
}

// lapsed is a lease of which nothing was heard.
type lapsed struct {
	*worker
	*lease
}

// rest gives a worker no jobs of a run for a while after it was silent about one. A job that was done, perhaps for
// another hub, is none of these.
func (g *gate) rest(ctx context.Context, silent []lapsed) error {
	if len(silent) == 0 {
		return nil
	}
	results, err := g.conn.JS.Stream(ctx, run.ResultsStream)
	for _, s := range silent {
		if err != nil {
			return err
		}
		if _, err = results.GetLastMsgForSubject(ctx, s.Job.Subject()); errors.Is(err, jetstream.ErrMsgNotFound) {
			err = nil
			g.mu.Lock()
			s.rests[s.Run] = time.Now().Add(g.times.AckWait)
			g.mu.Unlock()
		}
	}
	return err
}

// lost gives a job back that a worker could not do, and tells the owner of the run why, once for each lease.
func (g *gate) lost(ctx context.Context, w *worker, l *lease, why string) {
	g.mu.Lock()
	_, held := w.leases[l.token]
	delete(w.leases, l.token)
	w.rests[l.Run] = time.Now().Add(g.times.AckWait)
	g.mu.Unlock()
	if !held {
		return
	}
	_ = g.delivery(l).NakWithDelay(g.times.Hold / 20)
	why = run.Clean(why)
	g.log.Warn("a job failed", "run", l.Run[:8], "job", l.Index, "worker", l.Key, "why", why)
	if err := g.conn.Fail(ctx, l.Job, l.Key, why); err != nil {
		g.conn.Warn(err)
	}
}
