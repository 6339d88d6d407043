//go:build !js

package fetch

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/games"
	"github.com/tabula-chess/tabula/test/kit"
)

// fetcher fetches from a stand-in, at a time that stands still.
type fetcher struct {
	t      *testing.T
	client *Client
	dir    string
	waits  []time.Duration // that were waited for
	told   []string        // about unreadable games, and warnings
	tell   func(Fetched)   // nil for nobody
}

func newFetcher(t *testing.T, s *standIn) *fetcher {
	c, err := New(func(string) string { return s.URL })
	kit.Succeed(t, err)
	f := &fetcher{t: t, client: c, dir: filepath.Join(t.TempDir(), "db")}
	c.now = func() time.Time { return day(2026, 1, 2) }
	c.after = func(d time.Duration) <-chan time.Time {
		f.waits = append(f.waits, d)
		over := make(chan time.Time)
		close(over)
		return over
	}
	return f
}

func (f *fetcher) fetch(ctx context.Context, account, since string) (games.Imported, error) {
	f.t.Helper()
	a, err := ParseAccount(account)
	kit.Succeed(f.t, err)
	var from time.Time
	if since != "" {
		from, err = f.client.ParseSince(since)
		kit.Succeed(f.t, err)
	}
	return f.client.Fetch(ctx, a, Request{
		Since: from,
		Open:  func() (*games.DB, error) { return games.Update(f.dir) },
		Tell: func(p Fetched) {
			if f.tell != nil {
				f.tell(p)
			}
		},
		Bad:  func(err error) { f.told = append(f.told, err.Error()) },
		Warn: func(err error) { f.told = append(f.told, "warning: "+err.Error()) },
	})
}

// want fetches and compares the games and the error, which is given by a part of it.
func (f *fetcher) want(account, since string, done games.Imported, part string) {
	f.t.Helper()
	got, err := f.fetch(f.t.Context(), account, since)
	if got != done || (err == nil) != (part == "") || err != nil && !strings.Contains(err.Error(), part) {
		f.t.Fatalf("%s since %q: %+v, %v; want %+v, %q", account, since, got, err, done, part)
	}
}

// stored returns the addresses of the stored games in their order.
func (f *fetcher) stored() (sites []string) {
	f.t.Helper()
	db, err := games.Open(f.dir)
	kit.Succeed(f.t, err)
	defer db.Close()
	for found, err := range db.Find(f.t.Context(), games.Query{}) {
		kit.Succeed(f.t, err)
		g, err := found.Game()
		kit.Succeed(f.t, err)
		if len(g.Main.Moves) != 3 || g.Tag("Result") != "1-0" || len(g.Tags) < 8 || len(g.Main.Moves[2].Comments) != 1 {
			f.t.Errorf("%s is not whole: %v", g.Tag("Site"), g)
		}
		sites = append(sites, g.Tag("Site"))
	}
	return sites
}

// once compares the stored games with those of the stand-in: each once.
func (f *fetcher) once(s *standIn, context any) {
	f.t.Helper()
	var all []string
	for _, p := range s.games {
		if !p.going && p.variant == "" {
			all = append(all, p.site)
		}
	}
	got := f.stored()
	slices.Sort(got)
	if !slices.Equal(got, all) {
		f.t.Fatalf("%v: %d games, want %d: %q", context, len(got), len(all), got)
	}
}

// TestLichess fetches an account, and then what is new.
func TestLichess(t *testing.T) {
	s := newStandIn(t, 1200)
	f := newFetcher(t, s)
	var until []string
	f.tell = func(p Fetched) { until = append(until, p.Until) }
	f.want("lichess:Anna", "", games.Imported{Games: 1200}, "")
	f.once(s, "first")
	if !slices.Equal(until, []string{"2025-05-07", "2025-09-09"}) {
		t.Errorf("progress until %q", until)
	}
	s.asked = nil
	last := s.games[len(s.games)-1].began
	s.add(2, day(2026, 1, 1), time.Hour)
	f.want("lichess:anna", "", games.Imported{Games: 2, Repeated: 1}, "")
	f.once(s, "second")
	want := []string{
		fmt.Sprintf("/api/games/user/anna?sort=dateAsc&since=%d&finished=false&moves=false", last.UnixMilli()),
		fmt.Sprintf("/api/games/user/anna?sort=dateAsc&since=%d&clocks=true&evals=false&opening=true", last.UnixMilli()),
	}
	if !slices.Equal(s.asked, want) {
		t.Errorf("asked for %q, want %q", s.asked, want)
	}
}

