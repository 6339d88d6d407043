//go:build !wasm

package search

import "sync/atomic"

// word is a part of an entry, which several threads read and write.
type word = atomic.Uint64
