package games

import (
	"bytes"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/chesstest"
	"github.com/tabula-chess/tabula/internal/files/filestest"
	"github.com/tabula-chess/tabula/internal/must"
)

// played returns a game of UCI moves with the scores 0, 150, -300 and so on.
func played(t *testing.T, fen string, result Result, moves ...string) View {
	t.Helper()
	p := chesstest.Position(t, fen)
	g := Game{Start: Pack(p, result)}
	for i, text := range moves {
		m, err := p.ParseUCI(text)
		must.Succeed(t, err)
		score := int16(150 * i)
		if i%2 == 0 {
			score = -score
		}
		g.Plies = append(g.Plies, Ply{MoveOf(m), score})
		p.Make(m)
	}
	return g.Append(nil)
}

func TestInspect(t *testing.T) {
	var p Packer
	p.Add(ID{Run: 7, Number: 0, Nodes: 100}, played(t, chess.StartFEN, WhiteWins, "e2e4", "e7e5", "d1h5", "e8e7", "h5e5"))
	p.Add(ID{Run: 7, Number: 1, Nodes: 100}, played(t, chess.StartFEN, Draw, "e2e4", "d7d5", "e4d5"))
	data, err := p.Append(nil)
	must.Succeed(t, err)
	p.Reset()
	p.Add(ID{Run: 7, Number: 0, Nodes: 100}, played(t, "6k1/8/8/8/8/8/8/5KR1 b G - 0 1", BlackWins, "g8f7"))
	data, err = p.Append(data)
	must.Succeed(t, err)
	name := filepath.Join(t.TempDir(), "games.tbg")
	data = append(data, data[:60]...)
	filestest.Write(t, name, data)
	steps := 0
	r, err := Inspect(t.Context(), []string{name}, func(int, int) { steps++ })
	if err != nil || steps != 2 {
		t.Fatalf("%d steps, error %v", steps, err)
	}
	if want := (Counts{Games: 3, Positions: 9, WhiteWins: 1, BlackWins: 1}); r.Counts != want || r.Blocks != 2 || r.Chess960 != 1 || r.InCheck != 1 ||
		r.Tactical != 2 || r.Repeated != 1 || r.Longest != 5 || r.Bytes != int64(len(data)) || !slices.Equal(r.Runs, []Run{{7, 100, 3}}) {
		t.Errorf("%+v", r)
	}
	if len(r.Damage) != 1 || !strings.Contains(r.Damage[0], "games.tbg: block 2 at byte") || !strings.Contains(r.Damage[0], ErrCut.Error()) {
		t.Errorf("damage %v", r.Damage)
	}
	var out bytes.Buffer
	must.Succeed(t, r.WriteText(&out))
	for _, want := range []string{"3, 3.0 plies each", "white 33.33%, draw 33.33%, black 33.33%", "run         7: 3 games, 100 nodes", "damage: 1"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, &out)
		}
	}
	if data, err := json.Marshal(r); err != nil || !bytes.Contains(data, []byte(`"games":3`)) {
		t.Errorf("JSON %s, error %v", data, err)
	}
	out.Reset()
	if err := new(Report).WriteText(&out); err != nil || strings.Contains(out.String(), "%") {
		t.Errorf("a report of nothing: %v\n%s", err, &out)
	}
}
