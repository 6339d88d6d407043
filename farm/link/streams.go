package link

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/tabula-chess/tabula/farm/run"
)

// The streams; see the package's doc.
const (
	Runs   = "RUNS"
	State  = "STATE"
	Jobs   = "JOBS"
	Res    = "RES"
	Dead   = "DEAD"
	Bans   = "BANS"
	Input  = "INPUT"
	Art    = "ART"
	GiveUp = "GIVEUP"
)

// Times of the protocol. None of them decides what a run comes to.
type Times struct {
	AckWait   time.Duration // a job of which nothing is heard for so long goes to another worker
	Deliver   int           // times that a job is delivered at most
	Alive     time.Duration // between two signs of life of a worker
	Reconcile time.Duration // between two looks at what is missing
	Poll      time.Duration // between two looks for results
}

// Usual returns the times of a farm.
func Usual() Times {
	return Times{AckWait: 60 * time.Second, Deliver: 5, Alive: 5 * time.Second, Reconcile: 5 * time.Second, Poll: 200 * time.Millisecond}
}

// giveUpSubject is where the server tells of jobs that were delivered too often.
const giveUpSubject = "$JS.EVENT.ADVISORY.CONSUMER.MAX_DELIVERIES." + Jobs + ".>"

// streams returns the streams' settings.
func streams() []jetstream.StreamConfig {
	first := func(name string, subjects ...string) jetstream.StreamConfig {
		return jetstream.StreamConfig{
			Name: name, Subjects: subjects, MaxMsgsPerSubject: 1, AllowDirect: true,
			Discard: jetstream.DiscardNew, DiscardNewPerSubject: true,
		}
	}
	last := func(name string, subjects ...string) jetstream.StreamConfig {
		return jetstream.StreamConfig{Name: name, Subjects: subjects, MaxMsgsPerSubject: 1, AllowDirect: true}
	}
	jobs := first(Jobs, "job.>")
	jobs.Retention, jobs.Storage = jetstream.WorkQueuePolicy, jetstream.MemoryStorage
	return []jetstream.StreamConfig{
		first(Runs, "run.*"), last(State, "open.*", "end.*"), jobs, first(Res, "res.*.*.*"), first(Dead, "dead.*.*.*"),
		last(Bans, "ban.*"), first(Input, "in.*.*"), first(Art, "art.*.*.*"),
		{Name: GiveUp, Subjects: []string{giveUpSubject}, Storage: jetstream.MemoryStorage, AllowDirect: true, MaxMsgs: 10 * run.MaxJobs},
	}
}

// usualReplicas is the number of servers of a cluster that keep a stream, so that
// one of them may be lost.
const usualReplicas = 3

// Ensure makes the streams that are not there yet: in a cluster on several of its
// servers, see Options.Replicas. It may be called at any time by anyone who owns
// the farm. It errs where the cluster has not so many servers.
func (c *Conn) Ensure(ctx context.Context) error {
	replicas := c.options.Replicas
	if replicas == 0 && c.NC.ConnectedClusterName() != "" {
		replicas = usualReplicas
	}
	for _, s := range streams() {
		s.Replicas = replicas
		err := c.Ask(ctx, func(ctx context.Context) error {
			_, err := c.JS.CreateOrUpdateStream(ctx, s)
			return err
		})
		if err != nil {
			return fmt.Errorf("stream %s: %w", s.Name, err)
		}
	}
	return nil
}

// Lanes is the number of groups of workers that a job's second copy may keep
// away from.
const Lanes = 4

// AnyLane is the lane of jobs for every worker; lane n below Lanes is for
// workers of other groups than n.
const AnyLane = Lanes

// ConsumerName returns the name of the consumer of a lane of a run in an epoch.
func ConsumerName(id string, lane int, epoch string) string {
	return fmt.Sprintf("%s-%d-%s", id, lane, epoch)
}

// epochSubject has one message in the queue, which no consumer takes.
const epochSubject = "job.epoch"

// Epoch names the life of the queue: it dies with the hub, or with the servers of
// a cluster that keep it, and in the next life its messages are numbered from 1
// again. A worker that acknowledges a job of the last life would acknowledge
// another, and all before it would never be delivered; but it tells that to a
// consumer of the last epoch, which is gone. The name is a message of the queue
// itself, which nothing outlives.
func (c *Conn) Epoch(ctx context.Context) (string, error) {
	m, err := c.Last(ctx, Jobs, epochSubject)
	if errors.Is(err, ErrNone) {
		if _, err = c.First(ctx, epochSubject, []byte(rand.Text())); err == nil {
			m, err = c.Last(ctx, Jobs, epochSubject)
		}
	}
	return string(m.Data), err
}

// Consumer makes the consumer of a lane of a run in an epoch, unless it is there.
func (c *Conn) Consumer(ctx context.Context, id string, lane int, epoch string, t Times) error {
	return c.Ask(ctx, func(ctx context.Context) error {
		_, err := c.JS.CreateOrUpdateConsumer(ctx, Jobs, jetstream.ConsumerConfig{
			Durable: ConsumerName(id, lane, epoch), FilterSubject: fmt.Sprintf("job.%s.%d.>", id, lane),
			AckPolicy: jetstream.AckExplicitPolicy, AckWait: t.AckWait, MaxDeliver: t.Deliver, MaxAckPending: -1,
			MemoryStorage: true,
		})
		return err
	})
}

// JobSubject returns the subject of a job in a lane.
func JobSubject(j run.Job, lane int) string {
	return fmt.Sprintf("job.%s.%d.%d.%d", j.Run, lane, j.Index, j.K)
}

// ResultSubject returns the subject of a job's result.
func ResultSubject(j run.Job) string { return "res." + j.Name() }

// ParseJob returns the job that the last three or, with a lane, four parts of a
// subject name.
func ParseJob(subject string) (j run.Job, err error) {
	parts := strings.Split(subject, ".")
	if len(parts) != 4 && len(parts) != 5 {
		return j, fmt.Errorf("subject %q names no job", subject)
	}
	j.Run = parts[1]
	if j.Index, err = strconv.Atoi(parts[len(parts)-2]); err == nil {
		j.K, err = strconv.Atoi(parts[len(parts)-1])
	}
	if err != nil || j.Index < 0 || j.K < 0 {
		return j, fmt.Errorf("subject %q names no job", subject)
	}
	return j, nil
}

// Rights are subjects that a client may publish and subscribe to.
type Rights struct{ Publish, Subscribe []string }

// WorkerRights returns what a worker with the given public key may do: fetch
// jobs, report, and read what they need. It may not read results, so that it
// cannot copy another's.
func WorkerRights(key string) Rights {
	r := Rights{
		Publish: []string{
			"$JS.API.CONSUMER.INFO." + Jobs + ".*", "$JS.API.CONSUMER.MSG.NEXT." + Jobs + ".*", "$JS.ACK." + Jobs + ".>",
			"res.*.*.*", "art." + key + ".*.*", "alive." + key,
		},
		Subscribe: []string{inboxPrefix(key) + ".>"},
	}
	for _, s := range []string{Runs, State, Bans, Input} {
		r.Publish = append(r.Publish, "$JS.API.DIRECT.GET."+s, "$JS.API.DIRECT.GET."+s+".>")
	}
	return r
}

// inboxPrefix returns where the answers to a client with a key of its own go.
func inboxPrefix(key string) string { return "_INBOX_" + key }
