package match

import (
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/chesstest"
	"github.com/tabula-chess/tabula/internal/must"
	"github.com/tabula-chess/tabula/syzygy"
	"github.com/tabula-chess/tabula/train/games"
)

func TestKnown(t *testing.T) {
	tables, err := syzygy.Open() // three men
	must.Succeed(t, err)
	for _, tt := range []struct {
		name, fen string
		over      bool
		want      games.Result
	}{
		{"White wins", "8/8/8/4k3/8/8/8/KQ6 w - - 0 1", true, games.WhiteWins},
		{"White wins, Black to move", "8/8/8/4k3/8/8/8/KQ6 b - - 0 1", true, games.WhiteWins},
		{"Black wins", "8/8/8/4K3/8/8/8/kq6 w - - 0 1", true, games.BlackWins},
		{"a draw", "8/8/8/8/8/4k3/4p3/4K3 w - - 0 1", true, games.Draw},
		{"not after a capture", "8/8/8/4k3/8/8/8/KQ6 w - - 3 1", false, games.Draw},
		{"castling", "4k3/8/8/8/8/8/8/4K2R w K - 0 1", false, games.Draw},
		{"four men", "4k3/8/8/8/8/8/8/3QK2R w - - 0 1", false, games.Draw},
	} {
		p := chesstest.Position(t, tt.fen)
		if r, over := Known(p, tables); over != tt.over || r != tt.want {
			t.Errorf("%s: %v, %v; want %v, %v", tt.name, r, over, tt.want, tt.over)
		}
	}
}

// TestPlayEndsAtTables ends a game when a capture leads into a known ending.
func TestPlayEndsAtTables(t *testing.T) {
	tables, err := syzygy.Open()
	must.Succeed(t, err)
	e, err := NewEngine(1, nil)
	must.Succeed(t, err)
	p, err := chess.ParseFEN("8/8/8/8/3k4/8/3q4/K2Q4 w - - 0 1") // White takes at once
	must.Succeed(t, err)
	game, err := Play(t.Context(), p, [2]Player{e, e}, &Rules{Nodes: 500, Tables: tables})
	if err != nil || len(game.Moves) != 1 || game.Result != games.WhiteWins {
		t.Errorf("%+v, error %v; want one move and a win of White", game, err)
	}
}
