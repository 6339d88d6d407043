package hub

import (
	"cmp"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/tabula-chess/tabula/farm/run"
)

// gate is the only way from the account of workers into that of the owners. It hands out jobs that it fetches from
// the durable consumers of the runs, keeps them alive while their workers say so, checks results and stores them.
// Leases live in JetStream: a gate that is started again knows the jobs under way by the tokens that their workers
// hold. Several gates may serve a farm.
type gate struct {
	conn     *run.Conn
	times    run.Times
	log      *slog.Logger
	secret   []byte // signs tokens
	reply    *nats.Subscription
	requests sync.WaitGroup
	inputs   sync.Mutex
	trust    bool              // on loopback one key may do both copies of a job
	seen     func(v *run.View) // told what the farm does, about once a second

	mu      sync.Mutex
	view    *run.View // of the farm, as it was read last
	runs    map[string]*open
	workers map[string]*worker // by key
}

type open struct {
	run.Record
	manifest  *run.Manifest
	consumers [2]jetstream.Consumer
	empty     [2]time.Time // until which a consumer need not be asked
	broken    bool         // a consumer may be gone
	served    float64      // seconds of work
}

// worker is what is known of a worker, by its key. Several machines with one key are one worker.
type worker struct {
	run.Worker
	stored time.Time
	leases map[string]*lease    // by token
	asking sync.Mutex           // held while a request for jobs is answered, or several at once would get more
	asks   atomic.Int32         // requests for jobs that are answered or wait
	done   int                  // results since this hub was started
	rests  map[string]time.Time // until which it gets no jobs of a run of which it failed one
}

const (
	firstJobs   = 256     // that a worker may have at a time, to which those that it has done add
	maxJobs     = 4096    // under way on one worker, as many as a machine may have cores
	maxRequests = 1 << 14 // of all workers at a time; what is beyond is dropped, and made again
	maxAsks     = 8       // for jobs, of one key at a time; several machines may have it
)

// begin lets workers in until ctx ends.
func (g *gate) begin(ctx context.Context) error {
	g.runs, g.workers = map[string]*open{}, map[string]*worker{}
	_, err := g.conn.Operate.Create(ctx, "secret", []byte(rand.Text()))
	entry, bad := g.conn.Operate.Get(ctx, "secret")
	if bad != nil {
		return errors.Join(err, bad)
	}
	g.secret = entry.Value()
	if err := g.read(ctx); err != nil {
		return err
	}
	slots := make(chan struct{}, maxRequests)
	g.reply, err = g.conn.NC.QueueSubscribe("gate.*.*", "gate", func(m *nats.Msg) {
		select {
		case slots <- struct{}{}:
			g.requests.Go(func() { g.take(ctx, m); <-slots })
		default:
		}
	})
	return err
}

// serve reads what owners and operators want until ctx ends, and the requests that came before are answered.
func (g *gate) serve(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			_ = g.reply.Unsubscribe()
			g.requests.Wait()
			return
		case <-time.After(max(g.times.Hold/15, 250*time.Millisecond)):
		}
		if err := g.read(ctx); err != nil && ctx.Err() == nil {
			g.conn.Warn(err)
		}
	}
}

// read reads what owners and operators want, and takes back the jobs of workers of which nothing was heard.
func (g *gate) read(ctx context.Context) error {
	v, err := g.conn.View(ctx)
	if err != nil {
		return err
	}
	if g.seen != nil {
		g.seen(v)
	}
	return g.rest(ctx, g.look(ctx, v))
}

// look takes over what owners and operators want, and returns the leases of which nothing was heard.
func (g *gate) look(ctx context.Context, v *run.View) (silent []lapsed) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if v.Full != "" && (g.view == nil || g.view.Full == "") {
		g.log.Error(v.Full)
	}
	g.view = v
	runs := map[string]*open{}
	for _, r := range v.Runs {
		if r.Ended != nil {
			continue
		}
		o := g.runs[r.Run]
		if o == nil || o.broken {
			if opened, err := g.open(ctx, r.Record); err == nil {
				o = opened
			} else {
				g.log.Error("a run cannot be served", "run", r.Name, "error", err)
			}
		}
		if o != nil {
			runs[r.Run], o.Record = o, r.Record
		}
	}
	g.runs = runs
	for _, w := range g.workers {
		for token, l := range w.leases {
			if time.Since(l.heard) <= g.times.AckWait {
				continue
			}
			delete(w.leases, token) // JetStream gives it to another
			silent = append(silent, lapsed{w, l})
		}
	}
	return silent
}

