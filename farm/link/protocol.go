package link

import (
	"context"
	"encoding/json"
	"errors"
	"strings"

	"github.com/nats-io/nats.go"

	"github.com/tabula-chess/tabula/tabula-farm/run"
)

// Protocol is the version of the messages between workers and coordinator. A worker
// with another one is refused when it asks.
const Protocol = 1

// Machine is what a worker tells of itself whenever it asks.
type Machine struct {
	Protocol int            `json:"protocol"`
	Kinds    map[string]int `json:"kinds"` // versions of the kinds of work that it knows
	Boot     string         `json:"boot"`  // another one after each start
	Host     string         `json:"host"`
	Cores    int            `json:"cores"`
	Commit   string         `json:"commit"`
	Path     string         `json:"path"`  // kernels that its processor runs
	Bench    uint64         `json:"bench"` // nodes of its engine's bench
	NPS      float64        `json:"nps"`   // nodes a second of one core, all cores at work
}

// Ask asks for one job, under ask.<worker>.
type Ask struct {
	Machine
	Timed     bool   `json:"timed"`               // a core is free for games by the clock
	Delivered string `json:"delivered,omitempty"` // name of the job whose result this core has just stored
}

// Answer is the coordinator's answer to Ask: a job, or why there is none.
type Answer struct {
	Job     *run.Job `json:"job,omitempty"`
	Refused string   `json:"refused,omitempty"` // why there will never be one
	Note    string   `json:"note,omitempty"`    // why there is none now
}

// Alive is what a worker says of itself under alive.<worker>.
type Alive struct {
	Machine
	Done    int      `json:"done"`              // jobs since it was started
	Spool   int      `json:"spool"`             // results that wait for the hub
	Running []string `json:"running,omitempty"` // names of jobs, also of those whose results wait
	Failed  string   `json:"failed,omitempty"`  // the last error of a job
	Leaving bool     `json:"leaving,omitempty"`
}

// Back gives a job back, under back.<worker>. Why is empty where the worker leaves in
// good order.
type Back struct {
	Boot string  `json:"boot"`
	Job  run.Job `json:"job"`
	Why  string  `json:"why,omitempty"`
}

// AskJob asks the coordinator for a job. It waits until there is one, for a while.
func (c *Conn) AskJob(ctx context.Context, a *Ask) (answer Answer, err error) {
	err = c.question(ctx, "ask."+c.Worker(), a, &answer)
	return answer, err
}

// Drain tells a worker, or all with a key, to finish what they do and leave.
func (c *Conn) Drain(worker string) error { return c.NC.Publish("leave."+worker, nil) }

// Tell tells the coordinator something that it does not answer; a lost message does no
// harm.
func (c *Conn) Tell(what string, message any) {
	if text, err := json.Marshal(message); err == nil {
		_ = c.NC.Publish(what+"."+c.Worker(), text)
	}
}

// ErrNoCoordinator says that nobody distributes jobs.
var ErrNoCoordinator = errors.New("no coordinator answers: start farm hub, or for a cluster farm hub --hub URL")

// View asks the coordinator how the farm is.
func (c *Conn) View(ctx context.Context, view any) error { return c.question(ctx, "view", nil, view) }

// question asks and waits for the answer, in JSON.
func (c *Conn) question(ctx context.Context, subject string, message, answer any) error {
	text, err := json.Marshal(message)
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeoutCause(ctx, 3*answerWait, errLate)
	defer cancel()
	m, err := c.NC.RequestWithContext(ctx, subject, text)
	switch {
	case errors.Is(err, nats.ErrNoResponders):
		return ErrNoCoordinator
	case err != nil && ctx.Err() != nil:
		return context.Cause(ctx)
	case err != nil:
		return err
	}
	return json.Unmarshal(m.Data, answer)
}

// Incoming is a message for the coordinator. From is the worker, as the server admitted
// it: the subject tells it, never the content.
type Incoming struct {
	What   string // ask, alive, back or view
	From   string
	Data   []byte
	Answer func(answer any) // of ask and view
}

// Listen gives the messages for a coordinator to take, which is safe for concurrent use, until
// stop is called.
func (c *Conn) Listen(take func(Incoming)) (stop func(), err error) {
	var subs []*nats.Subscription
	stop = func() {
		for _, s := range subs {
			_ = s.Unsubscribe()
		}
	}
	for _, subject := range []string{"ask.*.*", "alive.*.*", "back.*.*", "view"} {
		s, err := c.NC.Subscribe(subject, func(m *nats.Msg) {
			what, from, _ := strings.Cut(m.Subject, ".")
			take(Incoming{what, from, m.Data, func(answer any) {
				text, err := json.Marshal(answer)
				if err != nil {
					c.log.Error("an answer", "to", m.Subject, "error", err)
					return
				}
				_ = m.Respond(text) // who has left asks again
			}})
		})
		if err != nil {
			stop()
			return nil, err
		}
		subs = append(subs, s)
	}
	return stop, nil
}
