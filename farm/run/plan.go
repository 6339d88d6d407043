package run

import (
	"context"
	"encoding/json"
	"errors"
)

// Opener returns the plan of a manifest of its kind. It is cheap: what takes
// long is done by the first Work. Errors name the parameter that is wrong.
type Opener func(*Manifest) (Plan, error)

// Plan is a run as its kind understands it. A process opens one for each run,
// whatever its number of cores; the methods are safe for concurrent use.
type Plan interface {
	// Copies returns how many results of a job must agree, each by another
	// worker: 1 where the job is believed, 2 where it is checked.
	Copies(index int) int

	// Work does a job. The value must be that of every other worker. An error
	// other than ctx's means that this worker could not; another will try.
	Work(ctx context.Context, j Job, in Inputs) (Output, error)

	// NewFold returns a fold with nothing in it.
	NewFold() Fold
}

// Inputs are files that whoever began the run has put there for its workers.
type Inputs interface {
	// Get returns the file with the given SHA-256, hexadecimal, checked.
	Get(ctx context.Context, sum string) ([]byte, error)
}

// Fold adds up values in order of their indexes; what it comes to depends on
// nothing else. It is used by one goroutine.
type Fold interface {
	// Add folds the value of the next index, the first of which is 0. An error
	// says that it cannot be. It ends the run where several workers agreed on it;
	// where one said so it is taken for a liar, and all is folded again.
	Add(index int, value json.RawMessage) error

	// Ready returns how many jobs may be done with what has been folded: those
	// with smaller indexes. It never falls.
	Ready() int

	// Input returns what goes into a job that is ready and not folded yet, nil
	// for none. It must be a function of the index and of the values that had
	// been folded when the job became ready: a kind that learns keeps it from
	// then on, since a lost job is issued again when more has been folded.
	Input(index int) (json.RawMessage, error)

	// Done reports whether the run has come to its end.
	Done() bool

	// Numbers returns what to plot: score, LLR and the like, in a fixed order.
	Numbers() []Number

	// Text returns in one line where the run stands.
	Text() string
}

// Number is a figure to be plotted by its name: small letters and underscores.
type Number struct {
	Name  string
	Value float64
}

// Straight is the part of a [Fold] that is the same for all kinds whose jobs
// hang on nothing but their index, and end when all are folded. To be embedded;
// Add must call Count.
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

// Checker is what a [Plan] may be besides. Check looks at the files of a result
// before it is folded, and keeps what is to be kept of them. get returns a file's
// content, which has the hash that names it. Check is called in order of index
// from 0 on, by the command that began the run and not by the hub; after a
// restart it is called again for all, and must know what it has. A result that
// it refuses with [Refused] is taken for the work of a liar; any other error is
// tried again.
type Checker interface {
	Check(ctx context.Context, r *Result, get func(ctx context.Context, a Artefact) ([]byte, error)) error
}

// Doubter is what a [Checker] may be besides that keeps files as they come. Doubt
// tells it of jobs which a worker that is banned has reported: what it has kept of
// them may be a liar's, and must go. Check is then called for them again. After a
// restart Doubt is told of all such jobs again.
type Doubter interface {
	Doubt(indexes []int) error
}

// refusal marks an error of Check.
type refusal struct{ error }

func (e refusal) Unwrap() error { return e.error }

// Refused marks err as a fault of the result that is checked.
func Refused(err error) error { return refusal{err} }

// IsRefused reports whether err was marked by [Refused].
func IsRefused(err error) bool { return errors.As(err, new(refusal)) }
