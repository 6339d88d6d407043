package main

import (
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/movegen"
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/test/kit"
	"github.com/tabula-chess/tabula/train/fit"
	"github.com/tabula-chess/tabula/train/record"
	"github.com/tabula-chess/tabula/train/traintest"
)

func TestMain(m *testing.M) { traintest.Main(m) }

// TestParamsCommand prints the rows, and as OpenBench takes them.
func TestParamsCommand(t *testing.T) {
	for _, tt := range []struct {
		args  []string
		lines int
		first string
	}{
		{nil, len(search.Tunables()), "AspirationDelta"},
		{[]string{"--spsa"}, len(search.Tunables()), search.Tunables()[0].SPSA()},
	} {
		cmd := paramsCommand()
		var out bytes.Buffer
		cmd.Writer = &out
		kit.Succeed(t, cmd.Run(context.Background(), append([]string{"params"}, tt.args...)))
		if lines := strings.Split(strings.TrimSpace(out.String()), "\n"); len(lines) != tt.lines || !strings.HasPrefix(lines[0], tt.first) {
			t.Errorf("params %v: %d lines, the first %q; want %d, %q", tt.args, len(lines), lines[0], tt.lines, tt.first)
		}
	}
}

func TestMatchCommand(t *testing.T) {
	dir := t.TempDir()
	book := filepath.Join(dir, "book.epd")
	kit.Write(t, book, []byte("4k3/8/8/8/8/8/4P3/4K3 w - - id \"one\";\n# a comment\n4k3/8/8/8/8/8/3P4/4K3 w - - 0 1\n"))
	for _, tt := range []struct {
		name, args string
		code       bool // 0 is expected
		want       string
	}{
		{"nodes", "--nodes 50 --pairs 2 embedded embedded", true, "Elo +0.0 ± –, LOS –, Ptnml(0-2): 0, 0, 2, 0, 0"},
		{"clock", "--tc 0.2+0.01 --pairs 1 --openings " + book + " embedded embedded", true, "lost on time"},
		{"test", "--nodes 50 --pairs 1 --sprt 0,8 embedded embedded", true, "(-2.94 to 2.94): open"},
		{"one network", "embedded", false, "1 player: want at least two"},
		{"no program", "exec: embedded", false, "exec:"},
		{"no such program", "exec:/nowhere embedded", false, "/nowhere"},
		{"no network", "embedded /nowhere.nn", false, "/nowhere.nn"},
		{"node time", "--tc 0.02+0.001 --node-time 100 --pairs 1 --openings " + book + " embedded embedded", true, "lost on time 0"},
		{"other parameters", "--nodes 500 --pairs 1 --openings " + book + " embedded,LMRBase=300,LMRScale=3000 embedded", true, "Ptnml"},
		{"parameters nobody has", "--nodes 500 --pairs 1 embedded,Genius=1 embedded", false, "Genius"},
		{"parameters out of range", "--nodes 500 --pairs 1 embedded,LMRScale=0 embedded", false, "LMRScale 0"},
		{"parameters without a value", "embedded,LMRBase embedded", false, "NAME=VALUE"},
		{"parameters in words", "embedded,LMRBase=x embedded", false, `LMRBase="x"`},
		{"no strength", "embedded,UCI_Elo=1 embedded", false, "Elo 1: want"},
		{"strengths", "--nodes 0 --pairs 1 embedded,UCI_Elo=800 embedded,UCI_Elo=2000", true, "lost on time 0"},
		{"a strength without a limit for the other", "--nodes 0 embedded,UCI_Elo=800 embedded", false, "nodes and clock"},
		{"everybody", "--nodes 50 --pairs 1 embedded embedded embedded", true, "embedded against embedded"},
		{"no clock to count for", "--node-time 100 embedded embedded", false, "--node-time"},
		{"no node time", "--tc 1 --node-time 0 embedded embedded", false, "--node-time 0"},
		{"two limits", "--nodes 5 --tc 1+1 embedded embedded", false, "--nodes and --tc"},
		{"clock in words", "--tc soon embedded embedded", false, `--tc "soon"`},
		{"no number", "--sprt 8 embedded embedded", false, `--sprt "8"`},
		{"no table", "--hash 0 embedded embedded", false, "hash size 0 MiB"},
		{"bounds turned", "--sprt 8,0 embedded embedded", false, "bounds 8 and 0"},
		{"the same openings again", "--nodes 50 --pairs 3 --openings " + book + " embedded embedded", false, "pairs 3: there are 2 openings"},
		{"the same openings, other moves", "--nodes 50 --pairs 3 --openings " + book + " embedded,UCI_Elo=800 embedded", true, "Ptnml"},
		{"no openings", "--openings /dev/null embedded embedded", false, "/dev/null"},
	} {
		var out, errOut strings.Builder
		args := append([]string{"train", "match", "--threads", "1", "--hash", "1"}, strings.Fields(tt.args)...)
		code := run(t.Context(), args, &out, &errOut)
		if got := out.String() + errOut.String(); (code == 0) != tt.code || code == exit.Failed || !strings.Contains(got, tt.want) {
			t.Errorf("%s: exit code %d, %q; want %q", tt.name, code, got, tt.want)
		}
	}
}

