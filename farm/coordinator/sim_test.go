package coordinator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nkeys"

	"github.com/tabula-chess/tabula/internal/must"
	"github.com/tabula-chess/tabula/tabula-farm/link"
	"github.com/tabula-chess/tabula/tabula-farm/run"
	"github.com/tabula-chess/tabula/tabula-farm/run/runtest"
)

// memory is a Store in memory that fails now and then.
type memory struct {
	random    *rand.Rand
	fails     float64 // share of the calls
	manifests map[string]*run.Manifest
	open      map[string]link.Open
	ended     map[string]link.End
	results   []link.Msg
	taken     map[string]bool
	bans      []link.Ban
	kept      map[string]int
	used      int64
	limit     int64
	told      *farm // of runs that are over
}

func newMemory(random *rand.Rand) *memory {
	return &memory{
		random: random, manifests: map[string]*run.Manifest{}, open: map[string]link.Open{}, ended: map[string]link.End{}, taken: map[string]bool{},
		kept: map[string]int{},
	}
}

var errAway = errors.New("away")

func (s *memory) err() error {
	if s.fails > 0 && s.random.Float64() < s.fails {
		return errAway
	}
	return nil
}

func (s *memory) OpenRuns(context.Context) ([]link.Open, error) {
	return slices.Collect(maps.Values(s.open)), s.err()
}
func (s *memory) EndedRuns(context.Context) ([]link.End, error) {
	return slices.Collect(maps.Values(s.ended)), s.err()
}
func (s *memory) Manifest(_ context.Context, id string) (*run.Manifest, error) {
	return s.manifests[id], s.err()
}
func (s *memory) Since(_ context.Context, _, filter string, seq uint64) (all []link.Msg, more bool, err error) {
	prefix := strings.TrimSuffix(filter, ">")
	for i := max(seq, 1) - 1; i < uint64(len(s.results)) && len(all) < 1000; i++ {
		if strings.HasPrefix(s.results[i].Subject, prefix) {
			all = append(all, s.results[i])
		}
	}
	return all, len(all) == 1000, s.err()
}
func (s *memory) Bans(context.Context) ([]link.Ban, error)       { return s.bans, s.err() }
func (s *memory) Kept(_ context.Context, id string) (int, error) { return s.kept[id], s.err() }
func (s *memory) PutEnd(_ context.Context, e link.End) error {
	s.ended[e.Run] = e
	if err := s.err(); err != nil {
		return err
	}
	delete(s.open, e.Run)
	return nil
}
func (s *memory) CloseRun(_ context.Context, id string) error {
	delete(s.open, id)
	for _, w := range s.told.workers {
		for name, d := range w.jobs {
			if d.job.Run == id {
				delete(w.jobs, name)
			}
		}
	}
	return s.err()
}
func (s *memory) Forget(_ context.Context, id string) error {
	delete(s.open, id)
	delete(s.ended, id)
	delete(s.manifests, id)
	s.results = slices.DeleteFunc(s.results, func(m link.Msg) bool { return strings.HasPrefix(m.Subject, "res."+id+".") })
	return s.err()
}
func (s *memory) Space(context.Context) (int64, int64, error) { return s.used, s.limit, s.err() }

// put stores a result; the first one of a subject stays.
func (s *memory) put(subject string, data []byte) {
	if !s.taken[subject] {
		s.taken[subject] = true
		s.results = append(s.results, link.Msg{Subject: subject, Seq: uint64(len(s.results) + 1), Data: data})
	}
}

// farm is a coordinator and workers in virtual time.
type farm struct {
	t       testing.TB
	random  *rand.Rand
	now     time.Time
	store   *memory
	config  Config
	at      *Coordinator
	workers []*simulated
	lost    float64             // share of messages that are lost
	given   map[string][]string // workers by the name of a job
}

