//go:build !js

package app

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/app/fetch"
	"github.com/tabula-chess/tabula/games"
	"github.com/tabula-chess/tabula/internal/exit"
)

// TestFetch fetches from a stand-in: the exit code, what is printed, and what is refused before a request.
func TestFetch(t *testing.T) {
	asked, broken := 0, true
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		asked++
		switch {
		case q.FormValue("finished") == "false":
		case strings.HasSuffix(q.URL.Path, "nobody"):
			http.NotFound(w, q)
		default:
			fmt.Fprint(w, "[Event \"a\"]\n[UTCDate \"2025.01.01\"]\n\n1. e4 1-0\n\n\n[Event \"b\"]\n[UTCDate \"2025.01.02\"]\n\n1. d4")
			if broken {
				_ = http.NewResponseController(w).Flush()
				panic(http.ErrAbortHandler)
			}
			fmt.Fprint(w, " 1-0\n\n\n")
		}
	}))
	defer site.Close()
	db := filepath.Join(t.TempDir(), "db")
	for _, tt := range []struct{ args, want string }{
		{"fetch", "want one account"}, {"fetch lichess:a lichess:b", "want one account"}, {"fetch anna", `account "anna": want lichess:NAME`},
		{"fetch lichess:a/b", `name "a/b": want 2 to 30 letters`}, {"fetch --since soon lichess:anna", `--since: date "soon": want YEAR`},
		{"fetch --since 2999-01-01 lichess:anna", "--since: date \"2999-01-01\": in the future"}, {"fetch --since= lichess:anna", "--since: date \"\": want YEAR"},
	} {
		t.Setenv(fetch.Variable, site.URL)
		if _, errOut, code := run(t, db, "", strings.Fields(tt.args)...); code != exit.Usage || !strings.Contains(errOut, tt.want) || strings.Count(errOut, "\n") != 1 {
			t.Errorf("%s: %d, %s; want one line with %s", tt.args, code, errOut, tt.want)
		}
	}
	t.Setenv(fetch.Variable, "https://elsewhere.example")
	if _, errOut, code := run(t, db, "", "fetch", "lichess:anna"); code != exit.Usage || !strings.Contains(errOut, fetch.Variable) {
		t.Errorf("a stand-in elsewhere: %d, %s", code, errOut)
	}
	if asked != 0 {
		t.Fatalf("%d requests before anything was to be fetched", asked)
	}
	t.Setenv(fetch.Variable, site.URL)
	if _, errOut, code := run(t, db, "", "fetch", "lichess:nobody"); code != exit.Failed || !strings.Contains(errOut, "lichess has no account nobody") {
		t.Errorf("nobody: %d, %s", code, errOut)
	}
	if out, errOut, code := run(t, db, "", "fetch", "lichess:anna"); code != exit.Failed || out != "1 new game, 0 duplicates, 0 shortened, 0 unreadable\n" || !strings.Contains(errOut, "unexpected EOF") {
		t.Errorf("broken: %d, %s%s", code, out, errOut)
	}
	broken = false
	var done games.Imported
	out, errOut, code := run(t, db, "", "fetch", "--json", "--since", "2024.05.01", "lichess:Anna")
	if err := json.Unmarshal([]byte(out), &done); err != nil || code != 0 || done.Games != 1 || done.Repeated != 1 {
		t.Errorf("again: %d, %s%s", code, out, errOut)
	}
	if out, errOut, code := run(t, db, "", "find"); code != 0 || strings.Count(out, "\n") != 2 {
		t.Errorf("found: %d, %s%s", code, out, errOut)
	}
}