// TestCompare: positions of a game are one sample.
func TestCompare(t *testing.T) {
	a := []loss{{1, 3}, {1, 3}, {2, 1}, {2, 1}}
	b := []loss{{1, 1}, {1, 1}, {2, 1}, {2, 1}}
	if d, e := compare(a, b); d != 1 || e != math.Sqrt2/2 {
		t.Errorf("%v ± %v, want 1 ± %v", d, e, math.Sqrt2/2)
	}
}

// TestTablesInto: what an ending leads to is written too, and files that are there stay.
func TestTablesInto(t *testing.T) {
	dir := t.TempDir()
	if _, errOut, code := call(t, "tables", "--out", dir, "KQvK"); code != 0 {
		t.Fatalf("exit code %d\n%s", code, errOut)
	}
	old := kit.Read(t, filepath.Join(dir, "KQvK.rtbz"))
	kit.Write(t, filepath.Join(dir, "KQvK.rtbz"), append(old, 0))
	if out, errOut, code := call(t, "tables", "--out", dir, "KPvK"); code != 0 || !strings.Contains(out, "KRvK.rtbw") || strings.Contains(out, "KQvK") {
		t.Errorf("exit code %d\n%s%s", code, out, errOut)
	}
	kit.Succeed(t, os.Remove(filepath.Join(dir, "KRvK.rtbz")))
	if out, errOut, code := call(t, "tables", "--out", dir, "KPvK"); code != 0 || !strings.Contains(out, "KRvK.rtbz") {
		t.Errorf("without one of two files: exit code %d\n%s%s", code, out, errOut)
	}
}