// TestBroken breaks the stream at many places, in two ways. The next call brings the rest, and no game is lost, there
// twice or cut.
func TestBroken(t *testing.T) {
	size := len((&played{site: "https://lichess.org/00000000"}).text())
	for i, cut := range []int{1, 60, size - 60, size - 5, size - 4, size - 3, size - 1, size, size + 1, size + 30, 2*size - 5, 3*size + 7} {
		for _, silent := range []bool{false, true} {
			site := []string{"lichess:anna", "chesscom:anna"}[i%2]
			s := newStandIn(t, 4)
			s.cut, s.silent = cut, silent
			f := newFetcher(t, s)
			got, err := f.fetch(t.Context(), site, "")
			whole := silent && (cut%size == 0 || cut%size >= size-3) // nothing tells that more should come
			if (err == nil) != whole || got.Games > (cut+3)/size || got.Games < (cut-2)/size || got.Bad > 0 {
				t.Fatalf("%s, cut at byte %d of %d, silent %v: %+v, %v", site, cut, size, silent, got, err)
			}
			if err != nil && !strings.Contains(err.Error(), "the same call goes on") {
				t.Errorf("%s, cut at byte %d: %v", site, cut, err)
			}
			if _, err := f.fetch(t.Context(), site, ""); err != nil {
				t.Fatal(err)
			}
			if site == "lichess:anna" || !whole {
				f.once(s, fmt.Sprint(site, ", cut at byte ", cut, ", silent ", silent))
			}
		}
	}
}

// TestGoesOn breaks a long stream: the next call begins at the last game that has come.
func TestGoesOn(t *testing.T) {
	s := newStandIn(t, 1300)
	s.cut = 700 * len(s.games[0].text())
	f := newFetcher(t, s)
	f.want("lichess:anna", "", games.Imported{Games: 700}, "lichess.org: unexpected EOF")
	f.want("lichess:anna", "", games.Imported{Games: 600, Repeated: 1}, "")
	f.once(s, "after a break")
	if want := fmt.Sprint("since=", s.games[699].began.UnixMilli()); len(s.asked) != 3 || !strings.Contains(s.asked[2], want) {
		t.Errorf("asked for %q, want %s", s.asked, want)
	}
}

// TestStopped ends a fetch from outside while games come, and while it waits.
func TestStopped(t *testing.T) {
	s := newStandIn(t, 1300)
	f := newFetcher(t, s)
	stop := errors.New("enough")
	ctx, end := context.WithCancelCause(t.Context())
	f.tell = func(p Fetched) { end(stop) }
	if got, err := f.fetch(ctx, "lichess:anna", ""); err != stop || got.Games < 500 || len(f.stored()) != got.Games {
		t.Fatalf("%+v, %v", got, err)
	}
	f.tell = nil
	if _, err := f.fetch(t.Context(), "lichess:anna", ""); err != nil {
		t.Fatal(err)
	}
	f.once(s, "after a stop")

	f.client.after = func(time.Duration) <-chan time.Time { return nil } // it never ends
	s.faults = []http.HandlerFunc{limited("")}
	ctx, end = context.WithCancelCause(t.Context())
	f.tell = func(p Fetched) {
		if p.Wait == time.Minute {
			end(stop)
		}
	}
	if _, err := f.fetch(ctx, "lichess:anna", ""); err != stop {
		t.Errorf("while it waits: %v", err)
	}
}

// limited answers that there were too many requests.
func limited(after string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if after != "" {
			w.Header().Set("Retry-After", after)
		}
		w.WriteHeader(http.StatusTooManyRequests)
	}
}

