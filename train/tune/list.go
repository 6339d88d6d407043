package tune

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"text/tabwriter"

	"github.com/tabula-chess/tabula/internal/replace"
	"github.com/tabula-chess/tabula/search"
)

// ListFile is where the list of the numbers of the search stands, seen from the
// root of the repository.
const ListFile = "search/params.go"

// WriteList makes the values of p the defaults of the list in the file name, a Go
// source; none for an empty name.
func WriteList(name string, p search.Params) error {
	if name == "" {
		return nil
	}
	source, err := os.ReadFile(name)
	if err != nil {
		return fmt.Errorf("--list: %w; run it at the root of the repository, or with --list ''", err)
	}
	out, err := search.RewriteDefaults(source, p)
	switch {
	case err != nil:
		return fmt.Errorf("--list %s: %w", name, err)
	case bytes.Equal(out, source):
		return nil
	}
	return replace.File(name, out)
}

// Compare prints the parameters beside the present ones.
func Compare(w io.Writer, fitted search.Params) error {
	present := search.DefaultParams()
	before, after := present.Values(), fitted.Values()
	out := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(out, "parameter\tnow\tfitted\trange")
	for i, t := range search.Tunables() {
		fmt.Fprintf(out, "%s\t%d\t%d\t%d to %d\n", t.Name, before[i], after[i], t.Min, t.Max)
	}
	return out.Flush()
}
