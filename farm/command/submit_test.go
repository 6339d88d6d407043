package command

import (
	"context"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tabula-chess/tabula/farm/dashboard"
	"github.com/tabula-chess/tabula/internal/must"
)

// TestSubmit refuses what is no run, tells why a command has failed, and begins again what
// was not over when the hub ended.
func TestSubmit(t *testing.T) {
	dir := t.TempDir()
	r, err := newSubmitted(t.Context(), dir, []string{"--hub=x", "--dir=" + dir}, io.Discard)
	must.Succeed(t, err)
	for _, bad := range []dashboard.Submission{
		{Kind: "perft", Name: "a"}, {Kind: "datagen", Name: "../a"}, {Kind: "datagen"}, {Kind: "match", Name: "a", A: "--pgn=/x", B: "b"}, {Kind: "match", Name: "a", A: "a"},
	} {
		if err := r.submit(&bad); err == nil {
			t.Errorf("%+v: taken", bad)
		}
	}
	must.Succeed(t, r.submit(&dashboard.Submission{Kind: "datagen", Name: "a", Nodes: 100}))
	r.all.Wait()
	if state := r.Submitted()["a"]; !strings.Contains(state, "games 0") {
		t.Errorf("it has failed and says %q", state)
	}
	ended, stop := context.WithCancel(t.Context())
	stop()
	again := &submitted{ctx: ended, dir: r.dir, log: io.Discard, states: map[string]string{}}
	must.Succeed(t, again.submit(&dashboard.Submission{Kind: "datagen", Name: "b", Nodes: 100}))
	again.all.Wait()
	if _, err := os.Stat(filepath.Join(r.dir, "b.json")); err != nil {
		t.Errorf("a run that was under way is forgotten: %v", err)
	}
	r, err = newSubmitted(t.Context(), dir, nil, io.Discard)
	must.Succeed(t, err)
	r.all.Wait()
	if !strings.Contains(r.Submitted()["b"], "games 0") {
		t.Errorf("it does not begin again: %v", r.Submitted())
	}
}
