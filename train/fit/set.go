package fit

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/tabula-chess/tabula/train/games"
)

// Source is where the positions to train on come from: more of them than
// memory holds, perhaps, and in an order that the seed alone decides.
type Source interface {
	// Positions returns the number of positions of an epoch.
	Positions() int
	// Hash returns a SHA-256 of all positions with scores and targets.
	Hash() []byte
	// Open returns the endless sequence of epochs from its k-th position on.
	Open(seed, k uint64) (Stream, error)
}

// Stream delivers positions one batch after the other.
type Stream interface {
	// Next fills dst.
	Next(dst []games.Sample) error
	Close() error
}

// Set is the positions to train on and, apart from them, those held out to
// judge the result, which are kept in memory.
type Set struct {
	source Source
	held   []games.Sample
	hash   string
}

// NewSet returns the set of a source and of positions to judge by, with the
// SHA-256 of the latter. They should come from other games than the positions
// to train on, since those of one game resemble each other.
func NewSet(source Source, held []games.Sample, heldHash []byte) *Set {
	whole := sha256.New()
	whole.Write(source.Hash())
	whole.Write(heldHash)
	return &Set{source, held, hex.EncodeToString(whole.Sum(nil))}
}

// Positions returns the number of positions to train on.
func (s *Set) Positions() int { return s.source.Positions() }

// Held returns the number of positions held out.
func (s *Set) Held() int { return len(s.held) }

// Hash returns the SHA-256 of all positions with scores and targets, in
// hexadecimal.
func (s *Set) Hash() string { return s.hash }
