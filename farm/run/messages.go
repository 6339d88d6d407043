package run

import (
	"context"
	"encoding/json"
	"strconv"
	"time"

	"github.com/nats-io/nats.go"
)

// Protocol is the version of the messages between workers and hub. A worker with another one
// is refused.
const Protocol = 2

// Times are those of the messages between workers and hub.
type Times struct {
	AckWait time.Duration // a job whose worker is silent for so long is given to another
	Alive   time.Duration // between two signs of life
	Hold    time.Duration // for which the hub holds a request for jobs while there are none
}

// Usual returns the times of a farm.
func Usual() Times {
	return Times{AckWait: time.Minute, Alive: 10 * time.Second, Hold: 15 * time.Second}
}

// Machine is what a worker tells of itself.
type Machine struct {
	Protocol int            `json:"protocol"`
	Kinds    map[string]int `json:"kinds"` // versions of the kinds of work that it knows
	Boot     string         `json:"boot"`  // another one after each start
	Uptime   float64        `json:"uptime"`
	Host     string         `json:"host"`
	Cores    int            `json:"cores"`
	Commit   string         `json:"commit"`
	Path     string         `json:"path"`  // kernels that its processor runs
	Bench    uint64         `json:"bench"` // nodes of its engine's bench
	NPS      float64        `json:"nps"`   // nodes a second of one core, all cores at work
}

// Worker is a worker as the hub has heard of it last.
type Worker struct {
	Machine
	Done    int      `json:"done"`              // jobs since it was started
	Running []string `json:"running,omitempty"` // names of its jobs
	Failed  string   `json:"failed,omitempty"`  // the last error of a job
	Note    string   `json:"note,omitempty"`    // why it has nothing to do
}

// Ask asks for jobs: gate.KEY.MACHINE.next.
type Ask struct {
	Machine
	Want  int  `json:"want"`  // cores that are free
	Timed bool `json:"timed"` // they are free for games by the clock too
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
	Stop    []string `json:"stop,omitempty"`    // tokens of jobs whose run is over
	Error   string   `json:"error,omitempty"`   // why this cannot be done now: try again
	Data    []byte   `json:"data,omitempty"`    // part of an input
	Size    int      `json:"size,omitempty"`    // of the whole input
}

// Alive says that a worker lives and what it does: gate.KEY.MACHINE.alive.
type Alive struct {
	Worker
	Tokens  []string `json:"tokens"`
	Leaving bool     `json:"leaving,omitempty"` // the jobs of Tokens are given back
}

// Report brings what came of a job: gate.KEY.MACHINE.report. Either the sealed result with
// its file, which follows the JSON in the message, or why the job could not be done.
type Report struct {
	Token  string `json:"token"`
	Result []byte `json:"result,omitempty"` // as Seal makes it
	Failed string `json:"failed,omitempty"`
}

// Fetch asks for a part of an input of a run: gate.KEY.MACHINE.input.
type Fetch struct {
	Token string `json:"token"` // of a job of the run
	Sum   string `json:"sum"`
	From  int    `json:"from"`
}

// lengthHeader tells how many bytes of a message are JSON; the rest is a file.
const lengthHeader = "Farm-Json"

// Tell sends a request of the machine with a name to the hub: verb is next, alive, report or
// input; file may be nil.
func (c *Conn) Tell(ctx context.Context, machine, verb string, request any, file []byte, wait time.Duration) (a Answer, err error) {
	text, err := json.Marshal(request)
	if err != nil {
		return a, err
	}
	m := nats.NewMsg("gate." + c.Key + "." + machine + "." + verb)
	m.Header.Set(lengthHeader, strconv.Itoa(len(text)))
	m.Data = append(text, file...)
	err = c.ask(ctx, m, wait, &a)
	return a, err
}

// Read takes a request apart.
func Read(m *nats.Msg, request any) (file []byte, err error) {
	n, err := strconv.Atoi(m.Header.Get(lengthHeader))
	if err != nil || n < 0 || n > len(m.Data) {
		n = len(m.Data)
	}
	return m.Data[n:], json.Unmarshal(m.Data[:n], request)
}
