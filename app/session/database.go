package session

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"slices"

	"github.com/tabula-chess/tabula/chess"
	"github.com/tabula-chess/tabula/games"
)

// errNoHome says that a service keeps nothing for its users.
var errNoHome = errors.New("nothing can be kept here")

// Explored is the result of explore: what was played in a position.
type Explored struct {
	games.Report
	Known bool `json:"known"` // there is a database
}

// exploreFields are the fields of explore.
type exploreFields struct {
	placeFields
	games.Filter
}

// explore answers explore.
func (e *engines) explore(c *call, p *chess.Position, f *exploreFields) (any, error) {
	return work(func() (any, error) {
		out := &Explored{Report: games.Report{Moves: []games.MoveCount{}, Top: []*games.Found{}, Latest: []*games.Found{}}}
		err := e.withGames(c, func(ctx context.Context, db *games.DB) error {
			r, err := db.Show(ctx, p, f.Filter)
			if err == nil {
				out = &Explored{Known: true, Report: *r}
			}
			return err
		})
		if errors.Is(err, games.ErrNone) {
			err = nil
		}
		return out, err
	}), nil
}

// withGames waits for the session's turn and calls use with the current state of the database.
func (e *engines) withGames(c *call, use func(context.Context, *games.DB) error) error {
	return c.place(reading, func(ctx context.Context) error {
		if e.config.Home == "" {
			return games.ErrNone
		}
		db, err := games.Open(e.gamesDir())
		if err != nil {
			return err
		}
		return errors.Join(use(ctx, db), db.Close())
	})
}

// gamesDir returns the directory of the database.
func (e *engines) gamesDir() string { return filepath.Join(e.config.Home, "games") }

// gameFields are the fields of game.
type gameFields struct {
	Number int `json:"number"`
}

// game answers game.
func (e *engines) game(c *call, f *gameFields) (any, error) {
	return work(func() (any, error) {
		var out jsonGame
		err := e.withGames(c, func(_ context.Context, db *games.DB) error {
			found, err := db.Game(f.Number)
			if err != nil {
				return err
			}
			g, err := found.Game()
			if err == nil {
				_, err = measure(g, MaxMessage)
			}
			if err == nil {
				out = gameOf(g, f.Number)
			}
			return err
		})
		return &out, of("number", err)
	}), nil
}

// Imported is the result of import, and its progress.
type Imported struct {
	games.Imported
	Errors   []string `json:"errors"`   // about the first games that cannot be read
	Warnings []string `json:"warnings"` // about the first games of which a part was not understood
	Total    int      `json:"total"`    // in the database
}

// importFields are the fields of import.
type importFields struct {
	Name string `json:"name"` // of the file, for errors
}

// maxTold bounds the errors that are told, and the warnings.
const maxTold = 20

// tellFirst returns what appends an error to those that are told.
func tellFirst(told *[]string) func(error) {
	return func(err error) {
		if len(*told) < maxTold {
			*told = append(*told, err.Error())
		}
	}
}

// importGames answers import: it adds the games of a PGN file, which comes by part, to the database.
func (e *engines) importGames(c *call, f *importFields) (any, error) {
	if e.config.Home == "" {
		return nil, errNoHome
	}
	if c.alone {
		return nil, fault("", "the file comes in parts of the same session: want messages on a WebSocket")
	}
	if c.session.importing() != nil {
		return nil, fault("", "another import is in progress")
	}
	r, w := io.Pipe()
	read := make(chan struct{})
	close(read)
	c.upload, c.endless = &upload{w, read}, true // until its last part has come
	return work(func() (any, error) {
		defer context.AfterFunc(c.ctx, func() { r.CloseWithError(context.Cause(c.ctx)) })()
		out := &Imported{Errors: []string{}, Warnings: []string{}}
		db, err := games.Update(e.gamesDir())
		if err == nil {
			out.Imported, err = db.Import(c.ctx, games.Source{
				Name: f.Name, PGN: r,
				Bad: tellFirst(&out.Errors), Warn: tellFirst(&out.Warnings),
				Progress: func(done games.Imported) {
					c.progress(&Imported{Imported: done, Errors: slices.Clone(out.Errors), Warnings: slices.Clone(out.Warnings)})
				},
			})
			if err == errStopped { // what was read is stored
				err = nil
			}
			out.Total = db.Stats().Games
			err = errors.Join(err, db.Close())
		}
		r.CloseWithError(errors.Join(err, io.ErrClosedPipe))
		return out, err
	}), nil
}

// importing returns the import in progress, nil for none.
func (s *Session) importing() *call {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.calls {
		if c.upload != nil {
			return c
		}
	}
	return nil
}

// partFields are the fields of part.
type partFields struct {
	Data []byte `json:"data"` // base64
	More bool   `json:"more"` // more parts follow
}

// upload is a file that comes by part.
type upload struct {
	*io.PipeWriter
	read <-chan struct{} // closed when the last part that has come is read
}

// part answers part: it hands the next part of a file to the import in progress, and answers when it is read. Parts
// keep their order. An import ends if one of its parts is stopped or refused.
func (e *engines) part(c *call, f *partFields) (any, error) {
	to := c.session.importing()
	if to == nil {
		return nil, fault("", "no import is in progress")
	}
	before, read := to.upload.read, make(chan struct{})
	to.upload.read, to.endless = read, to.endless && f.More
	c.refused = func() {
		to.end(fault("", "a part of the file was refused"))
		close(read)
	}
	return work(func() (any, error) {
		defer close(read)
		defer context.AfterFunc(c.ctx, func() { to.end(errStopped) })()
		<-before
		_, err := to.upload.Write(f.Data)
		if err == nil && !f.More {
			err = to.upload.Close()
		}
		return &Written{}, of("data", err)
	}), nil
}

// drop answers drop: it deletes the database of a page whose engine is its own.
func (e *engines) drop(*call, *bare) (any, error) {
	switch {
	case e.config.Home == "":
		return nil, errNoHome
	case e.config.Shared:
		return nil, fault("", "the database is the directory %s of the program", e.gamesDir())
	}
	return work(func() (any, error) {
		err := games.Remove(e.gamesDir())
		if err == nil { // else the reviews stay with the games
			err = e.sheets.remove(e.config.Home)
		}
		return &Imported{Errors: []string{}, Warnings: []string{}}, err
	}), nil
}
