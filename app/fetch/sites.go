//go:build !js

package fetch

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/tabula-chess/tabula/pgn"
)

// firstSince is the first time that lichess accepts, in ms.
const firstSince = 1356998400070

// lichess fetches games in the order in which they began. Those that still go on appear among the others later, so the
// next fetch begins at the first of them.
func (r *fetching) lichess() error {
	if r.at.Hold.IsZero() {
		hold := r.now().UTC()
		going, err := r.export("finished=false&moves=false")
		if err != nil {
			return err
		}
		defer going.Close()
		for g, err := range pgn.NewReader(going).Games() {
			if _, unreadable := errors.AsType[*pgn.Error](err); unreadable {
				continue
			} else if err != nil {
				return r.broken(err)
			}
			if t := began(g); g.Tag("Result") == "*" && !t.IsZero() && t.Before(hold) {
				hold = t
			}
		}
		r.at.Hold = hold
	}
	finished, err := r.export("clocks=true&evals=false&opening=true")
	if err != nil {
		return err
	}
	defer finished.Close()
	err = r.take(finished, func(g *pgn.Game) bool {
		if t := began(g); t.After(r.at.Next) {
			r.at.Next = t
		}
		return true
	})
	if err != nil {
		return err
	}
	if r.at.Hold.Before(r.at.Next) {
		r.at.Next = r.at.Hold
	}
	r.at.Hold = time.Time{}
	return r.store(nil)
}

// export asks lichess for the games from where the account stands, the first ones first.
func (r *fetching) export(which string) (io.ReadCloser, error) {
	since := max(firstSince, r.at.Next.UnixMilli())
	path := fmt.Sprintf("/api/games/user/%s?sort=dateAsc&since=%d&%s", r.account.User, since, which)
	answer, err := r.get(path, "application/x-chess-pgn", seen{})
	if err != nil {
		return nil, r.noAccount(err)
	}
	return answer.Body, nil
}

// seen is the state of a month when it was fetched, as HTTP has it.
type seen struct {
	Tag      string `json:"etag,omitempty"`
	Modified string `json:"modified,omitempty"`
	Settled  bool   `json:"settled,omitempty"` // it does not change any more
}

// settles is how long after its end a month may still change: answers of chess.com are up to twelve hours old.
const settles = 72 * time.Hour

// chesscom fetches the games by months, in order, but not those months that do not change any more.
func (r *fetching) chesscom() error {
	path := "/pub/player/" + strings.ToLower(r.account.User) + "/games/"
	months, err := r.months(path + "archives")
	if err != nil {
		return r.noAccount(err)
	}
	for _, month := range months {
		asked, end, name := r.now(), month.AddDate(0, 1, 0), month.Format("2006/01")
		if r.at.Seen[name].Settled || !end.After(r.at.From) {
			continue
		}
		now, err := r.month(path+name+"/pgn", r.at.Seen[name])
		if status, _ := errors.AsType[statusError](err); status == http.StatusGone {
			r.Warn(fmt.Errorf("%s: the games of %s are gone for good", r.account, name))
		} else if err != nil {
			return err
		}
		now.Settled = asked.After(end.Add(settles))
		if r.at.Seen == nil {
			r.at.Seen = map[string]seen{}
		}
		r.at.Seen[name] = now
		if err := r.store(nil); err != nil {
			return err
		}
	}
	return nil
}

// mostList bounds the list of months in bytes.
const mostList = 1 << 20

// months returns the first days of the months of which there are games, in order.
func (r *fetching) months(path string) (months []time.Time, err error) {
	answer, err := r.get(path, "application/json", seen{})
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	text, err := io.ReadAll(io.LimitReader(answer.Body, mostList))
	if err != nil {
		return nil, r.broken(err)
	}
	var list struct {
		Archives []string `json:"archives"`
	}
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, fmt.Errorf("%s: the list of months: %w", r.account.Host, err)
	}
	for _, address := range list.Archives { // of which nothing but the month is used
		month, err := time.Parse("2006/01", address[max(0, len(address)-len("2006/01")):])
		if err != nil {
			return nil, fmt.Errorf("%s: archive %.80q: want …/YEAR/MONTH", r.account.Host, address)
		}
		months = append(months, month)
	}
	slices.SortFunc(months, time.Time.Compare)
	return months, nil
}

// month adds the games of a month, unless it is as it was seen before, and returns how it is seen now.
func (r *fetching) month(path string, before seen) (seen, error) {
	answer, err := r.get(path, "application/x-chess-pgn", before)
	if err != nil {
		return before, err
	}
	defer answer.Body.Close()
	if answer.StatusCode == http.StatusNotModified {
		return before, nil
	}
	err = r.take(answer.Body, func(g *pgn.Game) bool {
		day, wrong := time.Parse("2006.01.02", g.Tag("EndDate"))
		if wrong != nil {
			day = began(g)
		}
		return day.IsZero() || !day.Before(r.at.From)
	})
	return seen{Tag: answer.Header.Get("ETag"), Modified: answer.Header.Get("Last-Modified")}, err
}
