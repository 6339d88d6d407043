package match

import (
	"fmt"
	"reflect"

	"github.com/tabula-chess/tabula/internal/disk"
	"github.com/tabula-chess/tabula/train/sprt"
	"github.com/tabula-chess/tabula/train/statefile"
)

// state is what the file of a match holds, JSON.
type state struct {
	Config  Config
	A, B    string // hashes of the networks
	Results []int  // by pair: twice the points of A, -1 where it is not played
	Late    int    // games lost on time
	Games   tally
}

// tally counts the games of all finished pairs from A's view.
type tally struct{ Won, Drawn, Lost int }

// resume takes over the file's match, where there is one.
func (st *state) resume(name string) error {
	var old state
	if found, err := statefile.Load(disk.OS(), name, &old); err != nil || !found {
		return err
	}
	now := st.Config
	now.Pairs, old.Config.Pairs = 0, 0
	now.Test, now.Threads, now.A, now.B = nil, 0, nil, nil
	if !reflect.DeepEqual(old.Config, now) || old.A != st.A || old.B != st.B {
		return fmt.Errorf("%s: holds a match with other settings or other networks", name)
	}
	for i, r := range old.Results {
		if r < -1 || r > 4 {
			return fmt.Errorf("%s: result %d of pair %d: want -1 to 4", name, r, i)
		}
	}
	st.Results, st.Late, st.Games = old.Results, old.Late, old.Games
	return nil
}

// save writes the state; the file holds the old one or the new one, never half
// of it.
func (st *state) save(name string) error {
	return statefile.Save(disk.OS(), name, st)
}

// note keeps the outcome of a pair.
func (st *state) note(p outcome) {
	for len(st.Results) <= p.number {
		st.Results = append(st.Results, -1)
	}
	st.Results[p.number] = p.points
	st.Late += p.late
	st.Games.Won += p.won
	st.Games.Lost += p.lost
	st.Games.Drawn += 2 - p.won - p.lost
}

// played reports whether the pair is in the file.
func (st *state) played(number int) bool {
	return number < len(st.Results) && st.Results[number] >= 0
}

// prefix counts the pairs up to the first that is not played. A test looks at
// no others: which pairs end first depends on how they end.
func (st *state) prefix() (p sprt.Pairs) {
	for _, r := range st.Results {
		if r < 0 {
			break
		}
		p[r]++
	}
	return p
}

// all counts all pairs.
func (st *state) all() (p sprt.Pairs) {
	for _, r := range st.Results {
		if r >= 0 {
			p[r]++
		}
	}
	return p
}
