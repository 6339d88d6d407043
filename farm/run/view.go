package run

import (
	"cmp"
	"context"
	"fmt"
	"maps"
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
	var err error
	if _, _, v.Full, err = c.Space(ctx); err != nil {
		return nil, err
	}
	records, err := All[Record](ctx, c.Runs, ">")
	if err != nil {
		return nil, err
	}
	progress, err := All[Progress](ctx, c.Status, ">")
	if err != nil {
		return nil, err
	}
	workers, err := All[Worker](ctx, c.Workers, ">")
	if err != nil {
		return nil, err
	}
	bans, err := All[Mark](ctx, c.Operate, "ban.>")
	if err != nil {
		return nil, err
	}
	keys, err := All[Enrolled](ctx, c.Operate, "key.>")
	if err != nil {
		return nil, err
	}
	names := map[string]string{}
	for _, k := range keys {
		names[k.Value.Key] = k.Value.Name
	}
	for _, b := range bans {
		v.Bans = append(v.Bans, b.Value)
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
	able, why := map[string]bool{}, []string{}
	for i := range v.Workers {
		w := &v.Workers[i]
		key, _, _ := strings.Cut(w.ID, ".")
		if w.Ban != "" {
			continue
		}
		if err := w.Takes(m); err != nil {
			why = append(why, fmt.Sprintf("%s: %v", cmp.Or(w.Name, w.Host, key), err))
			continue
		}
		able[key] = able[key] || w.Failed == ""
	}
	maps.DeleteFunc(able, func(_ string, able bool) bool { return !able })
	switch {
	case len(v.Workers) == 0:
		return "no workers: start farm work"
	case len(able) == 0 && len(why) > 0:
		slices.Sort(why)
		return fmt.Sprintf("no worker can do its jobs: %s", strings.Join(slices.Compact(why)[:min(3, len(slices.Compact(why)))], "; "))
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
