package run

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/nats-io/nkeys"

	"github.com/tabula-chess/tabula/internal/files"
)

// Key lets a client in. Its file has one line, ROLE-SEED-PIN.
type Key struct {
	Role string        // RoleWorker or RoleOwner
	Pair nkeys.KeyPair // nil for no key
	Pin  string        // SHA-256 of the hub's certificate, hexadecimal; "" for loopback and clusters
}

// The roles of keys.
const (
	RoleWorker = "work" // gets jobs and reports results
	RoleOwner  = "own"  // starts runs, ends them, and operates the farm
)

// NewKey returns a new key of a role for the hub with the given certificate.
func NewKey(role, pin string) (Key, error) {
	pair, err := nkeys.CreateUser()
	return Key{Role: role, Pair: pair, Pin: pin}, err
}

// Public returns the public key, which names its holder.
func (k Key) Public() (string, error) {
	if k.Pair == nil {
		return "", errors.New("there is no key")
	}
	return k.Pair.PublicKey()
}

// Text returns the key as its file holds it.
func (k Key) Text() ([]byte, error) {
	seed, err := k.Pair.Seed()
	return fmt.Appendf(nil, "%s-%s-%s\n", k.Role, seed, k.Pin), err
}

// Secret returns the content of a file that only its owner reads. Where there is no file, it
// is made.
func Secret(name string, make func() ([]byte, error)) (text []byte, err error) {
	text, err = os.ReadFile(name)
	if !errors.Is(err, os.ErrNotExist) {
		return text, err
	}
	if text, err = make(); err == nil {
		err = files.Write(name, text)
	}
	if err == nil {
		err = os.Chmod(name, 0o600)
	}
	return text, err
}

// OwnKey returns the key of a file, a new one of a role and a hub where there is no file.
func OwnKey(name, role, pin string) (k Key, err error) {
	_, err = Secret(name, func() ([]byte, error) {
		k, err := NewKey(role, pin)
		if err != nil {
			return nil, err
		}
		return k.Text()
	})
	if err != nil {
		return k, err
	}
	if k, err = ReadKey(name); err == nil && (k.Role != role || k.Pin != pin) {
		err = fmt.Errorf("%s: the key has another role or is of another certificate: remove it", name)
	}
	return k, err
}

// ReadKey reads the key of a file. Errors: the file cannot be read or is no key.
func ReadKey(name string) (k Key, err error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return k, err
	}
	parts := strings.Split(strings.TrimSpace(string(text)), "-")
	if len(parts) != 3 || parts[0] != RoleWorker && parts[0] != RoleOwner || len(parts[2]) != 0 && len(parts[2]) != 64 {
		return k, fmt.Errorf("%s: no key: want a file that farm hub or farm enrol wrote", name)
	}
	pair, err := nkeys.FromSeed([]byte(parts[1]))
	if err != nil {
		return k, fmt.Errorf("%s: %w", name, err)
	}
	return Key{Role: parts[0], Pair: pair, Pin: parts[2]}, nil
}
