package command

import (
	"fmt"

	"github.com/tabula-chess/tabula/farm/annotate"
	"github.com/tabula-chess/tabula/farm/build"
	"github.com/tabula-chess/tabula/farm/datagen"
	"github.com/tabula-chess/tabula/farm/match"
	"github.com/tabula-chess/tabula/farm/perft"
	"github.com/tabula-chess/tabula/farm/run"
	"github.com/tabula-chess/tabula/farm/tables"
	"github.com/tabula-chess/tabula/farm/tune"
)

// settings are those of a machine, on which no value depends.
type settings struct {
	perftHash int          // MiB of a table of counts
	cache     *build.Cache // of engines
	tables    string       // directory of the values of endings
	nps       float64      // of one core, 0 for the reference
}

// kinds returns the versions of the kinds of work. A new kind gets its line here and in
// opener.
func kinds() map[string]int {
	return map[string]int{perft.Kind: perft.Version, datagen.Kind: datagen.Version, match.Kind: match.Version, tune.Kind: tune.Version, annotate.Kind: annotate.Version, tables.Kind: tables.Version}
}

// opener returns what opens the plan of any kind of run.
func opener(s settings) run.Opener {
	return func(m *run.Manifest) (run.Plan, error) {
		if version, ok := kinds()[m.Kind]; !ok || version != m.Version {
			return nil, fmt.Errorf("this program does not know %s of version %d: it is older or newer than what started the run", m.Kind, m.Version)
		}
		switch m.Kind {
		case perft.Kind:
			return perft.Open(m, s.perftHash)
		case datagen.Kind:
			return datagen.Open(m)
		case match.Kind:
			return match.Open(m, s.cache, s.nps)
		case annotate.Kind:
			return annotate.Open(m)
		case tables.Kind:
			return tables.Open(m, s.tables)
		default:
			return tune.Open(m)
		}
	}
}
