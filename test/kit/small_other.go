//go:build !linux

package kit

import "testing"

// SmallDisk skips the test: it is for Linux.
func SmallDisk(t *testing.T, _ int) (dir string) {
	t.Skip("small disks are mounted on Linux alone")
	return ""
}
