// Package run says what a run of the farm is and holds the two ends of it that every kind of work shares.
//
// A run is a manifest, whose hash is its name. Its jobs are pure functions of manifest and index. A result is signed
// by the worker that made it, and a fold combines the results in the order of their jobs, so that the outcome does
// not depend on who did what and when.
//
// [Start] is the owner's side: it queues jobs, reads results and folds them. [Work] is the worker's. [Conn] reaches
// the streams and buckets of a farm, which are listed in store.go.
package run

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/nats-io/nkeys"

	"github.com/tabula-chess/tabula/internal/plural"
)

// MaxJobs bounds the number of jobs of a run. A run of more has larger jobs.
const MaxJobs = 1 << 20

// Manifest is all that decides what a run computes. Two runs with equal manifests are one run: they share an id and
// their results. A kind leaves a field empty if its values do not depend on it.
type Manifest struct {
	Kind    string          `json:"kind"`
	Version int             `json:"version"`          // of the kind: workers with another one get no jobs
	Params  json.RawMessage `json:"params"`           // of the kind, as json.Marshal writes them
	Jobs    int             `json:"jobs"`             // their indexes are 0 … Jobs-1; at most MaxJobs
	Seed    uint64          `json:"seed"`             // another seed is another run
	Bench   uint64          `json:"bench,omitempty"`  // nodes of the bench of the workers' engine; 0 for any
	Inputs  []string        `json:"inputs,omitempty"` // SHA-256 of each file that workers need, hexadecimal
}

// NewManifest returns the manifest of a run of a kind with its parameters.
func NewManifest(kind string, version int, seed uint64, k Kind) (*Manifest, error) {
	if err := k.Check(); err != nil {
		return nil, err
	}
	text, err := json.Marshal(k)
	if err != nil {
		return nil, err
	}
	m := &Manifest{Kind: kind, Version: version, Params: text, Jobs: k.Jobs(), Seed: seed}
	return m, m.check()
}

// Read fills in the parameters of the run and checks them.
func (m *Manifest) Read(k Kind) error {
	err := json.Unmarshal(m.Params, k)
	if err == nil {
		err = k.Check()
	}
	if err == nil && k.Jobs() != m.Jobs {
		err = fmt.Errorf("%s, want %d", plural.Of(m.Jobs, "job"), k.Jobs())
	}
	if err != nil {
		return fmt.Errorf("parameters of %s: %w", m.Kind, err)
	}
	return nil
}

func (m *Manifest) check() error {
	if m.Jobs < 1 || m.Jobs > MaxJobs {
		return fmt.Errorf("manifest: jobs %d: want 1 to %d", m.Jobs, MaxJobs)
	}
	return nil
}

// Text returns the manifest as it is kept and hashed.
func (m *Manifest) Text() []byte {
	text, err := json.Marshal(m)
	if err != nil {
		panic(err) // Params, the one field that can fail, came from JSON
	}
	return text
}

// ID returns the run's name: the first half of the SHA-256 of [Manifest.Text], 32 hexadecimal digits.
func (m *Manifest) ID() string {
	sum := sha256.Sum256(m.Text())
	return hex.EncodeToString(sum[:16])
}

// ParseManifest reads what Text wrote and checks that it is the manifest of the run with the given id.
func ParseManifest(id string, text []byte) (*Manifest, error) {
	m := new(Manifest)
	if err := json.Unmarshal(text, m); err != nil {
		return nil, fmt.Errorf("manifest of run %s: %w", id, err)
	}
	if err := m.check(); err != nil {
		return nil, err
	}
	if m.ID() != id {
		return nil, fmt.Errorf("manifest of run %s: its hash is %s: another version of this program made it", id, m.ID())
	}
	return m, nil
}

// Job is one job of a run, as a worker gets it. What it comes to must be a function of the manifest, Index and Input.
// Copy may choose how it is computed, such as the keys of a hash table, but the data must not depend on it.
type Job struct {
	Run   string          `json:"run"`
	Index int             `json:"index"`
	Copy  int             `json:"copy"`            // each try of a job has its own number
	Input json.RawMessage `json:"input,omitempty"` // see Kind.Input
	Not   []string        `json:"not,omitempty"`   // keys whose holders must not do this copy
}

