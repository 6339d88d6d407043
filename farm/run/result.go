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

// MaxData bounds what a job comes to, in bytes. It travels and is stored in one message of at most
// MaxPayload, with all else that the result tells.
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
	Run     string  `json:"run"`
	Index   int     `json:"index"`
	Copy    int     `json:"copy"`
	Kind    string  `json:"kind"`
	Version int     `json:"version"` // of the kind
	Key     string  `json:"key"`     // the public key that signs
	Machine string  `json:"machine"` // distinguishes machines with one key
	Host    string  `json:"host"`    // what the machine calls itself
	Units   float64 `json:"units"`   // see Plan.Work
	Took    float64 `json:"took"`    // seconds; for speed and shares, never for what is printed

	Data []byte `json:"-"` // what the job came to
	Sum  string `json:"-"` // its hash, where it was taken
}

// NewResult returns the result of a job; Key, Machine and Host are still to be filled in.
func NewResult(m *Manifest, j Job, data []byte, units, took float64) *Result {
	return &Result{Run: j.Run, Index: j.Index, Copy: j.Copy, Kind: m.Kind, Version: m.Version, Units: units, Took: took, Data: data}
}

// Job returns the job that the result is of.
func (r *Result) Job() Job { return Job{Run: r.Run, Index: r.Index, Copy: r.Copy} }

// Worker returns the name of the worker, KEY.MACHINE.
func (r *Result) Worker() string { return r.Key + "." + r.Machine }

// Subject returns the one subject under which the result of a job is stored.
func (j Job) Subject() string { return "res." + j.Name() }

// Seal returns the message that stores a result: the signature of all that follows, the result as
// a line of JSON, and the data. Whoever reads it verifies the bytes as they are, so that a
// reader of another version, which knows fewer fields, can verify it too.
func Seal(r *Result, sign func(text []byte) (sig []byte, err error)) ([]byte, error) {
	text, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	text = append(append(text, '\n'), r.Data...)
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
	head, data, _ := bytes.Cut(text, []byte("\n"))
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
	case r.Run != j.Run || r.Index != j.Index || r.Copy != j.Copy:
		return nil, fmt.Errorf("result of job %s: want %s", r.Job().Name(), j.Name())
	case len(data) > MaxData:
		return nil, fmt.Errorf("data of %d bytes: want at most %d", len(data), MaxData)
	case !(r.Units >= 0 && r.Units <= math.MaxInt64):
		return nil, fmt.Errorf("units %g: want 0 to %g", r.Units, float64(math.MaxInt64))
	case !(r.Took >= 0 && r.Took <= 1e7):
		return nil, fmt.Errorf("took %g s: want 0 to 1e7", r.Took)
	}
	r.Machine, r.Host = Clean(r.Machine), Clean(r.Host)
	return r, nil
}

// Clean returns a text that a worker has sent for people to read: at most 200 characters
// that can be printed, since a terminal obeys the others.
func Clean(text string) string {
	text = strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) && r != utf8.RuneError {
			return r
		}
		return -1
	}, strings.Join(strings.Fields(text), " "))
	if runes := []rune(text); len(runes) > 200 {
		return string(runes[:200])
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
	return fmt.Errorf("%s version %d: the run needs version %d: the worker is newer than the command that started the run: update that command",
		kind, version, m.Version)
}
