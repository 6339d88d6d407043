package dashboard

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

	"github.com/tabula-chess/tabula/internal/guard"
	"github.com/tabula-chess/tabula/tabula-farm/link"
	"github.com/tabula-chess/tabula/web"
)

// Config says how the board is shown.
type Config struct {
	Local   bool   // the page is for this machine alone: see guard.Hosts
	Private bool   // only operators see anything
	Token   string // makes who has it an operator
	// Operate does what an operator wants: a command of the farm and its arguments.
	Operate func(ctx context.Context, name string, args []string) error
	// Submit starts a run, and Submitted tells of those that are not in the queue yet, or failed
	// before. The files of such runs are in the directory Files.
	Submit    func(s *Submission) error
	Submitted func() map[string]string
	Files     string
}

// Token returns the token of a file, a new one where there is no file.
func Token(name string) (string, error) {
	text, err := link.Secret(name, func() ([]byte, error) { return []byte(rand.Text()), nil })
	token := strings.TrimSpace(string(text))
	if err == nil && len(token) < 16 {
		err = fmt.Errorf("%s: a token of %d letters: want 16 or more", name, len(token))
	}
	return token, err
}

// cookie is the name of the cookie that holds an operator's token.
const cookie = "tabula-farm"

// maxBody bounds what a client sends.
const maxBody = 1 << 16

// Handler returns the page and its data, as the package's doc tells.
func (b *Board) Handler(c Config) http.Handler {
	mux := http.NewServeMux()
	read := func(pattern string, answer func(w http.ResponseWriter, r *http.Request)) {
		mux.HandleFunc("GET "+pattern, func(w http.ResponseWriter, r *http.Request) {
			if c.Private && !c.operator(r) {
				fail(w, http.StatusUnauthorized, "this farm is shown to its operators alone: log in with the token of DIR/page.token")
				return
			}
			answer(w, r)
		})
	}
	read("/api/queue", func(w http.ResponseWriter, _ *http.Request) {
		q := b.queue()
		if c.Submitted != nil {
			q.Submitted = c.Submitted()
		}
		all, _ := filepath.Glob(filepath.Join(c.Files, "*.*")) // none where there is no directory
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
		http.ServeFile(w, r, filepath.Join(c.Files, name))
	})
	read("/api/run/{id}", func(w http.ResponseWriter, r *http.Request) {
		one, ok := b.run(r.PathValue("id"))
		reply(w, one, ok)
	})
	read("/api/worker/{id}", func(w http.ResponseWriter, r *http.Request) {
		one, ok := b.worker(r.PathValue("id"))
		reply(w, one, ok)
	})
	read("/metrics", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
		q := b.queue()
		q.metrics(w)
	})
	mux.Handle("GET /", web.Farm()) // everybody gets the page, which shows what /api tells
	mux.HandleFunc("GET /api/session", func(w http.ResponseWriter, r *http.Request) {
		reply(w, map[string]bool{"operator": c.operator(r)}, true)
	})
	mux.HandleFunc("POST /api/session", c.login)
	mux.HandleFunc("POST /api/operate", act(&c, func(r *http.Request, words *[]string) error {
		if len(*words) == 0 {
			return errors.New("want a list of words, such as [\"cancel\", \"RUN\"]")
		}
		return c.Operate(r.Context(), (*words)[0], (*words)[1:])
	}))
	mux.HandleFunc("POST /api/submit", act(&c, func(_ *http.Request, s *Submission) error { return c.Submit(s) }))
	// A page of a stranger cannot act in the name of an operator who looks at it.
	return guard.Hosts(http.NewCrossOriginProtection().Handler(mux), nil, c.Local)
}

// operator reports whether a request is an operator's.
func (c *Config) operator(r *http.Request) bool {
	token, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if one, err := r.Cookie(cookie); !ok && err == nil {
		token = one.Value
	}
	return c.is(token)
}

// is reports whether a text is the token.
func (c *Config) is(token string) bool {
	return c.Token != "" && subtle.ConstantTimeCompare([]byte(token), []byte(c.Token)) == 1
}

// login gives an operator a cookie.
func (c *Config) login(w http.ResponseWriter, r *http.Request) {
	text, err := io.ReadAll(http.MaxBytesReader(w, r.Body, maxBody))
	if err != nil || !c.is(strings.TrimSpace(string(text))) {
		fail(w, http.StatusUnauthorized, "that is not the token of this farm")
		return
	}
	http.SetCookie(w, &http.Cookie{Name: cookie, Value: c.Token, Path: "/", HttpOnly: true, SameSite: http.SameSiteStrictMode, MaxAge: 30 * 86400})
	reply(w, map[string]bool{"operator": true}, true)
}

// act handles what an operator sends in JSON.
func act[T any](c *Config, do func(r *http.Request, body *T) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if !c.operator(r) {
			fail(w, http.StatusUnauthorized, "log in with the token of DIR/page.token first")
			return
		}
		body := new(T)
		err := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody)).Decode(body)
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
	_ = json.NewEncoder(w).Encode(v) // who has gone does not hear it
}

// fail answers with an error.
func fail(w http.ResponseWriter, status int, text string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(status)
	_ = json.NewEncoder(w).Encode(map[string]string{"error": text})
}

// metrics writes figures for Prometheus: of runs that are open and workers that live.
func (q *Queue) metrics(w io.Writer) {
	fmt.Fprintf(w, "# TYPE tabula_farm_workers gauge\ntabula_farm_workers %d\n", len(q.Workers))
	fmt.Fprintln(w, "# TYPE tabula_farm_jobs gauge")
	for i := range q.Runs {
		r := &q.Runs[i]
		for state, value := range map[string]int{"all": r.Jobs, "folded": r.Folded, "running": r.Running, "given_up": len(r.Dead)} {
			fmt.Fprintf(w, "tabula_farm_jobs{run=%q,name=%q,kind=%q,state=%q} %d\n", r.Run, r.Name, r.Kind, state, value)
		}
	}
	fmt.Fprintln(w, "# TYPE tabula_farm_number gauge")
	for i := range q.Runs {
		r := &q.Runs[i]
		for _, n := range r.Numbers {
			fmt.Fprintf(w, "tabula_farm_number{run=%q,kind=%q,name=%q} %g\n", r.Run, r.Kind, n.Name, n.Value)
		}
	}
	fmt.Fprintln(w, "# TYPE tabula_farm_worker_jobs gauge")
	for i := range q.Workers {
		x := &q.Workers[i]
		for _, n := range []struct {
			state string
			value int
		}{{"done", x.Done}, {"running", len(x.Running)}, {"spool", x.Spool}} {
			fmt.Fprintf(w, "tabula_farm_worker_jobs{worker=%q,host=%q,state=%q} %d\n", x.Worker, x.Host, n.state, n.value)
		}
	}
}
