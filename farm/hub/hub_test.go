package hub

import (
	"os"
	"strings"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/internal/must"
	"github.com/tabula-chess/tabula/tabula-farm/link"
)

// TestGuardKeepsItsSecrets arms a guard twice with one directory: certificate and key stay,
// and files are their owner's alone. A worker's key in place of the owner's is refused.
func TestGuardKeepsItsSecrets(t *testing.T) {
	dir := t.TempDir()
	public := func() string {
		t.Helper()
		g := guard{workers: map[string]bool{}}
		must.Succeed(t, g.arm(dir))
		key, err := g.public()
		if err != nil || len(g.own.Pin) != 64 || g.role(key) != link.RoleOwner || g.role("U") != "" {
			t.Fatalf("%+v, %v", &g.own, err)
		}
		g.enrol(link.Enrolled{Key: "UA"})
		if g.role("UA") != link.RoleWorker || g.role(key) != link.RoleOwner {
			t.Errorf("roles %q, %q", g.role("UA"), g.role(key))
		}
		return key + g.own.Pin
	}
	first := public()
	if second := public(); first != second {
		t.Errorf("keys and pins %s, %s", first, second)
	}
	if info, err := os.Stat(OwnKey(dir)); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	worker, err := link.NewKey(link.RoleWorker, strings.Repeat("a", 64))
	must.Succeed(t, err)
	text, err := worker.Text()
	if err == nil {
		err = os.WriteFile(OwnKey(dir), text, 0o600)
	}
	must.Succeed(t, err)
	if new(guard).arm(dir) == nil {
		t.Error("a worker's key is taken for the owner's")
	}
}

func TestIsLoopback(t *testing.T) {
	for host, want := range map[string]bool{
		"localhost": true, "127.0.0.1": true, "127.9.9.9": true, "::1": true, "0.0.0.0": false, "::": false, "": false, "10.0.0.1": false, "example.org": false,
	} {
		if got := isLoopback(host); got != want {
			t.Errorf("%q: %v, want %v", host, got, want)
		}
	}
}

// TestRestart starts a hub in a directory that another has, which fails, and again
// after that one has ended: what was kept is there.
func TestRestart(t *testing.T) {
	c := Config{Dir: t.TempDir(), Listen: "127.0.0.1:0", Times: link.Usual()}
	h, err := Start(c)
	must.Succeed(t, err)
	if other, err := Start(c); err == nil {
		other.Close()
		t.Error("two hubs are at work in one directory")
	}
	if h.Guarded() {
		t.Error("a hub of this machine alone wants keys")
	}
	must.Succeed(t, h.Conn.PutInput(t.Context(), "r", []byte("kept")))
	client, err := link.Dial(t.Context(), link.Options{URL: "nats://" + h.Addr().String()}, time.Minute)
	must.Succeed(t, err)
	client.Close()
	must.Succeed(t, h.Close())
	h, err = Start(c)
	must.Succeed(t, err)
	defer h.Close()
	if data, err := h.Conn.Inputs("r").Get(t.Context(), link.Sum([]byte("kept"))); err != nil || string(data) != "kept" {
		t.Errorf("%q, %v", data, err)
	}
	for _, listen := range []string{"127.0.0.1", "127.0.0.1:x", "127.0.0.1:99999"} {
		if bad, err := Start(Config{Dir: t.TempDir(), Listen: listen, Times: link.Usual()}); err == nil {
			bad.Close()
			t.Errorf("listens on %q", listen)
		}
	}
}
