package command

import (
	"path/filepath"
	"testing"

	"github.com/tabula-chess/tabula/eval/nnue"
	"github.com/tabula-chess/tabula/internal/chesstest"
	"github.com/tabula-chess/tabula/internal/must"
)

func TestRescale(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in.nn"), filepath.Join(dir, "out.nn")
	before := nnue.Embedded()
	must.Succeed(t, before.Save(in))
	if _, errOut, code := call(t, "rescale", "--scale", "300", "--out", out, in); code != 0 {
		t.Fatalf("exit code %d\n%s", code, errOut)
	}
	after, err := nnue.Load(out)
	must.Succeed(t, err)
	p := chesstest.Position(t, "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKB1R w KQkq - 0 1")
	old, now := int(nnue.NewEvaluator(before).Evaluate(p)), int(nnue.NewEvaluator(after).Evaluate(p))
	if want := old * 300 / before.Shape().Scale; old > -100 || now < want-3 || now > want+3 {
		t.Errorf("a knight less: %d centipawns at scale %d, %d at 300", old, before.Shape().Scale, now)
	}
	if a, b := len(before.Provenance().Commands), len(after.Provenance().Commands); b != a+1 {
		t.Errorf("%d commands in the file, want %d", b, a+1)
	}
	for _, args := range [][]string{
		{"--scale", "0", "--out", out, in}, {"--scale", "200", "--out", out, in, in}, {"--scale", "200", "--out", out, filepath.Join(dir, "none")},
	} {
		if _, _, code := call(t, append([]string{"rescale"}, args...)...); code == 0 {
			t.Errorf("%v: exit code 0", args)
		}
	}
}