// Seed returns 32 bytes that the run's id and the index decide, the same for every copy of the job: SHA-256(id ‖
// index as 8 bytes, big end first).
func (j Job) Seed() [32]byte {
	return sha256.Sum256(binary.BigEndian.AppendUint64([]byte(j.Run), uint64(j.Index)))
}

// KeyOf is [Job.Seed] with the number of the copy: what may differ between copies of one job.
func (j Job) KeyOf() uint64 {
	seed := j.Seed()
	sum := sha256.Sum256(binary.BigEndian.AppendUint64(seed[:], uint64(j.Copy)))
	return binary.BigEndian.Uint64(sum[:])
}

// Bare returns the job without what only its worker needs.
func (j Job) Bare() Job { return Job{Run: j.Run, Index: j.Index, Copy: j.Copy} }

// Name returns run, index and copy as part of a subject.
func (j Job) Name() string { return fmt.Sprintf("%s.%d.%d", j.Run, j.Index, j.Copy) }

// queueSubject returns the subject under which the job waits in the queue. Checks and jobs that are done again come
// before the others.
func (j Job) queueSubject() string {
	class := "first"
	if j.Copy > 0 {
		class = "again"
	}
	return fmt.Sprintf("job.%s.%s.%d.%d", j.Run, class, j.Index, j.Copy)
}

// Opener returns the kind of a manifest with its parameters. Errors name the parameter that is wrong.
type Opener func(*Manifest) (Kind, error)

// Kind is a kind of work with the parameters of a run, which are its exported fields, as JSON. A worker's value does
// jobs, all those of a run and several at a time; an owner's combines what they came to in the order of their indexes,
// in one goroutine, and depends on nothing else.
type Kind interface {
	// Check returns an error that names the first parameter out of range.
	Check() error

	// Jobs returns the number of jobs.
	Jobs() int

	// Twice returns n where one job in n is done by two workers with different keys, whose data has to be equal, 0
	// where workers are trusted.
	Twice() int

	// Do does a job. Its data, at most MaxData bytes, is the same on every machine; units, such as games, measure the
	// worker's speed. An error other than ctx's means that this worker could not do the job.
	Do(ctx context.Context, j Job, in Inputs) (data []byte, units float64, err error)

	// Add checks what the next job came to, and folds it. After an error nothing is folded, and the result does not
	// count.
	Add(j Job, data []byte) error

	// Ready returns how many jobs may be done with what has been folded: those with smaller indexes. It never falls.
	Ready() int

	// Input returns what goes into a job that is ready and not folded yet, nil for nothing. It is a function of the
	// index and of what had been folded when the job became ready.
	Input(index int) json.RawMessage

	// Done reports whether the run is finished before all jobs are folded. Jobs under way are then cancelled.
	Done() bool

	// Text describes in one line how far the run is, Numbers in figures that the page draws, such as score and LLR.
	Text() string
	Numbers() []Number
}

// Inputs returns a file that the owner of a run has stored for its workers, by its index in the manifest, checked.
type Inputs func(ctx context.Context, index int) ([]byte, error)

// Number is a figure to be plotted by its name.
type Number struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
}

// Blocks is the part of a [Kind] whose jobs are blocks of numbered items, such as games, depend on nothing but their
// index, and end when all are folded. Add increments Folded.
type Blocks struct {
	Items  int `json:"items"`  // in all
	PerJob int `json:"perjob"` // of them in a job; the last one may have fewer
	Folded int `json:"-"`      // jobs
}

// CheckBlocks returns an error unless there are items, with a name for them, in as many jobs as a run may have.
func (s *Blocks) CheckBlocks(items string) error {
	switch {
	case s.PerJob < 1:
		return fmt.Errorf("%d %s in a job: want at least 1", s.PerJob, items)
	case s.Items < 1 || s.Items > MaxJobs*s.PerJob:
		return fmt.Errorf("%s %d: want 1 to %d", items, s.Items, MaxJobs*s.PerJob)
	}
	return nil
}

// Jobs returns the number of jobs.
func (s *Blocks) Jobs() int { return (s.Items + s.PerJob - 1) / s.PerJob }

// Block returns the first item of a job and the one behind its last.
func (s *Blocks) Block(index int) (first, end int) {
	first = min(index*s.PerJob, s.Items)
	return first, min(first+s.PerJob, s.Items)
}

