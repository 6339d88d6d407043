package run

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/nats-io/nats.go/jetstream"
)

// End ends a run: its jobs leave the queue, its results stay.
func (c *Conn) End(ctx context.Context, id string, e Ended) error {
	if err := c.changeRun(ctx, id, func(r *Record) { r.Ended = &e }); err != nil {
		return err
	}
	return c.clear(ctx, id)
}

// clear removes the jobs of a run from the queue.
func (c *Conn) clear(ctx context.Context, id string) error {
	err := c.JS.DeleteConsumer(ctx, JobsStream, id)
	if errors.Is(err, jetstream.ErrConsumerNotFound) {
		err = nil
	}
	return errors.Join(err, c.purge(ctx, JobsStream, "jobs."+id+".*"))
}

// Forget removes all that the farm has of a run, and its record last: until then it can be given again.
func (c *Conn) Forget(ctx context.Context, id string) error {
	// A store without space may refuse this, which keeps others from adding to what is removed.
	bad := c.changeRun(ctx, id, func(r *Record) { r.Ended = &Ended{Failed: "forgotten"} })
	inputs, err := c.objects(ctx)
	for _, o := range inputs {
		if strings.HasPrefix(o.Name, id+"/") {
			err = errors.Join(err, c.purge(ctx, inputsStream, chunkSubjects+o.NUID), c.inputs.Delete(ctx, o.Name))
		}
	}
	err = errors.Join(err, c.clear(ctx, id), c.purge(ctx, ResultsStream, "*."+id+".>"))
	if err = errors.Join(err, c.status.Purge(ctx, id), c.farm.Purge(ctx, "spec."+id)); err != nil {
		return errors.Join(bad, err)
	}
	return change(ctx, c.farm, stateKey, func(s *RunState) error {
		s.Runs = slices.DeleteFunc(s.Runs, func(r Record) bool { return r.Run == id })
		return nil
	})
}

// objects returns the inputs of all runs.
func (c *Conn) objects(ctx context.Context) ([]*jetstream.ObjectInfo, error) {
	ctx, cancel := context.WithTimeout(ctx, answerWait)
	defer cancel()
	all, err := c.inputs.List(ctx)
	if errors.Is(err, jetstream.ErrNoObjectsFound) {
		err = nil
	}
	return all, err
}

var idPattern = regexp.MustCompile(`^[0-9a-f]{32}$`) // of a run

// Sweep removes what belongs to no run: what came after it was forgotten, or for one that never was, and the parts of
// inputs whose upload was interrupted. It lists all results, which takes some seconds for a million.
func (c *Conn) Sweep(ctx context.Context) error {
	ids := map[string]bool{}
	for _, stream := range []string{JobsStream, ResultsStream} {
		info, err := c.subjects(ctx, stream, ">")
		if err != nil {
			return err
		}
		for subject := range info.State.Subjects {
			ids[strings.Split(subject, ".")[1]] = true
		}
	}
	parts, err := c.subjects(ctx, inputsStream, chunkSubjects+">")
	if err != nil {
		return err
	}
	inputs, err := c.objects(ctx)
	if err != nil {
		return err
	}
	for _, o := range inputs {
		id, _, _ := strings.Cut(o.Name, "/")
		ids[id] = true
		delete(parts.State.Subjects, chunkSubjects+o.NUID)
	}
	err = c.sweepParts(ctx, parts)
	state, bad := c.State(ctx) // which has each run before anything else is there of it
	if bad != nil {
		return errors.Join(err, bad)
	}
	for id := range ids {
		switch {
		case state.find(id) != nil:
		case idPattern.MatchString(id):
			err = errors.Join(err, c.Forget(ctx, id))
		case !strings.ContainsAny(id, "*>"): // which a worker has made up
			err = errors.Join(err, c.purge(ctx, ResultsStream, "*."+id+".>"))
		}
	}
	return err
}

// sweepParts removes the parts of inputs to which none has been added for as long as a worker may be silent.
func (c *Conn) sweepParts(ctx context.Context, parts *jetstream.StreamInfo) (err error) {
	s, err := c.JS.Stream(ctx, inputsStream)
	if err != nil {
		return err
	}
	for subject := range parts.State.Subjects {
		last, bad := s.GetLastMsgForSubject(ctx, subject)
		if bad == nil && parts.TimeStamp.Sub(last.Time) > c.options.AckWait {
			bad = s.Purge(ctx, jetstream.WithPurgeSubject(subject))
		}
		if !errors.Is(bad, jetstream.ErrMsgNotFound) { // it is gone
			err = errors.Join(err, bad)
		}
	}
	return err
}

// full returns what to say where nearly all of the space for results, or of all, is used, "" where it is not.
func (c *Conn) full(ctx context.Context) (string, error) {
	results, err := c.JS.Stream(ctx, ResultsStream)
	if err != nil {
		return "", err
	}
	all, err := c.JS.AccountInfo(ctx)
	if err != nil {
		return "", err
	}
	for _, space := range [][2]int64{
		{int64(results.CachedInfo().State.Bytes), results.CachedInfo().Config.MaxBytes},
		{int64(all.Store), all.Limits.MaxStore},
	} {
		if used, limit := space[0], space[1]; limit > 0 && used > limit/10*9 {
			return fmt.Sprintf("the store is full, %d of %d MiB: workers wait until there is space "+
				"(tabula-farm forget RUN, or a hub with a larger --store)", used>>20, limit>>20), nil
		}
	}
	return "", nil
}
