package datagen

import (
	"bytes"
	"encoding/json"
	"fmt"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/farm/run"
	"github.com/tabula-chess/tabula/train/games"
)

// CheckLog refuses a file to which games cannot be added, and cuts off a block of another
// program that was not finished.
func CheckLog(name string) error {
	log, err := games.OpenLog(name)
	if err != nil {
		return err
	}
	return log.Close()
}

// CheckFile reports what is wrong with the file of a job: it must hold the games that the value
// counts, with the numbers that are theirs and legal moves.
func (p *Plan) CheckFile(r *run.Result, data []byte) error {
	var v games.Counts
	if err := json.Unmarshal(r.Value, &v); err != nil {
		return err
	}
	f, err := games.NewFile(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return err
	}
	if len(f.Entries) != 1 || len(f.Damages) != 0 {
		return fmt.Errorf("%d blocks, %d of them damaged: want one", len(f.Entries)+len(f.Damages), len(f.Damages))
	}
	b := new(games.Block)
	if err := f.Read(0, b); err != nil {
		return err
	}
	position := chess.NewPosition()
	n := 0
	for id, game := range b.Games() {
		if want := p.id(uint32(r.Index*p.PerJob + n)); id != want {
			return fmt.Errorf("game %v where %v should be", id, want)
		}
		if err := game.Verify(position, nil); err != nil {
			return fmt.Errorf("game %d: %w", id.Number, err)
		}
		n++
	}
	if n != p.games(r.Index) || b.Counts != v {
		return fmt.Errorf("%+v, counted as %+v", b.Counts, v)
	}
	return nil
}
