// Package kit helps tests: it ends those that cannot go on, makes positions and games, and
// holds a disk in memory.
//
// Any operation on the disk can be made to fail, a process that uses it can be killed at any
// operation, and the power can be cut, which loses what was not synced.
package kit

import (
	"os"
	"runtime/debug"
	"slices"
	"testing"
)

// T is a test, of package testing or of one that works like it.
type T interface {
	Helper()
	Fatal(args ...any)
}

// Succeed ends the test where there is an error.
func Succeed(t T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// Write writes a file of a test.
func Write(t testing.TB, name string, data []byte) {
	t.Helper()
	Succeed(t, os.WriteFile(name, data, 0o644))
}

// Read reads a file of a test.
func Read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	Succeed(t, err)
	return data
}

// RaceDetector reports whether the test was built with -race.
func RaceDetector() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}
