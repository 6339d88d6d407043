// Package quorum keeps who has reported what of a run: which value of each job
// counts, what has to be asked of whom next, and who has lied. It is a pure
// function of the results in their order, of the bans and of the jobs that were
// given up; it imports farm/run alone.
package quorum

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/tabula-chess/tabula/farm/run"
)

// MaxCopies bounds how often a job is done. Workers that agree on nothing in so
// many compute something that is no function of the job.
const MaxCopies = 8

// maxSpent bounds the copies of a job with those that were no results, or of
// workers that are banned.
const maxSpent = 4 * MaxCopies

// Quorum is the book of one run. It is used by one goroutine.
type Quorum struct {
	id     string
	lanes  int
	copies func(index int) int
	jobs   []entry
	banned map[string]bool
	slots  map[string]int // groups of workers, by order of their first result
	alone  bool           // one worker may vouch for itself, where it says that it was alone
	agreed int
	copied int // jobs whose copies are all of one worker
}

// entry is a job.
type entry struct {
	results []*run.Result // by k; nil where none is there or it is worth nothing
	spent   []bool        // by k: its subject has a message or was given up
	dead    bool
	agreed  *run.Result
	alone   bool // agreed by one worker with itself
}

// New returns the book of a run without results. lanes is the number of groups
// into which workers are divided, so that copies go to different ones.
func New(id string, jobs, lanes int, copies func(index int) int) *Quorum {
	return &Quorum{id: id, lanes: lanes, copies: copies, jobs: make([]entry, jobs), banned: map[string]bool{}, slots: map[string]int{}}
}

// AllowAlone lets results count whose worker says that it was alone, as one that
// another worker made.
func (l *Quorum) AllowAlone() {
	if l.alone {
		return
	}
	l.alone = true
	l.judgeAll()
}

// Add enters what was reported of a job; nil where it was no result of a worker.
// It returns an error for a job that the run does not have.
func (l *Quorum) Add(j run.Job, r *run.Result) error {
	if j.Run != l.id || j.Index >= len(l.jobs) || j.K >= maxSpent {
		return fmt.Errorf("run %s has no job %s", l.id, j.Name())
	}
	e := &l.jobs[j.Index]
	e.spend(j.K)
	if r == nil {
		return nil
	}
	e.results[j.K] = r
	if _, ok := l.slots[r.Worker]; !ok {
		l.slots[r.Worker] = len(l.slots) % l.lanes
	}
	l.judge(j.Index)
	return nil
}

// spend notes that copy k has been used up.
func (e *entry) spend(k int) {
	for len(e.spent) <= k {
		e.spent = append(e.spent, false)
		e.results = append(e.results, nil)
	}
	e.spent[k] = true
}

// GiveUp enters that a job was given up.
func (l *Quorum) GiveUp(j run.Job) {
	if j.Run == l.id && j.Index < len(l.jobs) {
		l.jobs[j.Index].dead = true
	}
}

// Ban makes all results of a worker worth nothing and reports whether any job
// that was agreed is open again.
func (l *Quorum) Ban(worker string) (reopened bool) {
	if l.banned[worker] {
		return false
	}
	l.banned[worker] = true
	return l.judgeAll()
}

// Refuse makes the agreed value of a job worth nothing, with all results that
// have it, and returns their workers.
func (l *Quorum) Refuse(index int) (workers []string) {
	e := &l.jobs[index]
	if e.agreed == nil {
		return nil
	}
	value := e.agreed.Value
	for k, r := range e.results {
		if r != nil && bytes.Equal(r.Value, value) {
			workers = append(workers, r.Worker)
			e.results[k] = nil
		}
	}
	l.judge(index)
	return workers
}

// judgeAll judges every job again and reports whether one lost its value.
func (l *Quorum) judgeAll() (reopened bool) {
	for i := range l.jobs {
		before := l.jobs[i].agreed
		l.judge(i)
		after := l.jobs[i].agreed
		reopened = reopened || before != nil && (after == nil || !bytes.Equal(before.Value, after.Value))
	}
	return reopened
}

// judge decides whether a job has a value.
func (l *Quorum) judge(index int) {
	e := &l.jobs[index]
	if e.agreed != nil {
		l.agreed--
		if e.alone {
			l.copied--
		}
	}
	e.agreed, e.alone = nil, false
	need := l.copies(index)
	for _, r := range l.valid(e) {
		if votes, distinct := l.votes(e, r); votes >= need {
			e.agreed, e.alone = r, distinct < need
			l.agreed++
			if e.alone {
				l.copied++
			}
			return
		}
	}
}

