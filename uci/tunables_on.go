//go:build tabula_tune

package uci

import "github.com/tabula-chess/tabula/search"

// tunables returns an option for each number of the search, for fits by games.
func tunables() []Option {
	var all []Option
	for _, t := range search.Tunables() {
		all = append(all, Option{
			Name: t.Name, Type: Spin, Default: t.Default, Min: t.Min, Max: t.Max, Doc: t.Doc,
			apply: func(s *session, v value) error { return s.engine.SetParam(t.Name, v.number) },
		})
	}
	return all
}
