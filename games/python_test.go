package games

import (
	"encoding/json"
	"os/exec"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/files/filestest"
	"github.com/tabula-chess/tabula/internal/must"
)

// pythonCounts counts the games on its input by position and move.
const pythonCounts = `
import chess.pgn, collections, json, sys
counts = collections.defaultdict(lambda: collections.defaultdict(lambda: [0, 0, 0]))
while game := chess.pgn.read_game(sys.stdin):
    result = ["1-0", "1/2-1/2", "0-1"].index(game.headers["Result"])
    board, seen = game.board(), set()
    for move in list(game.mainline_moves()) + [None]:
        key = " ".join(board.fen(en_passant="legal", shredder=True).split()[:4])
        if key not in seen:
            seen.add(key)
            counts[key][board._to_chess960(move).uci() if move else "end"][result] += 1
        if move:
            board.push(move)
json.dump(counts, sys.stdout)
`

// TestPythonChess compares the counts of 1,000 games with those of python-chess: all
// positions of two games and more, and one in twenty of the others.
func TestPythonChess(t *testing.T) {
	if out, err := exec.Command("python3", "-c", "import chess.pgn").CombinedOutput(); err != nil {
		t.Skipf("there is no python-chess: %v, %s", err, out)
	}
	all := text(t, 1000, 11)
	db := begin(t, filestest.New())
	mustImport(t, db, "a", all)
	python := exec.Command("python3", "-c", pythonCounts)
	python.Stdin = strings.NewReader(all)
	out, err := python.Output()
	must.Succeed(t, err)
	var counts map[string]map[string][3]int
	must.Succeed(t, json.Unmarshal(out, &counts))
	number, compared := 0, 0
	for fen, want := range counts {
		games := 0
		for _, n := range want {
			games += n[0] + n[1] + n[2]
		}
		if number++; games < 2 && number%20 != 0 {
			continue
		}
		p, err := chess.ParseFEN(fen + " 0 1")
		must.Succeed(t, err)
		r, err := db.Show(t.Context(), p, Filter{})
		must.Succeed(t, err)
		delete(want, "end")
		if r.Total.Games != games || len(r.Moves) != len(want) {
			t.Fatalf("%s: %d games and %d moves, want %d and %d", fen, r.Total.Games, len(r.Moves), games, len(want))
		}
		for _, m := range r.Moves {
			if got := [3]int{m.White, m.Draws, m.Black}; got != want[m.Move.String()] {
				t.Fatalf("%s %s: %v, want %v", fen, m.SAN, got, want[m.Move.String()])
			}
		}
		compared++
	}
	t.Logf("%d of %d positions compared", compared, len(counts))
}
