package coordinator

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/tabula-chess/tabula/farm/link"
)

// reconcile compares what is with what should be: the run open, its consumers
// there, every job that has no value in the queue, nothing else in it.
func (s *coordinator) reconcile(ctx context.Context) error {
	for _, step := range []func(context.Context) error{s.whole, s.opened, s.bans, s.givenUp, s.queue} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// whole begins again where the results are not those that were read: the hub has
// lost its disk.
func (s *coordinator) whole(ctx context.Context) error {
	last, made, err := s.Conn.LastSeq(ctx, link.Res)
	if err != nil {
		return err
	}
	if last+1 < s.seq || !s.made.IsZero() && !made.Equal(s.made) {
		s.log.Error("the hub has lost results: the run is read again from the start", "had", s.seq-1, "has", last)
		s.restart()
	}
	s.made = made
	return nil
}

// opened sees to it that workers know of the run.
func (s *coordinator) opened(ctx context.Context) error {
	if s.status.Done || s.fold.Done() {
		return nil
	}
	if _, ended, err := s.Conn.Ended(ctx, s.id); err != nil || ended {
		if err == nil {
			err = errClosed
		}
		return err
	}
	if s.Owner {
		if err := s.Conn.PutManifest(ctx, s.Manifest); err != nil {
			return err
		}
	} else if _, err := s.Conn.Last(ctx, link.State, "open."+s.id); err != nil {
		if errors.Is(err, link.ErrNone) {
			err = errClosed
		}
		return err
	}
	epoch, err := s.Conn.Epoch(ctx)
	if err != nil {
		return err
	}
	s.epoch = epoch
	for _, lane := range s.lanes() {
		if err := s.Conn.Consumer(ctx, s.id, lane, epoch, s.Times); err != nil {
			return err
		}
	}
	return s.publishOpen(ctx)
}

// lanes returns the lanes that the run needs.
func (s *coordinator) lanes() []int {
	lanes := []int{link.AnyLane}
	for i := range s.Manifest.Jobs {
		if s.Plan.Copies(i) > 1 {
			for lane := range link.Lanes {
				lanes = append(lanes, lane)
			}
			break
		}
	}
	return lanes
}

// publishOpen tells workers of the run, where they do not know it as it is.
func (s *coordinator) publishOpen(ctx context.Context) error {
	alone := s.Alone || s.alive.alone()
	var have link.Open
	m, err := s.Conn.Last(ctx, link.State, "open."+s.id)
	if err == nil {
		err = json.Unmarshal(m.Data, &have)
	}
	if err != nil && !errors.Is(err, link.ErrNone) {
		return err
	}
	s.allowAlone(alone || have.Ever)
	s.regroup(have.Slots)
	o := link.Open{
		Run: s.id, Kind: s.Manifest.Kind, Jobs: s.Manifest.Jobs, Lanes: s.lanes(), Slots: maps.Clone(s.book.Slots()),
		Epoch: s.epoch, Alone: alone, Ever: s.ever, Until: s.next, Text: s.fold.Text(),
	}
	o.Agreed, _ = s.book.Count()
	o.Dead, _ = s.book.Stuck()
	if same(&have, &o) {
		s.open = o
		return nil
	}
	if err := s.Conn.PutOpen(ctx, o); err != nil {
		return err
	}
	s.open = o
	return nil
}

// regroup puts workers into groups as it was published, whoever published it, and
// parts those who live where all are of one group: as others come and go that may
// happen, and nobody could take the second copies of what they have done.
func (s *coordinator) regroup(published map[string]int) {
	for worker, slot := range published {
		s.book.Regroup(worker, slot)
	}
	live := s.alive.live()
	if len(live) < 2 || !s.alive.settled() {
		return
	}
	slots := s.book.Slots()
	shared, ok := slots[live[0]]
	for _, worker := range live {
		if slot, known := slots[worker]; !ok || !known || slot != shared {
			return
		}
	}
	s.log.Info("all workers are of one group, and are parted", "workers", len(live))
	for n, worker := range live[1:] {
		s.book.Regroup(worker, (shared+1+n%(link.Lanes-1))%link.Lanes)
	}
}

// allowAlone lets one worker vouch for itself, where it was alone. Once a coordinator
// has found that, it holds for the run and for every coordinator: what counts must
// not hang on who counts.
func (s *coordinator) allowAlone(ever bool) {
	if ever {
		s.ever = true
		s.book.AllowAlone()
	}
}

// same reports whether two records say the same.
func same(a, b *link.Open) bool {
	return a.Run == b.Run && a.Alone == b.Alone && a.Ever == b.Ever && a.Epoch == b.Epoch && a.Text == b.Text && a.Agreed == b.Agreed && len(a.Dead) == len(b.Dead) && slices.Equal(a.Lanes, b.Lanes) && (len(a.Slots) == len(b.Slots) && (len(a.Slots) == 0 || reflect.DeepEqual(a.Slots, b.Slots)))
}

// bans reads who is banned, and bans those who lied.
func (s *coordinator) bans(ctx context.Context) error {
	banned, err := s.Conn.Banned(ctx)
	if err != nil {
		return err
	}
	for worker := range banned {
		if _, known := s.status.Banned[worker]; !known {
			s.banned(worker)
		}
	}
	s.status.Banned = banned
	for _, worker := range s.book.Liars() {
		if _, known := banned[worker]; known {
			continue
		}
		if err := s.ban(ctx, worker, "its results differ from those that others agree on, run "+s.id); err != nil {
			return err
		}
	}
	return s.advance(ctx)
}

// notice is what the server tells of a job that was delivered too often.
type notice struct {
	Consumer string `json:"consumer"`
	Seq      uint64 `json:"stream_seq"`
}

// givenUp reads which jobs were given up, and gives up those of which the server
// says that nobody answers.
func (s *coordinator) givenUp(ctx context.Context) error {
	last, _, err := s.Conn.LastSeq(ctx, link.GiveUp)
	if err != nil {
		return err
	}
	if last+1 < s.giveSeq {
		s.giveSeq = 1 // the notices died with the hub, and the queue with them
	}
	notices, err := s.Conn.Since(ctx, link.GiveUp, ">", s.giveSeq)
	if err != nil {
		return err
	}
	for _, m := range notices {
		if err := s.bury(ctx, m.Data); err != nil {
			return err
		}
		s.giveSeq = m.Seq + 1
	}
	for seq := uint64(1); ; {
		dead, err := s.Conn.Since(ctx, link.Dead, "dead."+s.id+".>", seq)
		if err != nil {
			return err
		}
		for _, m := range dead {
			if j, err := link.ParseJob(m.Subject); err == nil {
				s.book.GiveUp(j)
			}
			seq = m.Seq + 1
		}
		if len(dead) == 0 {
			return nil
		}
	}
}

// bury notes for ever that a job was given up, if it is one of this run and still
// in the queue.
func (s *coordinator) bury(ctx context.Context, text []byte) error {
	var n notice
	if err := json.Unmarshal(text, &n); err != nil {
		return fmt.Errorf("notice of the server: %w", err)
	}
	if !strings.HasSuffix(n.Consumer, s.epoch) {
		return nil // it numbers the messages of a queue that is gone
	}
	m, err := s.Conn.Message(ctx, link.Jobs, n.Seq)
	if errors.Is(err, link.ErrNone) {
		return nil
	}
	if err != nil {
		return err
	}
	j, err := link.ParseJob(m.Subject)
	if err != nil || j.Run != s.id {
		return nil
	}
	s.log.Error("a job is given up: no worker answers", "job", j.Index, "copy", j.K, "tries", s.Times.Deliver)
	if _, err := s.Conn.First(ctx, "dead."+j.Name(), nil); err != nil {
		return err
	}
	return s.Conn.Purge(ctx, link.Jobs, m.Subject)
}

// queue compares the queue with what is missing: what has been answered is taken
// out, what is not in it will be issued again.
func (s *coordinator) queue(ctx context.Context) error {
	subjects, err := s.Conn.Subjects(ctx, link.Jobs, "job."+s.id+".>")
	if err != nil {
		return err
	}
	issued := make(map[string]bool, len(subjects))
	for subject := range subjects {
		j, err := link.ParseJob(subject)
		if err != nil || s.book.Spent(j) {
			if err := s.Conn.Purge(ctx, link.Jobs, subject); err != nil {
				return err
			}
			continue
		}
		// Groups have changed: those who may take it now are asked elsewhere.
		if w, ok := s.book.Wanted(j.Index); ok && w.K == j.K && link.JobSubject(j, laneOf(w)) != subject {
			if err := s.Conn.Purge(ctx, link.Jobs, subject); err != nil {
				return err
			}
			continue
		}
		issued[j.Name()] = true
	}
	s.issued = issued
	for i := range s.next {
		if s.book.Agreed(i) == nil {
			s.look[i] = true
		}
	}
	return nil
}