// simulated is a worker.
type simulated struct {
	farm    *farm
	key     nkeys.KeyPair
	id      string
	boot    int
	cores   int
	jobs    map[string]*doing
	asked   int       // questions under way
	alive   time.Time // when it says so next
	retry   time.Time // when it asks next
	dead    bool      // until it is started again
	refused string
	note    string
	done    int
	seconds map[string]float64 // by run
	spool   []*doing           // results that were computed before a kill

	lies    bool
	fails   bool
	mute    bool // takes jobs and never answers
	kinds   map[string]int
	untimed bool
}

// doing is a job that a worker does.
type doing struct {
	job   run.Job
	ends  time.Time
	began time.Time
}

// usual are the times of the protocol in virtual time.
var usual = link.Usual()

func newFarm(t testing.TB, seed uint64, workers int) *farm {
	t.Helper()
	random := rand.New(rand.NewPCG(seed, 1))
	f := &farm{t: t, random: random, now: time.Unix(1_000_000, 0), store: newMemory(random), given: map[string][]string{}}
	f.store.told = f
	f.config = Config{Store: f.store, Open: runtest.OpenToy, Times: usual}
	f.at = New(f.config, f.now)
	for range workers {
		f.worker()
	}
	return f
}

// worker adds a worker of one core.
func (f *farm) worker() *simulated {
	key, err := nkeys.CreateUser()
	must.Succeed(f.t, err)
	public, err := key.PublicKey()
	must.Succeed(f.t, err)
	w := &simulated{farm: f, key: key, id: public + ".m", cores: 1, jobs: map[string]*doing{}, seconds: map[string]float64{}, kinds: map[string]int{"toy": 1}}
	f.workers = append(f.workers, w)
	return w
}

func (f *farm) begin(m *run.Manifest, o link.Open) {
	o.Run, o.Kind, o.Jobs = m.ID(), m.Kind, m.Jobs
	if o.Name == "" {
		o.Name = o.Run[:6]
	}
	if o.Share == 0 {
		o.Share = 1
	}
	f.store.manifests[o.Run], f.store.open[o.Run] = m, o
}

// tick is how far the time goes at once.
const tick = 250 * time.Millisecond

// run lets time pass until over or for so long, and reports whether it was over.
func (f *farm) run(most time.Duration, over func() bool) bool {
	for end := f.now.Add(most); f.now.Before(end); f.now = f.now.Add(tick) {
		_ = f.at.Look(f.t.Context(), f.now)
		for _, w := range f.workers {
			w.act()
		}
		if over != nil && over() {
			return true
		}
	}
	return false
}

func (f *farm) ended() bool { return len(f.store.open) == 0 && len(f.store.ended) > 0 }

func (f *farm) restart() { f.at = New(f.config, f.now) }

// send brings a message to the coordinator, unless it is lost.
func (w *simulated) send(what string, message any, answer func(any)) {
	text, err := json.Marshal(message)
	if err != nil {
		w.farm.t.Fatal(err)
	}
	if w.farm.random.Float64() >= w.farm.lost {
		w.farm.at.Take(w.farm.now, link.Incoming{What: what, From: w.id, Data: text, Answer: answer})
	}
}

func (w *simulated) machine() link.Machine {
	return link.Machine{Protocol: link.Protocol, Kinds: w.kinds, Boot: fmt.Sprint(w.boot), Host: "h", Cores: w.cores}
}

// act lets a worker do what is due.
func (w *simulated) act() {
	f := w.farm
	if w.dead || w.refused != "" {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(w.jobs)) {
		if d := w.jobs[name]; !w.mute && !f.now.Before(d.ends) {
			w.finish(d)
		}
	}
	for _, d := range w.spool { // from before a kill
		w.publish(d)
	}
	w.spool = nil
	if !w.mute && !f.now.Before(w.alive) {
		w.alive = f.now.Add(usual.Alive)
		a := link.Alive{Machine: w.machine(), Done: w.done, Running: slices.Sorted(maps.Keys(w.jobs))}
		w.send("alive", &a, nil)
	}
	for w.asked+len(w.jobs) < w.cores && !f.now.Before(w.retry) || w.mute && len(w.jobs) < 50 && !f.now.Before(w.retry) {
		w.ask()
	}
	if !f.now.Before(w.retry.Add(3 * usual.Hold)) {
		w.asked = 0 // no answer comes
	}
}

