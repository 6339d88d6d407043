package main

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/urfave/cli/v3"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/train/block"
	"github.com/tabula-chess/tabula/train/fit"
	"github.com/tabula-chess/tabula/train/loader"
	"github.com/tabula-chess/tabula/train/record"
)

// writeMaterialGames writes games of quiet moves in which White has a queen
// more or less, with scores and results that say so.
func writeMaterialGames(t *testing.T, name string) {
	t.Helper()
	w, err := block.Create(name)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Abort()
	for n := range 60 {
		fen, score, result := "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 20", int16(900), record.WhiteWins
		if n%2 == 1 {
			fen, score, result = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB1KBNR w KQkq - 0 20", -900, record.BlackWins
		}
		p, err := chess.ParseFEN(fen)
		if err != nil {
			t.Fatal(err)
		}
		game := record.Game{Start: record.Pack(p, result)}
		var buf [chess.MaxMoves]chess.Move
		for ply := range 30 {
			moves := movegen.Quiets(p, buf[:0])
			if len(moves) == 0 {
				break
			}
			m := moves[(7*n+5*ply)%len(moves)]
			game.Plies = append(game.Plies, record.Ply{Move: record.MoveOf(m), Score: score})
			p.Make(m)
		}
		if err := w.Add(block.ID{Number: uint32(n)}, record.View(game.Append(nil))); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Commit(); err != nil {
		t.Fatal(err)
	}
}

// runTrain carries out a command line of train and returns what it prints.
func runTrain(ctx context.Context, args ...string) (string, error) {
	var out bytes.Buffer
	root := &cli.Command{Name: "train", Commands: []*cli.Command{fitCommand()}, Writer: &out, ErrWriter: &out}
	err := root.Run(ctx, append([]string{"train"}, args...))
	return out.String(), err
}

func TestFitCommand(t *testing.T) {
	dir := t.TempDir()
	data, net := filepath.Join(dir, "games"), filepath.Join(dir, "x.nn")
	writeMaterialGames(t, data)
	args := []string{"fit", "--data", data, "--out", net, "--width", "32", "--epochs", "20", "--batch", "128",
		"--rate", "0.01", "--held", "0.1", "--judge-every", "50", "--origin", "made by hand, once"}

	out, err := runTrain(context.Background(), args...)
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	network, err := nnue.Load(net)
	if err != nil {
		t.Fatal(err)
	}
	if p := network.Provenance(); len(p.Commands) != 2 || p.Commands[0] != "made by hand, once" || p.Positions == 0 {
		t.Errorf("provenance %+v", p)
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
		p, err := chess.ParseFEN(tt.fen)
		if err != nil {
			t.Fatal(err)
		}
		if got := e.Evaluate(p); (got > 200) != tt.winning || (got < -200) == tt.winning {
			t.Errorf("%s: score %d, winning should be %v", tt.fen, got, tt.winning)
		}
	}
	if svg, err := os.ReadFile(filepath.Join(dir, "x.svg")); err != nil || !bytes.Contains(svg, []byte("<svg")) {
		t.Errorf("no picture: %v", err)
	}

	first, err := os.ReadFile(net)
	if err != nil {
		t.Fatal(err)
	}
	out, err = runTrain(context.Background(), args...)
	if second, readErr := os.ReadFile(net); err != nil || readErr != nil || !bytes.Equal(first, second) {
		t.Errorf("the command given again made another network (%v, %v)", err, readErr)
	}
	spooled := append(slices.Clone(args), "--spool", "--fresh", "--out", filepath.Join(dir, "y.nn"))
	if text, err := runTrain(context.Background(), spooled...); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if other, err := nnue.Load(filepath.Join(dir, "y.nn")); err != nil || !reflect.DeepEqual(other.Weights(), network.Weights()) {
		t.Errorf("--spool makes another network, error %v", err)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*y.nn*")); err != nil || len(left) != 1 {
		t.Errorf("--spool leaves %v behind, %v", left, err)
	}
	if !strings.Contains(out, "going on from step") {
		t.Errorf("the command given again did not go on:\n%s", out)
	}
	if _, err := runTrain(context.Background(), append(args, "--seed", "2")...); err == nil || !strings.Contains(err.Error(), "Seed differs") {
		t.Errorf("another seed with the old checkpoint: error %v", err)
	}
	small := filepath.Join(dir, "small.nn")
	if out, err := runTrain(context.Background(), "fit", "--data", data, "--out", small, "--width", "256", "--layered", "--batch", "128", "--held", "0.1"); err != nil {
		t.Errorf("small layers: %v\n%s", err, out)
	} else if n, err := nnue.Load(small); err != nil || !n.Shape().Layered {
		t.Errorf("small layers: %v", err)
	}
	for _, bad := range [][]string{{"fit"}, {"fit", "--data", data, "--width", "320", "--layered"}, {"fit", "--data", data, "--sparsity", "1e-5"}, {"fit", "--data", data, "--width", "256", "--start", small, "--fresh"}, {"fit", "--data", data, "--width", "33"}, {"fit", "--data", data, "--kings", "5"}, {"fit", "--data", data, "--tables", filepath.Join(dir, "none")}, {"fit", "--data", filepath.Join(dir, "none")}} {
		if _, err := runTrain(context.Background(), bad...); err == nil {
			t.Errorf("train %v gave no error", bad)
		}
	}
}

// TestFitInterrupted stops the training itself and looks for the checkpoint.
// TestFitOutputs shows that fit looks at what it is to write before it looks at
// the data.
func TestFitOutputs(t *testing.T) {
	dir := t.TempDir()
	out := filepath.Join(dir, "x.nn")
	for _, tt := range []struct {
		args []string
		code int
		want string
	}{
		{[]string{"--out", filepath.Join(dir, "none", "x.nn")}, exit.Failed, "none"},
		{[]string{"--out", dir}, exit.Failed, dir},
		{[]string{"--out", out, "--checkpoint", filepath.Join(dir, "none", "c")}, exit.Failed, "none"},
		{[]string{"--out", out, "--plot", filepath.Join(dir, "none", "c.svg")}, exit.Failed, "none"},
		{[]string{"--out", out, "--plot", filepath.Join(dir, "c.pdf")}, exit.Usage, ".svg or .png"},
		{[]string{"--out", out, "more.tbg"}, exit.Usage, "more.tbg"},
	} {
		_, errOut, code := call(t, append([]string{"fit", "--data", filepath.Join(dir, "data.tbg")}, tt.args...)...)
		if code != tt.code || !strings.Contains(errOut, tt.want) || strings.Contains(errOut, "data.tbg") {
			t.Errorf("%v: exit code %d, %q; want %d and %q", tt.args, code, errOut, tt.code, tt.want)
		}
	}
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("%v, %v: something is left behind", left, err)
	}
}