// open makes the consumers of a run. Shares count from now on for all runs.
func (g *gate) open(ctx context.Context, r run.Record) (o *open, err error) {
	o = new(open)
	for _, other := range g.runs {
		other.served = 0
	}
	if o.manifest, err = run.ParseManifest(r.Run, r.Manifest); err != nil {
		return nil, err
	}
	for i, class := range []string{"again", "first"} { // in the order in which they are asked
		o.consumers[i], err = g.conn.JS.CreateOrUpdateConsumer(ctx, run.JobsStream, jetstream.ConsumerConfig{
			Durable: r.Run + "-" + class, FilterSubject: "job." + r.Run + "." + class + ".*.*",
			AckPolicy: jetstream.AckExplicitPolicy, AckWait: g.times.AckWait,
			MaxAckPending: -1, InactiveThreshold: 24 * time.Hour, // of a run that is over
		})
		if err != nil {
			return nil, err
		}
	}
	return o, nil
}

// take answers a request of a worker, whose key the server has checked: see [run.Conn.Tell].
func (g *gate) take(ctx context.Context, m *nats.Msg) {
	parts := strings.Split(m.Subject, ".")
	key, verb, token := parts[1], parts[2], m.Header.Get(run.TokenHeader)
	var a run.Answer
	l, err := g.check(token, key)
	g.mu.Lock()
	w, o := g.workers[key], (*open)(nil)
	if w == nil {
		w = &worker{leases: map[string]*lease{}, rests: map[string]time.Time{}}
		g.workers[key] = w
	}
	if l != nil {
		o = g.runs[l.Run]
	}
	if b, banned := g.view.Bans[key]; banned {
		a.Refused = "this worker is banned: " + b.Text
	}
	g.mu.Unlock()
	switch {
	case verb == "ask":
		err = g.ask(ctx, w, key, m.Data, &a)
	case err != nil:
		a.Stop, a.Note, err = []string{token}, err.Error(), nil
	case a.Refused != "":
	case o == nil:
		a.Stop = []string{token}
	case verb == "report":
		err = g.report(ctx, o, w, l, m.Data, &a)
	case verb == "fail":
		g.lost(ctx, w, l, string(m.Data))
	case verb == "input":
		err = g.input(ctx, o.manifest, m.Data, &a)
	default:
		err = fmt.Errorf("there is no request %q", verb)
	}
	if err != nil {
		a.Error = err.Error()
	}
	text, err := json.Marshal(&a)
	if err == nil {
		err = m.Respond(text)
	}
	if err != nil {
		g.log.Warn("an answer cannot be sent", "to", m.Subject, "bytes", len(text), "error", err)
		for i := range a.Jobs { // others may do them
			if l, err := g.check(a.Jobs[i].Token, key); err == nil {
				g.drop(w, l)
				_ = g.delivery(l).Nak()
			}
		}
	}
}