func (w *simulated) ask() {
	w.asked++
	w.retry = w.farm.now.Add(tick)
	boot := w.boot
	a := link.Ask{Machine: w.machine(), Timed: !w.untimed}
	w.send("ask", &a, func(v any) {
		answer, ok := v.(link.Answer)
		if !ok || boot != w.boot || w.dead {
			return
		}
		w.asked--
		switch {
		case answer.Refused != "":
			w.refused = answer.Refused
		case answer.Job != nil:
			w.take(*answer.Job)
		default:
			w.note = answer.Note
		}
	})
}

func (w *simulated) take(j run.Job) {
	f := w.farm
	f.given[j.Name()] = append(f.given[j.Name()], w.id)
	var p runtest.Toy
	must.Succeed(f.t, json.Unmarshal(f.store.manifests[j.Run].Params, &p))
	took := time.Duration((0.5 + f.random.Float64()) * max(p.Took, 1) * float64(time.Second))
	w.jobs[j.Name()] = &doing{j, f.now.Add(took), f.now}
}

func (w *simulated) finish(d *doing) {
	delete(w.jobs, d.job.Name())
	if w.fails {
		w.send("back", &link.Back{Boot: fmt.Sprint(w.boot), Job: d.job, Why: "nothing works here"}, nil)
		return
	}
	w.publish(d)
}

func (w *simulated) publish(d *doing) {
	f := w.farm
	if f.store.manifests[d.job.Run] == nil {
		return
	}
	took := d.ends.Sub(d.began).Seconds()
	text, _ := w.result(d.job, took)
	f.store.put(d.job.Subject(), text)
	w.done++
	w.seconds[d.job.Run] += took
}

// result does a job and returns the message with its result, and its files.
func (w *simulated) result(j run.Job, took float64) (message []byte, files [][]byte) {
	t := w.farm.t
	p, err := runtest.OpenToy(w.farm.store.manifests[j.Run])
	must.Succeed(t, err)
	out, err := p.Work(t.Context(), j, nil)
	must.Succeed(t, err)
	if w.lies {
		out.Value = json.RawMessage(fmt.Sprintf("%q", "wrong"+w.id[:3]))
	}
	r := run.NewResult(j, &out, took)
	r.Worker, r.Host = w.id, "h"
	text, err := run.Seal(r, w.key.Sign)
	must.Succeed(t, err)
	return text, out.Files
}

// store does a job and stores what it comes to on a server.
func (w *simulated) store(conn *link.Conn, j run.Job) {
	t := w.farm.t
	message, files := w.result(j, 2)
	for _, data := range files {
		key := strings.TrimSuffix(w.id, ".m")
		_, err := conn.First(t.Context(), fmt.Sprintf("art.%s.%s.%s.0", j.Run, key, link.Sum(data)), data)
		must.Succeed(t, err)
	}
	_, err := conn.First(t.Context(), j.Subject(), message)
	must.Succeed(t, err)
}

// kill ends a worker; what it had computed may wait in its spool.
func (w *simulated) kill() {
	for _, name := range slices.Sorted(maps.Keys(w.jobs)) {
		if w.farm.random.IntN(2) == 0 && !w.fails && !w.mute {
			w.spool = append(w.spool, w.jobs[name])
		}
	}
	w.dead, w.asked, w.jobs = true, 0, map[string]*doing{}
}

// stop ends a worker in good order.
func (w *simulated) stop() {
	for _, name := range slices.Sorted(maps.Keys(w.jobs)) {
		w.send("back", &link.Back{Boot: fmt.Sprint(w.boot), Job: w.jobs[name].job}, nil)
	}
	w.send("alive", &link.Alive{Machine: w.machine(), Leaving: true}, nil)
	w.dead, w.asked, w.jobs = true, 0, map[string]*doing{}
}

func (w *simulated) start() {
	w.boot++
	w.dead, w.alive, w.retry = false, w.farm.now, w.farm.now
}
