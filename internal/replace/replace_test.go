package replace

import (
	"os"
	"path/filepath"
	"testing"
)

func TestFile(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a")
	for _, want := range []string{"first", "", "the second is longer"} {
		if err := File(name, []byte(want)); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(name); err != nil || string(got) != want {
			t.Errorf("holds %q, error %v, want %q", got, err, want)
		}
	}
	// What cannot take the name's place leaves nothing behind.
	full := filepath.Join(t.TempDir(), "folder")
	if err := os.MkdirAll(filepath.Join(full, "inner"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := File(full, []byte("x")); err == nil {
		t.Error("a folder was replaced")
	}
	if entries, err := os.ReadDir(filepath.Dir(full)); err != nil || len(entries) != 1 {
		t.Errorf("%d entries after a failure, error %v, want the folder alone", len(entries), err)
	}
}