func TestFitInterrupted(t *testing.T) {
	name := filepath.Join(t.TempDir(), "games")
	writeMaterialGames(t, name)
	set, err := fit.Load(context.Background(), []string{name}, loader.Options{})
	if err != nil {
		t.Fatal(err)
	}
	config := fit.Default(32)
	config.Batch = 64
	trainer, err := fit.New(config, set)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	checkpoint := filepath.Join(t.TempDir(), "x.checkpoint")
	var out bytes.Buffer
	if err := fitRun(ctx, trainer, checkpoint, nil, &out); err == nil || !strings.Contains(err.Error(), "interrupted at step 0") {
		t.Errorf("error %v, want one that says where it was interrupted", err)
	}
	if _, err := fit.Resume(checkpoint, config, set); err != nil {
		t.Error(err)
	}
}

func TestResultWeights(t *testing.T) {
	files := []string{"a.tbg", "b=c.tbg"}
	for _, tt := range []struct {
		values []string
		want   []float64
	}{
		{nil, []float64{0, 0}},
		{[]string{"0.25"}, []float64{0.25, 0.25}},
		{[]string{"0.25", "b=c.tbg=0.5"}, []float64{0.25, 0.5}},
		{[]string{"a.tbg=1"}, []float64{1, 0}},
		{[]string{"2"}, nil},
		{[]string{"NaN"}, nil},
		{[]string{"c.tbg=0.1"}, nil},
		{[]string{"a.tbg="}, nil},
	} {
		got, err := resultWeights(tt.values, files)
		if !slices.Equal(got, tt.want) || (err != nil) != (tt.want == nil) {
			t.Errorf("%q: %v, %v; want %v", tt.values, got, err, tt.want)
		}
	}
}
