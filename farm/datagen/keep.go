package datagen

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/farm/link"
	"github.com/tabula-chess/tabula/farm/run"
	"github.com/tabula-chess/tabula/train/games"
)

// CheckFile refuses a file to which games cannot be added, and cuts off a block of another
// program that was not finished.
func CheckFile(name string) error {
	log, err := games.OpenLog(name)
	if err != nil {
		return err
	}
	return log.Close()
}

// CheckGames reports what is wrong with the file of a job: it must hold the games that the value
// counts, with the numbers that are theirs and legal moves.
func (p *Plan) CheckGames(r *run.Result, data []byte) error {
	var v value
	if err := json.Unmarshal(r.Value, &v); err != nil {
		return err
	}
	if link.Sum(data) != v.Sum {
		return errors.New("the games are not those of its hash")
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
	counted, n := value{b.Counts, v.Sum}, 0
	for id, game := range b.Games() {
		if want := p.id(uint32(r.Index*p.PerJob + n)); id != want {
			return fmt.Errorf("game %v where %v should be", id, want)
		}
		if err := game.Verify(position, nil); err != nil {
			return fmt.Errorf("game %d: %w", id.Number, err)
		}
		n++
	}
	if n != p.games(r.Index) || counted != v {
		return fmt.Errorf("%+v, counted as %+v", counted, v)
	}
	return nil
}