// ask keeps the jobs of a worker alive, or takes them back where it leaves or a job has taken too long whatever the
// worker says, and gives it jobs.
func (g *gate) ask(ctx context.Context, w *worker, key string, text []byte, a *run.Answer) error {
	var r run.Ask
	if err := json.Unmarshal(text, &r); err != nil {
		return err
	}
	defer w.asks.Add(-1)
	if w.asks.Add(1) > maxAsks {
		return errors.New("too many requests with this key at once: try again")
	}
	w.asking.Lock()
	defer w.asking.Unlock()
	if len(r.Tokens) > maxJobs {
		return fmt.Errorf("%d jobs under way, want at most %d", len(r.Tokens), maxJobs)
	}
	leases := make([]*lease, len(r.Tokens)) // nil where the token is none
	for i, token := range r.Tokens {
		leases[i], _ = g.check(token, key)
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if r.Protocol != run.Protocol {
		a.Refused = fmt.Sprintf("this worker speaks version %d of the protocol, the hub version %d: update the older one",
			r.Protocol, run.Protocol)
	}
	if a.Refused != "" {
		a.Stop = r.Tokens
		return nil
	}
	for _, text := range []*string{&r.Host, &r.Commit, &r.Path, &r.Failed} {
		*text = run.Clean(*text)
	}
	r.Cores = max(1, min(r.Cores, maxJobs))
	w.Machine = r.Machine
	if d, drained := g.view.Drains[key]; drained {
		a.Leave = d.Age.Seconds() < r.Uptime
	}
	w.Running = 0
	for i, token := range r.Tokens {
		l := leases[i]
		switch {
		case l == nil:
			a.Stop = append(a.Stop, token)
		// A younger one may be of a run that only another hub knows.
		case g.runs[l.Run] == nil && time.Since(l.Issued) > 2*time.Second:
			a.Stop = append(a.Stop, token)
			delete(w.leases, token)
		case r.Leaving:
			_ = g.delivery(l).Nak()
			delete(w.leases, token)
		case time.Since(l.Issued) > g.times.Longest:
			a.Stop = append(a.Stop, token)
			g.mu.Unlock()
			g.lost(ctx, w, l, fmt.Sprintf("the job took longer than %v", g.times.Longest))
			g.mu.Lock()
		default:
			_ = g.delivery(l).InProgress()
			w.leases[token] = l
			w.Running++
		}
	}
	if r.Leaving {
		_ = g.conn.Workers.Purge(ctx, key)
		return nil
	}
	if w.Note = g.view.Full; w.Note == "" && r.Want > 0 && !a.Leave {
		w.Note = g.give(w, key, r.Want, a)
	}
	a.Note = w.Note
	if w.Running += len(a.Jobs); time.Since(w.stored) > g.times.Hold/2 {
		w.stored = time.Now()
		return run.Put(ctx, g.conn.Workers, key, &w.Worker)
	}
	return nil
}

// give gives a worker jobs of the run that comes first for it, or says why it gets none. The caller holds the lock,
// which it opens while it fetches.
func (g *gate) give(w *worker, key string, want int, a *run.Answer) (why string) {
	runs := slices.SortedFunc(maps.Values(g.runs), func(x, y *open) int {
		return cmp.Or(cmp.Compare(y.Priority, x.Priority), cmp.Compare(x.served/x.Share, y.served/y.Share),
			x.Began.Compare(y.Began))
	})
	for _, o := range runs {
		err := w.Takes(o.manifest)
		switch {
		case o.Paused:
			continue
		case err != nil:
			why = cmp.Or(why, fmt.Sprintf("run %s: %v", o.Name, err))
			continue
		case time.Now().Before(w.rests[o.Run]):
			why = cmp.Or(why, fmt.Sprintf("run %s: a job of it failed here", o.Name))
			continue
		}
		for class := range o.consumers {
			// Who has delivered much may have much at a time.
			n := min(want-len(a.Jobs), firstJobs+w.done-len(w.leases))
			if n > 0 && time.Now().After(o.empty[class]) {
				g.fetch(w, o, class, n, key, a)
			}
		}
		if len(a.Jobs) > 0 {
			return ""
		}
	}
	return why
}

// fetch gives up to want jobs of a run to a worker. The caller holds the lock.
func (g *gate) fetch(w *worker, o *open, class, want int, key string, a *run.Answer) {
	g.mu.Unlock()
	batch, err := o.consumers[class].FetchNoWait(want)
	var all []jetstream.Msg
	if err == nil {
		for d := range batch.Messages() {
			all = append(all, d)
		}
		err = batch.Error()
	}
	g.mu.Lock()
	if err != nil && len(all) == 0 {
		g.conn.Warn(err)
		o.broken = true
		return
	}
	if len(all) < want {
		o.empty[class] = time.Now().Add(g.times.Hold / 15)
	}
	for _, d := range all {
		var j run.Job
		if err := json.Unmarshal(d.Data(), &j); err != nil {
			_ = d.Term()
			continue
		}
		if slices.Contains(j.Not, key) && !g.trust {
			_ = d.NakWithDelay(g.times.Hold / 20) // another may have it then
			continue
		}
		l := &lease{Job: j.Bare(), Key: key, Ack: d.Reply(), Issued: time.Now().Round(0), heard: time.Now()}
		text, _ := json.Marshal(l) // texts and numbers
		l.token = g.sign(text)
		w.leases[l.token] = l
		a.Jobs = append(a.Jobs, run.Lease{Job: j, Token: l.token})
		a.Manifest = o.Manifest
	}
}

// report checks a result and stores it; the first result of a job stays. Then it acknowledges the job.
func (g *gate) report(ctx context.Context, o *open, w *worker, l *lease, message []byte, a *run.Answer) error {
	r, err := run.OpenResult(o.manifest, l.Job, message)
	passed := time.Since(l.Issued).Seconds() + 60 // clocks of two hubs differ
	switch {
	case err != nil:
	case r.Key != l.Key:
		err = fmt.Errorf("the result names the worker %s", r.Key)
	case r.Took > passed:
		err = fmt.Errorf("the result took %g s, the job was given %.0f s ago", r.Took, passed)
	}
	if err != nil {
		a.Note, a.Stop = err.Error(), []string{l.token}
		g.lost(ctx, w, l, err.Error())
		return nil
	}
	_, err = g.conn.JS.Publish(ctx, l.Job.Subject(), message, jetstream.WithExpectLastSequencePerSubject(0))
	first := err == nil
	if first || run.IsWrongSequence(err) {
		err = g.delivery(l).Ack()
	}
	if err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	delete(w.leases, l.token)
	if first {
		w.done++
		o.served += r.Took
	}
	return nil
}

// part is how much of an input travels in a message.
const part = 4 << 20

func (g *gate) input(ctx context.Context, of *run.Manifest, text []byte, a *run.Answer) error {
	var r run.Fetch
	if err := json.Unmarshal(text, &r); err != nil {
		return err
	}
	if r.Index < 0 || r.Index >= len(of.Inputs) {
		return fmt.Errorf("the run has no input %d", r.Index)
	}
	g.inputs.Lock() // many workers want the same at once: one at a time is in memory
	defer g.inputs.Unlock()
	data, err := g.conn.Files(of)(ctx, r.Index)
	from := max(0, min(r.From, len(data)))
	a.Data, a.Size = data[from:min(from+part, len(data))], len(data)
	return err
}
