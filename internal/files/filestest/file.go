package filestest

import (
	"os"
	"testing"

	"github.com/tabula-chess/tabula/internal/must"
)

// Write writes a file of a test.
func Write(t testing.TB, name string, data []byte) {
	t.Helper()
	must.Succeed(t, os.WriteFile(name, data, 0o644))
}

// Read reads a file of a test.
func Read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(name)
	must.Succeed(t, err)
	return data
}
