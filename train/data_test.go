package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/internal/command"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/pgn"
	"github.com/tabula-chess/tabula/test/kit"
)

func run(ctx context.Context, args []string, out, errOut io.Writer) int {
	return command.Run(ctx, New(out, errOut), args)
}

// call runs a command line and returns what it printed and its exit code.
func call(t *testing.T, args ...string) (out, errOut string, code int) {
	t.Helper()
	var o, e bytes.Buffer
	code = run(t.Context(), append([]string{"train"}, args...), &o, &e)
	return o.String(), e.String(), code
}

// said is a command line, its exit code and a part of what it prints.
type said struct {
	args []string
	code int
	want string
}

// says checks what command lines that begin alike say.
func says(t *testing.T, lines []said, begin ...string) {
	t.Helper()
	for _, l := range lines {
		args := slices.Concat(begin, l.args)
		out, errOut, code := call(t, args...)
		if code != l.code || !strings.Contains(out+errOut, l.want) {
			t.Errorf("%v: exit code %d, want %d and %q\n%s%s", args, code, l.code, l.want, out, errOut)
		}
	}
}

// generate makes a file of a few quick games.
func generate(t *testing.T, games int) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "games.tbg")
	_, errOut, code := call(t, "datagen", "--out", name, "--nodes", "50", "--games", fmt.Sprint(games), "--seed", "1", "--chess960", "0.5")
	if code != 0 {
		t.Fatalf("exit code %d\n%s", code, errOut)
	}
	return name
}

func counts(t *testing.T, name string) (games, positions int) {
	t.Helper()
	out, errOut, code := call(t, "inspect", "--json", name)
	var r struct{ Games, Positions int }
	if err := json.Unmarshal([]byte(out), &r); err != nil || code != 0 {
		t.Fatalf("exit code %d, %v\n%s%s", code, err, out, errOut)
	}
	return r.Games, r.Positions
}

func TestChain(t *testing.T) {
	name := generate(t, 10)
	games, positions := counts(t, name)
	if games != 10 || positions < 100 {
		t.Fatalf("%d games, %d positions", games, positions)
	}
	dir := t.TempDir()
	merged, plain := filepath.Join(dir, "merged"), filepath.Join(dir, "plain")
	for _, args := range [][]string{
		{"merge", "--out", merged, name, name},
		{"export", "--out", plain, merged},
	} {
		if out, errOut, code := call(t, args...); code != 0 {
			t.Fatalf("%v: exit code %d\n%s%s", args, code, out, errOut)
		}
	}
	if g, p := counts(t, merged); g != games || p != positions {
		t.Errorf("%s: %d games, %d positions, want %d and %d", merged, g, p, games, positions)
	}
	inPGN(t, merged, games, positions)
	if info, err := os.Stat(plain); err != nil || info.Size() != int64(36*games+4*positions) {
		t.Errorf("%d bytes exported of %d games and %d positions, %v", info.Size(), games, positions, err)
	}
}

func inPGN(t *testing.T, name string, games, positions int) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "games.pgn")
	if _, errOut, code := call(t, "export", "--pgn", "--out", out, name); code != 0 {
		t.Fatalf("exit code %d\n%s", code, errOut)
	}
	file, err := os.Open(out)
	kit.Succeed(t, err)
	defer file.Close()
	read, moves := 0, 0
	for g, err := range pgn.NewReader(file).Games() {
		kit.Succeed(t, err)
		read, moves = read+1, moves+len(g.Main.Moves)
		if g.Result == chess.NoResult || g.Main.Moves[0].Comment().Eval == nil {
			t.Errorf("game %d: result %v, no evaluation behind its first move", read, g.Result)
		}
	}
	if read != games || moves != positions {
		t.Errorf("%d games with %d moves in PGN, want %d and %d", read, moves, games, positions)
	}
}

func TestExitCodes(t *testing.T) {
	name := generate(t, 4)
	data := kit.Read(t, name)
	bad := filepath.Join(t.TempDir(), "bad")
	data[len(data)/2] ^= 1
	kit.Write(t, bad, data)
	out := filepath.Join(t.TempDir(), "out")
	says(t, []said{
		{[]string{"inspect", name}, 0, ""},
		{[]string{"inspect", bad}, 1, "block 0"},
		{[]string{"merge", "--out", out, bad}, 1, "left out: " + bad + ": block 0"},
		{[]string{"merge", "--out", out, bad}, 1, "games were lost: 1 damaged block, 0 illegal games"},
		{[]string{"merge", "--out", out, name, name}, 0, "left out: 4 duplicate games"},
		{[]string{"export", "--out", out, bad}, 1, "block 0"},
		{[]string{"inspect"}, 2, "at least one file"},
		{[]string{"inspect", name + ".none"}, 2, "no such file"},
		{[]string{"datagen", "--games", "1"}, 2, "out"},
		{[]string{"datagen", "--out", out, "--chess960", "2"}, 2, "chess960"},
		{[]string{"datagen", "--out", out, "--hours", "-1"}, 2, "hours"},
		{[]string{"datagen", "--out", out, "surplus"}, 2, "surplus"},
	})
}

