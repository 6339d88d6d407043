package launch

import (
	"fmt"
	"strings"

	"github.com/tabula-chess/tabula/movegen/attacks"
)

// chooseAttacks obeys TABULA_ATTACKS: the empty text leaves the choice to the
// processor, any other names a path this machine must be able to run.
func chooseAttacks(text string) (attacks.Path, error) {
	path, err := attacks.Select(text)
	if err != nil {
		return 0, fmt.Errorf("TABULA_ATTACKS: %w", err)
	}
	return path, nil
}

// describePath returns the path's name and whether it was asked for.
func describePath(path attacks.Path, asked bool) string {
	if asked {
		return path.String() + " (chosen by TABULA_ATTACKS)"
	}
	return path.String() + " (chosen by processor)"
}

// attacksHelp lists the paths and whether this machine can run each.
func attacksHelp() string {
	var b strings.Builder
	for p := attacks.Magic; p <= attacks.AVX512; p++ {
		state := "available"
		if err := attacks.Supported(p); err != nil {
			state = err.Error()
		}
		fmt.Fprintf(&b, "  %-8s %s\n", p, state)
	}
	return b.String()
}
