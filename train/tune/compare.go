package tune

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/tabula-chess/tabula/search"
)

// Compare prints the fitted parameters beside the present ones.
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