// valid returns the results of a job that count, by k.
func (l *Quorum) valid(e *entry) (all []*run.Result) {
	for _, r := range e.results {
		if r != nil && !l.banned[r.Worker] {
			all = append(all, r)
		}
	}
	return all
}

// votes returns how many results of a job have the value of r and count for
// each other, and the number of different workers among them.
func (l *Quorum) votes(e *entry, r *run.Result) (votes, distinct int) {
	var seen []string
	for _, other := range l.valid(e) {
		if !bytes.Equal(other.Value, r.Value) {
			continue
		}
		if !slices.Contains(seen, other.Worker) {
			seen = append(seen, other.Worker)
			votes++
		} else if l.alone && other.Alone {
			votes++
		}
	}
	return votes, len(seen)
}

// Agreed returns the result that counts for a job, the first of those that
// agree, or nil.
func (l *Quorum) Agreed(index int) *run.Result { return l.jobs[index].agreed }

// Count returns how many jobs have a value, and how many of them by the word of
// one worker, that was alone, where there should be two.
func (l *Quorum) Count() (agreed, alone int) { return l.agreed, l.copied }

// Want is a copy of a job that has to be made. Away is the group of workers that
// must not make it, -1 for none.
type Want struct{ K, Away int }

// Wanted returns the copy that a job needs next; ok is false where it needs none
// or none can help.
func (l *Quorum) Wanted(index int) (w Want, ok bool) {
	e := &l.jobs[index]
	if e.agreed != nil || e.dead || l.Disputed(index) {
		return w, false
	}
	w = Want{K: len(e.spent), Away: -1}
	if k := slices.Index(e.spent, false); k >= 0 {
		w.K = k
	}
	var workers []string
	for _, r := range l.valid(e) {
		if !slices.Contains(workers, r.Worker) {
			workers = append(workers, r.Worker)
		}
	}
	// One worker has spoken, another must. Where two have spoken and differ
	// anybody may decide, since votes are counted by worker.
	if len(workers) == 1 {
		w.Away = l.slots[workers[0]]
	}
	return w, true
}

// Disputed reports whether so many copies differ that no more will help, or so
// many are worth nothing that there can be no more.
func (l *Quorum) Disputed(index int) bool {
	e := &l.jobs[index]
	spent := len(e.spent) == maxSpent && !slices.Contains(e.spent, false)
	return e.agreed == nil && (spent || len(l.valid(e)) >= MaxCopies)
}

// Stuck returns the jobs that will never have a value as things are: those given
// up and those disputed.
func (l *Quorum) Stuck() (dead, disputed []int) {
	for i := range l.jobs {
		if e := &l.jobs[i]; e.agreed == nil && e.dead {
			dead = append(dead, i)
		} else if l.Disputed(i) {
			disputed = append(disputed, i)
		}
	}
	return dead, disputed
}

// Spent reports whether a copy of a job needs no message in the queue any more.
func (l *Quorum) Spent(j run.Job) bool {
	if j.Index >= len(l.jobs) {
		return true
	}
	e := &l.jobs[j.Index]
	return e.dead || j.K < len(e.spent) && e.spent[j.K] || e.agreed != nil
}

// Liars returns workers with a result that differs from the value agreed on by
// enough others, unless another of their results has that value too: a fault of
// a moment.
func (l *Quorum) Liars() (workers []string) {
	for i := range l.jobs {
		e := &l.jobs[i]
		if e.agreed == nil || e.alone {
			continue
		}
		var right []string
		for _, r := range l.valid(e) {
			if bytes.Equal(r.Value, e.agreed.Value) {
				right = append(right, r.Worker)
			}
		}
		for _, r := range l.valid(e) {
			if !slices.Contains(right, r.Worker) && !slices.Contains(workers, r.Worker) {
				workers = append(workers, r.Worker)
			}
		}
	}
	return workers
}

// Suspect returns the jobs that a banned worker has reported.
func (l *Quorum) Suspect() (indexes []int) {
	if len(l.banned) == 0 {
		return nil
	}
	for i := range l.jobs {
		if slices.ContainsFunc(l.jobs[i].results, func(r *run.Result) bool { return r != nil && l.banned[r.Worker] }) {
			indexes = append(indexes, i)
		}
	}
	return indexes
}

// Slots returns the group of each worker that has reported something.
func (l *Quorum) Slots() map[string]int { return l.slots }

// Regroup puts a worker that has reported something into another group. Groups
// decide who is asked, and never what counts.
func (l *Quorum) Regroup(worker string, slot int) {
	if _, ok := l.slots[worker]; ok && slot >= 0 && slot < l.lanes {
		l.slots[worker] = slot
	}
}
