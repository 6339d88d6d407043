package dashboard

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/internal/files/filestest"
	"github.com/tabula-chess/tabula/internal/must"
	"github.com/tabula-chess/tabula/tabula-farm/coordinator"
	"github.com/tabula-chess/tabula/tabula-farm/link"
	"github.com/tabula-chess/tabula/tabula-farm/run"
)

// sample is a board with a run that goes on, one that failed and two workers.
func sample() *Board {
	b := NewBoard()
	at := time.Unix(1000, 0)
	for n := range 1000 {
		scores := func(points float64) map[string]float64 {
			return map[string]float64{"pairs": 100, "points": points, "squares": points*points/100 + 50}
		}
		b.Report(&coordinator.View{
			Now: at.Add(time.Duration(n) * time.Second),
			Runs: []coordinator.RunView{{
				Open: link.Open{Run: "aaaa", Name: "<b>", Kind: "match", Jobs: 1000, Owner: "me"}, Folded: n, Running: 3, Text: "score",
				Numbers: []run.Number{{Name: "llr", Value: float64(n)}},
				Workers: map[string]*coordinator.Done{
					"UA.m": {Host: "one", Units: float64(10 * n), Scores: scores(200)}, "UB.m": {Host: "two", Scores: scores(200)}, "UC.m": {Scores: scores(280)},
				},
			}},
			Ended:   []link.End{{Open: link.Open{Run: "0bbb", Name: "old", Kind: "perft", Jobs: 5}, Failed: "all broken"}},
			Workers: []coordinator.WorkerView{{Worker: "UA.m", Alive: link.Alive{Machine: link.Machine{Host: "one", Cores: 4}, Spool: 2, Done: 9, Running: []string{"aaaa.7.0"}}}, {Worker: "UB.m"}},
			Bans:    []link.Ban{{Worker: "UA", Reason: "hot"}},
		})
	}
	return b
}

func get(t *testing.T, s *httptest.Server, method, path, body string, change func(*http.Request)) (int, string, *http.Response) {
	t.Helper()
	r, err := http.NewRequest(method, s.URL+path, strings.NewReader(body))
	must.Succeed(t, err)
	if change != nil {
		change(r)
	}
	answer, err := s.Client().Do(r)
	must.Succeed(t, err)
	defer answer.Body.Close()
	text, err := io.ReadAll(answer.Body)
	must.Succeed(t, err)
	return answer.StatusCode, string(text), answer
}

// TestData reads queue, run, worker, figures and page.
func TestData(t *testing.T) {
	s := httptest.NewServer(sample().Handler(Config{Local: true}))
	defer s.Close()
	for path, want := range map[string][]string{
		"/api/queue":       {`"run":"aaaa"`, `"folded":999`, `"failed":"all broken"`, `"worker":"UB.m"`, `"reason":"hot"`, `"workers":null`},
		"/api/run/aaaa":    {`"seconds":[0,`, `"llr":[0,`, `"host":"one"`, `"residuals":{`, `"text":"score"`},
		"/api/run/0bbb":    {`"name":"old"`, `"failed":"all broken"`},
		"/api/worker/UA.m": {`"spool":2`, `"reason":"hot"`, `"name":"\u003cb\u003e"`, `"units":9990`},
		"/api/session":     {`"operator":false`},
		"/metrics": {`tabula_farm_jobs{run="aaaa",name="<b>",kind="match",state="folded"} 999`, `tabula_farm_number{run="aaaa",kind="match",name="llr"} 999`,
			`tabula_farm_worker_jobs{worker="UA.m",host="one",state="spool"} 2`, "tabula_farm_workers 2"},
		"/": {"<title>Tabula farm"},
	} {
		status, text, _ := get(t, s, "GET", path, "", nil)
		for _, w := range want {
			if status != 200 || !strings.Contains(text, w) {
				t.Errorf("%s: %d, lacks %q:\n%.600s", path, status, w, text)
			}
		}
		if strings.Contains(text, "0bbb") && path == "/metrics" {
			t.Error("figures count a run that is over")
		}
		if status, _, _ := get(t, s, "GET", path, "", func(r *http.Request) { r.Host = "evil.example" }); status != http.StatusMisdirectedRequest {
			t.Errorf("%s by a stranger's name: %d", path, status)
		}
	}
	for _, path := range []string{"/api/run/x", "/api/worker/x", "/x"} {
		if status, _, _ := get(t, s, "GET", path, "", nil); status != 404 {
			t.Errorf("%s: %d, want 404", path, status)
		}
	}
}

