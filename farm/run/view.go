package run

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// View is what a farm does at a moment.
type View struct {
	Now     time.Time    `json:"now"`
	Full    string       `json:"full,omitempty"` // why no jobs are handed out
	Runs    []RunView    `json:"runs"`           // in the order in which they began
	Workers []WorkerView `json:"workers"`
	Bans    []Mark       `json:"bans"`
}

// RunView is a run and where it stands.
type RunView struct {
	Record
	Progress
	Waits string `json:"waits,omitempty"` // what an open run waits for
}

// WorkerView is a worker.
type WorkerView struct {
	Worker
	ID     string  `json:"id"`             // KEY.MACHINE
	Name   string  `json:"name,omitempty"` // under which the key was enrolled
	Silent float64 `json:"silent"`         // seconds since it was heard
	Ban    string  `json:"ban,omitempty"`  // why it is banned
}

// ownerSilence is the time after which an owner that tells nothing is said to be away.
const ownerSilence = 30 * time.Second

// View returns what the farm does.
func (c *Conn) View(ctx context.Context) (*View, error) {
	v := &View{Now: time.Now(), Runs: []RunView{}, Workers: []WorkerView{}, Bans: []Mark{}}
	full, err := c.Full(ctx)
	bans, bad := c.Bans(ctx)
	v.Full, v.Bans = full, append(v.Bans, bans...)
	records, bad1 := All[Record](ctx, c.Runs, ">")
	progress, bad2 := All[Progress](ctx, c.Status, ">")
	workers, bad3 := All[Worker](ctx, c.Workers, ">")
	keys, bad4 := All[Enrolled](ctx, c.Operate, "key.>")
	if err := errors.Join(err, bad, bad1, bad2, bad3, bad4); err != nil {
		return nil, err
	}
	names := map[string]string{}
	for _, k := range keys {
		names[k.Value.Key] = k.Value.Name
	}
	for _, w := range workers {
		key, _, _ := strings.Cut(w.Key, ".")
		one := WorkerView{Worker: w.Value, ID: w.Key, Name: names[key], Silent: w.Age.Seconds()}
		for _, b := range v.Bans {
			if Covers(b.Worker, w.Key) {
				one.Ban = b.Reason
			}
		}
		v.Workers = append(v.Workers, one)
	}
	slices.SortFunc(v.Workers, func(a, b WorkerView) int { return cmp.Or(cmp.Compare(a.Host, b.Host), cmp.Compare(a.ID, b.ID)) })
	for _, r := range records {
		one := RunView{Record: r.Value, Progress: Progress{Workers: map[string]*Done{}, Numbers: []Number{}}}
		away := true
		for _, p := range progress {
			if p.Key == r.Key {
				one.Progress, away = p.Value, p.Age > ownerSilence
			}
		}
		if one.Ended != nil {
			one.Text = one.Ended.Text
		} else if one.Waits = waits(v, &one); one.Waits == "" && away {
			one.Waits = "the command that started it is away: workers do what is queued; give the command again"
		}
		v.Runs = append(v.Runs, one)
	}
	slices.SortFunc(v.Runs, func(a, b RunView) int { return cmp.Or(a.Began.Compare(b.Began), cmp.Compare(a.Run, b.Run)) })
	return v, nil
}

// waits says what an open run waits for, "" for nothing but its jobs.
func waits(v *View, r *RunView) string {
	m, err := ParseManifest(r.Run, r.Manifest)
	switch {
	case err != nil:
		return err.Error()
	case r.Paused:
		return "paused"
	case r.Held != "":
		return r.Held
	case v.Full != "":
		return v.Full
	}
	able, why := map[string]bool{}, ""
	for i := range v.Workers {
		w := &v.Workers[i]
		key, _, _ := strings.Cut(w.ID, ".")
		if err := w.Takes(m); err != nil && w.Ban == "" {
			why = fmt.Sprintf("%s: %v", cmp.Or(w.Name, w.Host, key), err)
		} else if w.Ban == "" && w.Failed == "" {
			able[key] = true
		}
	}
	switch {
	case len(v.Workers) == 0:
		return "no workers: start farm work"
	case len(able) == 0 && why != "":
		return "no worker can do its jobs: " + why
	case r.Checks > 0 && len(able) == 1:
		return fmt.Sprintf("%d jobs wait to be checked by a worker with another key", r.Checks)
	}
	return ""
}

// Takes returns why a machine may not take jobs of a run, nil where it may.
func (m *Machine) Takes(of *Manifest) error {
	version, known := m.Kinds[of.Kind]
	switch {
	case !known:
		return fmt.Errorf("this worker does not know runs of kind %s: update it", of.Kind)
	case version != of.Version:
		return versionError(of.Kind, version, of)
	case of.Bench != 0 && m.Bench != of.Bench:
		return fmt.Errorf("the bench of its engine visits %d nodes, the run needs %d: use the same commit on both sides", m.Bench, of.Bench)
	}
	return nil
}
