// Package work runs long jobs: matches, training games, reviews of many games, large counts. A run can be killed at
// any moment, on a full disk or by a power cut, and the same command continues it.
//
// A run is a [Spec], whose hash is its name, and a [Kind], which says what its jobs are and what becomes of their
// results. A job is a pure function of the spec, its index and its input. Results are folded in the order of the
// jobs, so that the outcome does not depend on who did what and when. [Run] keeps results in a journal until they are
// folded again by the next start. Where jobs are done is the business of an [Executor]: the threads of this process
// ([Local]), or other machines.
//
// How far a run goes, such as its number of games, and where its jobs are done are not part of its identity. Both may
// change from one start to the next.
package work

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io/fs"
	"math"
	"strings"
	"unicode"
)

// Spec is all that decides what the jobs of a run compute. Two runs with equal specs are one run: they share an ID and
// their results.
type Spec struct {
	Kind    string          `json:"kind"`
	Version int             `json:"version"`          // of the kind
	Params  json.RawMessage `json:"params"`           // the kind as json.Marshal writes it
	Search  uint64          `json:"search,omitempty"` // signature of the search that the jobs use; 0 for any or none
	Inputs  []string        `json:"inputs,omitempty"` // SHA-256 of each file that jobs read, hexadecimal
}

// ID returns the name of the run: the first half of the SHA-256 of the spec as JSON, 32 hexadecimal digits.
func (s *Spec) ID() string {
	text, err := json.Marshal(s)
	if err != nil {
		panic(err) // Params, the one field that can fail, came from JSON
	}
	return Sum(text)[:32]
}

// Sum returns the SHA-256 of data, hexadecimal.
func Sum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Job is one job of a run.
type Job struct {
	Run   string `json:"run"` // ID
	Index int    `json:"index"`
	Input []byte `json:"input,omitempty"` // see [Kind.Next]
}

// Seed returns 32 bytes that the run's ID and the index decide: SHA-256(ID ‖ index as 8 bytes, big end first).
func (j *Job) Seed() [32]byte {
	return sha256.Sum256(binary.BigEndian.AppendUint64([]byte(j.Run), uint64(j.Index)))
}

// Type is a kind of work that programs know by its name.
type Type struct {
	Name    string
	Version int  // changes whenever jobs with the same parameters come to something else
	Exact   bool // a job comes to the same bytes on every machine
	New     func(Env) Kind
}

// Env is what a machine offers to the kinds of work that run on it.
type Env struct {
	Dir     string  // for what is worth keeping, such as engines that were built; "" for none
	NPS     float64 // nodes a second of the engine on one core, 0 if unknown
	Foreign bool    // jobs come from other machines: the programs that they start are isolated
}

// Spec returns the spec of a run of this type with the parameters of k, which it checks.
func (t *Type) Spec(k Kind, search uint64, inputs ...string) (*Spec, error) {
	if err := k.Check(); err != nil {
		return nil, err
	}
	params, err := json.Marshal(k)
	if err != nil {
		return nil, err
	}
	return &Spec{Kind: t.Name, Version: t.Version, Params: params, Search: search, Inputs: inputs}, nil
}

// Open returns the kind with the parameters of a spec. Errors say which side has another version, or name a parameter.
func (t *Type) Open(s *Spec, env Env) (Kind, error) {
	switch {
	case s.Kind != t.Name:
		return nil, fmt.Errorf("a run of kind %s, want %s", s.Kind, t.Name)
	case s.Version != t.Version:
		return nil, fmt.Errorf("%s version %d: this program has version %d", t.Name, s.Version, t.Version)
	}
	k := t.New(env)
	err := json.Unmarshal(s.Params, k)
	if err == nil {
		err = k.Check()
	}
	if err != nil {
		return nil, fmt.Errorf("parameters of %s: %w", t.Name, err)
	}
	return k, nil
}

// Kind is a kind of work with its parameters, which are its exported fields as JSON. The methods but Open are called
// from one goroutine at a time. Open and what it returns run beside them, often on the same value: they read the
// parameters alone, which nothing changes after Check, and never what Add folds.
type Kind interface {
	// Check returns an error that names the first parameter out of range.
	Check() error

	// Open returns what does jobs, for one goroutine. It may be called several times, and in another process than the
	// rest.
	Open(ctx context.Context, in Inputs) (JobWorker, error)

	// Next returns the input of a job that is ready: a function of the index and of what had been folded when the job
	// became ready, though more may be folded by now. It is called once for each index in ascending order. The error
	// is io.EOF where the run has no more jobs.
	Next(index int) (input []byte, err error)

	// Ready returns how many jobs may be done with what has been folded: those with smaller indexes. It never falls.
	// It must depend on what is folded alone, or the outcome would depend on the place.
	Ready() int

	// Add checks what a job came to and folds it. The indexes ascend by one. After an error nothing is folded.
	Add(index int, data []byte) error

	// Done reports whether the run has come to its end before all its jobs are folded.
	Done() bool

	// Text describes in one line how far the run is.
	Text() string
}

// Awaiter is a [Kind] whose inputs come from elsewhere, such as standard input. Await waits for the next one. It is
// called once before each call of Next, and before Ready is asked about that job; results are folded meanwhile. The
// contexts of all calls end together. Errors end the run; the end of the inputs is none.
type Awaiter interface {
	Await(ctx context.Context) error
}

// JobWorker does jobs, one at a time.
type JobWorker interface {
	// Do does a job. The data is what is stored and folded; units, such as games, measure speed. An error other than
	// ctx's says that this worker could not do the job.
	Do(ctx context.Context, j Job) (data []byte, units float64, err error)
	Close()
}

// Inputs returns a file by its index in Spec.Inputs.
type Inputs func(ctx context.Context, index int) ([]byte, error)

// Files are the inputs of a run in memory.
type Files [][]byte

// Add adds a file, unless it is there, and returns its number, which is its index plus one: 0 can stand for no file.
func (f *Files) Add(data []byte) (number int) {
	for i, other := range *f {
		if bytes.Equal(data, other) {
			return i + 1
		}
	}
	*f = append(*f, data)
	return len(*f)
}

// Sums returns Spec.Inputs.
func (f Files) Sums() (all []string) {
	for _, data := range f {
		all = append(all, Sum(data))
	}
	return all
}

// Get implements [Inputs]. The error of a file that is not there is [fs.ErrNotExist].
func (f Files) Get(_ context.Context, index int) ([]byte, error) {
	if index < 0 || index >= len(f) {
		return nil, fmt.Errorf("input %d: there are %d: %w", index+1, len(f), fs.ErrNotExist)
	}
	return f[index], nil
}

// Independent is the part of a [Kind] whose jobs need nothing but their index and input, and which ends with its last
// job.
type Independent struct{}

// Ready returns the largest number.
func (Independent) Ready() int { return math.MaxInt }

// Done returns false.
func (Independent) Done() bool { return false }

// Clean returns a text from elsewhere as a terminal may show it: in one line, at most 200 characters that can be
// printed.
func Clean(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	return fmt.Sprintf("%.200s", strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) && r != unicode.ReplacementChar {
			return r
		}
		return -1
	}, text))
}

// Number is a figure of a run that a page draws over time, such as a score. A [Kind] may have a method
// Numbers() []Number.
type Number struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
}