// TestOperators shows that only who is logged in can change anything, or see a private farm,
// and that a page of another site cannot act for an operator.
func TestOperators(t *testing.T) {
	var did []string
	fails := error(nil)
	s := httptest.NewServer(sample().Handler(Config{Local: true, Private: true, Token: "secret-secret-secret", Operate: func(_ context.Context, name string, args []string) error {
		did = append([]string{name}, args...)
		return fails
	}}))
	defer s.Close()
	for _, path := range []string{"/api/queue", "/api/run/aaaa", "/api/file/x.pgn", "/metrics"} {
		if status, text, _ := get(t, s, "GET", path, "", nil); status != 401 || strings.Contains(text, "aaaa") {
			t.Errorf("%s of a private farm: %d", path, status)
		}
	}
	if status, _, _ := get(t, s, "POST", "/api/operate", `["cancel","aaaa"]`, nil); status != 401 || did != nil {
		t.Errorf("a stranger cancels: %d, %v", status, did)
	}
	if status, _, _ := get(t, s, "POST", "/api/session", "wrong", nil); status != 401 {
		t.Errorf("a wrong token: %d", status)
	}
	status, _, answer := get(t, s, "POST", "/api/session", "secret-secret-secret\n", nil)
	if status != 200 || len(answer.Cookies()) != 1 || !answer.Cookies()[0].HttpOnly {
		t.Fatalf("login: %d, %v", status, answer.Cookies())
	}
	cookied := func(r *http.Request) { r.AddCookie(answer.Cookies()[0]) }
	if status, _, _ := get(t, s, "GET", "/api/queue", "", cookied); status != 200 {
		t.Errorf("an operator sees: %d", status)
	}
	if status, text, _ := get(t, s, "POST", "/api/operate", `["priority","aaaa","3"]`, cookied); status != 200 || !slices.Equal(did, []string{"priority", "aaaa", "3"}) {
		t.Errorf("an operator does %v: %d %s", did, status, text)
	}
	fails = errors.New("no such run")
	if status, text, _ := get(t, s, "POST", "/api/operate", `["cancel","x"]`, func(r *http.Request) { r.Header.Set("Authorization", "Bearer secret-secret-secret") }); status != 400 || !strings.Contains(text, "no such run") {
		t.Errorf("a failure: %d %s", status, text)
	}
	for _, body := range []string{"", "[]", "{}", "[1]"} {
		if status, _, _ := get(t, s, "POST", "/api/operate", body, cookied); status != 400 {
			t.Errorf("%q: %d", body, status)
		}
	}
	if status, _, _ := get(t, s, "POST", "/api/operate", `["cancel","aaaa"]`, func(r *http.Request) { cookied(r); r.Header.Set("Sec-Fetch-Site", "cross-site") }); status != 403 {
		t.Errorf("a page of another site: %d", status)
	}
	name := filepath.Join(t.TempDir(), "token")
	first, err := Token(name)
	if second, again := Token(name); err != nil || again != nil || first != second || len(first) < 20 {
		t.Errorf("tokens %q, %q, %v, %v", first, second, err, again)
	}
	filestest.Write(t, name, []byte("short"))
	if _, err := Token(name); err == nil {
		t.Error("a short token is taken")
	}
}

// TestSeries shows that series stay small, keep their ends and are as long as each other.
func TestSeries(t *testing.T) {
	r, ok := sample().run("aaaa")
	n := len(r.Series.Seconds)
	if !ok || n > maxPoints+1 || n < maxPoints/4 || r.Series.Seconds[n-1] < 990 || len(r.Series.Numbers["llr"]) != n || len(r.Series.Speed) != n {
		text, _ := json.Marshal(r.Series)
		t.Errorf("%d points: %.300s", n, text)
	}
	if speed := r.Series.Speed[n-1]; speed != 10 {
		t.Errorf("%v units a second, want 10", speed)
	}
	// UC has won 40 points of a hundred pairs more than the others.
	if z := r.Residuals["UC.m"]; z < 5 || r.Residuals["UA.m"] > 3 || r.Residuals["UA.m"] < -5 {
		t.Errorf("residuals %v", r.Residuals)
	}
	if _, known := Residual(map[string]*coordinator.Done{"U": {}}, "U"); known {
		t.Error("a worker alone has a residual")
	}
}
