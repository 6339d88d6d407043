//go:build !js

package session

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/tabula-chess/tabula/app/fetch"
	"github.com/tabula-chess/tabula/games"
	"github.com/tabula-chess/tabula/internal/files"
)

// allowedName is the file in the home directory with the keys of the sites that may be asked.
const allowedName = "sites.json"

var errTakenBack = errors.New("the site may not be asked any more; what had come is stored")

// sitesFields are the fields of sites.
type sitesFields struct {
	Site  string `json:"site"`  // with allow
	Allow *bool  `json:"allow"` // whether the site may be asked from now on
}

// GamesSite is a site that hands out games.
type GamesSite struct {
	Key     string `json:"key"` // of accounts: KEY:NAME
	Name    string `json:"name"`
	Host    string `json:"host"` // the only one that is asked
	Allowed bool   `json:"allowed"`
}

// Sites is the result of sites.
type Sites struct {
	Sites  []GamesSite `json:"sites"`
	Leaves string      `json:"leaves"` // what the site learns
}

// sites answers sites: which sites the user has allowed to be asked. Permission can be given and taken back.
func (e *engines) sites(_ *call, f *sitesFields) (any, error) {
	if e.config.Home == "" {
		return nil, errNoHome
	}
	known := func(s fetch.Site) bool { return s.Key == f.Site }
	if (f.Allow != nil || f.Site != "") && !slices.ContainsFunc(fetch.Sites(), known) {
		return nil, fault("site", "%.40q, want lichess or chesscom", f.Site)
	}
	e.home.Lock()
	defer e.home.Unlock()
	allowed, err := e.allowed()
	if err == nil && f.Allow != nil {
		allowed[f.Site] = *f.Allow
		if c := e.fetching[f.Site]; c != nil && !*f.Allow {
			c.end(errTakenBack)
		}
		text, _ := json.Marshal(allowed) // of texts
		if err = os.MkdirAll(e.config.Home, 0o777); err == nil {
			err = files.Write(filepath.Join(e.config.Home, allowedName), text)
		}
	}
	out := &Sites{Leaves: fetch.Leaves}
	for _, s := range fetch.Sites() {
		out.Sites = append(out.Sites, GamesSite{s.Key, s.Name, s.Host, allowed[s.Key]})
	}
	return out, err
}

// allowed returns by key whether a site may be asked: none before the user says so.
func (e *engines) allowed() (keys map[string]bool, err error) {
	text, err := files.Read(filepath.Join(e.config.Home, allowedName))
	if errors.Is(err, fs.ErrNotExist) {
		return map[string]bool{}, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &keys)
	}
	return keys, err
}

// fetchFields are the fields of fetch.
type fetchFields struct {
	Account string `json:"account"` // lichess:NAME or chesscom:NAME
	Since   string `json:"since"`   // a date
}

// Fetching is the progress of a fetch.
type Fetching struct {
	Games    int    `json:"games"`    // that are new
	Repeated int    `json:"repeated"` // that were there already
	Until    string `json:"until"`    // the day of the last game, "" before the first
	Wait     int64  `json:"wait"`     // ms for which the site asks before it goes on, or 0
}

// fetch answers fetch: it adds the games of an account to the database.
func (e *engines) fetch(c *call, f *fetchFields) (any, error) {
	if e.config.Home == "" {
		return nil, errNoHome
	}
	client, err := fetch.New(os.Getenv)
	if err != nil {
		return nil, err
	}
	account, err := fetch.ParseAccount(f.Account)
	if err != nil {
		return nil, of("account", err)
	}
	to := fetch.Request{Open: func() (*games.DB, error) { return games.Update(e.gamesDir()) }}
	if f.Since != "" {
		if to.Since, err = client.ParseSince(f.Since); err != nil {
			return nil, of("since", err)
		}
	}
	return work(func() (any, error) {
		if err := e.asks(account.Site, c); err != nil {
			return nil, err
		}
		defer e.asks(account.Site, nil) //nolint:errcheck // it ends
		out := &Imported{Errors: []string{}, Warnings: []string{}}
		to.Bad, to.Warn = tellFirst(&out.Errors), tellFirst(&out.Warnings)
		to.Tell = func(p fetch.Fetched) { c.progress(&Fetching{p.Games, p.Repeated, p.Until, millis(p.Wait)}) }
		out.Imported, err = client.Fetch(c.ctx, account, to)
		if err == errStopped { // what came is stored
			err = nil
		}
		if db, failed := games.Open(e.gamesDir()); failed == nil {
			out.Total = db.Stats().Games
			err = errors.Join(err, db.Close())
		}
		return out, err
	}), nil
}

// asks notes the call that asks a site, nil for none. The site must be allowed, and no other call may ask it.
func (e *engines) asks(s fetch.Site, c *call) error {
	e.home.Lock()
	defer e.home.Unlock()
	if c == nil {
		delete(e.fetching, s.Key)
		return nil
	}
	switch allowed, err := e.allowed(); {
	case err != nil:
		return err
	case !allowed[s.Key]:
		return fault("account", "%s may not be asked until you allow it", s.Host)
	case e.fetching[s.Key] != nil:
		return fault("account", "%s is being asked already, and is asked one thing at a time", s.Host)
	}
	e.fetching[s.Key] = c
	return nil
}
