package run

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"regexp"
)

// MaxJobs bounds the number of jobs of a run. A run of more has larger jobs.
const MaxJobs = 1 << 20

// Manifest is all that decides what a run computes. Two runs with equal manifests
// are one run: they share an id and their results. A kind leaves a field empty if
// its values do not depend on it.
type Manifest struct {
	Kind    string          `json:"kind"`
	Version int             `json:"version"`           // of the kind: workers with another one get no jobs
	Params  json.RawMessage `json:"params"`            // of the kind, as json.Marshal writes them
	Jobs    int             `json:"jobs"`              // their indexes are 0 … Jobs-1; at most MaxJobs
	Seed    uint64          `json:"seed"`              // another seed is another run
	Bench   uint64          `json:"bench,omitempty"`   // nodes of the engine's bench: workers with another number get no jobs; 0: any worker
	Network string          `json:"network,omitempty"` // hash of the network on which the values depend
	Inputs  []string        `json:"inputs,omitempty"`  // SHA-256 of each file that workers need, hexadecimal
}

// Params are the parameters of a kind of work.
type Params interface {
	// Check returns an error that names the first parameter out of range.
	Check() error
	// Jobs returns the number of jobs.
	Jobs() int
}

// NewManifest returns the manifest of a kind with its parameters.
func NewManifest(kind string, version int, seed uint64, p Params) (*Manifest, error) {
	if err := p.Check(); err != nil {
		return nil, err
	}
	text, err := json.Marshal(p)
	if err != nil {
		return nil, err
	}
	m := &Manifest{Kind: kind, Version: version, Params: text, Jobs: p.Jobs(), Seed: seed}
	return m, m.check()
}

// Read fills in the parameters of the run and checks them.
func (m *Manifest) Read(p Params) error {
	err := json.Unmarshal(m.Params, p)
	if err == nil {
		err = p.Check()
	}
	if err == nil && p.Jobs() != m.Jobs {
		err = fmt.Errorf("%d jobs, want %d", m.Jobs, p.Jobs())
	}
	if err != nil {
		return fmt.Errorf("parameters of %s: %w", m.Kind, err)
	}
	return nil
}

var kindPattern = regexp.MustCompile(`^[a-z][a-z0-9]*$`)

// check returns an error that names the first field out of range.
func (m *Manifest) check() error {
	switch {
	case !kindPattern.MatchString(m.Kind):
		return fmt.Errorf("manifest: kind %q: want small letters", m.Kind)
	case m.Jobs < 1 || m.Jobs > MaxJobs:
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

// ID returns the run's name: the first half of the SHA-256 of [Manifest.Text], 32
// hexadecimal digits.
func (m *Manifest) ID() string {
	sum := sha256.Sum256(m.Text())
	return hex.EncodeToString(sum[:16])
}

// ParseManifest reads what Text wrote and checks that it is the manifest of the
// run with the given id.
func ParseManifest(id string, text []byte) (*Manifest, error) {
	m := new(Manifest)
	if err := json.Unmarshal(text, m); err != nil {
		return nil, fmt.Errorf("manifest of run %s: %w", id, err)
	}
	if err := m.check(); err != nil {
		return nil, err
	}
	if m.ID() != id {
		return nil, fmt.Errorf("manifest of run %s: its hash is %s: it was altered or comes from another version of this program", id, m.ID())
	}
	return m, nil
}

// Job is one job of a run, as a worker gets it. What it comes to must be a function of the
// manifest, Index and Input. Copy may choose how it is computed, such as the keys of a
// hash table, but the data must not depend on it.
type Job struct {
	Run   string          `json:"run"`
	Index int             `json:"index"`
	Copy  int             `json:"copy"`            // each try of a job has its own number
	Input json.RawMessage `json:"input,omitempty"` // see Fold.Input
	Not   []string        `json:"not,omitempty"`   // keys whose holders must not do this copy
}

// Seed returns 32 bytes that the run's id and the index decide, the same for
// every copy of the job: SHA-256(id ‖ index as 8 bytes, big end first).
func (j Job) Seed() [32]byte {
	return sha256.Sum256(binary.BigEndian.AppendUint64([]byte(j.Run), uint64(j.Index)))
}

// KeyOf is [Job.Seed] with the number of the copy: what may differ between
// copies of one job.
func (j Job) KeyOf() uint64 {
	seed := j.Seed()
	sum := sha256.Sum256(binary.BigEndian.AppendUint64(seed[:], uint64(j.Copy)))
	return binary.BigEndian.Uint64(sum[:])
}

// Name returns run, index and copy as part of a subject.
func (j Job) Name() string { return fmt.Sprintf("%s.%d.%d", j.Run, j.Index, j.Copy) }

// queueSubject returns the subject under which the job waits in the queue. Checks and jobs that
// are done again come before the others.
func (j Job) queueSubject() string {
	class := "first"
	if j.Copy > 0 {
		class = "again"
	}
	return fmt.Sprintf("job.%s.%s.%d.%d", j.Run, class, j.Index, j.Copy)
}
