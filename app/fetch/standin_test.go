//go:build !js

package fetch

import (
	"fmt"
	"maps"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/test/kit"
)

// played is a game at the stand-in.
type played struct {
	began   time.Time
	going   bool   // it is not finished
	variant string // "" for chess
	site    string
}

// text returns the game as the sites write it.
func (p *played) text() string {
	result := "1-0"
	if p.going {
		result = "*"
	}
	tags := fmt.Sprintf("[Event \"rated blitz game\"]\n[Site \"%s\"]\n[White \"Anna\"]\n[Black \"ben\"]\n[Result \"%s\"]\n[UTCDate \"%s\"]\n[UTCTime \"%s\"]\n",
		p.site, result, p.began.Format("2006.01.02"), p.began.Format("15:04:05"))
	if p.variant != "" {
		tags += fmt.Sprintf("[Variant %q]\n", p.variant)
	}
	return tags + "[TimeControl \"180+2\"]\n\n1. e4 { [%clk 0:03:00] } 1... e5 { [%clk 0:03:00] } 2. Nf3 { [%clk 0:02:57] } " + result + "\n\n\n"
}

// standIn answers as the documentation of both sites says.
type standIn struct {
	*httptest.Server
	t       *testing.T
	mu      sync.Mutex
	games   []*played // of anna at lichess, and of her months at chess.com
	asked   []string  // paths and queries
	headers []http.Header
	streams int                // of lichess at the same time
	faults  []http.HandlerFunc // for the next requests; nil to answer
	cut     int                // bytes after which the next text breaks, 0 for none
	silent  bool               // it ends there as if it were complete
}

func newStandIn(t *testing.T, n int) *standIn {
	s := &standIn{t: t}
	s.add(n, day(2025, 1, 3), 6*time.Hour)
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	return s
}

func day(y, m, d int) time.Time { return time.Date(y, time.Month(m), d, 0, 0, 0, 0, time.UTC) }

// add adds n games that begin at a time and every so often.
func (s *standIn) add(n int, from time.Time, every time.Duration) {
	for i := range n {
		s.games = append(s.games, &played{began: from.Add(time.Duration(i) * every), site: fmt.Sprintf("https://lichess.org/%08d", len(s.games))})
	}
}

func (s *standIn) ServeHTTP(w http.ResponseWriter, q *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = append(s.asked, q.URL.RequestURI())
	s.headers = append(s.headers, q.Header)
	if len(s.faults) > 0 {
		fault := s.faults[0]
		s.faults = s.faults[1:]
		if fault != nil {
			fault(w, q)
			return
		}
	}
	switch path := strings.Split(strings.Trim(q.URL.Path, "/"), "/"); {
	case s.streams > 0:
		http.Error(w, "one stream at a time", http.StatusTooManyRequests)
	case strings.HasPrefix(q.URL.Path, "/api/games/user/") && strings.EqualFold(path[3], "anna"):
		s.lichess(w, q)
	case strings.HasPrefix(q.URL.Path, "/pub/player/anna/games/"):
		s.chesscom(w, q, strings.Join(path[4:], "/"))
	default:
		http.NotFound(w, q)
	}
}

func (s *standIn) lichess(w http.ResponseWriter, q *http.Request) {
	since, _ := strconv.ParseInt(q.FormValue("since"), 10, 64)
	if q.Form.Has("since") && since < firstSince || q.Header.Get("Accept") != "application/x-chess-pgn" {
		http.Error(w, "", http.StatusBadRequest)
		return
	}
	chosen := slices.DeleteFunc(slices.Clone(s.games), func(p *played) bool {
		return p.began.UnixMilli() < since || p.going != (q.FormValue("finished") == "false")
	})
	slices.SortStableFunc(chosen, func(a, b *played) int { return b.began.Compare(a.began) })
	if q.FormValue("sort") == "dateAsc" {
		slices.Reverse(chosen)
	}
	s.write(w, chosen, q.FormValue("finished") == "false")
}

func (s *standIn) chesscom(w http.ResponseWriter, q *http.Request, path string) {
	months := map[string][]*played{}
	for _, p := range s.games {
		name := p.began.Format("2006/01")
		months[name] = append(months[name], p)
	}
	if path == "archives" {
		fmt.Fprintf(w, `{"archives":[`)
		for i, name := range slices.Sorted(maps.Keys(months)) {
			fmt.Fprintf(w, "%s\"https://elsewhere.example/pub/player/anna/games/%s\"", strings.Repeat(",", min(i, 1)), name)
		}
		fmt.Fprint(w, "]}")
		return
	}
	month := months[strings.TrimSuffix(path, "/pgn")]
	tag := fmt.Sprintf(`W/"%s-%d"`, path, len(month))
	w.Header().Set("ETag", tag)
	w.Header().Set("Last-Modified", "Fri, 03 Jan 2025 10:00:00 GMT")
	switch {
	case month == nil:
		http.NotFound(w, q)
	case q.Header.Get("If-None-Match") == tag && q.Header.Get("If-Modified-Since") != "":
		w.WriteHeader(http.StatusNotModified)
	default:
		s.write(w, month, false)
	}
}

// write writes games and breaks where it should, but not in a list of unfinished games.
func (s *standIn) write(w http.ResponseWriter, all []*played, whole bool) {
	var b strings.Builder
	for _, p := range all {
		b.WriteString(p.text())
	}
	text := b.String()
	w.Header().Set("Content-Type", "application/x-chess-pgn")
	if whole || s.cut == 0 || s.cut >= len(text) {
		fmt.Fprint(w, text)
		return
	}
	text, s.cut = text[:s.cut], 0
	if s.silent {
		conn, _, err := http.NewResponseController(w).Hijack()
		kit.Succeed(s.t, err)
		fmt.Fprintf(conn, "HTTP/1.0 200 OK\r\n\r\n%s", text)
		conn.Close()
		return
	}
	fmt.Fprint(w, text)
	_ = http.NewResponseController(w).Flush()
	panic(http.ErrAbortHandler)
}
