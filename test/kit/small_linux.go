package kit

import (
	"fmt"
	"syscall"
	"testing"
)

// SmallDisk mounts a disk of size bytes until the test ends, or skips the test where that is not allowed.
func SmallDisk(t *testing.T, size int) (dir string) {
	t.Helper()
	dir = t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, fmt.Sprintf("size=%d", size)); err != nil {
		t.Skip("cannot mount a small disk: ", err)
	}
	t.Cleanup(func() { _ = syscall.Unmount(dir, syscall.MNT_DETACH) })
	return dir
}
