package hub

import (
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/tabula-chess/tabula/tabula-farm/run"
)

// gate is the only way from the account of workers into that of the owners. It hands out jobs
// that it fetches from the durable consumers of the runs, keeps them alive while their workers
// say so, checks results and stores them. Leases live in JetStream: a gate that is started
// again knows the jobs under way by the tokens that their workers hold. Several gates may
// serve one farm.
type gate struct {
	conn   *run.Conn
	times  run.Times
	log    *slog.Logger
	secret []byte // signs tokens
	reply  *nats.Subscription

	mu      sync.Mutex
	full    string // why no jobs are handed out
	runs    map[string]*open
	bans    []run.Mark
	drains  []run.Mark
	keys    map[string]*holder
	waiting []*waiter
	wanted  int // jobs that those want to whom handOut comes still
	wake    chan struct{}
	keep    time.Duration // after which a run that is over is forgotten; 0 for never
	trust   bool          // on loopback one key may do all copies of a job if no other key can
}

// open is a run that is not over.
type open struct {
	run.Record
	manifest  *run.Manifest
	consumers [2]jetstream.Consumer
	fetched   [2][]jetstream.Msg // that are handed out now
	empty     [2]time.Time       // until which a consumer need not be asked
	served    float64            // seconds of work
	files     map[string][]byte
}

// holder is what is known of a key.
type holder struct {
	machines map[string]*machine
	done     int                  // results since this hub was started
	expired  int                  // jobs that took too long
	rests    map[string]time.Time // until which it gets no jobs of a run of which it failed one
}

// machine is a worker.
type machine struct {
	run.Worker
	heard, stored time.Time
	leases        map[string]*lease // by token
}

// lease is a job in the hands of a worker: what a token says.
type lease struct {
	Run     string        `json:"run"`
	Index   int           `json:"index"`
	Copy    int           `json:"copy"`
	Worker  string        `json:"worker"`
	Ack     string        `json:"ack"` // the subject by which JetStream knows the delivery
	Issued  time.Time     `json:"issued"`
	Longest time.Duration `json:"longest"`
	token   string
	heard   time.Time
}

func (l *lease) job() run.Job { return run.Job{Run: l.Run, Index: l.Index, Copy: l.Copy} }

// waiter is a worker that waits for jobs.
type waiter struct {
	run.Ask
	key, machine string
	until        time.Time
	message      *nats.Msg
}

// Bounds of what one key may have: machines, and jobs at a time before it has delivered any.
const (
	maxMachines = 64
	firstJobs   = 256
)

var machinePattern = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// serve lets workers in until ctx ends. It calls began when it answers.
func (g *gate) serve(ctx context.Context, began func()) error {
	g.runs, g.keys, g.wake = map[string]*open{}, map[string]*holder{}, make(chan struct{}, 1)
	if _, err := g.conn.Operate.Create(ctx, "secret", []byte(rand.Text())); err != nil && !errors.Is(err, jetstream.ErrKeyExists) {
		return err
	}
	entry, err := g.conn.Operate.Get(ctx, "secret")
	if err != nil {
		return err
	}
	g.secret = entry.Value()
	if err := g.read(ctx); err != nil {
		return err
	}
	jobs, err := g.conn.NC.Subscribe("job.*.*.*.*", func(m *nats.Msg) { g.queued(strings.Split(m.Subject, ".")) })
	if err != nil {
		return err
	}
	defer func() { _ = jobs.Unsubscribe() }()
	changes := make(chan *nats.Msg, 64) // of runs and of what operators want
	for _, subject := range []string{"$KV.runs.*", "$KV.operate.>"} {
		s, err := g.conn.NC.ChanSubscribe(subject, changes)
		if err != nil {
			return err
		}
		defer func() { _ = s.Unsubscribe() }()
	}
	requests := make(chan *nats.Msg, 1<<14)
	if g.reply, err = g.conn.NC.ChanQueueSubscribe("gate.*.*.*", "gate", requests); err != nil {
		return err
	}
	defer func() { _ = g.reply.Unsubscribe() }()
	began()
	ctx, cancel := context.WithCancel(ctx)
	var all sync.WaitGroup
	defer func() { cancel(); all.Wait() }()
	for range 64 {
		all.Go(func() {
			for {
				select {
				case m := <-requests:
					g.take(ctx, m)
				case <-ctx.Done():
					return
				}
			}
		})
	}
	tick := time.NewTicker(g.times.Hold / 20)
	defer tick.Stop()
	var read time.Time
	for {
		if time.Since(read) >= min(time.Second, g.times.Hold) {
			if err := g.read(ctx); err != nil {
				g.conn.Warn(err)
			} else {
				read = time.Now()
			}
		}
		g.handOut(ctx)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-g.conn.Closed():
			return g.conn.Err()
		case <-changes:
			read = time.Time{}
		case <-g.wake:
		case <-tick.C:
		}
	}
}

