package run

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"
)

// queue publishes the jobs that are missing. One that is there already, from another owner of the run or from before,
// stays.
func (w *owner) queue(ctx context.Context) error {
	var asked []jetstream.PubAckFuture
	var tasks []*task
	for index := w.Folded; index < min(w.fold.Ready(), w.Folded+ahead, w.Manifest.Jobs); index++ {
		t := w.task(index)
		if time.Since(t.queued) < requeue || len(t.results) >= w.copies(index) {
			continue
		}
		j := Job{Run: w.id, Index: index, Copy: t.copies, Input: w.fold.Input(index), Not: t.not()}
		text, err := json.Marshal(&j)
		if err != nil {
			return err
		}
		f, err := w.conn.JS.PublishAsync(j.queueSubject(), text, jetstream.WithExpectLastSequencePerSubject(0))
		if err != nil {
			break
		}
		asked, tasks = append(asked, f), append(tasks, t)
	}
	var failed error
	for i, f := range asked {
		select {
		case <-f.Ok():
		case err := <-f.Err():
			if !IsWrongSequence(err) {
				failed = fmt.Errorf("the queue takes no jobs: %w", err)
				continue
			}
		}
		tasks[i].queued = time.Now()
	}
	return failed
}

// giveUp ends the run where nobody can do a job.
func (w *owner) giveUp(ctx context.Context) error {
	w.Failing = ""
	stuck := maps.Clone(w.tasks)
	maps.DeleteFunc(stuck, func(_ int, t *task) bool { return t.tries < enough && len(t.refused) == 0 })
	if len(stuck) == 0 {
		return nil
	}
	v, err := w.conn.View(ctx)
	if err != nil {
		return err
	}
	// Nobody is enrolled on loopback; elsewhere one key must not end a run while others are away.
	known := slices.Collect(maps.Keys(v.Keys))
	if len(known) == 0 {
		for i := range v.Workers {
			known = append(known, v.Workers[i].ID)
		}
	}
	known = slices.DeleteFunc(known, w.isBanned)
	for index, t := range stuck {
		// Who had a result refused does not get the job again, except on one machine.
		may := w.alone || slices.ContainsFunc(known, func(key string) bool { return !slices.Contains(t.refused, key) })
		if len(known) == 0 || t.tries < enough && may {
			continue
		}
		var reasons []string
		for _, key := range slices.Sorted(maps.Keys(t.failed)) {
			reasons = append(reasons, key+": "+Clean(t.failed[key]))
		}
		text := fmt.Sprintf("job %d failed on every worker that tried it: %s", index, strings.Join(reasons, "; "))
		if len(t.failed) >= min(enough, len(known)) {
			return w.finish(ctx, text)
		}
		w.Failing = text + "; it waits for other workers"
	}
	return nil
}
