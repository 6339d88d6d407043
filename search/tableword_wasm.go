package search

// word is a part of an entry. WebAssembly programs of Go have one thread, and goroutines
// change only where one waits, so that plain memory does. Go calls a function for each
// atomic access there, in the middle of probe.
type word struct{ value uint64 }

func (w *word) Load() uint64   { return w.value }
func (w *word) Store(v uint64) { w.value = v }
func (w *word) Add(v uint64)   { w.value += v }
