package hub

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/tabula-chess/tabula/tabula-farm/run"
)

// alone reports whether no other key does jobs of a run.
func (g *gate) alone(o *open, key string) bool {
	for other, h := range g.keys {
		for _, m := range h.machines {
			if other != key && time.Now().After(h.rests[o.Run]) && time.Since(m.heard) < g.times.AckWait && m.Takes(o.manifest) == nil {
				return false
			}
		}
	}
	return true
}

// has reports whether there is a result of a copy of a job.
func (g *gate) has(ctx context.Context, j run.Job) bool {
	s, err := g.conn.JS.Stream(ctx, run.ResultsStream)
	if err == nil {
		_, err = s.GetLastMsgForSubject(ctx, j.Subject())
	}
	return err == nil
}

// alive keeps the jobs of a worker, or takes them back where it leaves or a job has taken too
// long whatever the worker says.
func (g *gate) alive(ctx context.Context, key, name string, r *run.Alive, a *run.Answer) {
	g.mu.Lock()
	defer g.mu.Unlock()
	h, m := g.admit(ctx, key, name, &r.Machine, a)
	if m == nil {
		a.Stop = r.Tokens
		return
	}
	for _, token := range r.Tokens {
		l, err := g.open(token, key+"."+name)
		switch {
		case err != nil:
			a.Stop = append(a.Stop, token)
		case g.runs[l.Run] == nil && time.Since(l.Issued) > 2*time.Second: // over; a younger one may be of a run that only another hub knows
			a.Stop = append(a.Stop, token)
			delete(m.leases, token)
		case r.Leaving:
			_ = g.delivery(l).Nak()
			delete(m.leases, token)
		case time.Since(l.Issued) > l.Longest:
			a.Stop = append(a.Stop, token)
			_ = g.delivery(l).Nak()
			h.expired++
			g.lost(ctx, h, m, l, fmt.Sprintf("the job took longer than %v", l.Longest))
		default:
			_ = g.delivery(l).InProgress()
			m.leases[token] = l
		}
	}
	note := m.Note
	m.Worker, m.Machine = r.Worker, r.Machine
	m.Note, m.Failed = note, run.Clean(r.Failed)
	m.Running = m.Running[:min(len(m.Running), len(m.leases))]
	if r.Leaving {
		delete(h.machines, name)
		g.waiting = slices.DeleteFunc(g.waiting, func(w *waiter) bool { return w.key == key && w.machine == name })
		_ = g.conn.Workers.Purge(ctx, key+"."+name)
	} else if time.Since(m.stored) > g.times.Alive/2 {
		if err := run.Put(ctx, g.conn.Workers, key+"."+name, &m.Worker); err == nil {
			m.stored = time.Now()
		}
	}
}

// report checks a result and stores it, its file first; the first result of a job stays. Then
// it acknowledges the job.
func (g *gate) report(ctx context.Context, key, name string, r *run.Report, file []byte, a *run.Answer) error {
	l, err := g.open(r.Token, key+"."+name)
	if err != nil {
		a.Stop, a.Note = []string{r.Token}, err.Error()
		return nil
	}
	g.mu.Lock()
	o, files := g.runs[l.Run], false
	if o != nil {
		files = o.Files
	}
	h := g.keys[key]
	for _, b := range g.bans {
		if run.Covers(b.Worker, key+"."+name) {
			a.Refused = "this worker is banned: " + b.Reason
		}
	}
	g.mu.Unlock()
	if o == nil || h == nil || a.Refused != "" {
		a.Stop = []string{r.Token}
		if h == nil {
			return errors.New("the hub was started again: say what you do first")
		}
		return nil
	}
	var result *run.Result
	why := r.Failed
	if why == "" {
		if result, err = g.check(o.manifest, files, l, key, name, r.Result, file); err != nil {
			a.Note, why = err.Error(), err.Error()
		}
	}
	if why != "" {
		a.Stop = []string{r.Token}
		_ = g.delivery(l).NakWithDelay(g.times.Alive / 4)
		g.mu.Lock()
		defer g.mu.Unlock()
		if m := h.machines[name]; m != nil {
			g.lost(ctx, h, m, l, run.Clean(strings.Join(strings.Fields(why), " ")))
		}
		return nil
	}
	if result.File != nil {
		if err := g.conn.PutFile(ctx, l.Run, file); err != nil {
			return err
		}
	}
	first, err := g.conn.First(ctx, l.job().Subject(), r.Result)
	if err != nil {
		return err
	}
	if err := g.delivery(l).Ack(); err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if m := h.machines[name]; m != nil {
		delete(m.leases, r.Token)
	}
	if first {
		h.done++
		o.served += result.Took
	}
	return nil
}

// check opens a result and reports what is wrong with it.
func (g *gate) check(m *run.Manifest, files bool, l *lease, key, name string, message, file []byte) (*run.Result, error) {
	r, err := run.OpenResult(m, l.job(), message)
	if err != nil {
		return nil, err
	}
	passed := time.Since(l.Issued).Seconds() + 60 // clocks of two hubs differ
	switch {
	case r.Key != key || r.Machine != name:
		return nil, fmt.Errorf("the result names the worker %s", r.Worker())
	case r.Took > passed:
		return nil, fmt.Errorf("the result took %g s, the job was given %.0f s ago", r.Took, passed)
	case !files && (r.File != nil || len(file) > 0):
		return nil, errors.New("the results of this run have no files")
	case r.File == nil && len(file) > 0, r.File != nil && (len(file) != r.File.Size || run.Sum(file) != r.File.Sum):
		return nil, errors.New("the file is not the one that the result names")
	}
	return r, nil
}

// part is how much of an input travels in a message, and cached how much of the inputs of a
// run is held in memory.
const (
	part   = 1 << 20
	cached = 256 << 20
)

// input answers with a part of an input of a run to a worker that has a job of it.
func (g *gate) input(ctx context.Context, worker string, r *run.Fetch, a *run.Answer) error {
	l, err := g.open(r.Token, worker)
	if err != nil {
		return err
	}
	g.mu.Lock()
	o := g.runs[l.Run]
	var data []byte
	if o != nil {
		data = o.files[r.Sum]
	}
	g.mu.Unlock()
	if o == nil {
		return errors.New("the run is over")
	}
	if data == nil {
		if !slices.Contains(o.manifest.Inputs, r.Sum) {
			return fmt.Errorf("the run has no input %q", run.Clean(r.Sum))
		}
		if data, err = g.conn.Files(l.Run).Get(ctx, r.Sum); err != nil {
			return err
		}
		g.mu.Lock()
		size := len(data)
		for _, file := range o.files {
			size += len(file)
		}
		if size > cached {
			clear(o.files)
		}
		o.files[r.Sum] = data
		g.mu.Unlock()
	}
	from := max(0, min(r.From, len(data)))
	a.Data, a.Size = data[from:min(from+part, len(data))], len(data)
	return nil
}
