package exit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"syscall"
	"testing"

	"github.com/tabula-chess/tabula/internal/files"
)

func TestCode(t *testing.T) {
	plain := errors.New("plain")
	for _, tt := range []struct {
		name string
		err  error
		want int
	}{
		{"nothing", nil, Done},
		{"no wrong use", WrongUse(nil), Done},
		{"failure", plain, Failed},
		{"wrong use", WrongUse(plain), Usage},
		{"wrong use in words", WrongUsef("depth %d", 5), Usage},
		{"wrapped wrong use", fmt.Errorf("genfens: %w", WrongUse(plain)), Usage},
		{"wrong use and failure", errors.Join(plain, WrongUse(plain)), Usage},
		{"interrupted", ErrInterrupted, Interrupted},
		{"cancelled", fmt.Errorf("suite: %w", context.Canceled), Interrupted},
		{"interrupted and failed", errors.Join(plain, WrongUse(plain), ErrInterrupted), Interrupted},
		{"a missing file", fmt.Errorf("a.nn: %w", fs.ErrNotExist), Usage},
		{"a missing program", fmt.Errorf("engine: %w", exec.ErrNotFound), Usage},
		{"no file but a directory", fmt.Errorf("a.nn: %w", files.Check(t.TempDir())), Usage},
		{"a full disk", fmt.Errorf("a.nn: %w", syscall.ENOSPC), Failed},
		{"out of time", context.DeadlineExceeded, Failed},
	} {
		if got := Code(tt.err); got != tt.want {
			t.Errorf("%s: %d, want %d", tt.name, got, tt.want)
		}
	}
	if err := WrongUse(plain); !errors.Is(err, plain) || err.Error() != "plain" {
		t.Errorf("%v: the error marked is lost", err)
	}
}
