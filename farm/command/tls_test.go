package command

import (
	"context"
	"net"
	"strings"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/farm/hub"
	"github.com/tabula-chess/tabula/farm/link"
	"github.com/tabula-chess/tabula/internal/must"
)

// outside returns an address of this machine that is not loopback.
func outside(t *testing.T) string {
	t.Helper()
	addrs, err := net.InterfaceAddrs()
	if err != nil {
		t.Skip(err)
	}
	for _, a := range addrs {
		if ip, ok := a.(*net.IPNet); ok && !ip.IP.IsLoopback() && ip.IP.To4() != nil {
			return ip.IP.String()
		}
	}
	t.Skip("this machine has no address but loopback")
	return ""
}

// TestBeyondLoopback shows that a hub that others reach wants TLS and a key that is
// enrolled, and gives the rights of its role.
func TestBeyondLoopback(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	h, err := hub.Start(hub.Config{Dir: dir, Listen: outside(t) + ":0", Open: toyOpener, Times: fast()})
	must.Succeed(t, err)
	defer h.Close()
	f := farmAt(t, dir, h.Addr().String())
	works, err := link.ReadKey(f.enrol(hub.OwnKey(dir)))
	must.Succeed(t, err)
	stranger := newKey(t)
	stranger.Pin = f.key.Pin
	wrongPin, noPin := works, works
	wrongPin.Pin, noPin.Pin = strings.Repeat("0", 64), ""
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Minute)
	defer cancel()
	for _, tt := range []struct {
		name          string
		key           link.Key
		reads, begins bool
	}{
		{"nothing", link.Key{}, false, false},
		{"a key that is not enrolled", stranger, false, false},
		{"another hub's pin", wrongPin, false, false},
		{"no pin", noPin, false, false},
		{"worker", works, true, false},
		{"owner", f.key, true, true},
	} {
		c, err := link.Dial(ctx, link.Options{URL: f.url(), Key: tt.key, Machine: "m"}, 0)
		if err == nil {
			defer c.Close()
			_, err = c.OpenRuns(ctx)
		}
		if (err == nil) != tt.reads {
			t.Errorf("%s: reads: %v", tt.name, err)
		}
		if err != nil {
			continue
		}
		if tt.begins { // TestRights shows that workers cannot
			err = c.Put(ctx, "run.x", nil)
		}
		if err != nil {
			t.Errorf("%s: begins a run: %v", tt.name, err)
		}
	}
}