// read reads what owners and operators want, and takes jobs from workers that are gone.
func (g *gate) read(ctx context.Context) error {
	records, err := run.All[run.Record](ctx, g.conn.Runs, ">")
	if err != nil {
		return err
	}
	bans, err := run.All[run.Mark](ctx, g.conn.Operate, "ban.>")
	if err != nil {
		return err
	}
	drains, err := run.All[run.Mark](ctx, g.conn.Operate, "drain.>")
	if err != nil {
		return err
	}
	_, _, full, err := g.conn.Space(ctx)
	if err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if full != "" && g.full == "" {
		g.log.Error(full)
	}
	g.full, g.bans, g.drains = full, values(bans), values(drains)
	known := map[string]bool{}
	least := 0.0
	for i, o := range slices.Collect(maps.Values(g.runs)) {
		if i == 0 || o.served/o.Share < least {
			least = o.served / o.Share
		}
	}
	for _, r := range records {
		if e := r.Value.Ended; e != nil {
			if g.keep > 0 && time.Since(e.At) > g.keep {
				g.log.Info("a run is forgotten", "run", r.Value.Name, "ended", e.At)
				if err := g.conn.Forget(ctx, r.Key); err != nil {
					return err
				}
			}
			continue
		}
		known[r.Key] = true
		o := g.runs[r.Key]
		if o == nil {
			o = &open{served: least * r.Value.Share, files: map[string][]byte{}}
			if o.manifest, err = run.ParseManifest(r.Key, r.Value.Manifest); err != nil {
				g.log.Error("a run cannot be read", "run", r.Key, "error", err)
				continue
			}
			for i, c := range run.Consumers(r.Key) {
				o.consumers[i], err = g.conn.JS.CreateOrUpdateConsumer(ctx, run.JobsStream, jetstream.ConsumerConfig{
					Durable: c[0], FilterSubject: c[1], AckPolicy: jetstream.AckExplicitPolicy, AckWait: g.times.AckWait, MaxAckPending: -1,
				})
				if err != nil {
					return err
				}
			}
			g.runs[r.Key] = o
		}
		o.Record = r.Value
	}
	for id := range g.runs {
		if !known[id] {
			delete(g.runs, id)
			for _, c := range run.Consumers(id) {
				_ = g.conn.JS.DeleteConsumer(ctx, run.JobsStream, c[0]) // it may be gone
			}
		}
	}
	for key, h := range g.keys {
		for name, m := range h.machines {
			for _, l := range m.leases {
				if time.Since(l.heard) > g.times.AckWait {
					g.lost(ctx, h, m, l, "the worker fell silent")
				}
			}
			if time.Since(m.heard) > 2*g.times.AckWait {
				delete(h.machines, name)
				_ = g.conn.Workers.Purge(ctx, key+"."+name)
			}
		}
	}
	return nil
}

func values[T any](all []run.Stored[T]) (list []T) {
	for _, one := range all {
		list = append(list, one.Value)
	}
	return list
}

// queued notes that there is a job of a run.
func (g *gate) queued(subject []string) {
	g.mu.Lock()
	if o := g.runs[subject[1]]; o != nil {
		o.empty = [2]time.Time{}
	}
	g.mu.Unlock()
	g.wakeUp()
}

func (g *gate) wakeUp() {
	select {
	case g.wake <- struct{}{}:
	default:
	}
}

// lost notes that a worker has lost a job, and says so to the owner of the run.
func (g *gate) lost(ctx context.Context, h *holder, m *machine, l *lease, why string) {
	delete(m.leases, l.token)
	key, _, _ := strings.Cut(l.Worker, ".")
	h.rests[l.Run] = time.Now().Add(g.times.AckWait)
	g.log.Warn("a job is taken back", "run", l.Run[:8], "job", l.Index, "worker", l.Worker, "why", why)
	if _, err := g.conn.JS.Publish(ctx, fmt.Sprintf("fail.%s.%d.%s", l.Run, l.Index, key), []byte(why)); err != nil {
		g.conn.Warn(err)
	}
}

// sign returns the token of a lease, open what a token says. Only a hub of this farm can make one.
func (g *gate) sign(text []byte) string {
	mac := hmac.New(sha256.New, g.secret)
	mac.Write(text)
	return base64.RawURLEncoding.EncodeToString(append(mac.Sum(nil), text...))
}

