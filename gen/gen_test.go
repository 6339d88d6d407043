package main

import (
	"bytes"
	"go/format"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var generatedHeader = regexp.MustCompile(`(?m)\A// Code generated .* DO NOT EDIT\.$`)

// TestCommitted regenerates everything in memory and compares it with the
// files of the module.
func TestCommitted(t *testing.T) {
	files, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		got, err := os.ReadFile(filepath.Join("..", filepath.FromSlash(f.path)))
		if err != nil {
			t.Errorf("%v; run go generate", err)
			continue
		}
		if !bytes.Equal(got, f.data) {
			t.Errorf("%s differs from what gen writes at byte %d; run go generate", f.path, firstDifference(got, f.data))
		}
	}
}

func firstDifference(a, b []byte) int {
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return i
		}
	}
	return min(len(a), len(b))
}

// TestFiles holds the promises about all generated files: their names, their
// first line, their format, and that none is left over from an emitter that
// has gone.
func TestFiles(t *testing.T) {
	files, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, f := range files {
		paths = append(paths, f.path)
		if !strings.HasPrefix(path.Base(f.path), "z") {
			t.Errorf("%s: the name does not begin with z", f.path)
		}
		if !generatedHeader.Match(f.data) {
			t.Errorf("%s: the first line is not the header of generated files", f.path)
		}
		if !strings.HasSuffix(f.path, ".go") {
			continue
		}
		if want, err := format.Source(f.data); err != nil || !bytes.Equal(want, f.data) {
			t.Errorf("%s is not formatted (%v)", f.path, err)
		}
	}
	slices.Sort(paths)
	if unique := slices.Compact(slices.Clone(paths)); len(unique) != len(paths) {
		t.Errorf("a path is written twice: %v", paths)
	}
	if got := generatedFiles(t); !slices.Equal(got, paths) {
		t.Errorf("generated files in the module: %v, want %v", got, paths)
	}
}

// generatedFiles returns the files of the module that begin with the header.
func generatedFiles(t *testing.T) []string {
	t.Helper()
	var found []string
	root := os.DirFS("..")
	err := fs.WalkDir(root, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (name != "." && strings.HasPrefix(d.Name(), ".") || name == "dist"):
			return fs.SkipDir
		case d.IsDir() || !slices.Contains([]string{".go", ".s", ".mjs"}, path.Ext(name)):
			return nil
		}
		data, err := fs.ReadFile(root, name)
		if generatedHeader.Match(data) {
			found = append(found, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(found)
	return found
}

func TestDeterministic(t *testing.T) {
	first, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	second, err := generate()
	if err != nil {
		t.Fatal(err)
	}
	for i := range first {
		if !bytes.Equal(first[i].data, second[i].data) {
			t.Errorf("%s: two runs differ", first[i].path)
		}
	}
}

func TestRunWritesFiles(t *testing.T) {
	dir := t.TempDir()
	if err := run(dir); err == nil {
		t.Error("run wrote into a directory without go.mod")
	}
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := run(dir); err != nil {
		t.Fatal(err)
	}
	for _, o := range outputs {
		for _, p := range o.paths {
			if info, err := os.Stat(filepath.Join(dir, filepath.FromSlash(p))); err != nil || info.Size() == 0 {
				t.Errorf("%s was not written (%v)", p, err)
			}
		}
	}
}

// BenchmarkGenerate times everything but the writing of the files.
func BenchmarkGenerate(b *testing.B) {
	for b.Loop() {
		if _, err := generate(); err != nil {
			b.Fatal(err)
		}
	}
}
