package run

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/nats-io/nats.go"
)

// Protocol is the version of the messages between workers and hub. A worker with another one
// is refused.
const Protocol = 3

// Times are those of the messages between workers and hub.
type Times struct {
	AckWait time.Duration // a job whose worker is silent for so long is given to another
	Hold    time.Duration // for which the hub holds a request for jobs while there are none; also between two signs of life
	Longest time.Duration // after which a job is taken from its worker, whatever that says
}

// Usual returns the times of a farm.
func Usual() Times {
	return Times{AckWait: time.Minute, Hold: 15 * time.Second, Longest: time.Hour}
}

// Machine is what a worker tells of itself.
type Machine struct {
	Protocol int            `json:"protocol"`
	Kinds    map[string]int `json:"kinds"`  // versions of the kinds of work that it knows
	Uptime   float64        `json:"uptime"` // seconds
	Host     string         `json:"host"`
	Cores    int            `json:"cores"`
	Commit   string         `json:"commit"`
	Path     string         `json:"path"`             // kernels that its processor runs
	Bench    uint64         `json:"bench"`            // nodes of its engine's bench
	NPS      float64        `json:"nps"`              // nodes a second of one core, all cores at work
	Done     int            `json:"done"`             // jobs since it was started
	Failed   string         `json:"failed,omitempty"` // the last error of a job
}

// Worker is a worker as the hub has heard from it last.
type Worker struct {
	Machine
	Running int    `json:"running"`        // jobs
	Note    string `json:"note,omitempty"` // why it has nothing to do
}

// Ask asks for jobs and says which are under way.
type Ask struct {
	Machine
	Want    int      `json:"want"`   // cores that are free
	Tokens  []string `json:"tokens"` // of the jobs under way
	Leaving bool     `json:"leaving,omitempty"`
}

// Lease is a job in the hands of a worker. The token proves to any hub of the farm that the
// worker was given it.
type Lease struct {
	Job      Job             `json:"job"`
	Manifest json.RawMessage `json:"manifest"`
	Token    string          `json:"token"`
}

// Answer is the hub's answer to all that a worker sends.
type Answer struct {
	Jobs    []Lease  `json:"jobs,omitempty"`
	Note    string   `json:"note,omitempty"`    // why there are none now
	Refused string   `json:"refused,omitempty"` // why there will never be any
	Leave   bool     `json:"leave,omitempty"`   // the operator drains the worker
	Stop    []string `json:"stop,omitempty"`    // tokens of jobs that are not wanted any more
	Error   string   `json:"error,omitempty"`   // why this cannot be done now: try again
	Data    []byte   `json:"data,omitempty"`    // part of an input
	Size    int      `json:"size,omitempty"`    // of the whole input
}

// Fetch asks for a part of an input of a run.
type Fetch struct {
	Sum  string `json:"sum"`
	From int    `json:"from"`
}

// TokenHeader names the header with the token of the job that a message is about.
const TokenHeader = "Farm-Token"

// Tell sends a request of a machine to the hub, as gate.KEY.MACHINE.VERB, and waits for the answer:
//
//	ask     an Ask           jobs wanted and under way; also the sign of life
//	report  as Seal makes    what the job of the token came to
//	fail    a text           why the job of the token could not be done
//	input   a Fetch          a part of an input, for the job of the token
func (c *Conn) Tell(ctx context.Context, machine, verb, token string, data []byte, wait time.Duration) (a Answer, err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, wait, fmt.Errorf("the hub has not answered for %v", wait))
	defer cancel()
	m := nats.NewMsg("gate." + c.Key + "." + machine + "." + verb)
	m.Header.Set(TokenHeader, token)
	m.Data = data
	got, err := c.NC.RequestMsgWithContext(ctx, m)
	switch {
	case errors.Is(err, nats.ErrNoResponders):
		return a, errors.New("no hub answers")
	case err != nil && ctx.Err() != nil:
		return a, context.Cause(ctx)
	case err != nil:
		return a, err
	}
	if err = json.Unmarshal(got.Data, &a); err == nil && a.Error != "" {
		err = errors.New(a.Error)
	}
	return a, err
}