func (g *gate) open(token, worker string) (*lease, error) {
	text, err := base64.RawURLEncoding.DecodeString(token)
	if err != nil || len(text) < sha256.Size || g.sign(text[sha256.Size:]) != token {
		return nil, errors.New("this farm has given no such job")
	}
	l := &lease{token: token, heard: time.Now()}
	if err := json.Unmarshal(text[sha256.Size:], l); err != nil {
		return nil, err
	}
	if l.Worker != worker {
		return nil, errors.New("the job was given to another worker")
	}
	return l, nil
}

// delivery returns the delivery of a lease, to be acknowledged, kept alive or given back.
func (g *gate) delivery(l *lease) *nats.Msg { return &nats.Msg{Reply: l.Ack, Sub: g.reply} }

// take handles a request of a worker, whose name the server has checked.
func (g *gate) take(ctx context.Context, m *nats.Msg) {
	parts := strings.Split(m.Subject, ".")
	key, name, verb := parts[1], parts[2], parts[3]
	var a run.Answer
	var err error
	if !machinePattern.MatchString(name) { // it is shown to people
		g.answer(m, &run.Answer{Refused: "the name of the machine: want 1 to 64 letters, digits, _ and -"})
		return
	}
	switch verb {
	case "next":
		w := &waiter{key: key, machine: name, until: time.Now().Add(g.times.Hold), message: m}
		if _, err = run.Read(m, &w.Ask); err == nil && g.wait(ctx, w, &a) {
			return // handOut answers
		}
	case "alive":
		var r run.Alive
		if _, err = run.Read(m, &r); err == nil {
			g.alive(ctx, key, name, &r, &a)
		}
	case "report":
		var r run.Report
		var file []byte
		if file, err = run.Read(m, &r); err == nil {
			err = g.report(ctx, key, name, &r, file, &a)
		}
	case "input":
		var r run.Fetch
		if _, err = run.Read(m, &r); err == nil {
			err = g.input(ctx, key+"."+name, &r, &a)
		}
	default:
		err = fmt.Errorf("there is no request %q", verb)
	}
	if err != nil {
		a.Error = err.Error()
	}
	g.answer(m, &a)
}

func (g *gate) answer(m *nats.Msg, a *run.Answer) {
	text, err := json.Marshal(a)
	if err == nil {
		err = m.Respond(text)
	}
	if err != nil && !errors.Is(err, nats.ErrMsgNoReply) {
		g.log.Warn("an answer", "to", m.Subject, "error", err)
	}
}

// admit returns what is known of a worker after what it has told of itself, or why it is refused.
func (g *gate) admit(ctx context.Context, key, name string, told *run.Machine, a *run.Answer) (h *holder, m *machine) {
	worker := key + "." + name
	h = g.keys[key]
	if h == nil {
		h = &holder{machines: map[string]*machine{}, rests: map[string]time.Time{}}
		g.keys[key] = h
	}
	for _, b := range g.bans {
		if run.Covers(b.Worker, worker) {
			a.Refused = "this worker is banned: " + b.Reason
			return nil, nil
		}
	}
	if told.Protocol != run.Protocol {
		side := "update the hub"
		if told.Protocol < run.Protocol {
			side = "update this worker"
		}
		a.Refused = fmt.Sprintf("this worker speaks version %d of the farm's protocol, the hub version %d: %s", told.Protocol, run.Protocol, side)
		return nil, nil
	}
	if m = h.machines[name]; m == nil {
		if len(h.machines) >= maxMachines {
			a.Refused = fmt.Sprintf("%d machines work with this key already: enrol another key", maxMachines)
			return nil, nil
		}
		m = &machine{leases: map[string]*lease{}}
		h.machines[name] = m
	}
	if told.Boot != m.Boot { // it was started again: what it did is lost
		for _, l := range m.leases {
			_ = g.delivery(l).Nak()
			g.lost(ctx, h, m, l, "the worker fell silent")
			delete(h.rests, l.Run)
		}
	}
	for _, text := range []*string{&told.Host, &told.Commit, &told.Path} {
		*text = run.Clean(*text)
	}
	told.Cores = max(1, min(told.Cores, 4096))
	m.Machine, m.heard = *told, time.Now()
	for _, d := range g.drains {
		if run.Covers(d.Worker, worker) && time.Since(d.At).Seconds() < told.Uptime {
			a.Leave = true
		}
	}
	return h, m
}

// wait notes that a worker wants jobs; false where it is answered at once.
func (g *gate) wait(ctx context.Context, w *waiter, a *run.Answer) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	_, m := g.admit(ctx, w.key, w.machine, &w.Machine, a)
	if m == nil || a.Leave {
		return false
	}
	// A worker asks once at a time: an older request is of a connection that is lost.
	g.waiting = slices.DeleteFunc(g.waiting, func(o *waiter) bool { return o.key == w.key && o.machine == w.machine })
	g.waiting = append(g.waiting, w)
	g.wakeUp()
	return true
}