// TestWaits is limited: the client waits as long as it is told, and at least a minute.
func TestWaits(t *testing.T) {
	date := day(2026, 1, 2).Add(4 * time.Minute).Format(http.TimeFormat)
	for _, site := range []string{"lichess:anna", "chesscom:anna"} {
		s := newStandIn(t, 3)
		f := newFetcher(t, s)
		s.faults = []http.HandlerFunc{limited(""), limited("120"), nil, limited("5"), limited(date), limited("soon")}
		f.want(site, "", games.Imported{Games: 3}, "")
		f.once(s, site)
		if want := []time.Duration{60e9, 120e9, 60e9, 240e9, 60e9}; !slices.Equal(f.waits, want) {
			t.Errorf("%s: waited for %v, want %v", site, f.waits, want)
		}
		f.waits = nil
		s.faults = []http.HandlerFunc{limited("7200")}
		f.want(site, "", games.Imported{}, "429 Too Many Requests and wants a pause of 2h0m0s")
		s.faults = slices.Repeat([]http.HandlerFunc{limited("")}, 9)
		f.want(site, "", games.Imported{}, "429 Too Many Requests")
		if len(f.waits) != mostWaits {
			t.Errorf("%s: %d waits, want %d", site, len(f.waits), mostWaits)
		}
		for status, part := range map[int]string{404: "name: ", 410: "closed for good", 403: "403 Forbidden", 500: "500 Internal"} {
			s.faults = []http.HandlerFunc{func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(status) }}
			f.want(site, "", games.Imported{}, part)
		}
	}
	s := newStandIn(t, 0)
	f := newFetcher(t, s)
	f.want("lichess:nobody", "", games.Imported{}, "name: lichess has no account nobody")
	f.want("chesscom:nobody", "", games.Imported{}, "name: chess.com has no account nobody")
	f.want("lichess:anna", "", games.Imported{}, "") // an account without games
	f.want("chesscom:anna", "", games.Imported{}, "")
}

// TestYear fetches twelve months. The next call asks for the months that may have changed, and gets those that have.
func TestYear(t *testing.T) {
	s := newStandIn(t, 4*362)
	f := newFetcher(t, s)
	f.want("chesscom:Anna", "", games.Imported{Games: 4 * 362}, "")
	f.once(s, "a year")
	if len(s.asked) != 13 {
		t.Errorf("asked for %q", s.asked)
	}
	s.asked = nil
	f.want("chesscom:anna", "", games.Imported{}, "")
	s.add(1, day(2025, 12, 31).Add(23*time.Hour), 0)
	s.add(2, day(2026, 1, 1), time.Hour)
	f.want("chesscom:anna", "", games.Imported{Games: 3, Repeated: 4 * 30}, "")
	f.once(s, "changed")
	list, december, january := "/pub/player/anna/games/archives", "/pub/player/anna/games/2025/12/pgn", "/pub/player/anna/games/2026/01/pgn"
	if want := []string{list, december, list, december, january}; !slices.Equal(s.asked, want) {
		t.Errorf("asked for %q, want %q", s.asked, want)
	}
	f.client.now = func() time.Time { return day(2026, 6, 1) }
	f.want("chesscom:anna", "", games.Imported{}, "") // both are settled now
	s.asked = nil
	f.want("chesscom:anna", "", games.Imported{}, "")
	if want := []string{list}; !slices.Equal(s.asked, want) {
		t.Errorf("asked for %q, want %q", s.asked, want)
	}
}

// TestYearBroken breaks in the seventh month, where the next call goes on. A month that is gone is passed over.
func TestYearBroken(t *testing.T) {
	s := newStandIn(t, 4*362)
	f := newFetcher(t, s)
	gone := func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusGone) }
	s.faults = []http.HandlerFunc{nil, nil, gone, nil, nil, nil, nil, func(w http.ResponseWriter, q *http.Request) {
		s.cut = 1000
		s.chesscom(w, q, "2025/07/pgn")
	}}
	if _, err := f.fetch(t.Context(), "chesscom:anna", ""); err == nil || !strings.HasPrefix(err.Error(), "api.chess.com: unexpected EOF") {
		t.Fatal(err)
	}
	s.asked = nil
	if _, err := f.fetch(t.Context(), "chesscom:anna", ""); err != nil || len(s.asked) != 7 || !strings.HasSuffix(s.asked[1], "/2025/07/pgn") {
		t.Fatalf("asked for %q, %v", s.asked, err)
	}
	if want := []string{"warning: chesscom:anna: the games of 2025/02 are gone for good"}; !slices.Equal(f.told, want) {
		t.Errorf("told %q, want %q", f.told, want)
	}
	s.games = slices.DeleteFunc(s.games, func(p *played) bool { return p.began.Month() == time.February })
	f.once(s, "but February")
}

// TestSince begins on a day, goes on where it was, and begins earlier when it is asked to.
func TestSince(t *testing.T) {
	for _, site := range []string{"lichess:anna", "chesscom:anna"} {
		s := newStandIn(t, 4*100)
		f := newFetcher(t, s)
		count := func(from time.Time) (n int) {
			for _, p := range s.games {
				if !p.began.Before(from) {
					n++
				}
			}
			return n
		}
		for _, tt := range []struct {
			since string
			first time.Time // of the stored games
		}{
			{"2025-03-05", day(2025, 3, 5)}, {"", day(2025, 3, 5)}, {"2025.04.01", day(2025, 3, 5)},
			{"2025-02-03", day(2025, 2, 3)}, {"", day(2025, 2, 3)}, {"2025-01-01", day(2025, 1, 1)}, {"", day(2025, 1, 1)},
		} {
			if _, err := f.fetch(t.Context(), site, tt.since); err != nil {
				t.Fatal(err)
			}
			if got, want := len(f.stored()), count(tt.first); got != want {
				t.Errorf("%s since %q: %d games, want %d", site, tt.since, got, want)
			}
		}
		f.once(s, site)
	}
}

