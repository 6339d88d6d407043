package command

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/tabula-chess/tabula/farm/hub"
	"github.com/tabula-chess/tabula/farm/link"
	"github.com/tabula-chess/tabula/farm/work"
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

// TestBeyondLoopback shows that a hub that others reach wants TLS, a key and a
// token, and gives the rights of the token.
func TestBeyondLoopback(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	h, err := hub.Start(hub.Config{Dir: dir, Listen: outside(t) + ":0", Open: toyOpener, Times: fast()})
	if err != nil {
		t.Fatal(err)
	}
	defer h.Close()
	read := func(role string) link.Token {
		text, err := os.ReadFile(hub.TokenFile(dir, role))
		if err != nil {
			t.Fatal(err)
		}
		token, err := link.ParseToken(string(text))
		if err != nil {
			t.Fatal(err)
		}
		return token
	}
	home, err := work.OpenHome(filepath.Join(dir, "home"))
	if err != nil {
		t.Fatal(err)
	}
	defer home.Close()
	wrongPin := read(link.RoleWorker)
	wrongPin.Pin = strings.Repeat("0", 64)
	wrongSecret := read(link.RoleWorker)
	wrongSecret.Secret = strings.Repeat("0", 48)
	for _, tt := range []struct {
		name          string
		options       link.Options
		reads, begins bool
	}{
		{"nothing", link.Options{}, false, false},
		{"a key", link.Options{Key: home.Key}, false, false},
		{"another secret", link.Options{Key: home.Key, Token: wrongSecret}, false, false},
		{"another hub's token", link.Options{Key: home.Key, Token: wrongPin}, false, false},
		{"worker", link.Options{Key: home.Key, Token: read(link.RoleWorker)}, true, false},
		{"worker without a key of its own", link.Options{Token: read(link.RoleWorker)}, true, false},
		{"owner", link.Options{Token: read(link.RoleOwner)}, true, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			tt.options.URL = "nats://" + h.Addr().String()
			c, err := link.Dial(tt.options)
			if err != nil {
				if tt.reads {
					t.Fatal(err)
				}
				return
			}
			defer c.Close()
			// Who comes in may have to try more than once, where the machine is busy.
			ctx, cancel := context.WithTimeout(context.Background(), map[bool]time.Duration{true: 2 * time.Minute, false: 2 * time.Second}[tt.reads])
			defer cancel()
			reads := func(ctx context.Context) error { _, err := c.OpenRuns(ctx); return err }
			if err := insist(ctx, c, reads); (err == nil) != tt.reads {
				t.Errorf("reads: %v", err)
			}
			short, cancel := context.WithTimeout(ctx, map[bool]time.Duration{true: 2 * time.Minute, false: 500 * time.Millisecond}[tt.begins])
			defer cancel()
			begins := func(ctx context.Context) error { return c.Put(ctx, "run.x", nil) }
			if err := insist(short, c, begins); (err == nil) != tt.begins {
				t.Errorf("begins a run: %v", err)
			}
		})
	}
}
