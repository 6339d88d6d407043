package run

import (
	"context"
	"encoding/json"
	"errors"
	"time"
)

// Opener returns the plan of a manifest of its kind. It is cheap: the first Work does
// what takes long. Errors name the parameter that is wrong.
type Opener func(*Manifest) (Plan, error)

// Plan is a run as its kind understands it. A process opens one for each run,
// whatever its number of cores; the methods are safe for concurrent use.
type Plan interface {
	// Copies returns how many workers do a job: 1, or 2 where their values are to be
	// compared.
	Copies(index int) int

	// Work does a job. The value must be the same on every machine. An error other
	// than ctx's means that this worker could not do it; another one will try.
	Work(ctx context.Context, j Job, in Inputs) (Output, error)

	// NewFold returns an empty fold.
	NewFold() Fold
}

// OneIn returns the copies of a job where one job in n is done twice.
func OneIn(n, index int) int {
	if index%n == 0 {
		return 2
	}
	return 1
}

// Checker is implemented by plans whose jobs have a file each, which the owner gathers.
type Checker interface {
	// CheckFile reports what is wrong with the file of a result.
	CheckFile(r *Result, data []byte) error
}

// Timed is implemented by plans whose values depend on the clock: their jobs need a
// core of their own.
type Timed interface{ Timed() bool }

// IsTimed reports whether the values of a plan depend on the clock.
func IsTimed(p Plan) bool {
	t, ok := p.(Timed)
	return ok && t.Timed()
}

// Lasting is implemented by plans whose jobs may take longer than shortestLimit.
type Lasting interface {
	// Longest returns a time that no job exceeds on a slow machine.
	Longest() time.Duration
}

// shortestLimit is the least time after which a job is taken from its worker.
const shortestLimit = time.Hour

// longest returns the time after which a job of the plan is taken from its worker.
func longest(p Plan) time.Duration {
	if l, ok := p.(Lasting); ok {
		return max(shortestLimit, l.Longest())
	}
	return shortestLimit
}

// Scorer is implemented by plans that tell more of a value than its units, to be added
// up for each worker.
type Scorer interface {
	Scores(value json.RawMessage) []Number
}

// Inputs are files that the owner of a run has stored for its workers.
type Inputs interface {
	// Get returns the file with the given SHA-256, hexadecimal, checked.
	Get(ctx context.Context, sum string) ([]byte, error)
}

// Fold combines values in the order of their indexes and depends on nothing else. It
// is used by one goroutine.
type Fold interface {
	// Add folds the value of the next index, the first of which is 0. It returns an
	// error, and folds nothing, for a value that cannot be: that result does not count.
	Add(index int, value json.RawMessage) error

	// Ready returns how many jobs may be done with what has been folded: those with
	// smaller indexes. It never falls.
	Ready() int

	// Input returns what goes into a job that is ready and not folded yet, nil for
	// nothing. It must be a function of the index and of the values that had been
	// folded when the job became ready.
	Input(index int) (json.RawMessage, error)

	// Done reports whether the run is finished. Jobs that are still under way are
	// then cancelled.
	Done() bool

	// Numbers returns what to plot: score, LLR and the like, in a fixed order.
	Numbers() []Number

	// Text returns in one line where the run stands.
	Text() string
}

// Number is a figure to be plotted by its name.
type Number struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
}

// Straight is the part of a [Fold] that is the same for all kinds whose jobs depend
// on nothing but their index and end when all are folded. It is embedded; Add must
// call Count.
type Straight struct {
	Jobs   int
	Folded int
}

// Count counts a value.
func (s *Straight) Count() { s.Folded++ }

// Ready returns Jobs.
func (s *Straight) Ready() int { return s.Jobs }

// Input returns nil.
func (s *Straight) Input(int) (json.RawMessage, error) { return nil, nil }

// Done reports whether all jobs are folded.
func (s *Straight) Done() bool { return s.Folded >= s.Jobs }

// Keep stores the file of a result that is about to be folded, on the owner's
// machine. It is called in the order of indexes from 0 on, again after every restart,
// and must know what it has. get returns the file's content. An error marked by
// [Refused] says that the file is not what the value says; any other error is
// tried again.
type Keep func(ctx context.Context, r *Result, get func(context.Context, *File) ([]byte, error)) error

// refusal marks an error that is the fault of a result.
type refusal struct{ error }

func (e refusal) Unwrap() error { return e.error }

// Refused marks err as a fault of the result that was checked.
func Refused(err error) error { return refusal{err} }

// IsRefused reports whether err was marked by [Refused].
func IsRefused(err error) bool { return errors.As(err, new(refusal)) }
