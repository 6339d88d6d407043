package coordinator

import (
	"context"
	"encoding/json"
	"maps"
	"slices"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/tabula-chess/tabula/farm/link"
	"github.com/tabula-chess/tabula/farm/quorum"
	"github.com/tabula-chess/tabula/farm/run"
)

// issue puts jobs into the queue: those that have become ready, and further
// copies.
func (s *coordinator) issue(ctx context.Context) error {
	if s.fold.Done() {
		return nil
	}
	for ready := min(s.fold.Ready(), s.Manifest.Jobs); s.next < ready; s.next++ {
		s.look[s.next] = true
	}
	if s.open.Run != "" && (s.open.Until != s.next || len(s.open.Slots) != len(s.book.Slots())) {
		if err := s.publishOpen(ctx); err != nil {
			return err
		}
	}
	var pending []pendingJob
	for _, i := range slices.Sorted(maps.Keys(s.look)) {
		w, ok := s.book.Wanted(i)
		j := run.Job{Run: s.id, Index: i, K: w.K}
		if ok && !s.issued[j.Name()] {
			var err error
			if j.Input, err = s.fold.Input(i); err != nil {
				return err
			}
			p, err := s.publish(j, laneOf(w))
			if err != nil {
				return err
			}
			pending = append(pending, p)
		} else {
			delete(s.look, i)
		}
		if len(pending) == 2000 {
			if err := s.confirm(ctx, pending); err != nil {
				return err
			}
			pending = pending[:0]
		}
	}
	return s.confirm(ctx, pending)
}

// pendingJob is a job on its way to the queue.
type pendingJob struct {
	name  string
	index int
	ack   jetstream.PubAckFuture
}

// laneOf returns the lane of a copy that is wanted.
func laneOf(w quorum.Want) int {
	if w.Away >= 0 {
		return w.Away
	}
	return link.AnyLane
}

// publish sends a job to a lane of the queue, without waiting.
func (s *coordinator) publish(j run.Job, lane int) (p pendingJob, err error) {
	text, err := json.Marshal(&j)
	if err != nil {
		return p, err
	}
	p = pendingJob{name: j.Name(), index: j.Index}
	p.ack, err = s.Conn.JS.PublishAsync(link.JobSubject(j, lane), text)
	return p, err
}

// confirm waits until the queue has what was sent.
func (s *coordinator) confirm(ctx context.Context, pending []pendingJob) error {
	return s.Conn.Ask(ctx, func(ctx context.Context) error {
		for _, p := range pending {
			select {
			case <-p.ack.Ok():
			case err := <-p.ack.Err():
				if !link.IsTaken(err) {
					return err
				}
			case <-ctx.Done():
				return ctx.Err()
			}
			s.issued[p.name] = true
			delete(s.look, p.index)
		}
		return nil
	})
}
