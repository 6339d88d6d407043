package test

import (
	"flag"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabula-chess/tabula/internal/files/filestest"
	"github.com/tabula-chess/tabula/uci"
)

var update = flag.Bool("update", false, "write the table of options in docs/uci.md")

// TestOptionTable compares the table in docs/uci.md with the options.
func TestOptionTable(t *testing.T) {
	name := filepath.Join(moduleRoot, "docs", "uci.md")
	old := filestest.Read(t, name)
	const open, end = "<!-- options -->\n", "<!-- /options -->\n"
	before, rest, ok := strings.Cut(string(old), open)
	_, after, closed := strings.Cut(rest, end)
	if !ok || !closed {
		t.Fatalf("%s: the table stands between the lines %q and %q", name, open, end)
	}
	want := before + open + uci.OptionTable() + end + after
	if *update {
		filestest.Write(t, name, []byte(want))
		return
	}
	if diff := cmp.Diff(want, string(old)); diff != "" {
		t.Errorf("%s is out of date, run make docs (-want +got):\n%s", name, diff)
	}
}
