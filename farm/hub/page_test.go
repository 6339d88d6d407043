package hub

import (
	"context"
	"io"
	"log/slog"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/farm/run"
	"github.com/tabula-chess/tabula/test/kit"
	"github.com/tabula-chess/tabula/work"
)

// noWork is a kind of work that nobody does.
type noWork struct{ work.Independent }

func (*noWork) Check() error                                              { return nil }
func (*noWork) Open(context.Context, work.Inputs) (work.JobWorker, error) { return nil, nil }
func (*noWork) Next(int) ([]byte, error)                                  { return nil, nil }
func (*noWork) Add(int, []byte) error                                     { return nil }
func (*noWork) Text() string                                              { return "" }

// TestPage asks the page for its data as strangers and operators do.
func TestPage(t *testing.T) {
	h, err := Start(t.Context(), ServerConfig{Dir: t.TempDir(), Listen: "127.0.0.1:0", Log: slog.New(slog.DiscardHandler)})
	kit.Succeed(t, err)
	defer h.Close()
	k := new(noWork)
	spec, err := (&work.Type{Name: "none"}).Spec(k, 0)
	kit.Succeed(t, err)
	ctx, leave := context.WithCancel(t.Context())
	gone := make(chan error)
	p0 := &run.Remote{Conn: h.Conn, Record: run.Record{Name: "one"}, Log: slog.New(slog.DiscardHandler)}
	go func() { gone <- work.Run(ctx, spec, k, p0, work.RunOptions{}) }()
	for v, err := h.Conn.View(ctx); len(v.Runs) == 0 || v.Runs[0].Ended != nil; v, err = h.Conn.View(ctx) {
		kit.Succeed(t, err)
	}
	id := spec.ID()
	defer func() { leave(); <-gone }()
	p := &Page{Conn: h.Conn, Local: true, Token: "0123456789abcdef"}
	server := httptest.NewServer(p.Handler())
	defer server.Close()
	v, err := h.Conn.View(t.Context())
	kit.Succeed(t, err)
	p.See(v)
	address, err := url.Parse(server.URL)
	kit.Succeed(t, err)
	jar, err := cookiejar.New(nil)
	kit.Succeed(t, err)
	client := &http.Client{Jar: jar}
	ask := func(method, path, body string) (int, string) {
		t.Helper()
		r, err := http.NewRequest(method, server.URL+path, strings.NewReader(body))
		kit.Succeed(t, err)
		answer, err := client.Do(r)
		kit.Succeed(t, err)
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		kit.Succeed(t, err)
		return answer.StatusCode, string(text)
	}
	check := func(method, path, body string, status int, want string) {
		t.Helper()
		if code, text := ask(method, path, body); code != status || !strings.Contains(text, want) {
			t.Errorf("%s %s %s: %d %s, want %d %q", method, path, body, code, text, status, want)
		}
	}
	check("GET", "/api/queue", "", 200, `"workers":[]`)
	check("GET", "/api/run/"+id, "", 200, `"name":"one"`)
	check("GET", "/api/run/"+id, "", 200, `"history":[{"at":`)
	check("GET", "/api/run/b2", "", 404, "no run of that name")
	check("POST", "/api/operate", `["pause","one"]`, 401, "log in")
	check("POST", "/api/session", "wrong", 400, "not the token")
	check("POST", "/api/session", p.Token, 200, `"operator":true`)
	for _, c := range jar.Cookies(address) {
		if strings.Contains(c.Value, p.Token) {
			t.Error("the cookie is the token")
		}
	}
	check("GET", "/api/session", "", 200, `"operator":true`)
	check("POST", "/api/operate", `["pause","one"]`, 200, "operator")
	if s, err := h.Conn.State(t.Context()); err != nil || !s.Runs[0].Paused {
		t.Errorf("%+v, %v", s, err)
	}
	check("POST", "/api/operate", `["pause","none"]`, 400, `there is no open run \"none\"`)
	check("POST", "/api/operate", `{}`, 400, "want a list of words")
	p.session = "of another hub"
	check("POST", "/api/operate", `["pause","one"]`, 401, "log in")
}

// TestHistory keeps the history of a run bounded, from its first moment to the last.
func TestHistory(t *testing.T) {
	p := &Page{history: map[string][]Point{}}
	for n := range 5000 {
		v := &run.Overview{Now: time.Unix(int64(n), 0),
			Runs: []run.RunView{{Record: run.Record{Run: "a"},
				Progress: run.Progress{Workers: map[string]run.Done{"w": {Units: float64(2 * n)}}}}}}
		p.See(v)
		points := p.history["a"]
		if k := len(points); k < min(n, maxPoints/2) || k > maxPoints || points[0].At != time.Unix(0, 0) ||
			points[k-1].At.Unix() < int64(n-n/100) {
			t.Fatalf("after %d s %d points from %v to %v", n, k, points[0].At, points[k-1].At)
		}
	}
	p.See(&run.Overview{})
	if len(p.history) != 0 {
		t.Error("the history of a run that was forgotten stays")
	}
}
