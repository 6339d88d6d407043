package fit

import (
	"fmt"
	"slices"
	"sync"

	"github.com/tabula-chess/tabula/train/block"
	"github.com/tabula-chess/tabula/train/record"
)

// Filter says which positions of a game are of use to an evaluation, which is
// asked about quiet positions only.
type Filter struct {
	SkipPlies int  // the first half-moves of a game, counted by its move numbers
	MaxScore  int  // positions with scores beyond ± this are left out: mates, decided games
	Checks    bool // keep positions in check
	Captures  bool // keep positions whose best move is a capture or promotion
}

// DefaultFilter returns what to begin with.
func DefaultFilter() Filter { return Filter{SkipPlies: 16, MaxScore: 3000} }

// takes reports whether the filter lets a position with its ply pass.
func (f *Filter) takes(b *record.Board, ply record.Ply) bool {
	score := int(ply.Score)
	return b.Ply() >= f.SkipPlies && max(score, -score) <= f.MaxScore &&
		(f.Captures || !b.IsCapture(ply.Move) && !ply.Move.IsPromotion()) &&
		(f.Checks || !b.InCheck())
}

// Loaded is what [Set.Load] found.
type Loaded struct {
	Games, Positions int     // read
	Damages          []error // blocks that were left out, by number
}

// Load adds the positions of a file of games that pass the filter, with the
// given number of threads. The order in the set is that of the file. Damaged
// blocks are left out and reported.
func (s *Set) Load(name string, filter Filter, threads int) (Loaded, error) {
	file, err := block.Open(name)
	if err != nil {
		return Loaded{}, err
	}
	defer file.Close()
	var found Loaded
	for i := range file.Damages {
		found.Damages = append(found.Damages, fmt.Errorf("%s: %w", name, &file.Damages[i]))
	}
	s.train = slices.Grow(s.train, file.Positions()/2)
	// Blocks are unpacked a few at a time; the results wait for their turn.
	type unpacked struct {
		games [][]record.Sample
		plies int
		err   error
	}
	threads = max(1, threads)
	for first := 0; first < len(file.Entries); first += 4 * threads {
		results := make([]unpacked, min(4*threads, len(file.Entries)-first))
		var group sync.WaitGroup
		for worker := range threads {
			group.Add(1)
			go func() {
				defer group.Done()
				var b block.Block
				for i := worker; i < len(results); i += threads {
					r := &results[i]
					if r.err = file.Read(first+i, &b); r.err == nil {
						r.games, r.plies, r.err = filter.games(&b)
					}
				}
			}()
		}
		group.Wait()
		for _, r := range results {
			if r.err != nil {
				found.Damages = append(found.Damages, fmt.Errorf("%s: %w", name, r.err))
			}
			found.Games += len(r.games)
			found.Positions += r.plies
			for _, samples := range r.games {
				s.AddGame(samples)
			}
		}
	}
	return found, nil
}

// games returns the positions that pass, by game, and the number of all. A
// game that cannot be followed ends there, and is told of.
func (f *Filter) games(b *block.Block) (games [][]record.Sample, plies int, err error) {
	var board record.Board
	number := 0
	for _, view := range b.Games() {
		samples, bad := f.game(&board, view)
		if bad != nil {
			err = fmt.Errorf("game %d of a block: %w", number, bad)
		}
		games = append(games, samples)
		plies += view.Plies()
		number++
	}
	return games, plies, err
}

// game returns the positions of a game that pass.
func (f *Filter) game(board *record.Board, view record.View) ([]record.Sample, error) {
	if err := board.Start(view.Start()); err != nil {
		return nil, err
	}
	var samples []record.Sample
	for i := range view.Plies() {
		ply := view.Ply(i)
		if f.takes(board, ply) {
			samples = append(samples, record.Sample{})
			board.Sample(&samples[len(samples)-1], ply.Score, view.Result())
		}
		if !board.Apply(ply.Move) {
			return samples, fmt.Errorf("ply %d: %v cannot be followed", i, ply.Move.Chess())
		}
	}
	return samples, nil
}
