package files

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"
)

// TestSecret makes a file that only its owner reads, once.
func TestSecret(t *testing.T) {
	name := filepath.Join(t.TempDir(), "key")
	failed := errors.New("no luck")
	if _, err := Secret(name, func() ([]byte, error) { return nil, failed }); !errors.Is(err, failed) {
		t.Errorf("error %v", err)
	}
	for _, text := range []string{"first", "second"} {
		if got, err := Secret(name, func() ([]byte, error) { return []byte(text), nil }); err != nil || string(got) != "first" {
			t.Errorf("%q, %v", got, err)
		}
	}
	info, err := os.Stat(name)
	if err != nil || runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}
