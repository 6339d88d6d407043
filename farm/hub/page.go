package hub

import (
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tabula-chess/tabula/farm/run"
	"github.com/tabula-chess/tabula/internal/guard"
	"github.com/tabula-chess/tabula/web"
)

// Page is the page of a farm and the data behind it:
//
//	GET  /                          the page: queue, run and worker
//	GET  /api/queue                 Queue: all runs and workers
//	GET  /api/run/ID                Run: one run, with what its workers have done and its history
//	GET  /api/session               {"operator": whether this client is logged in}
//	POST /api/session TOKEN         logs in with the token of DIR/page.token, for a cookie
//	POST /api/operate ["cancel", "RUN"]  what tabula-farm cancel RUN does, for operators; so do
//	                                pause, resume, priority, forget, ban, unban, drain
//	POST /api/submit ORDER          starts a match or a datagen run, for operators
//	GET  /api/file/NAME             games of a run that was started here
//
// Answers are JSON; errors are {"error": text} with a status of 400 and above. A client is an operator with the cookie.
type Page struct {
	Conn   *run.Conn
	Local  bool                     // the page is for this machine alone: see guard.Hosts
	Token  string                   // makes who has it an operator
	Submit func(order []byte) error // starts a run
	Files  string                   // directory of the files of such runs

	session string // the cookie of operators, which ends with the hub
	mu      sync.Mutex
	view    *run.View
	history map[string][]Point // of open runs
}

// Point is where a run stood at a time.
type Point struct {
	At      time.Time    `json:"at"`
	Units   float64      `json:"units"` // that its workers had done
	Numbers []run.Number `json:"numbers"`
}

// Queue is the answer of /api/queue. Its runs do not tell what single workers have done.
type Queue struct {
	run.View
	Files []string `json:"files"` // of runs that were started here, see /api/file
}

// Run is the answer of /api/run.
type Run struct {
	run.RunView
	History []Point `json:"history"`
}

// maxPoints bounds the history of a run: of more points every second one goes.
const maxPoints = 400

// See takes what the farm does now.
func (p *Page) See(v *run.View) {
	p.mu.Lock()
	defer p.mu.Unlock()
	history := map[string][]Point{}
	for i := range v.Runs {
		r := &v.Runs[i]
		points := p.history[r.Run]
		n := len(points)
		if r.Ended == nil && (n == 0 || v.Now.Sub(points[n-1].At) >= v.Now.Sub(points[0].At)/maxPoints) {
			now := Point{At: v.Now, Numbers: r.Numbers}
			for _, d := range r.Workers {
				now.Units += d.Units
			}
			points = append(points, now)
		}
		if len(points) > maxPoints {
			for i := range points[:len(points)/2] {
				points[i] = points[2*i]
			}
			points = points[:len(points)/2]
		}
		history[r.Run] = points
	}
	p.view, p.history = v, history
}

func (p *Page) queue() Queue {
	p.mu.Lock()
	q := Queue{View: *p.view, Files: []string{}}
	p.mu.Unlock()
	q.Runs = slices.Clone(q.Runs)
	for i := range q.Runs {
		q.Runs[i].Workers, q.Runs[i].Manifest = nil, nil
	}
	all, _ := filepath.Glob(filepath.Join(p.Files, "*.*")) // none where there is no directory
	for _, name := range all {
		if offered(name) {
			q.Files = append(q.Files, filepath.Base(name))
		}
	}
	return q
}

// run returns a copy of a run and its history, since a client may be slow to read it.
func (p *Page) run(id string) (one Run, ok bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	i := slices.IndexFunc(p.view.Runs, func(r run.RunView) bool { return r.Run == id })
	if i < 0 {
		return one, false
	}
	one = Run{p.view.Runs[i], append([]Point{}, p.history[id]...)}
	one.Manifest = nil
	return one, true
}

const (
	cookie  = "tabula-farm"
	maxBody = 1 << 16
)

// Handler returns what serves the page and its data.
func (p *Page) Handler() http.Handler {
	p.session = rand.Text()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/queue", func(w http.ResponseWriter, _ *http.Request) { reply(w, p.queue()) })
	mux.HandleFunc("GET /api/run/{id}", func(w http.ResponseWriter, r *http.Request) {
		one, ok := p.run(r.PathValue("id"))
		if !ok {
			fail(w, http.StatusNotFound, "the farm has no run of that name")
			return
		}
		reply(w, one)
	})
	mux.HandleFunc("GET /api/file/{name}", func(w http.ResponseWriter, r *http.Request) {
		name := r.PathValue("name")
		if !offered(name) || name != filepath.Base(name) {
			fail(w, http.StatusNotFound, "the farm has no file of that name")
			return
		}
		_ = http.NewResponseController(w).SetWriteDeadline(time.Time{}) // a large file takes its time
		w.Header().Set("Content-Disposition", fmt.Sprintf("attachment; filename=%q", name))
		http.ServeFile(w, r, filepath.Join(p.Files, name))
	})
	mux.Handle("GET /", web.Farm()) // everybody gets the page, which shows what /api tells
	mux.HandleFunc("GET /api/session", func(w http.ResponseWriter, r *http.Request) {
		reply(w, map[string]bool{"operator": p.operator(r)})
	})
	post := func(path string, needed bool, do func(w http.ResponseWriter, r *http.Request, body []byte) error) {
		mux.HandleFunc("POST "+path, func(w http.ResponseWriter, r *http.Request) {
			if needed && !p.operator(r) {
				fail(w, http.StatusUnauthorized, "log in with the token of DIR/page.token first")
				return
			}
			body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
			if err == nil {
				err = do(w, r, body)
			}
			if err != nil {
				fail(w, http.StatusBadRequest, err.Error())
				return
			}
			reply(w, map[string]bool{"operator": true})
		})
	}
	post("/api/session", false, func(w http.ResponseWriter, _ *http.Request, body []byte) error {
		if !equal(strings.TrimSpace(string(body)), p.Token) {
			return errors.New("that is not the token of this farm")
		}
		c := &http.Cookie{Name: cookie, Value: p.session, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode}
		http.SetCookie(w, c)
		return nil
	})
	post("/api/operate", true, func(_ http.ResponseWriter, r *http.Request, body []byte) error {
		var words []string
		if err := json.Unmarshal(body, &words); err != nil {
			return errors.New("want a list of words, such as [\"cancel\", \"RUN\"]")
		}
		return p.Conn.DoOperation(r.Context(), "the page", words...)
	})
	post("/api/submit", true, func(_ http.ResponseWriter, _ *http.Request, body []byte) error { return p.Submit(body) })
	// A page of a stranger cannot act in the name of an operator who looks at it.
	return guard.Hosts(http.NewCrossOriginProtection().Handler(mux), nil, p.Local)
}

func (p *Page) operator(r *http.Request) bool {
	c, err := r.Cookie(cookie)
	return err == nil && equal(c.Value, p.session)
}

// equal compares with a secret, in a time that does not tell where they differ.
func equal(text, secret string) bool {
	return secret != "" && subtle.ConstantTimeCompare([]byte(text), []byte(secret)) == 1
}

func offered(name string) bool { return filepath.Ext(name) == ".pgn" || filepath.Ext(name) == ".tbg" }

func reply(w http.ResponseWriter, v any) {
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(v) // the client may be gone
}

func fail(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"error": text})
}
