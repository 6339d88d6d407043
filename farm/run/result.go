package run

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// Artefact is a file that a job has made besides its value, named by its content.
type Artefact struct {
	Sum  string `json:"sum"` // SHA-256, hexadecimal
	Size int    `json:"size"`
}

// MaxArtefact bounds the size of an artefact in bytes.
const MaxArtefact = 64 << 20

// Output is what a job returns.
type Output struct {
	// Value must be equal byte for byte on every machine, so it holds no time, name
	// or number that does not belong to the job alone.
	Value json.RawMessage
	// Files are kept beside the result, each at most MaxArtefact bytes. They must be
	// equal too.
	Files [][]byte
	// Units measure the worker's speed: leaves, positions, games.
	Units float64
}

// Result is what a worker reports of a job.
type Result struct {
	Run    string          `json:"run"`
	Index  int             `json:"index"`
	K      int             `json:"k"`
	Value  json.RawMessage `json:"value"`
	Files  []Artefact      `json:"files,omitempty"`
	Worker string          `json:"worker"`         // KEY.MACHINE; KEY is the public key that signs
	Host   string          `json:"host,omitempty"` // what the machine calls itself
	Commit string          `json:"commit"`         // that the worker was built from
	Path   string          `json:"path"`           // kernels that its processor runs
	Units  float64         `json:"units"`          // see Output
	Took   float64         `json:"took"`           // seconds; for speed and shares, never for a value
}

// NewResult returns the result of a job with what it came to and the seconds that it took; who
// has done it is still to be filled in.
func NewResult(j Job, out *Output, took float64) *Result {
	r := &Result{Run: j.Run, Index: j.Index, K: j.K, Value: out.Value, Units: out.Units, Took: took}
	for _, data := range out.Files {
		sum := sha256.Sum256(data)
		r.Files = append(r.Files, Artefact{Sum: hex.EncodeToString(sum[:]), Size: len(data)})
	}
	return r
}

// Job returns the job that the result is of.
func (r *Result) Job() Job { return Job{Run: r.Run, Index: r.Index, K: r.K} }

// Digest returns a hash of what the job came to: two machines that did it right agree.
func (r *Result) Digest() [32]byte {
	text := bytes.Clone(r.Value)
	for _, a := range r.Files {
		text = append(text, a.Sum...)
	}
	return sha256.Sum256(text)
}

// Subject returns the one subject under which the result of a job is stored.
func (j Job) Subject() string { return "res." + j.Name() }

// VerdictCopy is the number of the copy that the owner of the farm makes. Only
// owners may store it, and its value counts.
const VerdictCopy = 9

// Seal returns the message that stores a result: the signature of the JSON text,
// then the text. Whoever reads it verifies the bytes as they are, so that a reader
// of another version, which knows fewer fields, can verify it too.
func Seal(r *Result, sign func(text []byte) (sig []byte, err error)) ([]byte, error) {
	text, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	sig, err := sign(text)
	if err == nil && len(sig) != ed25519.SignatureSize {
		err = fmt.Errorf("a signature of %d bytes, want %d", len(sig), ed25519.SignatureSize)
	}
	return append(bytes.Clone(sig), text...), err
}

// ErrForged says that a result was not signed by the worker that it names.
var ErrForged = errors.New("the signature is not of the worker that it names")

// OpenResult reads a message that Seal made. The subject must be the canonical one
// of its content: "res.R.00.0" is another subject than "res.R.0.0", and would let a
// second result of that job in.
func OpenResult(subject string, message []byte, verify func(key string, text, sig []byte) error) (*Result, error) {
	if len(message) < ed25519.SignatureSize {
		return nil, fmt.Errorf("result %s: %d bytes", subject, len(message))
	}
	sig, text := message[:ed25519.SignatureSize], message[ed25519.SignatureSize:]
	r := new(Result)
	if err := json.Unmarshal(text, r); err != nil {
		return nil, fmt.Errorf("result %s: %w", subject, err)
	}
	if r.Index < 0 || r.K < 0 || r.Job().Subject() != subject {
		return nil, fmt.Errorf("result %s: its content is of %s", subject, r.Job().Subject())
	}
	if len(r.Value) == 0 {
		return nil, fmt.Errorf("result %s: it has no value", subject)
	}
	key, _, _ := strings.Cut(r.Worker, ".")
	if err := verify(key, text, sig); err != nil {
		return nil, fmt.Errorf("result %s: %w: %w", subject, ErrForged, err)
	}
	return r, nil
}
