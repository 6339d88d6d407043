package search

import "github.com/tabula-chess/tabula/internal/machine"

// turnPolls is the number of polls of a worker in one turn, a few milliseconds.
const turnPolls = 8

// turns lets only as many workers search at a time as there are cores. Otherwise the
// system would share the cores between all workers in slices of several milliseconds,
// and a stop would wait until the last worker has had its slice. Nil turns never wait.
type turns chan struct{}

// newTurns returns the turns for a number of workers, nil if each has a core.
func newTurns(workers int) turns {
	if cores := machine.Cores(); workers > cores {
		return make(turns, cores)
	}
	return nil
}

// take waits for a turn.
func (t turns) take() {
	if t != nil {
		t <- struct{}{}
	}
}

// end ends the turn.
func (t turns) end() {
	if t != nil {
		<-t
	}
}

// pass ends the turn and waits for the next.
func (t turns) pass() {
	t.end()
	t.take()
}