// Twice returns 0.
func (s *Blocks) Twice() int { return 0 }

// Ready returns MaxJobs.
func (s *Blocks) Ready() int { return MaxJobs }

// Input returns nil.
func (s *Blocks) Input(int) json.RawMessage { return nil }

// Done returns false.
func (s *Blocks) Done() bool { return false }

// Numbers returns nil.
func (s *Blocks) Numbers() []Number { return nil }

// MaxData bounds what a job comes to, in bytes. It travels and is stored in one message of at most MaxPayload, with
// all else that the result tells.
const (
	MaxPayload = 8 << 20
	MaxData    = MaxPayload - 1<<20
)

// Sum returns the SHA-256 of data, hexadecimal.
func Sum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Result is what a worker reports of a job.
type Result struct {
	Job             // without its input
	Kind    string  `json:"kind"`
	Version int     `json:"version"` // of the kind
	Key     string  `json:"key"`     // the public key that signs
	Host    string  `json:"host"`    // what the machine calls itself
	Units   float64 `json:"units"`   // see Kind.Do
	Took    float64 `json:"took"`    // seconds; for speed and shares, never for what is printed

	Data []byte `json:"-"` // what the job came to
	Sum  string `json:"-"` // its hash, where it was taken
}

// Subject returns the one subject under which the result of a job is stored.
func (j Job) Subject() string { return "res." + j.Name() }

// Seal returns the message that stores a result: the signature of all that follows, the result as a line of JSON, and
// the data. Whoever reads it verifies the bytes as they are, so that a reader of another version, which knows fewer
// fields, can verify it too.
func Seal(r *Result, sign func(text []byte) (sig []byte, err error)) ([]byte, error) {
	text, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	text = append(append(text, '\n'), r.Data...)
	sig, err := sign(text)
	return append(bytes.Clone(sig), text...), err
}

// OpenResult reads a message that Seal made and checks it: the signature is of the key that it names, it is the
// result of job j of the run with manifest m, and its figures are in range.
func OpenResult(m *Manifest, j Job, message []byte) (*Result, error) {
	size := min(ed25519.SignatureSize, len(message))
	sig, text := message[:size], message[size:]
	head, data, whole := bytes.Cut(text, []byte("\n"))
	if !whole {
		return nil, fmt.Errorf("a result of %s without its end of line", plural.Of(len(message), "byte"))
	}
	r := &Result{Data: data}
	if err := json.Unmarshal(head, r); err != nil {
		return nil, fmt.Errorf("result: %w", err)
	}
	key, err := nkeys.FromPublicKey(r.Key)
	if err == nil {
		err = key.Verify(text, sig)
	}
	switch {
	case err != nil:
		return nil, errors.New("the result is not signed by the key that it names")
	case r.Kind != m.Kind || r.Version != m.Version:
		return nil, versionError(r.Kind, r.Version, m)
	case r.Name() != j.Name():
		return nil, fmt.Errorf("result of job %s: want %s", r.Name(), j.Name())
	case len(data) > MaxData:
		return nil, fmt.Errorf("data of %d bytes: want at most %d", len(data), MaxData)
	case !(r.Units >= 0 && r.Units <= math.MaxInt64):
		return nil, fmt.Errorf("units %g: want 0 to %g", r.Units, float64(math.MaxInt64))
	case !(r.Took >= 0 && r.Took <= 1e7):
		return nil, fmt.Errorf("took %g s: want 0 to 1e7", r.Took)
	}
	r.Host = Clean(r.Host)
	return r, nil
}

// Clean returns a text that a worker has sent for people to read: at most 200 characters that can be printed, since a
// terminal obeys the others.
func Clean(text string) string {
	return fmt.Sprintf("%.200s", strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) && r != utf8.RuneError {
			return r
		}
		return -1
	}, strings.Join(strings.Fields(text), " ")))
}

// versionError says which side to update.
func versionError(kind string, version int, m *Manifest) error {
	switch {
	case kind != m.Kind:
		return fmt.Errorf("%s: the run is of kind %s", kind, m.Kind)
	case version < m.Version:
		return fmt.Errorf("%s version %d: the run needs version %d: update the worker", kind, version, m.Version)
	}
	return fmt.Errorf("%s version %d: the run needs version %d: the worker is newer than the run: update its command",
		kind, version, m.Version)
}
