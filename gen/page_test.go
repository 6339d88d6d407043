package main

import (
	"archive/zip"
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/tabula-chess/tabula/test/kit"
)

// TestPack packs two folders with the same files: the archives have the same bytes and hold the files.
func TestPack(t *testing.T) {
	texts := map[string]string{"index.html": "<p>index", "assets/a.js": "js", "empty": ""}
	var packed [2][]byte
	for i := range packed {
		dir := t.TempDir()
		kit.Succeed(t, os.Mkdir(filepath.Join(dir, "assets"), 0o700|fs.FileMode(i*0o55)))
		for name, text := range texts {
			kit.Write(t, filepath.Join(dir, name), []byte(text))
		}
		var err error
		packed[i], err = pack(os.DirFS(dir))
		kit.Succeed(t, err)
	}
	if !bytes.Equal(packed[0], packed[1]) {
		t.Error("the same files give other bytes")
	}
	files, err := zip.NewReader(bytes.NewReader(packed[0]), int64(len(packed[0])))
	kit.Succeed(t, err)
	if len(files.File) != len(texts) {
		t.Errorf("%d files, want %d", len(files.File), len(texts))
	}
	for name, text := range texts {
		if got, err := fs.ReadFile(files, name); err != nil || string(got) != text {
			t.Errorf("%s: %q, %v, want %q", name, got, err, text)
		}
	}
	if _, err := pack(os.DirFS(filepath.Join(t.TempDir(), "missing"))); err == nil {
		t.Error("no error for a folder that is not there")
	}
}