// TestUnfinished fetches while a game goes on, which began before others: it comes with the next call, when it is over.
func TestUnfinished(t *testing.T) {
	s := newStandIn(t, 9)
	s.games[3].going, s.games[5].going = true, true
	f := newFetcher(t, s)
	f.want("lichess:anna", "", games.Imported{Games: 7}, "")
	s.games[5].going = false
	f.want("lichess:anna", "", games.Imported{Games: 1, Repeated: 4}, "")
	s.games[3].going = false
	s.cut = 1000
	if _, err := f.fetch(t.Context(), "lichess:anna", ""); err == nil {
		t.Fatal("the stream is broken")
	}
	if _, err := f.fetch(t.Context(), "lichess:anna", ""); err != nil {
		t.Fatal(err)
	}
	f.once(s, "all are over")
}

// TestVariants leaves out a game of other rules and says which one it is.
func TestVariants(t *testing.T) {
	s := newStandIn(t, 5)
	s.games[2].variant = "Atomic"
	f := newFetcher(t, s)
	f.want("lichess:anna", "", games.Imported{Games: 4, Bad: 1}, "")
	if len(f.told) != 1 || !strings.HasPrefix(f.told[0], `lichess:anna: [Site "https://lichess.org/00000002"]: `) || !strings.Contains(f.told[0], "Atomic") {
		t.Errorf("told %q", f.told)
	}
	f.once(s, "but one")
}

// recorder passes requests on and keeps which hosts they were for.
type recorder struct {
	next  http.RoundTripper
	hosts []string
}

func (r *recorder) RoundTrip(q *http.Request) (*http.Response, error) {
	r.hosts = append(r.hosts, q.URL.Scheme+"://"+q.URL.Host)
	return r.next.RoundTrip(q)
}

// TestNothingElse looks at all that leaves: requests to one host, in redirects and for addresses in answers too, with
// the name of the account and of the program, and nothing else.
func TestNothingElse(t *testing.T) {
	elsewhere := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) { t.Errorf("%s is asked elsewhere", q.URL) }))
	defer elsewhere.Close()
	for _, site := range []string{"lichess:Anna", "chesscom:Anna"} {
		s := newStandIn(t, 40)
		f := newFetcher(t, s)
		out := &recorder{next: f.client.transport}
		f.client.transport = out
		redirect := func(to string) http.HandlerFunc {
			return func(w http.ResponseWriter, q *http.Request) {
				http.SetCookie(w, &http.Cookie{Name: "tracker", Value: "1"})
				http.Redirect(w, q, to+strings.ToLower(q.URL.Path)+"?"+q.URL.RawQuery, http.StatusMovedPermanently)
			}
		}
		for _, to := range []string{elsewhere.URL, strings.Replace(s.URL, "http:", "https:", 1), "ftp://127.0.0.1", "https://lichess.org.evil.example", "//evil.example"} {
			s.faults = []http.HandlerFunc{redirect(to)}
			f.want(site, "", games.Imported{}, "nothing is sent there")
			s.faults = []http.HandlerFunc{nil, redirect(to)}
			f.want(site, "", games.Imported{}, "nothing is sent there")
		}
		s.faults = []http.HandlerFunc{redirect(s.URL)} // as chess.com does for names in capitals
		f.want(site, "", games.Imported{Games: 40}, "")
		f.once(s, site)
		if hosts := slices.Compact(out.hosts); !slices.Equal(hosts, []string{s.URL}) {
			t.Errorf("%s: requests to %q", site, hosts)
		}
		for _, h := range s.headers {
			for name, values := range h {
				switch want := map[string]string{"User-Agent": "Tabula/", "Accept": "application/", "Accept-Encoding": "gzip", "Referer": s.URL}[name]; {
				case want == "" || len(values) != 1 || !strings.HasPrefix(values[0], want):
					t.Errorf("%s: header %s: %q", site, name, values)
				case name == "User-Agent" && !strings.HasSuffix(values[0], "username: Anna)"):
					t.Errorf("%s: %q does not say who asks", site, values[0])
				}
			}
		}
	}
	c, err := New(func(string) string { return "" })
	kit.Succeed(t, err)
	for _, s := range Sites() { // without a stand-in, by way of a transport that sends nothing
		out := &recorder{next: refusing{}}
		c.transport = out
		_, err := c.Fetch(t.Context(), Account{s, "anna"}, Request{Open: func() (*games.DB, error) { return games.Update(t.TempDir()) }})
		if err == nil || !slices.Equal(out.hosts, []string{"https://" + s.Host}) {
			t.Errorf("%s: requests to %q, %v", s.Key, out.hosts, err)
		}
	}
}

