package command

import (
	"fmt"

	"github.com/tabula-chess/tabula/farm/build"
	"github.com/tabula-chess/tabula/farm/datagen"
	"github.com/tabula-chess/tabula/farm/match"
	"github.com/tabula-chess/tabula/farm/perft"
	"github.com/tabula-chess/tabula/farm/run"
	"github.com/tabula-chess/tabula/farm/tune"
)

// settings are those of a machine, which no value hangs on.
type settings struct {
	perftHash int          // MiB of a table of counts
	cache     *build.Cache // of engines
}

// opener returns what opens the plan of any kind of run. A new kind gets its
// line here.
func opener(s settings) run.Opener {
	return func(m *run.Manifest) (run.Plan, error) {
		switch m.Kind {
		case perft.Kind:
			return perft.Open(m, s.perftHash)
		case datagen.Kind:
			return datagen.Open(m)
		case match.Kind:
			return match.Open(m, s.cache)
		case tune.Kind:
			return tune.Open(m)
		}
		return nil, fmt.Errorf("this program knows no kind of run %q: it is older or newer than the one that began the run", m.Kind)
	}
}
