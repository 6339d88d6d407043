//go:build !tabula_rules

package session

import (
	"context"
	"errors"
	"io"

	"github.com/tabula-chess/tabula/games"
)

// errNoHome says that a service keeps nothing for its users.
var errNoHome = errors.New("nothing can be kept here")

// Imported is the result of import, and its progress.
type Imported struct {
	Games    int      `json:"games"`    // that are new
	Repeated int      `json:"repeated"` // that were there already
	Bad      int      `json:"bad"`      // that cannot be read
	Errors   []string `json:"errors"`   // about the first of them
	Total    int      `json:"total"`    // in the database
}

// importFields are the fields of import.
type importFields struct {
	Name string `json:"name"` // of the file, for errors
}

// maxImportErrors bounds the errors that are told.
const maxImportErrors = 20

// importGames answers import: it adds the games of a PGN file, which comes by part, to the database.
func (s *Session) importGames(_ *call, f *importFields) (work, *Error) {
	if s.service.config.Home == "" {
		return nil, fault("", "%v", errNoHome)
	}
	r, w := io.Pipe()
	if !s.parts.CompareAndSwap(nil, w) {
		return nil, fault("", "another import is in progress")
	}
	return func(c *call) (any, *Error) {
		defer s.parts.Store(nil)
		defer context.AfterFunc(c.ctx, func() { r.CloseWithError(context.Cause(c.ctx)) })()
		out := &Imported{Errors: []string{}}
		set := func(done games.Imported) { out.Games, out.Repeated, out.Bad = done.Games, done.Repeated, done.Bad }
		err := s.updateGames(func(db *games.DB) error {
			done, err := db.Import(c.ctx, games.Source{
				Name: f.Name, PGN: r,
				Bad: func(err error) {
					if len(out.Errors) < maxImportErrors {
						out.Errors = append(out.Errors, err.Error())
					}
				},
				Progress: func(done games.Imported) {
					set(done)
					now := *out
					s.out.event(c.key, func() Reply { return Reply{ID: c.id, Progress: &now} })
				},
			})
			set(done)
			out.Total = db.Stats().Games
			return err
		})
		r.CloseWithError(errors.Join(err, io.ErrClosedPipe))
		if err != nil {
			return nil, fault("", "%v", err)
		}
		return out, nil
	}, nil
}

// updateGames calls use with the database, open for changes.
func (s *Session) updateGames(use func(*games.DB) error) error {
	db, err := games.Update(s.service.gamesDir())
	if err != nil {
		return err
	}
	return errors.Join(use(db), db.Close())
}

// partFields are the fields of part.
type partFields struct {
	Data []byte `json:"data"` // base64
	More bool   `json:"more"` // more parts follow
}

// part answers part: it hands the next part of a file to the import in progress, and waits until it is read.
func (s *Session) part(c *call, f *partFields) (work, *Error) {
	w := s.parts.Load()
	if w == nil {
		return nil, fault("", "no import is in progress")
	}
	c.keeps = true
	return func(*call) (any, *Error) {
		_, err := w.Write(f.Data)
		if err == nil && !f.More {
			err = w.Close()
		}
		if err != nil {
			return nil, fault("data", "%v", err)
		}
		return &Written{}, nil
	}, nil
}

// drop answers drop: it deletes the database of a page whose engine is its own.
func (s *Session) drop(*call, *bare) (work, *Error) {
	switch {
	case s.service.config.Home == "":
		return nil, fault("", "%v", errNoHome)
	case s.service.config.Shared:
		return nil, fault("", "the database is the directory %s of the program", s.service.gamesDir())
	}
	return func(*call) (any, *Error) {
		if err := errors.Join(games.Remove(s.service.gamesDir()), s.service.sheets.remove(s.service.config.Home)); err != nil {
			return nil, fault("", "%v", err)
		}
		return &Imported{Errors: []string{}}, nil
	}, nil
}
