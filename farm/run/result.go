package run

import (
	"bytes"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/nats-io/nkeys"
)

// Output is what a job returns.
type Output struct {
	// Value must be equal byte for byte on every machine, so it holds no time, name
	// or number that does not belong to the job alone.
	Value json.RawMessage
	// File, nil for none, is kept beside the value and must be equal too. It has at
	// most MaxFile bytes.
	File []byte
	// Units measure the worker's speed: leaves, positions, games.
	Units float64
}

// MaxFile bounds the file of a job and maxValue its value, in bytes: both travel in one
// message of at most MaxPayload.
const (
	MaxPayload = 8 << 20
	MaxFile    = MaxPayload - 1<<20
	maxValue   = 256 << 10
)

// File names the file of a job by its content.
type File struct {
	Sum  string `json:"sum"` // SHA-256, hexadecimal
	Size int    `json:"size"`
}

// Sum returns the SHA-256 of data, hexadecimal.
func Sum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Result is what a worker reports of a job.
type Result struct {
	Run     string          `json:"run"`
	Index   int             `json:"index"`
	Copy    int             `json:"copy"`
	Kind    string          `json:"kind"`
	Version int             `json:"version"` // of the kind
	Value   json.RawMessage `json:"value"`
	File    *File           `json:"file,omitempty"`
	Key     string          `json:"key"`     // the public key that signs
	Machine string          `json:"machine"` // tells machines with one key apart
	Host    string          `json:"host"`    // what the machine calls itself
	Commit  string          `json:"commit"`  // that the worker was built from
	Path    string          `json:"path"`    // kernels that its processor runs
	Units   float64         `json:"units"`   // see Output
	Took    float64         `json:"took"`    // seconds; for speed and shares, never for a value
}

// NewResult returns the result of a job with what it came to and the seconds that it took; who
// has done it is still to be filled in.
func NewResult(m *Manifest, j Job, out *Output, took float64) *Result {
	r := &Result{Run: j.Run, Index: j.Index, Copy: j.Copy, Kind: m.Kind, Version: m.Version, Value: out.Value, Units: out.Units, Took: took}
	if out.File != nil {
		r.File = &File{Sum(out.File), len(out.File)}
	}
	return r
}

// Job returns the job that the result is of.
func (r *Result) Job() Job { return Job{Run: r.Run, Index: r.Index, Copy: r.Copy} }

// Worker returns the name of the worker, KEY.MACHINE.
func (r *Result) Worker() string { return r.Key + "." + r.Machine }

// Digest returns a hash of what the job came to: two machines that did it right agree.
func (r *Result) Digest() [32]byte {
	text := bytes.Clone(r.Value)
	if r.File != nil {
		text = append(text, r.File.Sum...)
	}
	return sha256.Sum256(text)
}

// Subject returns the one subject under which the result of a job is stored.
func (j Job) Subject() string { return "res." + j.Name() }

// VerdictCopy is the number of the copy that the owner makes where others differ. Its value
// counts. No worker is given a copy of this number, so none can report it.
const VerdictCopy = -1

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

// OpenResult reads a message that Seal made and checks it: the signature is of the key that
// it names, it is the result of job j of the run with manifest m, and its figures are in range.
func OpenResult(m *Manifest, j Job, message []byte) (*Result, error) {
	if len(message) < ed25519.SignatureSize {
		return nil, fmt.Errorf("a result of %d bytes", len(message))
	}
	sig, text := message[:ed25519.SignatureSize], message[ed25519.SignatureSize:]
	r := new(Result)
	if err := json.Unmarshal(text, r); err != nil {
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
	case r.Run != j.Run || r.Index != j.Index || r.Copy != j.Copy:
		return nil, fmt.Errorf("result of job %s: want %s", r.Job().Name(), j.Name())
	case len(r.Value) > maxValue:
		return nil, fmt.Errorf("value of %d bytes: want at most %d", len(r.Value), maxValue)
	case !(r.Units >= 0 && r.Units <= math.MaxInt64):
		return nil, fmt.Errorf("units %g: want 0 to %g", r.Units, float64(math.MaxInt64))
	case !(r.Took >= 0 && r.Took <= 1e7):
		return nil, fmt.Errorf("took %g s: want 0 to 1e7", r.Took)
	case r.File != nil && (len(r.File.Sum) != 64 || r.File.Size < 0 || r.File.Size > MaxFile):
		return nil, fmt.Errorf("file of %d bytes: want at most %d", r.File.Size, MaxFile)
	}
	for _, text := range []*string{&r.Machine, &r.Host, &r.Commit, &r.Path} {
		*text = Clean(*text)
	}
	return r, nil
}

// Clean returns a text that a worker has sent for people to read: at most 64 characters
// that can be printed, since a terminal obeys the others.
func Clean(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) && r != utf8.RuneError {
			return r
		}
		return -1
	}, text)
	if runes := []rune(text); len(runes) > 64 {
		return string(runes[:64])
	}
	return text
}

// versionError says which side to update.
func versionError(kind string, version int, m *Manifest) error {
	switch {
	case kind != m.Kind:
		return fmt.Errorf("%s: the run is of kind %s", kind, m.Kind)
	case version < m.Version:
		return fmt.Errorf("%s version %d: the run needs version %d: update the worker", kind, version, m.Version)
	}
	return fmt.Errorf("%s version %d: the run needs version %d: the worker is newer than the command that started the run: update that", kind, version, m.Version)
}
