package datagen

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/farm/link"
	"github.com/tabula-chess/tabula/farm/run"
	"github.com/tabula-chess/tabula/train/games"
)

// Keep is a plan that adds the games of folded jobs to a file, in order.
type Keep struct {
	*Plan
	name string
	log  *games.Log      // nil where the file could not be opened again
	have map[uint32]bool // numbers of games that the file holds
}

// KeepIn returns p with a file of games. A file of an earlier run of the same plan goes
// on; one that holds other games is added to.
func KeepIn(p *Plan, name string) (*Keep, error) {
	k := &Keep{Plan: p, name: name}
	return k, k.open()
}

// open opens the file.
func (k *Keep) open() (err error) {
	if k.log, err = games.OpenLog(k.name); err != nil {
		return err
	}
	if k.have, err = k.log.Numbers(k.Number()); err != nil {
		return errors.Join(err, k.Close())
	}
	return nil
}

// Close writes what waits and closes the file.
func (k *Keep) Close() error {
	log := k.log
	if k.log = nil; log == nil {
		return nil
	}
	return log.Close()
}

// ready opens the file again where that has failed.
func (k *Keep) ready() (err error) {
	if k.log == nil {
		err = k.open()
	}
	return err
}

// Check demands that a job's file holds the games that its value counts, whole
// and with the numbers that are theirs, and adds those to the file that are not
// there.
func (k *Keep) Check(ctx context.Context, r *run.Result, get func(context.Context, run.Artefact) ([]byte, error)) error {
	var v value
	if err := json.Unmarshal(r.Value, &v); err != nil {
		return run.Refused(err)
	}
	if err := k.ready(); err != nil {
		return err
	}
	first, n := uint32(r.Index*k.PerJob), k.games(r.Index)
	if k.holds(first, n) {
		return nil // they went into the file before a restart
	}
	if len(r.Files) != 1 || r.Files[0].Sum != v.Sum {
		return run.Refused(fmt.Errorf("%d files, not the one with the games", len(r.Files)))
	}
	data, err := get(ctx, r.Files[0])
	if err != nil {
		return err
	}
	if link.Sum(data) != v.Sum {
		return run.Refused(errors.New("the games are not those of its hash"))
	}
	all, err := k.read(data, &v, first, n)
	if err != nil {
		return run.Refused(err)
	}
	for i, game := range all {
		number := first + uint32(i)
		if k.have[number] {
			continue
		}
		if err := k.log.Add(k.id(number), game); err != nil {
			return err
		}
		k.have[number] = true
	}
	return k.log.Flush()
}

// holds reports whether the file has so many games from a number on.
func (k *Keep) holds(first uint32, n int) bool {
	for i := range uint32(n) {
		if !k.have[first+i] {
			return false
		}
	}
	return true
}

// Doubt takes the games of jobs out of the file again, which is written anew for
// that: they may be those of a liar. What stays is kept as exactly as it was.
func (k *Keep) Doubt(indexes []int) error {
	if err := k.ready(); err != nil {
		return err
	}
	doubted := map[uint32]bool{}
	for _, index := range indexes {
		for i := range k.games(index) {
			if n := uint32(index*k.PerJob + i); k.have[n] {
				doubted[n] = true
			}
		}
	}
	if len(doubted) == 0 {
		return nil
	}
	err := k.Close()
	if err == nil {
		err = k.rewrite(doubted)
	}
	return errors.Join(err, k.ready())
}

// rewrite writes the file without some games of this run.
func (k *Keep) rewrite(without map[uint32]bool) error {
	w, err := games.Create(k.name)
	if err != nil {
		return err
	}
	defer w.Abort()
	err = games.Blocks(context.Background(), []string{k.name}, nil, func(b *games.Block) error {
		for id, game := range b.Games() {
			if id.Run == k.Number() && without[id.Number] {
				continue
			}
			if err := w.Add(id, game); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return w.Commit()
}

// read unpacks a job's file and checks every game and move in it.
func (k *Keep) read(data []byte, v *value, first uint32, n int) (all []games.View, err error) {
	f, err := games.NewFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, err
	}
	if len(f.Entries) != 1 || len(f.Damages) != 0 {
		return nil, fmt.Errorf("%d blocks, %d of them damaged: want one", len(f.Entries)+len(f.Damages), len(f.Damages))
	}
	b := new(games.Block)
	if err := f.Read(0, b); err != nil {
		return nil, err
	}
	p := chess.NewPosition()
	counted := value{b.Counts, v.Sum}
	for id, game := range b.Games() {
		if want := k.id(first + uint32(len(all))); id != want {
			return nil, fmt.Errorf("game %v where %v should be", id, want)
		}
		if err := game.Verify(p, nil); err != nil {
			return nil, fmt.Errorf("game %d: %w", id.Number, err)
		}
		all = append(all, game)
	}
	if len(all) != n || counted != *v {
		return nil, fmt.Errorf("%+v, counted as %+v", counted, *v)
	}
	return all, nil
}
