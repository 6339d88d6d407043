package link

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/tabula-chess/tabula/tabula-farm/run"
)

// The streams; see the package's doc.
const (
	Runs  = "RUNS"
	State = "STATE"
	Res   = "RES"
	Input = "INPUT"
	Art   = "ART"
)

// Times of the protocol. No value depends on them.
type Times struct {
	AckWait time.Duration // a job of which nothing is heard for so long goes to another worker
	Alive   time.Duration // between two messages by which a worker says what it does
	Hold    time.Duration // for which the coordinator holds a question that it has no job for
	Poll    time.Duration // between two looks for results
}

// Usual returns the times of a farm.
func Usual() Times {
	return Times{AckWait: 60 * time.Second, Alive: 10 * time.Second, Hold: 20 * time.Second, Poll: 200 * time.Millisecond}
}

// streams returns the settings of the streams.
func streams() []jetstream.StreamConfig {
	first := func(name string, subjects ...string) jetstream.StreamConfig {
		return jetstream.StreamConfig{
			Name: name, Subjects: subjects, MaxMsgsPerSubject: 1, AllowDirect: true,
			Discard: jetstream.DiscardNew, DiscardNewPerSubject: true,
		}
	}
	state := jetstream.StreamConfig{Name: State, MaxMsgsPerSubject: 1, AllowDirect: true, Subjects: []string{
		"open.*", "end.*", "kept.*", "key.*", "ban.>", "farm.id",
	}}
	return []jetstream.StreamConfig{first(Runs, "run.*"), state, first(Res, "res.*.*.*"), first(Input, "in.*.*.*"), first(Art, "art.*.*.*.*")}
}

// replicas is the number of servers of a cluster that keep a stream, so that one of
// them may fail.
const replicas = 3

// Ensure makes the streams that are missing, and gives a farm without a name one. Any owner
// may call it at any time. Errors: the cluster has fewer servers than copies are kept.
func (c *Conn) Ensure(ctx context.Context) error {
	for _, s := range streams() {
		if c.NC.ConnectedClusterName() != "" {
			s.Replicas = replicas
		}
		err := c.Ask(ctx, func(ctx context.Context) error {
			_, err := c.JS.CreateOrUpdateStream(ctx, s)
			return err
		})
		if err != nil {
			return fmt.Errorf("stream %s: %w", s.Name, err)
		}
	}
	_, err := c.FarmID(ctx)
	if errors.Is(err, ErrNone) {
		err = c.Put(ctx, "farm.id", []byte(rand.Text()))
	}
	return err
}

// FarmID returns the name of this farm, which it gets with its first streams. A worker
// keeps the results that wait for one farm apart from those for another.
func (c *Conn) FarmID(ctx context.Context) (string, error) {
	m, err := c.Last(ctx, State, "farm.id")
	return string(m.Data), err
}

// Space returns how many bytes the streams take and may take; limit is 0 or less where
// there is no bound.
func (c *Conn) Space(ctx context.Context) (used, limit int64, err error) {
	err = c.Ask(ctx, func(ctx context.Context) error {
		info, err := c.JS.AccountInfo(ctx)
		if err == nil {
			used, limit = int64(info.Store), info.Limits.MaxStore
		}
		return err
	})
	return used, limit, err
}

// Rights are subjects to which a client may and may not publish and subscribe.
type Rights struct{ Publish, Deny, Subscribe []string }

// WorkerRights returns what a worker with the given public key may do: ask for jobs,
// report, and read what they need. It may not read results, so that it cannot copy
// another's, and stores no verdicts.
func WorkerRights(key string) Rights {
	r := Rights{
		Publish:   []string{"ask." + key + ".*", "alive." + key + ".*", "back." + key + ".*", "res.*.*.*", "art.*." + key + ".*.*"},
		Deny:      []string{fmt.Sprintf("res.*.*.%d", run.VerdictCopy)},
		Subscribe: []string{inboxPrefix(key) + ".>", "over.*", "leave.>"},
	}
	for _, s := range []string{Runs, State, Input} {
		r.Publish = append(r.Publish, "$JS.API.DIRECT.GET."+s, "$JS.API.DIRECT.GET."+s+".>")
	}
	return r
}

// inboxPrefix returns where the answers to a client with a key go.
func inboxPrefix(key string) string { return "_INBOX_" + key }
