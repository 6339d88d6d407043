//go:build !js

package session

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/tabula-chess/tabula/app/fetch"
	"github.com/tabula-chess/tabula/test/kit"
)

// TestFetch asks a stand-in of lichess, once the user has allowed it, and no longer when that is taken back.
func TestFetch(t *testing.T) {
	var asked atomic.Int32
	begun, end := make(chan bool, 1), make(chan bool)
	defer close(end)
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		asked.Add(1)
		if q.FormValue("finished") == "false" {
			return
		}
		fmt.Fprint(w, "[Event \"x\"]\n[Site \"https://lichess.org/12345678\"]\n[UTCDate \"2025.01.01\"]\n\n1. e4 1-0\n\n\n"+
			"[Event \"x\"]\n[Variant \"Atomic\"]\n\n1. e4 *\n\n\n")
		if strings.HasSuffix(q.URL.Path, "slow") {
			fmt.Fprint(w, "[Event ")
			_ = http.NewResponseController(w).Flush()
			begun <- true
			select {
			case <-q.Context().Done():
			case <-end:
			}
		}
	}))
	defer site.Close()
	t.Setenv(fetch.Variable, site.URL)
	home := filepath.Join(t.TempDir(), "tabula")
	b := start(t, Config{Home: home, Shared: true})
	allowed := func(fields string) (keys string) {
		for _, s := range result[Sites](t, b, `{"id":1,"do":"sites"`+fields+`}`).Sites {
			if s.Allowed {
				keys += s.Key + " " + s.Host + " "
			}
		}
		return keys
	}
	if got := result[Sites](t, b, `{"id":1,"do":"sites"}`); len(got.Sites) != 2 || got.Leaves != fetch.Leaves || allowed("") != "" {
		t.Errorf("at first %+v", got)
	}
	refused := func(fields, want string) {
		t.Helper()
		if r := ask(t, b, `{"id":1,"do":`+fields+`}`)[0]; r.Error == nil || !strings.HasPrefix(r.Error.Error(), want) {
			t.Errorf("%s: %s, %v; want %s", fields, r.Result, r.Error, want)
		}
	}
	refused(`"fetch","account":"lichess:anna"`, "account: lichess.org may not be asked")
	if got := allowed(`,"site":"lichess","allow":true`); got != "lichess lichess.org " || allowed("") != got {
		t.Errorf("allowed: %q", got)
	}
	for fields, want := range map[string]string{
		`"fetch","account":"chesscom:anna"`: "account: api.chess.com may not be asked", `"fetch"`: "account: ", `"fetch","account":"lichess:a b"`: "account: name",
		`"fetch","account":"lichess:anna","since":"soon"`: "since: ", `"fetch","account":"lichess:anna","since":"2999-01-01"`: "since: ",
		`"sites","site":"elsewhere","allow":true`: "site: ", `"sites","allow":true`: "site: ", `"sites","site":"lichess","allow":1`: "allow: ",
	} {
		refused(fields, want)
	}
	if n := asked.Load(); n != 0 {
		t.Fatalf("%d requests before the first fetch", n)
	}
	got := result[Imported](t, b, `{"id":1,"do":"fetch","account":"lichess:anna"}`)
	if got.Games != 1 || got.Bad != 1 || got.Total != 1 || len(got.Errors) != 1 || !strings.Contains(got.Errors[0], "Atomic") || asked.Load() != 2 {
		t.Errorf("fetched %+v with %d requests", got, asked.Load())
	}

	c := newTalk(t, b)
	for _, how := range []string{`{"id":2,"do":"stop","target":1}`, `{"id":2,"do":"sites","site":"lichess","allow":false}`} {
		c.in <- `{"id":1,"do":"fetch","account":"lichess:slow"}`
		<-begun
		c.in <- `{"id":3,"do":"fetch","account":"lichess:anna"}`
		if r := c.until(func(r *reply) bool { return string(r.ID) == "3" && r.final() }); r.Error == nil || !strings.Contains(r.Error.Reason, "being asked already") {
			t.Errorf("two at once: %s, %v", r.Result, r.Error)
		}
		c.in <- how
		r := c.until(func(r *reply) bool { return string(r.ID) == "1" && r.final() })
		if back := strings.Contains(how, "allow"); back != (r.Error != nil) || back && r.Error.Reason != errTakenBack.Error() {
			t.Errorf("%s: %s, %v", how, r.Result, r.Error)
		}
	}
	c.end()
	refused(`"fetch","account":"lichess:anna"`, "account: lichess.org may not be asked")
	kit.Write(t, filepath.Join(home, allowedName), []byte("?"))
	if r := ask(t, b, `{"id":1,"do":"fetch","account":"lichess:anna"}`)[0]; r.Error == nil {
		t.Errorf("by an unreadable file: %s", r.Result)
	}
	if n := asked.Load(); n < 5 || n > 6 { // the second call to slow goes on with one request, if the first had an answer
		t.Errorf("%d requests, want 5 or 6", n)
	}
	none := start(t, Config{})
	for _, do := range []string{"sites", "fetch"} {
		if r := ask(t, none, `{"id":1,"do":"`+do+`"}`)[0]; r.Error == nil {
			t.Errorf("%s without a place: %+v", do, r)
		}
	}
}