// handOut gives jobs to the workers that wait.
func (g *gate) handOut(ctx context.Context) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.wanted = 0
	for _, w := range g.waiting {
		g.wanted += w.Want
	}
	still := g.waiting[:0]
	for _, w := range g.waiting {
		a := run.Answer{Note: g.full}
		if g.full == "" {
			a.Note = g.give(ctx, w, &a)
		}
		if g.wanted -= w.Want; len(a.Jobs) == 0 && time.Now().Before(w.until) {
			still = append(still, w)
			continue
		}
		if m := g.keys[w.key].machines[w.machine]; m != nil {
			m.Note = a.Note
		}
		g.answer(w.message, &a)
	}
	clear(g.waiting[len(still):])
	g.waiting = still
	for _, o := range g.runs {
		for class := range o.fetched {
			for _, d := range o.fetched[class] { // nobody may have them now
				_ = d.NakWithDelay(g.times.Hold / 20)
			}
			o.fetched[class] = nil
		}
	}
}

// give gives a worker jobs of the run that comes first for it, or says why it gets none.
func (g *gate) give(ctx context.Context, w *waiter, a *run.Answer) (why string) {
	h := g.keys[w.key]
	m := h.machines[w.machine]
	if m == nil {
		return ""
	}
	// One that has delivered much may have much at a time, one that keeps jobs too long little.
	held := 0
	for _, o := range h.machines {
		held += len(o.leases)
	}
	want := min(w.Want, max(1, (firstJobs+4*h.done)>>min(h.expired, 30))-held)
	runs := slices.Collect(maps.Values(g.runs))
	slices.SortFunc(runs, func(x, y *open) int {
		return cmp.Or(cmp.Compare(y.Priority, x.Priority), cmp.Compare(x.served/x.Share, y.served/y.Share), x.Began.Compare(y.Began))
	})
	for _, o := range runs {
		switch err := m.Takes(o.manifest); {
		case want <= 0 || o.Paused || o.Timed && !w.Timed:
			continue
		case err != nil:
			why = cmp.Or(why, fmt.Sprintf("run %s: %v", o.Name, err))
			continue
		case time.Now().Before(h.rests[o.Run]):
			why = cmp.Or(why, fmt.Sprintf("run %s: a job of it failed here", o.Name))
			continue
		}
		for class := range o.consumers {
			if want = want - g.fetch(ctx, o, class, want, w, m, a); want <= 0 {
				return ""
			}
		}
		if len(a.Jobs) > 0 {
			return ""
		}
	}
	return why
}

// fetch gives jobs of a run to a worker and returns how many. It fetches as many as all who wait
// now want.
func (g *gate) fetch(ctx context.Context, o *open, class, want int, w *waiter, m *machine, a *run.Answer) (got int) {
	if len(o.fetched[class]) < want && time.Now().After(o.empty[class]) {
		n := min(max(want, g.wanted), 512) - len(o.fetched[class])
		batch, err := o.consumers[class].FetchNoWait(n)
		if err != nil {
			g.conn.Warn(err)
			return 0
		}
		for d := range batch.Messages() {
			o.fetched[class] = append(o.fetched[class], d)
			n--
		}
		if n > 0 {
			o.empty[class] = time.Now().Add(min(time.Second, g.times.AckWait/4))
		}
	}
	var others []jetstream.Msg
	for i, d := range o.fetched[class] {
		if got == want {
			others = append(others, o.fetched[class][i:]...)
			break
		}
		var j run.Job
		switch err := json.Unmarshal(d.Data(), &j); {
		case err != nil:
			g.log.Error("a job cannot be read", "subject", d.Subject(), "error", err)
			_ = d.Term()
			continue
		case slices.Contains(j.Not, w.key) && !(g.trust && g.alone(o, w.key)):
			others = append(others, d)
			continue
		}
		if meta, err := d.Metadata(); err == nil && meta.NumDelivered > 1 && g.has(ctx, j) {
			_ = d.Ack() // the result came after the job was taken back
			continue
		}
		l := &lease{Run: j.Run, Index: j.Index, Copy: j.Copy, Worker: w.key + "." + w.machine, Ack: d.Reply(), Issued: time.Now().Round(0), Longest: j.Longest, heard: time.Now()}
		text, err := json.Marshal(l)
		if err != nil {
			continue
		}
		l.token = g.sign(text)
		m.leases[l.token] = l
		a.Jobs = append(a.Jobs, run.Lease{Job: j, Manifest: o.Manifest, Token: l.token})
		got++
	}
	o.fetched[class] = others
	return got
}
