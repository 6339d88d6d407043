package main

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

	"github.com/tabula-chess/tabula/farm/run"
	"github.com/tabula-chess/tabula/internal/testkit"
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
		testkit.Succeed(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o700))
		testkit.Write(t, filepath.Join(dir, name), []byte(text))
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "."},
		{"-c", "user.name=t", "-c", "user.email=t@t", "commit", "-qm", "x"}} {
		if out, err := exec.Command("git", append([]string{"-C", dir}, args...)...).CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
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

func buildEngine(ctx context.Context, c *engineCache, source []byte) (string, uint64, error) {
	return c.engine(ctx, run.Sum(source), func() ([]byte, error) { return source, nil })
}

// TestEngine archives a commit, builds it elsewhere and reads its bench; a second
// cache on the same directory takes what is there.
func TestEngine(t *testing.T) {
	repo, dir := repository(t, engineSource("4711 nodes 12 nps")), t.TempDir()
	source, commit, err := archive(t.Context(), repo, "HEAD")
	testkit.Succeed(t, err)
	if len(commit) != 40 {
		t.Errorf("commit %q", commit)
	}
	path, bench, err := buildEngine(t.Context(), &engineCache{dir: dir}, source)
	if err != nil || bench != 4711 {
		t.Fatalf("bench %d, %v", bench, err)
	}
	built, err := os.Stat(path)
	testkit.Succeed(t, err)
	again, _, err := (&engineCache{dir: dir}).engine(t.Context(), run.Sum(source), nil) // nobody asks for the source
	testkit.Succeed(t, err)
	if info, err := os.Stat(again); err != nil || !os.SameFile(info, built) {
		t.Errorf("it was built again: %v", err)
	}
	for name, age := range map[string]time.Duration{"old-1.exe": 31, "young-1.exe": 29} {
		name = filepath.Join(dir, name)
		testkit.Write(t, name, nil)
		then := time.Now().Add(-age * 24 * time.Hour)
		testkit.Succeed(t, os.Chtimes(name, then, then))
	}
	killed := filepath.Join(dir, "build-1")
	testkit.Succeed(t, os.MkdirAll(filepath.Join(killed, "source"), 0o700))
	then := time.Now().Add(-25 * time.Hour)
	testkit.Succeed(t, os.Chtimes(killed, then, then))
	all, err := os.ReadDir(dir)
	testkit.Succeed(t, err)
	(&engineCache{dir: dir}).clean(all)
	testkit.Succeed(t, os.Remove(filepath.Join(dir, "young-1.exe")))
	left, err := os.ReadDir(dir)
	if err != nil || len(left) != 1 {
		t.Errorf("%d folders are left, %v", len(left), err)
	}
}

// TestEngineRefused tells what is wrong with a source.
func TestEngineRefused(t *testing.T) {
	repo := repository(t, engineSource("no bench"))
	for _, name := range []string{"nothing", "--help", ""} {
		if _, _, err := archive(t.Context(), repo, name); err == nil || !strings.Contains(err.Error(), "commit") {
			t.Errorf("commit %q: %v", name, err)
		}
	}
	source, _, err := archive(t.Context(), repo, "HEAD")
	testkit.Succeed(t, err)
	for want, source := range map[string][]byte{
		"bench": source,
		"zip":   source[:len(source)/2],
		"go":    zipOf(t, "x"),
	} {
		if _, _, err := buildEngine(t.Context(), &engineCache{dir: t.TempDir()}, source); err == nil ||
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
	if _, _, err := buildEngine(ctx, &engineCache{dir: t.TempDir()}, source); err == nil {
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
	testkit.Succeed(t, errors.Join(err, z.Close()))
	return b.Bytes()
}
