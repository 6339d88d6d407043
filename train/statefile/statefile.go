// Package statefile keeps what a long run has reached in a file of JSON:
//
//	{"Sum": "SHA-256 of State without spaces, hexadecimal", "State": …}
//
// A kill or a power cut leaves the old state or the new one; a file that was
// altered or damaged is refused. It imports internal/disk and internal/replace.
package statefile

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/tabula-chess/tabula/internal/disk"
	"github.com/tabula-chess/tabula/internal/replace"
)

// envelope is the content of a file.
type envelope struct {
	Sum   string
	State json.RawMessage
}

// sum returns the checksum of a state in JSON.
func sum(state []byte) (string, error) {
	var b bytes.Buffer
	if err := json.Compact(&b, state); err != nil {
		return "", err
	}
	s := sha256.Sum256(b.Bytes())
	return hex.EncodeToString(s[:]), nil
}

// Save replaces the named file on s by one that holds state.
func Save(s disk.System, name string, state any) error {
	var e envelope
	var err error
	if e.State, err = json.Marshal(state); err != nil {
		return err
	}
	if e.Sum, err = sum(e.State); err != nil {
		return err
	}
	text, err := json.MarshalIndent(e, "", "  ")
	if err != nil {
		return err
	}
	return replace.On(s, name, append(text, '\n'))
}

// Load reads the state of the named file on s into state; found is false where
// there is no such file. A file without a checksum, as they were once, is read
// too. Errors name the file and what is wrong with it.
func Load(s disk.System, name string, state any) (found bool, err error) {
	text, err := disk.ReadAll(s, name)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	if err := parse(text, state); err != nil {
		return false, fmt.Errorf("%s: %w", name, err)
	}
	return true, nil
}

// errDamaged says that a file is not as it was written.
var errDamaged = errors.New("checksum does not match, the file is damaged or was altered")

// parse reads the content of a file.
func parse(text []byte, state any) error {
	var e envelope
	if err := json.Unmarshal(text, &e); err != nil {
		return err
	}
	if e.Sum == "" && e.State == nil {
		return json.Unmarshal(text, state)
	}
	if e.State == nil {
		return errDamaged
	}
	have, err := sum(e.State)
	if err != nil {
		return err
	}
	if have != e.Sum {
		return errDamaged
	}
	return json.Unmarshal(e.State, state)
}
