package hub

import (
	"encoding/json"
	"io"
	"math"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/internal/testkit"
	"github.com/tabula-chess/tabula/tabula-farm/run"
)

// TestPage asks the page for its data as strangers and operators do.
func TestPage(t *testing.T) {
	h, err := Start(Config{Dir: t.TempDir(), Times: run.Usual()})
	testkit.Succeed(t, err)
	defer h.Close()
	testkit.Succeed(t, run.Put(t.Context(), h.Conn.Runs, "a1", &run.Record{Run: "a1", Name: "one", Kind: "toy", Share: 1, Jobs: 5}))
	dir := t.TempDir()
	for _, name := range []string{"x.pgn", "x.json", "secret"} {
		testkit.Succeed(t, os.WriteFile(filepath.Join(dir, name), []byte("[]"), 0o600))
	}
	var submitted string
	p := &Page{Conn: h.Conn, Local: true, Token: "0123456789abcdef", Files: dir, Orders: func() map[string]string { return map[string]string{"two": "is prepared"} }}
	p.Submit = func(order []byte) error { submitted = string(order); return nil }
	server := httptest.NewServer(p.Handler())
	defer server.Close()
	v, err := h.Conn.View(t.Context())
	testkit.Succeed(t, err)
	p.board.report(v)
	address, err := url.Parse(server.URL)
	testkit.Succeed(t, err)
	jar, err := cookiejar.New(nil)
	testkit.Succeed(t, err)
	client := &http.Client{Jar: jar}
	ask := func(method, path, body, token string) (int, string) {
		t.Helper()
		r, err := http.NewRequest(method, server.URL+path, strings.NewReader(body))
		testkit.Succeed(t, err)
		if token != "" {
			r.Header.Set("Authorization", "Bearer "+token)
		}
		answer, err := client.Do(r)
		testkit.Succeed(t, err)
		defer answer.Body.Close()
		text, err := io.ReadAll(answer.Body)
		testkit.Succeed(t, err)
		return answer.StatusCode, string(text)
	}
	check := func(method, path, body, token string, status int, want string) {
		t.Helper()
		if code, text := ask(method, path, body, token); code != status || !strings.Contains(text, want) {
			t.Errorf("%s %s %s: %d %s, want %d %q", method, path, body, code, text, status, want)
		}
	}
	check("GET", "/api/queue", "", "", 200, `"files":["x.pgn"],"orders":{"two":"is prepared"}`)
	check("GET", "/api/run/a1", "", "", 200, `"name":"one"`)
	check("GET", "/api/run/b2", "", "", 404, "nothing of that name")
	check("GET", "/api/worker/b2", "", "", 404, "nothing of that name")
	check("GET", "/api/file/x.pgn", "", "", 200, "[]")
	check("GET", "/api/file/x.json", "", "", 404, "")
	check("GET", "/api/file/..%2Fx.pgn", "", "", 404, "")
	check("POST", "/api/operate", `["pause","one"]`, "", 401, "log in")
	check("POST", "/api/operate", `["pause","one"]`, "wrong", 401, "log in")
	check("POST", "/api/session", "wrong", "", 401, "not the token")
	check("POST", "/api/submit", `{"kind":"match"}`, p.Token, 200, "done")
	if submitted != `{"kind":"match"}` {
		t.Errorf("submitted %q", submitted)
	}
	check("POST", "/api/session", p.Token, "", 200, `"operator":true`)
	for _, c := range jar.Cookies(address) {
		if strings.Contains(c.Value, p.Token) {
			t.Error("the cookie is the token")
		}
	}
	check("GET", "/api/session", "", "", 200, `"operator":true`)
	check("POST", "/api/operate", `["pause","one"]`, "", 200, "done")
	if r, _, err := run.Get[run.Record](t.Context(), h.Conn.Runs, "a1"); err != nil || !r.Paused {
		t.Errorf("%+v, %v", r, err)
	}
	check("POST", "/api/operate", `["pause","none"]`, "", 400, `there is no open run \"none\"`)
	check("POST", "/api/operate", `{}`, "", 400, "want a list of words")
	p.mu.Lock()
	for name := range p.sessions {
		p.sessions[name] = time.Now().Add(-time.Second)
	}
	p.mu.Unlock()
	check("POST", "/api/operate", `["pause","one"]`, "", 401, "log in")
	p.Private = true
	check("GET", "/api/queue", "", "", 401, "operators alone")
}

// TestSeries keeps a series bounded, as long for each number, whenever it comes and goes.
func TestSeries(t *testing.T) {
	s := &Series{began: time.Unix(0, 0), Numbers: map[string][]float64{}, every: 1}
	for n := range 2000 {
		numbers := []run.Number{{Name: "a", Value: float64(n)}}
		if n > 100 && n < 1000 {
			numbers = append(numbers, run.Number{Name: "b", Value: 1})
		}
		s.sample(time.Unix(int64(n), 0), numbers, float64(2*n))
	}
	if n := len(s.Seconds); n < maxPoints/2 || n > maxPoints || len(s.Numbers["a"]) != n || len(s.Numbers["b"]) != n || s.Speed[n-1] != 2 {
		text, _ := json.Marshal(s)
		t.Errorf("%d points: %.200s", n, text)
	}
}

// TestResidual compares scores by hand: means 0.5 and 1 of two points, variance 0.25.
func TestResidual(t *testing.T) {
	done := func(pairs, points, squares float64) *run.Done {
		return &run.Done{Scores: map[string]float64{"pairs": pairs, "points": points, "squares": squares}}
	}
	workers := map[string]*run.Done{"a": done(4, 4, 4), "b": done(100, 50, 50), "c": done(1, 1, 1)}
	z, known := Residual(map[string]*run.Done{"a": workers["a"], "b": workers["b"]}, "a")
	if want := 0.5 / math.Sqrt(0.25/4+0.25/100); !known || math.Abs(z-want) > 1e-9 {
		t.Errorf("%v, %v, want %v", z, known, want)
	}
	if _, known := Residual(workers, "c"); known {
		t.Error("one pair tells a residual")
	}
}
