//go:build !js

package serve

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/tabula-chess/tabula/internal/plural"
)

// perBrowser is the maximum number of sessions of one browser.
const perBrowser = 8

// errAway ends a session that has no request in progress and whose place another one needs.
var errAway = errors.New("this session was idle and gave way to another one")

// sessions are the open sessions: sockets, and POST requests while they last.
type sessions struct {
	most int
	work sync.WaitGroup // of those that were opened

	mu   sync.Mutex
	open map[*visit]bool
}

// visit is an open session.
type visit struct {
	browser string // as browserOf returns it
	idle    func() (since time.Time, idle bool)
	end     func(error)
}

// enter opens a session, and ends idle ones where there are too many. The error says that none is idle. The caller has
// to leave, and to call work.Done at the end.
func (s *sessions) enter(v *visit) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.room(perBrowser, v.browser) {
		return fmt.Errorf("%d sessions of this browser are open, the maximum, and none is idle", perBrowser)
	}
	if !s.room(s.most, "") {
		return fmt.Errorf("%s open, the maximum, and none is idle", plural.Do(s.most, "session", "is", "are"))
	}
	s.open[v] = true
	s.work.Add(1)
	return nil
}

// room reports whether there is room for one more session of a browser, of all for "". If there are too many, it ends
// the one that has been idle for the longest time.
func (s *sessions) room(most int, browser string) bool {
	n, oldest, since := 0, (*visit)(nil), time.Time{}
	for v := range s.open {
		if browser != "" && v.browser != browser {
			continue
		}
		n++
		if at, idle := v.idle(); idle && (oldest == nil || at.Before(since)) {
			oldest, since = v, at
		}
	}
	if n < most {
		return true
	}
	if oldest == nil {
		return false
	}
	delete(s.open, oldest)
	oldest.end(errAway)
	return true
}

// leave makes room for another session.
func (s *sessions) leave(v *visit) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.open, v)
}

// browserOf returns what tells the browser of a request from others: a cookie, which it gets with its first session.
// The address would not do, because all clients of a proxy have the same.
func browserOf(w http.ResponseWriter, r *http.Request) string {
	const name = "tabula"
	if c, err := r.Cookie(name); err == nil && c.Value != "" {
		return c.Value
	}
	c := &http.Cookie{Name: name, Value: rand.Text(), Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode}
	http.SetCookie(w, c)
	return c.Value
}