type refusing struct{}

func (refusing) RoundTrip(*http.Request) (*http.Response, error) {
	return nil, errors.New("no network")
}

// TestRefused looks at accounts, dates and stand-ins that are refused before anything is sent.
func TestRefused(t *testing.T) {
	for text, want := range map[string]string{
		"lichess:anna": "", "chesscom:Anna_B-2": "", " lichess:42 ": "",
		"anna": "want lichess:NAME", "": "want lichess:NAME", "Lichess:anna": "want lichess:NAME", "lichess.org:anna": "want lichess:NAME",
		"lichess:": "name \"\"", "lichess:a": "name", "lichess:an na": "name", "lichess:../api": "name", "lichess:änna": "name",
		"chesscom:a?b": "name", "chesscom:a/b": "name", "chesscom:a%2Fb": "name", "chesscom:anna\n": "", "lichess:a\nb": "name",
		"lichess:" + strings.Repeat("a", 31): "name", "lichess:@anna": "name", "lichess:anna:b": "name", "lichess:an\x00na": "name",
	} {
		if _, err := ParseAccount(text); (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("account %q: %v, want %q", text, err, want)
		}
	}
	c := &Client{now: func() time.Time { return day(2026, 1, 2).Add(time.Hour) }}
	for text, want := range map[string]any{
		"": "want YEAR", "2025-02-28": day(2025, 2, 28), "2025.02.01": day(2025, 2, 1), "2025.02": "want YEAR", "2026/01/02": day(2026, 1, 2),
		"2026-01-03": "in the future", "2027.01.01": "in the future", "2025-02-30": "want YEAR", "2025-13-01": "want YEAR", "yesterday": "want YEAR",
		"31.01.2025": "want YEAR", "0": "want YEAR", "????": "want YEAR", "2025-01-01T00:00": "want YEAR", "-1": "want YEAR", " ": "want YEAR",
	} {
		got, err := c.ParseSince(text)
		if part, wrong := want.(string); wrong && (err == nil || !strings.Contains(err.Error(), part)) || !wrong && (err != nil || got != want) {
			t.Errorf("since %q: %v, %v; want %v", text, got, err, want)
		}
	}
	for _, address := range []string{"http://lichess.org", "127.0.0.1:80", "http://192.168.0.1:80", "://", "http://localhost.example"} {
		if _, err := New(func(string) string { return address }); err == nil || !strings.Contains(err.Error(), Variable) {
			t.Errorf("a stand-in at %q: %v", address, err)
		}
	}
}

// TestStrangeAnswers gets what no documentation tells of. Nothing of it becomes a game or a request.
func TestStrangeAnswers(t *testing.T) {
	answer := func(text string) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { fmt.Fprint(w, text) }
	}
	for _, tt := range []struct{ site, text, want string }{
		{"chesscom:anna", "<html>", "the list of months"}, {"chesscom:anna", `{"archives":["https://x.example/../secret"]}`, "/YEAR/MONTH"},
		{"chesscom:anna", `{"archives":["2025/13"]}`, "/YEAR/MONTH"}, {"chesscom:anna", `{"archives":[""]}`, "/YEAR/MONTH"},
		{"chesscom:anna", `{"archives":[` + strings.Repeat(" ", mostList), "the list of months"},
	} {
		s := newStandIn(t, 2)
		s.faults = []http.HandlerFunc{answer(tt.text)}
		newFetcher(t, s).want(tt.site, "", games.Imported{}, tt.want)
		if len(s.asked) != 1 {
			t.Errorf("%.40q: asked for %q", tt.text, s.asked)
		}
	}
	s := newStandIn(t, 2)
	s.faults = []http.HandlerFunc{nil, answer("<html><title>Please wait</title></html>")}
	f := newFetcher(t, s)
	if got, err := f.fetch(t.Context(), "lichess:anna", ""); err == nil || got.Games > 0 {
		t.Errorf("a page: %+v, %v", got, err)
	}
}
