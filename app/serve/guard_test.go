//go:build !js

package serve

import "testing"

// TestSocketSources names a page's own sockets, and nothing that would be more than a host.
func TestSocketSources(t *testing.T) {
	for _, host := range []string{"localhost:8080", "127.0.0.1", "[::1]:80", "Chess-1.Example:443"} {
		if got, want := socketSources(host), "ws://"+host+" wss://"+host; got != want {
			t.Errorf("%q: %q, want %q", host, got, want)
		}
		for _, bad := range []string{" ", ";", ",", "*", "'", "/", "_", "é", "\n"} {
			if got := socketSources(host + bad + "x"); got != "" {
				t.Errorf("%q: %q, want none", host+bad+"x", got)
			}
		}
	}
}
