package files

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestOpen(t *testing.T) {
	dir := t.TempDir()
	file, link := filepath.Join(dir, "file"), filepath.Join(dir, "link")
	if err := os.WriteFile(file, []byte("text"), 0o644); err != nil {
		t.Fatal(err)
	}
	names := []string{file}
	if os.Symlink(file, link) == nil {
		names = append(names, link)
	}
	for _, name := range names {
		data, err := Read(name)
		if err != nil || string(data) != "text" {
			t.Errorf("%s: %q, %v", name, data, err)
		}
		f, err := Open(name)
		if err != nil {
			t.Fatal(err)
		}
		if data, err := io.ReadAll(f); err != nil || string(data) != "text" {
			t.Errorf("%s: %q, %v", name, data, err)
		}
		f.Close()
	}
	if _, err := Open(filepath.Join(dir, "none")); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "none") {
		t.Errorf("no file: %v", err)
	}
	if _, err := Read(dir); !errors.Is(err, ErrNotRegular) || !strings.Contains(err.Error(), "a directory") {
		t.Errorf("a directory: %v", err)
	}
}
