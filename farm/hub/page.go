package hub

import (
	"cmp"
	"crypto/rand"
	"crypto/subtle"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/tabula-chess/tabula/farm/run"
	"github.com/tabula-chess/tabula/internal/guard"
	"github.com/tabula-chess/tabula/web"
	"github.com/tabula-chess/tabula/work"
)

// Page is the page of a farm and the data behind it:
//
//	GET  /                          the page: queue, run and worker
//	GET  /api/queue                 run.Overview: all runs and workers
//	GET  /api/run/ID                Run: one run, with what its workers have done and its history
//	GET  /api/session               {"operator": whether this client is logged in}
//	POST /api/session TOKEN         logs in with the token of DIR/page.token, for a cookie
//	POST /api/operate ["cancel", "RUN"]  what tabula-farm cancel RUN does, for operators; so do
//	                                pause, resume, priority, forget, revoke, drain
//
// Answers are JSON; errors are {"error": text} with a status of 400 and above. A client is an operator with the cookie.
type Page struct {
	Conn  *run.Conn
	Local bool   // the page is for this machine alone: see guard.Hosts
	Token string // makes who has it an operator

	session string // the cookie of operators, which ends with the hub
	mu      sync.Mutex
	view    *run.Overview      // nil until the hub has looked
	history map[string][]Point // of open runs
}

// Point is where a run stood at a time.
type Point struct {
	At      time.Time     `json:"at"`
	Units   float64       `json:"units"` // that its workers had done
	Numbers []work.Number `json:"numbers"`
}

// Run is the answer of /api/run.
type Run struct {
	run.RunView
	History []Point `json:"history"`
}

const (
	maxPoints = 400 // of a run's history: of more points every second one goes
	cookie    = "tabula-farm"
	maxBody   = 1 << 16
)

// See takes what the farm does now.
func (p *Page) See(v *run.Overview) {
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

// Handler returns what serves the page and its data.
func (p *Page) Handler() http.Handler {
	p.session = rand.Text()
	mux := http.NewServeMux()
	mux.HandleFunc("GET /api/queue", func(w http.ResponseWriter, _ *http.Request) {
		p.mu.Lock()
		v := cmp.Or(p.view, &run.Overview{Runs: []run.RunView{}, Workers: []run.WorkerView{}})
		p.mu.Unlock()
		reply(w, http.StatusOK, v)
	})
	mux.HandleFunc("GET /api/run/{id}", func(w http.ResponseWriter, r *http.Request) {
		p.mu.Lock()
		v, history := cmp.Or(p.view, new(run.Overview)), append([]Point{}, p.history[r.PathValue("id")]...)
		p.mu.Unlock() // a client may be slow to read
		i := slices.IndexFunc(v.Runs, func(one run.RunView) bool { return one.Run == r.PathValue("id") })
		if i < 0 {
			fail(w, http.StatusNotFound, "the farm has no run of that name")
			return
		}
		reply(w, http.StatusOK, Run{v.Runs[i], history})
	})
	mux.Handle("GET /", web.Farm()) // everybody gets the page, which shows what /api tells
	mux.HandleFunc("GET /api/session", func(w http.ResponseWriter, r *http.Request) {
		reply(w, http.StatusOK, map[string]bool{"operator": p.operator(r)})
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
			reply(w, http.StatusOK, map[string]bool{"operator": true})
		})
	}
	post("/api/session", false, func(w http.ResponseWriter, _ *http.Request, body []byte) error {
		if !equal(strings.TrimSpace(string(body)), p.Token) {
			return errors.New("that is not the token of this farm")
		}
		http.SetCookie(w, &http.Cookie{Name: cookie, Value: p.session, Path: "/", HttpOnly: true,
			SameSite: http.SameSiteStrictMode})
		return nil
	})
	post("/api/operate", true, func(_ http.ResponseWriter, r *http.Request, body []byte) error {
		var words []string
		if err := json.Unmarshal(body, &words); err != nil {
			return errors.New("want a list of words, such as [\"cancel\", \"RUN\"]")
		}
		return p.Conn.DoOperation(r.Context(), "the page", words...)
	})
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

func reply(w http.ResponseWriter, status int, v any) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(v) // the client may be gone
}

func fail(w http.ResponseWriter, status int, text string) {
	reply(w, status, map[string]string{"error": text})
}
