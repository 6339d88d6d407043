package uci

import (
	"github.com/tabula-chess/tabula/search"
	"github.com/tabula-chess/tabula/syzygy"
)

// startTables gives the engine the tables that are part of the program, to be
// used as the defaults of the options say.
func (s *session) startTables() error {
	s.set.tables = search.AllTables()
	tables, err := syzygy.Open()
	if err != nil {
		return err
	}
	s.useTables(tables)
	return nil
}

// setTables sets the option SyzygyPath. A directory that cannot be read is
// told of; the tables of the others are used.
func (s *session) setTables(path string) error {
	tables, err := syzygy.Open(syzygy.SplitPath(path)...)
	s.useTables(tables)
	wdl, dtz := tables.Found()
	s.out.note("tables: %d WDL and %d DTZ files found, up to %d pieces", wdl, dtz, tables.Pieces())
	return err
}

// useTables replaces the tables; no search is under way.
func (s *session) useTables(tables *syzygy.Tables) {
	tables.Watch(func(err error) { s.out.note("error: %v", err) })
	s.engine.SetTables(tables)
	if s.tables != nil {
		if err := s.tables.Close(); err != nil {
			s.out.note("error: %v", err)
		}
	}
	s.tables = tables
}
