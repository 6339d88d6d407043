package run

import (
	"encoding/json"
	"errors"
	"fmt"
)

// Artefact is a file that a job has made besides its value, named by its
// content.
type Artefact struct {
	Sum  string `json:"sum"` // SHA-256, hexadecimal
	Size int    `json:"size"`
}

// MaxArtefact bounds the size of an artefact in bytes.
const MaxArtefact = 16 << 20

// Output is what a job comes to.
type Output struct {
	// Value is the job's value. Copies of a job agree where it is equal byte for
	// byte, so it must hold no time, name or number that is not the job's alone;
	// where Files are part of what is checked, their SHA-256 stands in it.
	Value json.RawMessage
	// Files are kept beside the result, each at most MaxArtefact bytes.
	Files [][]byte
	// Units are counted for the worker's speed: leaves, positions, games.
	Units float64
}

// Result is what a worker reports of a job, once and for all.
type Result struct {
	Run    string          `json:"run"`
	Index  int             `json:"index"`
	K      int             `json:"k"`
	Value  json.RawMessage `json:"value"`
	Files  []Artefact      `json:"files,omitempty"`
	Worker string          `json:"worker"`          // its public nkey
	Host   string          `json:"host,omitempty"`  // what it calls itself
	Commit string          `json:"commit"`          // that it was built from
	Path   string          `json:"path"`            // kernels its processor runs
	Bench  uint64          `json:"bench,omitempty"` // its own bench number, where the run asks for it
	Alone  bool            `json:"alone,omitempty"` // it may have made the other copies too, being the only worker
	Units  float64         `json:"units"`           // see Output
	Took   float64         `json:"took"`            // seconds; for speed, never for a decision
	Sig    []byte          `json:"sig,omitempty"`   // of everything above, by Worker
}

// Signed returns the bytes that Sig signs.
func (r *Result) Signed() ([]byte, error) {
	c := *r
	c.Sig = nil
	return json.Marshal(&c)
}

// ErrForged says that a result is not what its worker signed.
var ErrForged = errors.New("the signature is not that of the worker it names")

// ParseResult reads a result that was kept under the name of the job j, and asks
// verify whether worker signed it.
func ParseResult(j Job, text []byte, verify func(worker string, signed, sig []byte) error) (*Result, error) {
	r := new(Result)
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("result %s: %w", j.Name(), err)
	}
	if r.Run != j.Run || r.Index != j.Index || r.K != j.K {
		return nil, fmt.Errorf("result %s: it is of job %d, copy %d of run %s", j.Name(), r.Index, r.K, r.Run)
	}
	if len(r.Value) == 0 {
		return nil, fmt.Errorf("result %s: it has no value", j.Name())
	}
	signed, err := r.Signed()
	if err != nil {
		return nil, fmt.Errorf("result %s: %w", j.Name(), err)
	}
	if err := verify(r.Worker, signed, r.Sig); err != nil {
		return nil, fmt.Errorf("result %s: %w: %w", j.Name(), ErrForged, err)
	}
	return r, nil
}
