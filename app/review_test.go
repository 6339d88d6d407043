package app

import (
	"encoding/json"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/tabula-chess/tabula/app/session"
	"github.com/tabula-chess/tabula/review"
	"github.com/tabula-chess/tabula/test/kit"
)

// The page's review of a game and that of annotate are equal, by default and by nodes,
// whatever else the page's engine does and has done.
func TestReviewsAgree(t *testing.T) {
	const game = "1. e4 e5 2. Nf3 d6 3. d4 Bg4 4. dxe5 Bxf3 5. Qxf3 dxe5 6. Bc4 Nf6 7. Qb3 Qe7 8. Nc3 c6 9. Bg5 b5 10. Nxb5 cxb5 11. Bxb5+ Nbd7 " +
		"12. O-O-O Rd8 13. Rxd7 Rxd7 14. Rd1 Qe6 15. Bxd7+ Nxd7 16. Qb8+ Nxb8 17. Rd8# 1-0"
	for _, tt := range []struct{ game, flags, limits string }{
		{game, "--nodes 3000", `,"limits":{"nodes":3000}`},
		{"1. f3 e5 2. g4 Qh4# 0-1", "", ""},
	} {
		b, err := session.New(session.Config{Shared: true, Threads: 2, Hash: 1})
		kit.Succeed(t, err)
		in := `{"id":0,"do":"analyse","limits":{"movetime":300}}
{"id":1,"do":"option","name":"SyzygyProbeLimit","value":"0"}
{"id":2,"do":"review","pgn":` + quoted(tt.game) + tt.limits + `}
{"id":3,"do":"review","pgn":` + quoted(tt.game) + tt.limits + `}`
		var replies strings.Builder
		var clients sync.WaitGroup
		clients.Go(func() { // another, who takes turns at the engine meanwhile
			in := strings.NewReader(`{"id":0,"do":"analyse","position":{"moves":["e4"]},"limits":{"movetime":1000}}`)
			if err := b.Stream(t.Context(), in, new(strings.Builder)); err != nil {
				t.Error(err)
			}
		})
		kit.Succeed(t, b.Stream(t.Context(), strings.NewReader(in), &replies))
		clients.Wait()
		b.Close()

		dir := t.TempDir()
		pgnFile, reports := filepath.Join(dir, "game.pgn"), filepath.Join(dir, "game.json")
		kit.Write(t, pgnFile, []byte(tt.game))
		args := append([]string{"annotate", "--json", reports, "--threads", "1"}, strings.Fields(tt.flags)...)
		text, told, code := call(t, nil, "", append(args, pgnFile)...)
		if code != 0 {
			t.Fatal(told)
		}
		data := kit.Read(t, reports)
		var want review.Report
		kit.Succeed(t, json.Unmarshal(data, &want))
		seen := 0
		for line := range strings.Lines(replies.String()) {
			var r struct {
				ID     int
				Error  *session.Error
				Result session.Reviewed
			}
			if err := json.Unmarshal([]byte(line), &r); err != nil || r.Error != nil {
				t.Fatalf("%v, %v: %s", err, r.Error, line)
			}
			if r.ID < 2 || r.Result.Report == nil || r.Result.PGN == "" {
				continue // an event, or of another request
			}
			seen++
			got, _ := json.Marshal(r.Result.Report)
			expected, _ := json.Marshal(want)
			if diff := cmp.Diff(string(expected), string(got)); diff != "" {
				t.Errorf("%s %s: (-annotate +page)\n%s", tt.game, tt.flags, diff)
			}
			if r.Result.PGN != text {
				t.Errorf("%s: annotate writes\n%s\nthe page\n%s", tt.game, text, r.Result.PGN)
			}
		}
		if seen != 2 {
			t.Errorf("%d reviews, want 2:\n%s", seen, &replies)
		}
	}
}

func quoted(text string) string {
	data, _ := json.Marshal(text)
	return string(data)
}
