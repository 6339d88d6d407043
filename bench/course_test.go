package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	judge "github.com/tabula-chess/tabula/bench/course"
	"github.com/tabula-chess/tabula/examples/course"
	"github.com/tabula-chess/tabula/internal/exit"
	"github.com/tabula-chess/tabula/test/kit"
)

// TestChaptersRun follows the chapters word by word, in a folder that is Tabula's by its go.mod: a generator is
// started, tested and judged, and nothing is left in the folder.
func TestChaptersRun(t *testing.T) {
	if testing.Short() {
		t.Skip("builds programs")
	}
	chapters := course.Chapters()
	var lines []string
	for _, c := range chapters {
		text := string(kit.Read(t, filepath.Join("..", "docs", "course", c.Name+".md")))
		for _, block := range regexp.MustCompile("(?s)```sh\n(.*?)```").FindAllStringSubmatch(text, -1) {
			lines = append(lines, strings.Split(strings.TrimSpace(block[1]), "\n")...)
		}
	}
	clone := filepath.Join(t.TempDir(), "tabula")
	kit.Succeed(t, os.Mkdir(clone, 0o777))
	kit.Write(t, filepath.Join(clone, "go.mod"), []byte("module github.com/tabula-chess/tabula\n"))
	t.Chdir(clone)
	started, tested, judged := 0, 0, 0
	for _, line := range lines {
		line, _, _ = strings.Cut(line, " #")
		words := strings.Fields(line)
		bench := []string{"go", "run", "./bench"}
		switch {
		case len(words) > 3 && slices.Equal(words[:3], bench) && words[4] == "start":
			started++
			if out, errOut, code := call(t, words[3:]...); code != exit.Done {
				t.Errorf("%s: exit code %d\n%s%s", line, code, out, errOut)
			}
		case len(words) > 3 && slices.Equal(words[:3], bench):
			judged++
			if out, errOut, code := call(t, words[3:]...); code != exit.Failed || !strings.Contains(out, "wrong  kings") {
				t.Errorf("%s: exit code %d\n%s%s", line, code, out, errOut)
			}
		case strings.HasPrefix(line, "go test -C ../"):
			tested++
			out, err := exec.Command(words[0], words[1:]...).CombinedOutput()
			if err == nil || !strings.Contains(string(out), "kings, and the edges of the board: ") || !strings.Contains(string(out), "is missing") {
				t.Errorf("%s: %v\n%s", line, err, out)
			}
		case strings.HasPrefix(line, "go run ./examples/course/"): // has a test of its own
		default:
			t.Errorf("the chapters have a command that this test does not run: %s", line)
		}
	}
	if started != 3 || tested != 1 || judged != 1 {
		t.Errorf("%d started, %d tested, %d judged, want 3, 1 and 1", started, tested, judged)
	}
	left, err := os.ReadDir(".")
	kit.Succeed(t, err)
	if len(left) != 1 {
		t.Errorf("the commands leave %v", left)
	}
	for _, inside := range []string{"mine", "dist/mine", "../tabula/mine"} {
		out, errOut, code := call(t, "course", "start", "1", "--out", inside)
		if code != exit.Usage || !strings.Contains(errOut, "lies in Tabula's own folder") {
			t.Errorf("%s: exit code %d\n%s%s", inside, code, out, errOut)
		}
	}
}

// TestChapterFigures compares the numbers of positions that chapter 1 names with the judge's.
func TestChapterFigures(t *testing.T) {
	if testing.Short() {
		t.Skip("builds a program")
	}
	text := string(kit.Read(t, filepath.Join("..", "docs", "course", "array.md")))
	dir := filepath.Join(t.TempDir(), "mine")
	_, err := judge.Start(1, dir)
	kit.Succeed(t, err)
	listed := 0
	for line := range strings.Lines(string(kit.Read(t, filepath.Join(dir, "tests.txt")))) {
		if !strings.HasPrefix(line, "#") {
			listed++
		}
	}
	if !strings.Contains(text, fmt.Sprintf("# %d positions and the counts", listed)) {
		t.Errorf("the starter has %d positions, and the chapter another number", listed)
	}
	source := strings.Replace(string(kit.Read(t, "../examples/course/array/array.go")), "package array", "package mine", 1)
	kit.Write(t, filepath.Join(dir, "mine.go"), []byte(source))
	out, errOut, code := call(t, "course", "1", "--go", dir)
	var tested int
	if _, right, ok := strings.Cut(out, "All is right, in "); code != exit.Done || !ok {
		t.Fatalf("exit code %d\n%s%s", code, out, errOut)
	} else if _, err := fmt.Sscan(right, &tested); err != nil {
		t.Fatal(err)
	}
	if times := (tested + listed/2) / listed; times != 8 || !strings.Contains(text, "eight times as many positions") {
		t.Errorf("the judge tests %d positions, %d times as many", tested, times)
	}
}
