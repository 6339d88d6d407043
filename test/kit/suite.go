package kit

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// SuiteLine is a position of a perft suite with its counts for depth 1, 2, ….
type SuiteLine struct {
	FEN    string
	Counts []uint64
}

// Suite reads a perft suite of movegen/testdata, lines of "FEN ;D1 n ;D2 n …". Lines that
// begin with # say where the counts come from.
func Suite(t testing.TB, name string) []SuiteLine {
	t.Helper()
	dir, err := os.Getwd()
	Succeed(t, err)
	for dir != filepath.Dir(dir) && !exists(filepath.Join(dir, "go.mod")) {
		dir = filepath.Dir(dir)
	}
	text, err := os.ReadFile(filepath.Join(dir, "movegen", "testdata", name))
	Succeed(t, err)
	var suite []SuiteLine
	for line := range strings.Lines(string(text)) {
		if strings.HasPrefix(line, "#") {
			continue
		}
		fields := strings.Split(line, ";")
		l := SuiteLine{FEN: strings.TrimSpace(fields[0])}
		for i, field := range fields[1:] {
			n, err := strconv.ParseUint(strings.TrimPrefix(strings.TrimSpace(field), "D"+strconv.Itoa(i+1)+" "), 10, 64)
			if err != nil {
				t.Fatalf("%s: %q: %v", name, line, err)
			}
			l.Counts = append(l.Counts, n)
		}
		suite = append(suite, l)
	}
	if len(suite) < 20 {
		t.Fatalf("%s: %d positions, want at least 20", name, len(suite))
	}
	return suite
}

func exists(name string) bool {
	_, err := os.Stat(name)
	return err == nil
}
