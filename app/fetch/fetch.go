//go:build !js

// Package fetch adds the games of an account at lichess.org or chess.com to the database, by the public interfaces of
// these sites. Sources: "Export games of a user" and "Rate limiting" in the lichess API, https://lichess.org/api;
// "Published-Data API", https://www.chess.com/news/view/published-data-api.
//
// A fetch makes one request at a time, to the host of the site and no other, redirects included. Only games that have
// come whole are stored, some hundred at a time, together with where the next call goes on.
package fetch

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"regexp"
	"strings"
	"time"

	"github.com/tabula-chess/tabula/games"
	"github.com/tabula-chess/tabula/pgn"
)

// Leaves says what leaves the machine.
const Leaves = "the name of the account, your IP address, and the name and version of this program"

// Site is a site that hands out games.
type Site struct {
	Key  string // in the name of an account
	Name string // as people write it
	Host string // the only one that is asked

	games func(*fetching) error
}

// Sites returns all sites.
func Sites() []Site {
	return []Site{
		{"lichess", "lichess", "lichess.org", (*fetching).lichess},
		{"chesscom", "chess.com", "api.chess.com", (*fetching).chesscom},
	}
}

// Account is an account at a site.
type Account struct {
	Site
	User string
}

// String returns the account as [ParseAccount] reads it. The sites do not distinguish upper and lower case.
func (a Account) String() string { return a.Key + ":" + strings.ToLower(a.User) }

// userName is what names of accounts are like, or were, at either site.
var userName = regexp.MustCompile(`^[A-Za-z0-9_-]{2,30}$`)

// ParseAccount reads lichess:NAME or chesscom:NAME.
func ParseAccount(text string) (Account, error) {
	key, user, _ := strings.Cut(strings.TrimSpace(text), ":")
	for _, s := range Sites() {
		switch {
		case key != s.Key:
		case !userName.MatchString(user):
			return Account{}, fmt.Errorf("name %.40q: want 2 to 30 letters from a to z, digits, - and _", user)
		default:
			return Account{s, user}, nil
		}
	}
	return Account{}, fmt.Errorf("account %.60q: want lichess:NAME or chesscom:NAME", text)
}

// ParseSince reads the first day whose games are wanted, in UTC.
func (c *Client) ParseSince(text string) (since time.Time, err error) {
	since, err = time.Parse(time.DateOnly, strings.NewReplacer(".", "-", "/", "-").Replace(text))
	switch {
	case err != nil:
		return since, fmt.Errorf("date %.20q: want YEAR-MONTH-DAY", text)
	case since.After(c.now()):
		return since, fmt.Errorf("date %.20q: in the future; it is %s UTC", text, c.now().UTC().Format(time.DateTime))
	}
	return since, nil
}

// Request says what is fetched and who is told.
type Request struct {
	Since time.Time                 // the zero time for all games or, of an account that is known, the new ones
	Open  func() (*games.DB, error) // opens the database for changes, a moment each time
	Tell  func(Fetched)             // receives progress
	Bad   func(error)               // receives each game that cannot be read
	Warn  func(error)               // receives each game that has a warning
}

// Fetched is how far a fetch has come.
type Fetched struct {
	games.Imported
	Until string        // the day of the last game, as YEAR-MONTH-DAY; "" before the first
	Wait  time.Duration // for which the site asks before the next request; 0 for none
}

// standing is what the database keeps of an account.
type standing struct {
	From time.Time       `json:"from"`           // games before were not asked for
	Next time.Time       `json:"next"`           // lichess: where the next call begins
	Hold time.Time       `json:"hold,omitzero"`  // lichess, while a fetch is incomplete: Next after it at the latest
	Seen map[string]seen `json:"seen,omitempty"` // chess.com: months
}

// fetching is a fetch under way.
type fetching struct {
	*Client
	Request
	ctx     context.Context
	account Account
	base    *url.URL
	at      standing
	done    Fetched
}