// TestDatagenEnds: the end of the time is no failure, and an interruption says that the same command continues.
func TestDatagenEnds(t *testing.T) {
	name := filepath.Join(t.TempDir(), "games.tbg")
	begin := []string{"datagen", "--out", name, "--nodes", "2000", "--seed", "1", "--threads", "2"}
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		defer cancel()
		for ctx.Err() == nil {
			if info, err := os.Stat(name); err == nil && info.Size() > 0 {
				return
			}
			time.Sleep(10 * time.Millisecond)
		}
	}()
	var o, e bytes.Buffer
	code := run(ctx, append([]string{"train"}, begin...), &o, &e)
	games, _ := counts(t, name)
	want := "datagen: interrupted; " + name + " holds what is finished, and the same command continues"
	if code != exit.Interrupted || !strings.Contains(e.String(), want) || games == 0 ||
		!strings.Contains(o.String(), fmt.Sprintf("run 1: %d games, ", games)) {
		t.Errorf("interrupted with %d games: exit code %d\n%s%s", games, code, &o, &e)
	}
	out, errOut, code := call(t, append(begin, "--hours", "0.0001")...) // 0.36 seconds
	if code != 0 || !strings.Contains(out, "run 1: ") || !strings.Contains(out, " positions/s\n") || errOut != "" {
		t.Errorf("after its time: exit code %d\n%s%s", code, out, errOut)
	}
	games, _ = counts(t, name)
	out, errOut, code = call(t, append(begin, "--games", fmt.Sprint(games+1))...)
	if code != 0 || !strings.Contains(out, "run 1: 1 game, ") {
		t.Errorf("continued: exit code %d\n%s%s", code, out, errOut)
	}
	says(t, []said{
		{[]string{"--chess960", "1"}, exit.Usage, name + ": its games of run 1 come out otherwise"},
		{[]string{"--nodes", "60"}, exit.Usage, name + ": it has games of run 1 that were played with 2000 nodes, not 60"},
		{[]string{"--games", "-1"}, exit.Usage, `--games "-1": want at least 0`},
		{[]string{"--hours", "NaN"}, exit.Usage, `--hours "NaN": want 0 to 100000`},
		{[]string{"--nodes", "0"}, exit.Usage, "nodes 0: want 1 to 4294967295"},
		{[]string{"--threads", "0"}, exit.Usage, `--threads "0": want at least 1`},
		{[]string{"--network", name}, exit.Failed, name},
		{[]string{"--tables", name + ".none"}, exit.Usage, name + ".none"},
	}, begin...)
	if now, _ := counts(t, name); now != games+1 {
		t.Errorf("%d games, want %d", now, games+1)
	}
	// Without a number, a file goes on with its run. Another limit is another run, and so is each new file.
	other := filepath.Join(t.TempDir(), "games.tbg")
	for _, tt := range []struct{ file, nodes, games, want string }{
		{name, "2000", fmt.Sprint(games + 2), "run 1: 1 game, "}, {name, "50", fmt.Sprint(games + 3), ": 1 game, "},
		{name, "50", fmt.Sprint(games + 5), ": 2 games, "}, {other, "50", "2", ": 2 games, "},
	} {
		out, errOut, code := call(t, "datagen", "--out", tt.file, "--nodes", tt.nodes, "--games", tt.games)
		if code != 0 || !strings.Contains(out, tt.want) {
			t.Errorf("%+v: exit code %d\n%s%s", tt, code, out, errOut)
		}
	}
	out, _, _ = call(t, "inspect", name, other)
	if strings.Count(out, " nodes\n") != 3 || strings.Count(out, ": 3 games, 50 nodes") != 1 {
		t.Errorf("want a run of 2000 nodes and two of 50\n%s", out)
	}
}

func TestTornBlockIsReported(t *testing.T) {
	name := generate(t, 3)
	data := kit.Read(t, name)
	kit.Write(t, name, append(data, data[:100]...))
	_, errOut, code := call(t, "datagen", "--out", name, "--nodes", "50", "--games", "4", "--seed", "1", "--chess960", "0.5")
	if code != 0 || !strings.Contains(errOut, "removed 100 bytes") {
		t.Errorf("exit code %d\n%s", code, errOut)
	}
	if games, _ := counts(t, name); games != 4 {
		t.Errorf("%d games, want 4", games)
	}
}

func TestCommandLine(t *testing.T) {
	folder := filepath.Join("home", "data")
	args := []string{"fit", "--data", filepath.Join(folder, "a.tbg"), "--data=" + filepath.Join(folder, "b.tbg"), "--rate", "0.002", "--out", "x.nn"}
	if got, want := commandLine(args), "train fit --data a.tbg --data=b.tbg --rate 0.002 --out x.nn"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
