package hub

import (
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/tabula-chess/tabula/internal/guard"
	"github.com/tabula-chess/tabula/tabula-farm/run"
	"github.com/tabula-chess/tabula/web"
)

// Page is the page of a farm and the data behind it:
//
//	GET  /                          the page: queue, run and worker
//	GET  /api/queue                 Queue: all runs and workers, without their history
//	GET  /api/run/ID                Run: one run, with what was plotted of it
//	GET  /api/worker/ID             Worker: one worker, with what it has done of each run
//	GET  /api/session               {"operator": whether this client is logged in}
//	POST /api/session TOKEN         logs in with the token of DIR/page.token, for a cookie
//	POST /api/operate ["cancel", "RUN"]  what farm cancel RUN does, for operators; so do
//	                                pause, resume, priority, forget, ban, unban, drain
//	POST /api/submit ORDER          starts a match or a datagen run, for operators
//	GET  /api/file/NAME             games of a run that was started here
//
// Answers are JSON; errors are {"error": text} with a status of 400 and above. A client is
// an operator with the cookie or with "Authorization: Bearer TOKEN". A private farm shows
// nothing to others.
type Page struct {
	Conn    *run.Conn
	Local   bool   // the page is for this machine alone: see guard.Hosts
	Private bool   // only operators see anything
	Token   string // makes who has it an operator
	// Submit starts a run, and Orders tells of those that are not in the queue yet, or failed
	// before. The files of such runs are in the directory Files.
	Submit func(order []byte) error
	Orders func() map[string]string
	Files  string

	board    board
	mu       sync.Mutex
	sessions map[string]time.Time // ends of sessions, by the value of their cookies
}

// Token returns the token of a file, a new one where there is no file.
func Token(name string) (string, error) {
	text, err := run.Secret(name, func() ([]byte, error) { return []byte(rand.Text()), nil })
	token := strings.TrimSpace(string(text))
	if err == nil && len(token) < 16 {
		err = fmt.Errorf("%s: a token of %d letters: want 16 or more", name, len(token))
	}
	return token, err
}

// Watch looks at the farm once a second until ctx ends.
func (p *Page) Watch(ctx context.Context) {
	for ctx.Err() == nil {
		if v, err := p.Conn.View(ctx); err == nil {
			p.board.report(v)
		} else {
			p.Conn.Warn(err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(time.Second):
		}
	}
}

// A cookie holds the name of a session, which ends with the hub or after sessionTime.
const (
	cookie      = "tabula-farm"
	sessionTime = 30 * 24 * time.Hour
	maxBody     = 1 << 16
)

// Handler returns what serves the page and its data.
func (p *Page) Handler() http.Handler {
	p.board.series, p.sessions = map[string]*Series{}, map[string]time.Time{}
	p.board.view = run.View{Runs: []run.RunView{}, Workers: []run.WorkerView{}, Bans: []run.Mark{}}
	mux := http.NewServeMux()
	read := func(pattern string, answer http.HandlerFunc) {
		mux.HandleFunc("GET "+pattern, func(w http.ResponseWriter, r *http.Request) {
			if p.Private && !p.operator(r) {
				fail(w, http.StatusUnauthorized, "this farm is shown to its operators alone: log in with the token of DIR/page.token")
				return
			}
			answer(w, r)
		})
	}
	read("/api/queue", func(w http.ResponseWriter, _ *http.Request) {
		q := p.board.queue()
		q.Orders = p.Orders()
		all, _ := filepath.Glob(filepath.Join(p.Files, "*.*")) // none where there is no directory
		for _, name := range all {
			if offered(filepath.Base(name)) {
				q.Files = append(q.Files, filepath.Base(name))
			}
		}
		reply(w, q, true)
	})
	read("/api/file/{name}", func(w http.ResponseWriter, r *http.Request) {
		name := r.PathValue("name")
		if !offered(name) || name != filepath.Base(name) {
			reply(w, nil, false)
			return
		}
		w.Header().Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", name))
		http.ServeFile(w, r, filepath.Join(p.Files, name))
	})
	read("/api/run/{id}", func(w http.ResponseWriter, r *http.Request) {
		one, ok := p.board.run(r.PathValue("id"))
		reply(w, one, ok)
	})
	read("/api/worker/{id}", func(w http.ResponseWriter, r *http.Request) {
		one, ok := p.board.worker(r.PathValue("id"))
		reply(w, one, ok)
	})
	mux.Handle("GET /", web.Farm()) // everybody gets the page, which shows what /api tells
	mux.HandleFunc("GET /api/session", func(w http.ResponseWriter, r *http.Request) {
		reply(w, map[string]bool{"operator": p.operator(r)}, true)
	})
	mux.HandleFunc("POST /api/session", p.login)
	mux.HandleFunc("POST /api/operate", p.act(func(r *http.Request, body []byte) error {
		var words []string
		if err := json.Unmarshal(body, &words); err != nil {
			return errors.New("want a list of words, such as [\"cancel\", \"RUN\"]")
		}
		return p.Conn.DoOperation(r.Context(), "the page", words...)
	}))
	mux.HandleFunc("POST /api/submit", p.act(func(_ *http.Request, body []byte) error { return p.Submit(body) }))
	// A page of a stranger cannot act in the name of an operator who looks at it.
	return guard.Hosts(http.NewCrossOriginProtection().Handler(mux), nil, p.Local)
}

// operator reports whether a request is an operator's.
func (p *Page) operator(r *http.Request) bool {
	if token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok {
		return p.isToken(token)
	}
	c, err := r.Cookie(cookie)
	p.mu.Lock()
	defer p.mu.Unlock()
	return err == nil && time.Now().Before(p.sessions[c.Value])
}

// isToken reports whether a text is the token.
func (p *Page) isToken(token string) bool {
	return p.Token != "" && subtle.ConstantTimeCompare([]byte(token), []byte(p.Token)) == 1
}

// login begins a session of an operator.
func (p *Page) login(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil || !p.isToken(strings.TrimSpace(string(text))) {
		fail(w, http.StatusUnauthorized, "that is not the token of this farm")
		return
	}
	name := rand.Text()
	p.mu.Lock()
	for old, end := range p.sessions {
		if time.Now().After(end) {
			delete(p.sessions, old)
		}
	}
	p.sessions[name] = time.Now().Add(sessionTime)
	p.mu.Unlock()
	http.SetCookie(w, &http.Cookie{Name: cookie, Value: name, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode, MaxAge: int(sessionTime.Seconds())})
	reply(w, map[string]bool{"operator": true}, true)
}

// act handles what an operator sends.
func (p *Page) act(do func(r *http.Request, body []byte) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !p.operator(r) {
			fail(w, http.StatusUnauthorized, "log in with the token of DIR/page.token first")
			return
		}
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
		if err == nil {
			err = do(r, body)
		}
		if err != nil {
			fail(w, http.StatusBadRequest, err.Error())
			return
		}
		reply(w, map[string]bool{"done": true}, true)
	}
}

// offered reports whether a file is one that may be downloaded: the games of a run.
func offered(name string) bool { return filepath.Ext(name) == ".pgn" || filepath.Ext(name) == ".tbg" }

// reply answers in JSON; ok is false for what is not there.
func reply(w http.ResponseWriter, v any, ok bool) {
	if !ok {
		fail(w, http.StatusNotFound, "the farm has nothing of that name")
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // the client may be gone
}

// fail answers with an error.
func fail(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"error": text})
}
