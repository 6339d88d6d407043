package match

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/test/kit"
	"github.com/tabula-chess/tabula/work"
)

// repository makes a git repository with one commit of the files given.
func repository(t *testing.T, files map[string]string) string {
	t.Helper()
	for _, program := range []string{"git", "go"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skip("needs ", program, ": ", err)
		}
	}
	dir := t.TempDir()
	for name, text := range files {
		kit.Succeed(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o700))
		kit.Write(t, filepath.Join(dir, name), []byte(text))
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"commit", "-qm", "x"}} {
		git(t, dir, args...)
	}
	return dir
}

// engineSource returns an engine whose bench prints a line.
func engineSource(line string) map[string]string {
	return map[string]string{
		"go.mod": "module example\n\ngo 1.21\n",
		"main.go": "package main\n\nimport (\"fmt\"; \"example/sub\")\n\n" +
			"func main() { fmt.Println(\"warming up\"); fmt.Println(sub.Line) }\n",
		"sub/line.go": "package sub\n\nconst Line = \"" + line + "\"\n",
	}
}

func buildEngine(ctx context.Context, c *Engines, source []byte) (string, uint64, error) {
	return c.Get(ctx, work.Sum(source), func() ([]byte, error) { return source, nil })
}

// TestEngine archives a commit, builds it elsewhere and reads its bench; a second
// cache on the same directory takes what is there.
func TestEngine(t *testing.T) {
	repo, dir := repository(t, engineSource("4711 nodes 12 nps")), t.TempDir()
	source, commit, err := Archive(t.Context(), repo, "HEAD")
	kit.Succeed(t, err)
	if len(commit) != 40 {
		t.Errorf("commit %q", commit)
	}
	path, bench, err := buildEngine(t.Context(), &Engines{Dir: dir}, source)
	if err != nil || bench != 4711 {
		t.Fatalf("bench %d, %v", bench, err)
	}
	built, err := os.Stat(path)
	kit.Succeed(t, err)
	again, _, err := (&Engines{Dir: dir}).Get(t.Context(), work.Sum(source), nil) // nobody asks for the source
	kit.Succeed(t, err)
	if info, err := os.Stat(again); err != nil || !os.SameFile(info, built) {
		t.Errorf("it was built again: %v", err)
	}
	for name, age := range map[string]time.Duration{"old-1.exe": 31, "young-1.exe": 29} {
		name = filepath.Join(dir, name)
		kit.Write(t, name, nil)
		then := time.Now().Add(-age * 24 * time.Hour)
		kit.Succeed(t, os.Chtimes(name, then, then))
	}
	killed, playing := filepath.Join(dir, "build-1"), filepath.Join(dir, "engine-1")
	kit.Succeed(t, os.MkdirAll(filepath.Join(killed, "source"), 0o700))
	kit.Succeed(t, os.Mkdir(playing, 0o700))
	then := time.Now().Add(-25 * time.Hour)
	kit.Succeed(t, os.Chtimes(killed, then, then))
	kit.Succeed(t, os.Chtimes(playing, then, then))
	all, err := os.ReadDir(dir)
	kit.Succeed(t, err)
	(&Engines{Dir: dir}).clean(all)
	kit.Succeed(t, os.Remove(filepath.Join(dir, "young-1.exe")))
	kit.Succeed(t, os.Remove(playing))
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 {
		t.Errorf("%d folders are left, %v", len(left), err)
	}
}

// TestEngineRefused tells what is wrong with a source.
func TestEngineRefused(t *testing.T) {
	repo := repository(t, engineSource("no bench"))
	for _, name := range []string{"nothing", "--help", ""} {
		if _, _, err := Archive(t.Context(), repo, name); err == nil || !strings.Contains(err.Error(), "commit") {
			t.Errorf("commit %q: %v", name, err)
		}
	}
	source, _, err := Archive(t.Context(), repo, "HEAD")
	kit.Succeed(t, err)
	for want, source := range map[string][]byte{
		"bench": source,
		"zip":   source[:len(source)/2],
		"go":    zipOf(t, "x"),
	} {
		if _, _, err := buildEngine(t.Context(), &Engines{Dir: t.TempDir()}, source); err == nil ||
			!strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
	dir := t.TempDir()
	err = unpack(filepath.Join(dir, "tree"), zipOf(t, "../x"))
	if _, outside := os.Stat(filepath.Join(dir, "x")); !os.IsNotExist(outside) {
		t.Errorf("a source writes outside its folder: %v, %v", err, outside)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, _, err := buildEngine(ctx, &Engines{Dir: t.TempDir()}, source); err == nil {
		t.Error("built after the end")
	}
}

// zipOf returns an archive of one file.
func zipOf(t *testing.T, name string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	w, err := z.Create(name)
	if err == nil {
		_, err = w.Write([]byte("x"))
	}
	kit.Succeed(t, errors.Join(err, z.Close()))
	return b.Bytes()
}

// TestIsolate runs a program in a folder of its own without the environment of this process.
func TestIsolate(t *testing.T) {
	program, err := exec.LookPath("env")
	if err != nil {
		t.Skip("needs env: ", err)
	}
	t.Setenv("TABULA_SECRET", "1")
	e := &Engines{Dir: filepath.Join(t.TempDir(), "engines")}
	c, err := e.Isolate(program)
	kit.Succeed(t, err)
	cmd := exec.Command(c.Path, c.Args...)
	cmd.Dir, cmd.Env = c.Dir, c.Env
	out, err := cmd.Output()
	if err != nil || filepath.Dir(c.Dir) != e.Dir || !strings.Contains(string(out), "HOME="+c.Dir) ||
		strings.Contains(string(out), "SECRET") {
		t.Errorf("in %s: %v\n%s", c.Dir, err, out)
	}
	if _, err := e.Isolate("no-such-program"); !errors.Is(err, exec.ErrNotFound) {
		t.Errorf("error %v", err)
	}
	_, _, err = new(Engines).Get(t.Context(), "x", nil)
	if err == nil || !strings.Contains(err.Error(), "cache directory") {
		t.Errorf("without a folder: %v", err)
	}
}
