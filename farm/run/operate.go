package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tabula-chess/tabula/work"
)

var namePattern = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9_.+-]{0,60}$`)

// CheckName returns an error for what a run or a key may not be called.
func CheckName(name string) error {
	if !namePattern.MatchString(name) {
		return fmt.Errorf("%q: want letters, digits and _ . + -, at most 61", name)
	}
	return nil
}

// Operation is something that an operator does, on the command line or on the page.
type Operation struct {
	Name, Args, Usage string
	Least, Most       int // arguments
}

// Operations returns what an operator can do.
func Operations() []Operation {
	return []Operation{
		{"cancel", "RUN", "end a run; its results stay until it is forgotten", 1, 1},
		{"pause", "RUN", "stop handing out the jobs of a run", 1, 1},
		{"resume", "RUN", "continue a paused run", 1, 1},
		{"priority", "RUN PRIORITY [SHARE]",
			"set a run's priority: lower ones wait, and equal ones divide the workers by SHARE (default 1)", 2, 3},
		{"forget", "RUN", "remove a run and all its results; one that is open is cancelled", 1, 1},
		{"revoke", "WORKER", "shut a worker out for good and discard its results that are not folded yet", 1, 1},
		{"drain", "WORKER", "stop a worker once its jobs are done", 1, 1},
	}
}

// DoOperation does what an operator wants, as words: the name of an operation and its arguments. by is who wants it.
func (c *Conn) DoOperation(ctx context.Context, by string, words ...string) error {
	i := slices.IndexFunc(Operations(), func(o Operation) bool { return len(words) > 0 && o.Name == words[0] })
	if i < 0 {
		return fmt.Errorf("there is no operation %q", words)
	}
	o, args := Operations()[i], words[1:]
	if len(args) < o.Least || len(args) > o.Most {
		return fmt.Errorf("%s: want %s", o.Name, o.Args)
	}
	var err error
	if strings.HasPrefix(o.Args, "WORKER") {
		err = c.onWorker(ctx, o.Name, args[0])
	} else {
		err = c.onRun(ctx, o.Name, by, args)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", o.Name, err)
	}
	return nil
}

func (c *Conn) onRun(ctx context.Context, do, by string, args []string) error {
	r, err := c.findRun(ctx, args[0], do != "forget")
	if err != nil && do == "forget" && idPattern.MatchString(args[0]) {
		return c.Forget(ctx, args[0]) // what is left of it
	} else if err != nil {
		return err
	}
	switch do {
	case "forget":
		return c.Forget(ctx, r.Run)
	case "priority":
		priority, err := strconv.Atoi(args[1])
		if err != nil {
			return fmt.Errorf("priority %q: want a whole number", args[1])
		}
		share := r.Share
		if len(args) > 2 {
			if share, err = strconv.ParseFloat(args[2], 64); err != nil || !(share >= 0.01 && share <= 100) {
				return fmt.Errorf("share %q: want 0.01 to 100", args[2])
			}
		}
		return c.changeRun(ctx, r.Run, func(r *Record) { r.Priority, r.Share = priority, share })
	case "cancel":
		return c.End(ctx, r.Run, Ended{Failed: "cancelled by " + by})
	}
	return c.changeRun(ctx, r.Run, func(r *Record) { r.Paused = do == "pause" })
}

func (c *Conn) onWorker(ctx context.Context, do, who string) error {
	v, err := c.View(ctx)
	if err != nil {
		return err
	}
	var found, hosts []WorkerView
	for _, w := range v.Workers { // workers say themselves what their host is called
		if who == w.Name || len(who) >= 6 && strings.HasPrefix(w.ID, who) {
			found = append(found, w)
		} else if who == w.Host {
			hosts = append(hosts, w)
		}
	}
	if len(found) == 0 {
		found = hosts
	}
	if len(found) != 1 {
		return fmt.Errorf("%d workers are called %q: want a name or key as tabula-farm list shows it", len(found), who)
	}
	key := found[0].ID
	if do == "drain" {
		return change(ctx, c.farm, stateKey, func(s *RunState) error {
			s.Drained = maps.Collect(maps.All(s.Drained))
			s.Drained[key] = time.Now()
			return nil
		})
	}
	folded := map[string]int{}
	for _, r := range v.Runs {
		folded[r.Run] = r.Before
	}
	return change(ctx, c.farm, keysKey, func(k *Keys) error {
		e, ok := (*k)[key]
		if !ok {
			return fmt.Errorf("%s was not enrolled: on a loopback address the hub lets every worker in", who)
		}
		if e.Revoked == nil {
			now := time.Now()
			e.Revoked, e.Folded = &now, folded
			(*k)[key] = e
		}
		return nil
	})
}

// findRun returns the run with a name, or whose id begins so; open, the open one.
func (c *Conn) findRun(ctx context.Context, text string, open bool) (*Record, error) {
	s, err := c.State(ctx)
	if err != nil {
		return nil, err
	}
	found := slices.DeleteFunc(s.Runs, func(r Record) bool {
		return open && r.Ended != nil || text != r.Name && (len(text) < 6 || !strings.HasPrefix(r.Run, text))
	})
	switch {
	case len(found) == 0:
		return nil, fmt.Errorf("there is no %srun %q", map[bool]string{true: "open "}[open], text)
	case len(found) > 1:
		return nil, fmt.Errorf("%d runs are called %q: give the start of an id, as %.8s", len(found), text, found[0].Run)
	}
	return &found[0], nil
}

// Enrol writes the key of a worker to FILE.key, and lets its holder work under the name of the file.
func (c *Conn) Enrol(ctx context.Context, file string) error {
	name := filepath.Base(file)
	return change(ctx, c.farm, keysKey, func(keys *Keys) error {
		for _, k := range *keys {
			if k.Name == name && k.Revoked == nil {
				return fmt.Errorf("a key called %s is enrolled already", name)
			}
		}
		k, err := OwnKey(file+".key", RoleWorker, c.options.Key.Pin)
		if _, known := (*keys)[k.Public]; err == nil && known {
			err = fmt.Errorf("%s.key already exists, and is revoked", file)
		}
		if err != nil {
			return err
		}
		*keys = maps.Collect(maps.All(*keys))
		(*keys)[k.Public] = Enrolled{Name: name}
		return nil
	})
}

// Overview is what a farm does at a moment.
type Overview struct {
	Now     time.Time    `json:"now"`
	Full    string       `json:"full,omitempty"` // why workers wait
	Runs    []RunView    `json:"runs"`           // in the order in which they began
	Workers []WorkerView `json:"workers"`
}

// RunView is a run and where it stands.
type RunView struct {
	Record
	Progress
	Waits string `json:"waits,omitempty"` // what an open run waits for
}

// WorkerView is a worker that lives or whose key is enrolled, with what it has done for the runs that the farm has.
type WorkerView struct {
	WorkerStatus
	ID      string     `json:"id"`             // its key
	Name    string     `json:"name,omitempty"` // under which the key was enrolled
	Revoked *time.Time `json:"revoked,omitempty"`
	Away    bool       `json:"away,omitempty"` // it has not reported for half a minute
	Jobs    int        `json:"jobs"`
	Bad     int        `json:"bad"` // jobs that failed, or whose results were refused
	Bytes   int        `json:"bytes"`
}

// ownerSilence is the time after which an owner that tells nothing is said to be away.
const ownerSilence = 30 * time.Second

// View returns what the farm does.
func (c *Conn) View(ctx context.Context) (*Overview, error) {
	v := &Overview{Now: time.Now(), Runs: []RunView{}, Workers: []WorkerView{}}
	full, err := c.full(ctx)
	state, bad1 := c.State(ctx)
	keys, bad2 := c.Keys(ctx)
	progress, bad3 := all[Progress](ctx, c, c.status)
	workers, bad4 := all[WorkerStatus](ctx, c, c.workers)
	if err := errors.Join(err, bad1, bad2, bad3, bad4); err != nil {
		return nil, err
	}
	v.Full = full
	known := maps.Collect(maps.All(keys))
	for key := range workers {
		known[key] = keys[key]
	}
	for key, k := range known {
		told, lives := workers[key]
		w := told.record
		for _, text := range []*string{&w.Host, &w.Commit, &w.Path, &w.Failed, &w.Note} {
			*text = work.Clean(*text)
		}
		one := WorkerView{WorkerStatus: w, ID: key, Name: k.Name, Revoked: k.Revoked, Away: !lives}
		for _, p := range progress {
			d := p.record.Workers[key]
			one.Jobs, one.Bad, one.Bytes = one.Jobs+d.Jobs, one.Bad+d.Failed, one.Bytes+d.Bytes
		}
		v.Workers = append(v.Workers, one)
	}
	slices.SortFunc(v.Workers, func(a, b WorkerView) int { return cmp.Compare(a.Host+" "+a.ID, b.Host+" "+b.ID) })
	for _, r := range state.Runs {
		one := RunView{Record: r}
		if p, told := progress[r.Run]; told {
			one.Progress, one.At = p.record, v.Now.Add(-p.age)
		}
		if one.Ended == nil {
			one.Waits = waits(v, &one)
		}
		v.Runs = append(v.Runs, one)
	}
	return v, nil
}

// waits says what an open run waits for, "" for nothing but its jobs.
func waits(v *Overview, r *RunView) string {
	if r.Paused {
		return "paused"
	} else if why := cmp.Or(r.Held, v.Full); why != "" {
		return why
	}
	why := "no workers: start tabula-farm work"
	for i := range v.Workers {
		if w := &v.Workers[i]; !w.Away {
			err := w.takes(&r.Record)
			if err == nil && v.Now.Sub(r.At) > ownerSilence {
				return "the command that started it is away: workers do what is queued; give the command again"
			} else if err == nil {
				return ""
			}
			why = fmt.Sprintf("no worker can do its jobs: %s: %v", cmp.Or(w.Name, w.Host), err)
		}
	}
	return why
}