func TestRescale(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.nn"), filepath.Join(dir, "out.nn")
	before := nnue.Embedded()
	kit.Succeed(t, before.Save(in))
	if _, errOut, code := call(t, "rescale", "--scale", "300", "--out", out, in); code != 0 {
		t.Fatalf("exit code %d\n%s", code, errOut)
	}
	after, err := nnue.Load(out)
	kit.Succeed(t, err)
	p := kit.Position(t, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKB1R w KQkq - 0 1")
	old, now := int(nnue.NewEvaluator(before).Evaluate(p)), int(nnue.NewEvaluator(after).Evaluate(p))
	if want := old * 300 / before.Shape().Scale; old > -100 || now < want-3 || now > want+3 {
		t.Errorf("a knight less: %d centipawns at scale %d, %d at 300", old, before.Shape().Scale, now)
	}
	if a, b := len(before.Provenance().Commands), len(after.Provenance().Commands); b != a+1 {
		t.Errorf("%d commands in the file, want %d", b, a+1)
	}

	// The 31 pieces of p belong to the last output, a lone queen to the first.
	scale := before.Shape().Scale
	single := strconv.Itoa(scale)
	if _, errOut, code := call(t, "rescale", "--scale", strings.Repeat(single+",", 7)+strconv.Itoa(scale*3/2), "--out", out, in); code != 0 {
		t.Fatalf("exit code %d\n%s", code, errOut)
	}
	after, err = nnue.Load(out)
	kit.Succeed(t, err)
	if now, want := int(nnue.NewEvaluator(after).Evaluate(p)), old*3/2; now < want-3 || now > want+3 {
		t.Errorf("a knight less: %d centipawns, %d with the last output at one and a half", old, now)
	}
	queen := kit.Position(t, "4k3/8/8/8/8/8/8/3QK3 b - - 0 1")
	if old, now := nnue.NewEvaluator(before).Evaluate(queen), nnue.NewEvaluator(after).Evaluate(queen); old != now {
		t.Errorf("queen against king: %d centipawns, %d with another last output", old, now)
	}

	for _, args := range [][]string{
		{"--scale", "0", "--out", out, in}, {"--scale", "200", "--out", out, in, in}, {"--scale", "200", "--out", out, filepath.Join(dir, "none")},
		{"--scale", "200,200", "--out", out, in}, {"--scale", strings.Repeat(single+",", 7) + "0", "--out", out, in},
		{"--scale", strings.Repeat(single+",", 7) + "99999999", "--out", out, in},
	} {
		if _, _, code := call(t, append([]string{"rescale"}, args...)...); code == 0 {
			t.Errorf("%v: exit code 0", args)
		}
	}
}

// TestLabel: label writes the same games with the scores of searches, whoever searches, and no
// matter how many at a time.
func TestLabel(t *testing.T) {
	dir := t.TempDir()
	played, one, other := filepath.Join(dir, "played.tbg"), filepath.Join(dir, "one.tbg"), filepath.Join(dir, "other.tbg")
	random := rand.New(rand.NewPCG(7, 7)) // games with many men, where the endgame tables of a program do not count
	traintest.Write(t, played, 6, func(i int) (record.ID, *record.ScoredGame) {
		return record.ID{Number: uint32(i)}, traintest.Random(random, record.Draw, 60, func() int16 { return 0 })
	})
	for _, args := range [][]string{
		{"label", "--nodes", "300", "--held", "1", "--threads", "1", "--out", one, played},
		{"label", "--nodes", "300", "--held", "1", "--threads", "2", "--out", other, "--engine", strings.Join(traintest.Command(t, "none"), " "), played},
	} {
		if _, errOut, code := call(t, args...); code != 0 {
			t.Fatalf("%v: exit code %d\n%s", args, code, errOut)
		}
	}
	before, after := traintest.Read(t, played), traintest.Read(t, one)
	decided := cmp.Transformer("decided", func(p record.Ply) record.Ply { // a program does not tell every mate as one
		p.Score = max(-20_000, min(p.Score, 20_000))
		return p
	})
	if len(after) != len(before) || !cmp.Equal(after, traintest.Read(t, other), decided) {
		t.Fatalf("%d of %d games, or a program gives other scores than the engine", len(after), len(before))
	}
	changed := 0
	for id, g := range before {
		labelled := after[record.ID{Run: id.Run, Number: id.Number, Nodes: 300}]
		if len(labelled.Plies) != len(g.Plies) || labelled.Start != g.Start {
			t.Fatalf("game %+v is another one", id)
		}
		for i := range g.Plies {
			if g.Plies[i].Move != labelled.Plies[i].Move {
				t.Fatalf("game %+v: ply %d is another move", id, i)
			} else if g.Plies[i].Score != labelled.Plies[i].Score {
				changed++
			}
		}
	}
	if changed == 0 {
		t.Error("no score has changed")
	}
	says(t, []said{
		{[]string{"--out", one}, exit.Usage, "at least one file"},
		{[]string{"--nodes", "0", "--out", one, played}, exit.Usage, "--nodes 0"},
		{[]string{"--held", "0", "--out", one, played}, exit.Usage, "--held 0"},
		{[]string{"--held", "1e-9", "--out", one, played}, exit.Failed, "--held 1 takes all"},
		{[]string{"--threads", "0", "--out", one, played}, exit.Usage, `--threads "0": want at least 1`},
		{[]string{"--engine", " ", "--out", one, played}, exit.Usage, "--engine: the command is empty"},
		{[]string{"--engine", "no-such-engine", "--out", one, played}, exit.Usage, "no-such-engine"},
	}, "label")
	if !cmp.Equal(after, traintest.Read(t, one)) {
		t.Error("a command that failed has changed the file")
	}
}

// TestJudge compares the table with losses added up by hand, and looks for the best scale.
func TestJudge(t *testing.T) {
	dir := t.TempDir()
	played, half := filepath.Join(dir, "played.tbg"), filepath.Join(dir, "half.tbg")
	if _, errOut, code := call(t, "datagen", "--games", "12", "--seed", "2", "--threads", "2", "--out", played); code != 0 {
		t.Fatalf("exit code %d\n%s", code, errOut)
	}
	// Games with half of what the network says as scores.
	e, n := nnue.NewEvaluator(nnue.Embedded()), nnue.Embedded()
	w, err := record.Create(half)
	kit.Succeed(t, err)
	sum, positions := 0.0, 0
	chance := func(cp, scale float64) float64 { return 1 / (1 + math.Exp(-cp/scale)) }
	for id, g := range traintest.Read(t, played) {
		i := 0
		kit.Succeed(t, g.Verify(new(chess.Position), func(p *chess.Position, ply record.Ply) {
			said := int(e.Evaluate(p))
			g.Plies[i].Score = record.Round(record.WhiteScore(p.SideToMove(), said/2))
			if fit.Quiet(p, ply.Move) {
				score := float64(record.WhiteScore(p.SideToMove(), int(g.Plies[i].Score)))
				sum += math.Pow(chance(float64(said), float64(n.Shape().Scale))-chance(score, fit.Scale), 2)
				positions++
			}
			i++
		}))
		kit.Succeed(t, w.Add(id, g))
	}
	kit.Succeed(t, w.Commit())
	out, errOut, code := call(t, "judge", "--held", "1", "--network", "embedded", "--network", "embedded", "--nodes", "0", "--nodes", "60", half)
	if code != 0 {
		t.Fatalf("exit code %d\n%s", code, errOut)
	}
	rows := map[string]string{}
	for line := range strings.Lines(out) {
		name, rest, _ := strings.Cut(strings.TrimSpace(line), "  ")
		rows[name] = strings.TrimSpace(rest)
	}
	number := fmt.Sprint(positions)
	want := fmt.Sprintf("%.5f", sum/float64(positions))
	all, rescaled := strings.Fields(rows["all"]), strings.Fields(rows["all, rescaled"])
	if all[0] != number || all[1] != want || !strings.Contains(out, "embedded, 60 nodes") || !strings.Contains(rows["all"], "(+0.00000 ± 0.00000)") {
		t.Errorf("want %s positions and a loss of %s:\n%s", number, want, out)
	}
	loss, _ := strconv.ParseFloat(rescaled[1], 64)
	scale, _ := strconv.ParseFloat(rescaled[3], 64)
	if best := float64(n.Shape().Scale) / 2; loss > 1e-4 || math.Abs(scale/best-1) > 0.02 {
		t.Errorf("loss %v at scale %v, want almost none at %v:\n%s", loss, scale, best, out)
	}
	parts := strings.Fields(rows["all, each part rescaled"])
	if loss, _ = strconv.ParseFloat(parts[1], 64); loss > 1e-4 {
		t.Errorf("loss %v with each part rescaled, want almost none:\n%s", loss, out)
	}
	for _, text := range strings.Split(parts[3], ",") {
		scale, err := strconv.ParseFloat(text, 64)
		if best := float64(n.Shape().Scale) / 2; text != "-" && (err != nil || math.Abs(scale/best-1) > 0.04) {
			t.Errorf("a part at scale %s, want %v:\n%s", text, best, out)
		}
	}
	total := 0
	for name, row := range rows {
		if strings.HasSuffix(name, " pieces") {
			count, err := strconv.Atoi(strings.Fields(row)[0])
			kit.Succeed(t, err)
			total += count
		}
	}
	if total != positions {
		t.Errorf("%d positions by number of pieces, %d in all", total, positions)
	}
	says(t, []said{
		{[]string{"judge"}, exit.Usage, "at least one file"},
		{[]string{"judge", "--held", "2", half}, exit.Usage, "--held 2"},
		{[]string{"judge", "--held", "1e-9", half}, exit.Failed, "--held 1 takes all"},
		{[]string{"judge", filepath.Join(dir, "none.tbg")}, exit.Usage, "none.tbg"},
		{[]string{"judge", "--network", "none.nn", half}, exit.Usage, "none.nn"},
	})
}

// writeMaterialGames writes games of quiet moves in which White has a queen
// more or less, with scores and results that say so.
func writeMaterialGames(t *testing.T, name string) {
	t.Helper()
	w, err := record.Create(name)
	kit.Succeed(t, err)
	defer w.Abort()
	for n := range 60 {
		fen, score, result := "rnb1kbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 20", int16(900), record.WhiteWins
		if n%2 == 1 {
			fen, score, result = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNB1KBNR w KQkq - 0 20", -900, record.BlackWins
		}
		p := kit.Position(t, fen)
		game := &record.ScoredGame{Start: record.Pack(p, result)}
		var buf [chess.MaxMoves]chess.Move
		for ply := range 30 {
			moves := movegen.Quiets(p, buf[:0])
			if len(moves) == 0 {
				break
			}
			m := moves[(7*n+5*ply)%len(moves)]
			game.Plies = append(game.Plies, record.Ply{Move: m, Score: score})
			p.Make(m)
		}
		kit.Succeed(t, w.Add(record.ID{Number: uint32(n)}, game))
	}
	kit.Succeed(t, w.Commit())
}

func TestFitCommand(t *testing.T) {
	dir := t.TempDir()
	data, net := filepath.Join(dir, "games"), filepath.Join(dir, "x.nn")
	writeMaterialGames(t, data)
	args := []string{"fit", "--data", data, "--out", net, "--width", "256", "--epochs", "600", "--rate", "0.01", "--threads", "2"}
	if _, errOut, code := call(t, args...); code != 0 || !strings.Contains(errOut, ", loss 0.") {
		t.Fatalf("exit code %d, want 0 and the last losses\n%s", code, errOut)
	}
	network, err := nnue.Load(net)
	kit.Succeed(t, err)
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
		p := kit.Position(t, tt.fen)
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
	first := kit.Read(t, net)
	_, errOut, code := call(t, args...)
	if second, err := os.ReadFile(net); code != 0 || err != nil || !bytes.Equal(first, second) || !strings.Contains(errOut, "continuing from step") {
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
		{[]string{"--out", filepath.Join(dir, "none", "x.nn")}, exit.Usage, "none"},
		{[]string{"--out", dir}, exit.Usage, dir},
		{[]string{"--out", out, "more.tbg"}, exit.Usage, "more.tbg"},
		{[]string{"--out", out, "--width", "320"}, exit.Usage, "width 320"},
		{[]string{"--out", out, "--rate", "0"}, exit.Usage, "rate 0"},
		{[]string{"--out", out, "--tables", filepath.Join(dir, "none")}, exit.Usage, "none"},
		{[]string{"--out", out}, exit.Usage, "data.tbg"},
	}, "fit", "--data", filepath.Join(dir, "data.tbg"))
	if left, err := os.ReadDir(dir); err != nil || len(left) != 0 {
		t.Errorf("%v, %v: something is left behind", left, err)
	}
}
