package test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabula-chess/tabula/uci"
)

var update = flag.Bool("update", false, "write the table of options in docs/uci.md")

// TestOptionTable compares the table in docs/uci.md with the options.
func TestOptionTable(t *testing.T) {
	name := filepath.Join(moduleRoot, "docs", "uci.md")
	old, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	const open, end = "<!-- options -->\n", "<!-- /options -->\n"
	before, rest, ok := strings.Cut(string(old), open)
	_, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("%s: the table stands between the lines %q and %q", name, open, end)
	}
	want := before + open + uci.OptionTable() + end + after
	if *update {
		if err := os.WriteFile(name, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, string(old)); diff != "" {
		t.Errorf("%s is out of date, run make docs (-want +got):\n%s", name, diff)
	}
}
