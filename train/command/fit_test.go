package command

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/internal/chesstest"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/files/filestest"
	"github.com/tabula-chess/tabula/internal/must"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/train/fit"
	"github.com/tabula-chess/tabula/train/games"
	"github.com/tabula-chess/tabula/train/loader"
)

// writeMaterialGames writes games of quiet moves in which White has a queen
// more or less, with scores and results that say so.
func writeMaterialGames(t *testing.T, name string) {
	t.Helper()
	w, err := games.Create(name)
	must.Succeed(t, err)
	defer w.Abort()
	for n := range 60 {
		fen, score, result := "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 20", int16(900), games.WhiteWins
		if n%2 == 1 {
			fen, score, result = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB1KBNR w KQkq - 0 20", -900, games.BlackWins
		}
		p := chesstest.Position(t, fen)
		game := games.Game{Start: games.Pack(p, result)}
		var buf [chess.MaxMoves]chess.Move
		for ply := range 30 {
			moves := movegen.Quiets(p, buf[:0])
			if len(moves) == 0 {
				break
			}
			m := moves[(7*n+5*ply)%len(moves)]
			game.Plies = append(game.Plies, games.Ply{Move: games.MoveOf(m), Score: score})
			p.Make(m)
		}
		must.Succeed(t, w.Add(games.ID{Number: uint32(n)}, games.View(game.Append(nil))))
	}
	must.Succeed(t, w.Commit())
}

func TestFitCommand(t *testing.T) {
	dir := t.TempDir()
	data, net := filepath.Join(dir, "games"), filepath.Join(dir, "x.nn")
	writeMaterialGames(t, data)
	args := []string{"fit", "--data", data, "--out", net, "--width", "256", "--epochs", "600", "--rate", "0.01", "--threads", "2"}
	if _, errOut, code := call(t, args...); code != 0 {
		t.Fatalf("exit code %d\n%s", code, errOut)
	}
	network, err := nnue.Load(net)
	must.Succeed(t, err)
	if p := network.Provenance(); len(p.Commands) != 1 || p.Positions == 0 {
		t.Errorf("%v, provenance %+v", network.Shape(), p)
	}
	e := nnue.NewEvaluator(network)
	for _, tt := range []struct {
		fen     string
		winning bool
	}{
		{"rnb1kbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR w KQkq - 0 1", true},
		{"rnb1kbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNBQKBNR b KQkq - 0 1", false},
		{"rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNB1KBNR b KQkq - 0 1", true},
		{"rnbqkbnr/pppp1ppp/8/4p3/4P3/8/PPPP1PPP/RNB1KBNR w KQkq - 0 1", false},
	} {
		p := chesstest.Position(t, tt.fen)
		if got := e.Evaluate(p); (got > 200) != tt.winning || (got < -200) == tt.winning {
			t.Errorf("%s: score %d, winning should be %v", tt.fen, got, tt.winning)
		}
	}
	if svg, err := os.ReadFile(filepath.Join(dir, "x.svg")); err != nil || !bytes.Contains(svg, []byte("<svg")) {
		t.Errorf("no picture: %v", err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(left) != 4 { // games, network, checkpoint, picture
		t.Errorf("left behind: %v, %v", left, err)
	}
	first := filestest.Read(t, net)
	_, errOut, code := call(t, args...)
	if second, err := os.ReadFile(net); code != 0 || err != nil || !bytes.Equal(first, second) || !strings.Contains(errOut, "going on from step") {
		t.Errorf("the command given again made another network: exit code %d, %v\n%s", code, err, errOut)
	}
	if _, errOut, code := call(t, append(args, "--rate", "0.02")...); code != 1 || !strings.Contains(errOut, "Rate differs") {
		t.Errorf("another rate with the old checkpoint: exit code %d\n%s", code, errOut)
	}
}

// TestFitRefuses looks for errors that name what is wrong, before the data is read.
func TestFitRefuses(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "x.nn")
	says(t, []said{
		{[]string{"--out", filepath.Join(dir, "none", "x.nn")}, command.Usage, "none"},
		{[]string{"--out", dir}, command.Usage, dir},
		{[]string{"--out", out, "more.tbg"}, command.Usage, "more.tbg"},
		{[]string{"--out", out, "--width", "320"}, command.Usage, "width 320"},
		{[]string{"--out", out, "--rate", "0"}, command.Usage, "rate 0"},
		{[]string{"--out", out, "--start", filepath.Join(dir, "none.nn")}, command.Usage, "none.nn"},
		{[]string{"--out", out, "--testset", filepath.Join(dir, "none.epd")}, command.Usage, "none.epd"},
		{[]string{"--out", out, "--result", "2"}, command.Usage, "weight 2 of the result"},
		{[]string{"--out", out, "--tables", filepath.Join(dir, "none")}, command.Usage, "none"},
		{[]string{"--out", out}, command.Usage, "data.tbg"},
	}, "fit", "--data", filepath.Join(dir, "data.tbg"))
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("%v, %v: something is left behind", left, err)
	}
}

// TestFitInterrupted stops a fit at once and looks for its checkpoint.
func TestFitInterrupted(t *testing.T) {
	dir := t.TempDir()
	data := filepath.Join(dir, "games")
	writeMaterialGames(t, data)
	set, err := loader.Load(t.Context(), []string{data}, filepath.Join(dir, "x.nn"), loader.Options{Threads: 1, Lambda: 1, ScoreScale: 150})
	must.Succeed(t, err)
	defer set.Close()
	f := &fitter{config: fit.Default(256), files: outputs{checkpoint: filepath.Join(dir, "x.checkpoint")}, out: io.Discard}
	trainer, err := fit.New(f.config, set)
	must.Succeed(t, err)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := f.run(ctx, trainer); err == nil || !strings.Contains(err.Error(), "interrupted at step 0") {
		t.Errorf("error %v, want one that says where it was interrupted", err)
	}
	if _, err := fit.Resume(f.files.checkpoint, f.config, set); err != nil {
		t.Error(err)
	}
}