// Fetch adds the games of an account that the database does not have. It goes on where the call before ended, however
// that came about; a Since before the first game that was asked for begins there. Whatever the error, the games that
// have come whole are stored. Errors: those of the connection, of the site, of the database, and the cause of ctx's
// end.
func (c *Client) Fetch(ctx context.Context, account Account, o Request) (games.Imported, error) {
	r := &fetching{Client: c, Request: o, ctx: ctx, account: account}
	r.base = cmp.Or(c.standIn, &url.URL{Scheme: "https", Host: account.Host})
	err := r.stand() // before anything is sent
	if err == nil {
		err = account.games(r)
	}
	return r.done.Imported, err
}

// stand reads where the account stands.
func (r *fetching) stand() error {
	db, err := r.Open()
	if err != nil {
		return err
	}
	mark := db.Mark(r.account.String())
	if mark != "" {
		err = json.Unmarshal([]byte(mark), &r.at)
	}
	if mark == "" || !r.Since.IsZero() && r.Since.Before(r.at.From) {
		r.at = standing{From: r.Since, Next: r.Since}
	}
	return errors.Join(err, db.Close())
}

// store adds games to the database, and where the account stands with them, also when ctx has ended.
func (r *fetching) store(text []byte) error {
	db, err := r.Open()
	if err != nil {
		return err
	}
	var done games.Imported
	if len(text) > 0 {
		src := games.Source{Name: r.account.String(), PGN: bytes.NewReader(text)}
		done, err = db.Import(context.WithoutCancel(r.ctx), src)
	}
	r.done.Games += done.Games
	r.done.Repeated += done.Repeated
	r.done.Warned += done.Warned
	r.done.Shortened += done.Shortened
	mark, wrong := json.Marshal(&r.at)
	if err = cmp.Or(err, wrong); err == nil {
		err = db.SetMark(r.account.String(), string(mark))
	}
	return errors.Join(err, db.Close())
}

// Bounds of what is held in memory to be stored together.
const (
	batchGames = 500
	batchSize  = 4 << 20 // bytes
)

var (
	address = regexp.MustCompile(`\[(Site|Link) "https://[\w./-]+"\]`) // of a game
	ending  = regexp.MustCompile(`(^|\s)(1-0|0-1|1/2-1/2|\*)\s*$`)     // of a whole game
)

// take adds the games of a text that want chooses, as they come. A game that is cut off is not added, and an error.
func (r *fetching) take(text io.Reader, want func(*pgn.Game) bool) error {
	var came, batch bytes.Buffer
	var last func() // takes the last game
	var whole bool  // it is
	in, at, n := pgn.NewReader(io.TeeReader(text, &came)), int64(0), 0
	for {
		g, err := in.Read()
		bad, unreadable := errors.AsType[*pgn.Error](err)
		over := err != nil && !unreadable
		switch {
		case last == nil:
		case err == io.EOF && !whole:
			err = io.ErrUnexpectedEOF
		default:
			last()
		}
		if over || n >= batchGames || batch.Len() >= batchSize {
			if failed := r.store(batch.Bytes()); failed != nil || err == io.EOF {
				return failed
			}
			r.Tell(r.done)
			batch.Reset()
			n = 0
		}
		if over {
			return r.broken(err)
		}
		end := in.InputOffset()
		text := bytes.Clone(came.Next(int(end - at)))
		at, whole = end, ending.Match(text)
		last = func() {
			name := cmp.Or(string(address.Find(text)), "a game")
			switch {
			case unreadable:
				r.done.Bad++
				r.Bad(fmt.Errorf("%s: %s: %s", r.account, name, bad.Reason))
			case want(g):
				if g.Warning != nil {
					r.Warn(fmt.Errorf("%s: %s: %s", r.account, name, g.Warning.Reason))
				}
				n++
				batch.Write(text)
				if t := began(g); !t.IsZero() {
					r.done.Until = t.Format(time.DateOnly)
				}
			}
		}
	}
}

// began returns when a game began, the zero time where its tags do not tell.
func began(g *pgn.Game) time.Time {
	t, _ := time.Parse("2006.01.02 15:04:05", g.Tag("UTCDate")+" "+cmp.Or(g.Tag("UTCTime"), "00:00:00"))
	return t
}
