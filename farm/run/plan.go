package run

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"sync"

	"github.com/tabula-chess/tabula/eval/nnue"
)

// Opener returns the plan of a manifest of its kind. It is cheap: the first job does what takes
// long. Errors name the parameter that is wrong.
type Opener func(*Manifest) (*Plan, error)

// Plan says how the jobs of a run are done and combined. A process opens one plan for each run,
// whatever its number of cores. Its functions are safe for concurrent use.
type Plan struct {
	// Check is n where one job in n is done by two workers with different keys, whose data has to
	// be equal, 0 where workers are trusted.
	Check int
	// Work does a job. Its data, at most MaxData bytes, is the same on every machine; units, such
	// as games, measure the worker's speed. An error other than ctx's means that this worker
	// could not do the job.
	Work func(ctx context.Context, j Job, in Inputs) (data []byte, units float64, err error)
	// NewFold returns an empty fold.
	NewFold func() Fold
}

// Copies returns how many workers do a job, 1 or 2.
func (p *Plan) Copies(index int) int {
	if p.Check > 0 && index%p.Check == 0 {
		return 2
	}
	return 1
}

// Inputs are files that the owner of a run has stored for its workers.
type Inputs interface {
	// Get returns the file with the given SHA-256, hexadecimal, checked.
	Get(ctx context.Context, sum string) ([]byte, error)
}

// Fold combines what jobs came to in the order of their indexes, and depends on nothing else. It
// is used by one goroutine.
type Fold interface {
	// Add checks what the job of the next index, the first of which is 0, came to, and folds it.
	// After an error nothing is folded, and the result does not count.
	Add(index int, data []byte) error

	// Ready returns how many jobs may be done with what has been folded: those with smaller
	// indexes. It never falls.
	Ready() int

	// Input returns what goes into a job that is ready and not folded yet, nil for nothing. It
	// is a function of the index and of what had been folded when the job became ready.
	Input(index int) (json.RawMessage, error)

	// Done reports whether the run is finished. Jobs that are still under way are then cancelled.
	Done() bool

	// Numbers returns what to plot: score, LLR and the like, in a fixed order.
	Numbers() []Number

	// Text describes in one line how far the run is.
	Text() string
}

// Number is a figure to be plotted by its name.
type Number struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
}

// Straight is the part of a [Fold] that is the same for all kinds whose jobs depend on nothing but
// their index and end when all are folded. It is embedded; Add increments Folded.
type Straight struct{ Jobs, Folded int }

// Ready returns Jobs.
func (s *Straight) Ready() int { return s.Jobs }

// Input returns nil.
func (s *Straight) Input(int) (json.RawMessage, error) { return nil, nil }

// Done reports whether all jobs are folded.
func (s *Straight) Done() bool { return s.Folded >= s.Jobs }

// Network is the network that the jobs of a plan play with.
type Network struct {
	mu      sync.Mutex
	network *nnue.Network // nil until it is read
}

// Get returns the network that the manifest names: the first input, or without one the embedded
// network.
func (n *Network) Get(ctx context.Context, m *Manifest, in Inputs) (*nnue.Network, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.network != nil {
		return n.network, nil
	}
	found := nnue.Embedded()
	if len(m.Inputs) > 0 {
		data, err := in.Get(ctx, m.Inputs[0])
		if err != nil {
			return nil, err
		}
		if found, err = nnue.Read(bytes.NewReader(data)); err != nil {
			return nil, err
		}
	}
	if got := found.Hash().String(); got != m.Network {
		return nil, fmt.Errorf("the network here is %s, the run plays with %s", got, m.Network)
	}
	n.network = found
	return found, nil
}
