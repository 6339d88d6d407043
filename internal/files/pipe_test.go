//go:build unix

package files

import (
	"errors"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestPipe opens a pipe without another end, which would wait for ever.
func TestPipe(t *testing.T) {
	name := filepath.Join(t.TempDir(), "pipe")
	if err := syscall.Mkfifo(name, 0o600); err != nil {
		t.Skip("no pipe can be made: ", err)
	}
	if _, err := Open(name); !errors.Is(err, ErrNotRegular) || !strings.Contains(err.Error(), "a pipe") {
		t.Errorf("%v, want an error that says it is a pipe", err)
	}
}
